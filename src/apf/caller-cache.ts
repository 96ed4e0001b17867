/** What is known of callers, kept by name and groups in bounded memory. */
import { BoundedCache } from './bounded-cache.ts'
import { impliedGroups } from './identity.ts'

const KNOWN_NAMES = 1 << 16
/** Group lists kept of one name: one that comes with ever new groups must not grow without bound. */
const KNOWN_GROUP_LISTS = 32

/** Something kept for one caller. The links belong to the cache: one object less to reach for is worth it here. */
export interface KnownCaller<Kept> {
  /** Null: those that the name implies. */
  readonly groupsGiven: readonly string[] | null
  /** The same name with other groups. */
  readonly sameName: Kept | undefined
}

/**
 * Makes a memory of callers.
 *
 * @param make  called once for a caller, and again after it was forgotten
 * @returns (name, groups) → what was made; groups null means those that the name implies
 */
export function callerCache<Kept extends KnownCaller<Kept>>(
  make: (name: string, groups: readonly string[], links: KnownCaller<Kept>) => Kept,
): (name: string, groups: readonly string[] | null) => Kept {
  const known = new BoundedCache<string, Kept>(KNOWN_NAMES)
  return (name, groupsGiven) => {
    const newest = known.get(name)
    let listed = 0
    for (let caller = newest; caller !== undefined; caller = caller.sameName) {
      if (sameGroups(caller.groupsGiven, groupsGiven)) return caller
      listed++
    }
    const sameName = listed < KNOWN_GROUP_LISTS ? newest : undefined
    const made = make(name, groupsGiven ?? impliedGroups(name), { groupsGiven, sameName })
    known.set(name, made)
    return made
  }
}

function sameGroups(a: readonly string[] | null, b: readonly string[] | null): boolean {
  if (a === b) return true
  if (a === null || b === null || a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}
