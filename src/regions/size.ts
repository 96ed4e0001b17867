/** How large sets of identities and requests are, roughly: to rank by, not to show. */
import type { Box } from './box.ts'
import type { IdentityCube } from './identity.ts'
import { PLANE_NAMES, type Region } from './region.ts'
import type { StringSet } from './string-set.ts'

/** Members that a family, and everything but some names, are taken to have. */
const FAMILY = 100
const REST = 10_000
/** The part of all users who are taken to be in a group. */
const GROUP_PART = 0.1

/** The order of magnitude of the pairs of an identity and a request in a share: 0 for one or none, larger for more. */
export function sizeClass({ identities, requests }: { identities: readonly IdentityCube[]; requests: Region }): number {
  const users = sum(identities.map((cube) => sizeOf(cube.users) * GROUP_PART ** cube.has.length))
  const asked = sum(PLANE_NAMES.flatMap((plane) => requests[plane].map(sizeOfBox)))
  return Math.max(0, Math.floor(Math.log10(users * asked)))
}

function sizeOfBox(box: Box): number {
  return box.reduce((product, set) => product * sizeOf(set), 1)
}

function sizeOf({ outside, families, exact }: StringSet): number {
  if (outside) return REST
  const inside = (answers: ReadonlyMap<string, boolean>) => [...answers.values()].filter((held) => held).length
  return inside(exact) + FAMILY * inside(families)
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, next) => total + next, 0)
}
