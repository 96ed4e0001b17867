/** Makes a failing case small: objects, rules and entries that the failure does not need are taken away. */
import type { Configuration, RequestLine } from './process.ts'

export interface Case {
  configuration: Configuration
  request: RequestLine
}

/**
 * @param fails  whether a case still shows the failure; asked for several cases at once
 * @returns the smallest case found before `deadline` (milliseconds since 1970)
 */
export async function shrink(
  failing: Case,
  fails: (candidate: Case) => Promise<boolean>,
  deadline: number,
): Promise<Case> {
  let current = failing
  let shrunk = true
  while (shrunk && Date.now() < deadline) {
    shrunk = false
    // Big bites first: the number of lists does not grow while one of them gets shorter.
    for (const path of listPaths(current)) {
      for (let bite = lengthAt(current, path); bite >= 1; bite = Math.floor(bite / 2)) {
        for (let at = 0; at < lengthAt(current, path) && Date.now() < deadline; ) {
          const candidates = [at, at + bite, at + 2 * bite, at + 3 * bite]
            .filter((start) => start < lengthAt(current, path))
            .map((start) => without(current, path, start, bite))
          const verdicts = await Promise.all(candidates.map(fails))
          const found = candidates[verdicts.indexOf(true)]
          if (found) {
            current = found
            shrunk = true
          } else at += candidates.length * bite
        }
      }
    }
  }
  return current
}

type Path = readonly (string | number)[]

/** Every list of a case, outer lists before the lists in them. */
function listPaths(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return []
  const inner = Object.entries(value).flatMap(([key, member]) => listPaths(member, [...path, key]))
  return (Array.isArray(value) ? [path, ...inner] : inner).sort((a, b) => a.length - b.length)
}

function listAt(value: unknown, path: Path): unknown[] {
  let found: unknown = value
  for (const step of path) found = typeof found === 'object' && found !== null ? Reflect.get(found, step) : undefined
  return Array.isArray(found) ? found : []
}

function lengthAt(value: unknown, path: Path): number {
  return listAt(value, path).length
}

function without(value: Case, path: Path, start: number, count: number): Case {
  const copy = structuredClone(value)
  listAt(copy, path).splice(start, count)
  return copy
}
