/**
 * How likely heavy flows take every queue of a light one: the exact arithmetic of dealing hands at random.
 * Source: kubernetes/enhancements keps/sig-api-machinery/1040-priority-and-fairness, whose table it reproduces.
 */

/**
 * The probability that `elephants` flows, each filling all queues of its hand, leave a mouse none of its own: every queue of
 * the mouse's hand is in some elephant's hand.
 *
 * @param queues     ≥ 1
 * @param handSize   1…queues
 * @param elephants  heavy flows besides the mouse, ≥ 0
 * @returns 0…1
 */
export function squashOdds(queues: number, handSize: number, elephants: number): number {
  // Odds of how many different queues the hands dealt so far have together.
  let odds = new Map([[0, 1]])
  for (let dealt = 0; dealt < elephants; dealt++) {
    const next = new Map<number, number>()
    for (const [taken, probability] of odds) {
      const most = Math.min(handSize, queues - taken)
      for (let fresh = Math.max(0, handSize - taken); fresh <= most; fresh++) {
        const way = Math.exp(
          logChoose(queues - taken, fresh) + logChoose(taken, handSize - fresh) - logChoose(queues, handSize),
        )
        next.set(taken + fresh, (next.get(taken + fresh) ?? 0) + probability * way)
      }
    }
    odds = next
  }
  let squashed = 0
  for (const [taken, probability] of odds) {
    if (taken >= handSize) squashed += probability * Math.exp(logChoose(taken, handSize) - logChoose(queues, handSize))
  }
  return Math.min(1, squashed)
}

/** Natural logarithm of the number of ways to choose k of n; hands have 15 cards at most, so that products are short. */
function logChoose(n: number, k: number): number {
  const fewer = Math.min(k, n - k)
  let log = 0
  for (let i = 0; i < fewer; i++) log += Math.log((n - i) / (i + 1))
  return log
}
