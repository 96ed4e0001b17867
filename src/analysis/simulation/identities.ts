/** Single requests out of sets of them, and what sets of identities have in common. */
import type { Identity, RequestAttributes } from '../../apf/request.ts'
import { isRefused } from '../../apf/request-info.ts'
import { isMalformed, readRequestLine } from '../../apf/request-line.ts'
import { type IdentityCube, type IdentityFacts, identityCube } from '../../regions/identity.ts'
import { exampleIdentity } from '../../regions/identity-witness.ts'
import type { Region } from '../../regions/region.ts'
import { intersect, isEmpty } from '../../regions/string-set.ts'
import { type RequestLine, witness } from '../../regions/witness.ts'

/** What two cubes have in common: one cube, or none. */
export function intersectCubes(a: IdentityCube, b: IdentityCube): IdentityCube[] {
  const users = intersect(a.users, b.users)
  const common = identityCube({ users, has: [...a.has, ...b.has], lacks: [...a.lacks, ...b.lacks] })
  return isEmpty(users) || common.has.some((group) => common.lacks.includes(group)) ? [] : [common]
}

/** A request of somebody in the cube; null where there is none. */
export function requestOf(
  cube: IdentityCube,
  requests: Region,
  facts: IdentityFacts,
): { identity: Identity; request: RequestAttributes; line: RequestLine } | null {
  const identity = exampleIdentity([cube], facts)
  const line = identity && witness(requests, identity)
  if (!identity || !line) return null
  const read = readRequestLine(line)
  return isMalformed(read) || isRefused(read.request) ? null : { identity, request: read.request, line }
}
