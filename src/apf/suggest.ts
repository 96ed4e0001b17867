/** What a misspelt word was probably meant to be. */

/** Longer words are not compared: nobody misspells them by a letter. */
const LONGEST_COMPARED = 100

/**
 * The candidate that was probably meant, or null when none is near: at most a third of the letters differ (whatever their
 * case), or the word is the beginning of exactly one candidate.
 */
export function nearest(word: string, candidates: readonly string[]): string | null {
  if (word.length > LONGEST_COMPARED) return null
  let best: string | null = null
  let bestDistance = Math.max(1, Math.floor(word.length / 3)) + 1
  for (const candidate of candidates) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase())
    if (distance < bestDistance) {
      best = candidate
      bestDistance = distance
    }
  }
  if (best !== null || word.length < 2) return best
  const beginning = candidates.filter((candidate) => candidate.startsWith(word))
  return beginning.length === 1 ? (beginning[0] ?? null) : null
}

/** Edit distance where swapping two neighbouring letters is one edit (optimal string alignment). */
export function editDistance(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const substitution = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      let cost = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, substitution)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, (beforeLast[j - 2] ?? 0) + 1)
      }
      row.push(cost)
    }
    beforeLast = last
    last = row
  }
  return last[b.length] ?? 0
}
