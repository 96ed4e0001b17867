/** One readable identity out of a set, with all groups that a server would see. */
import {
  ALL_AUTHENTICATED,
  ALL_UNAUTHENTICATED,
  ANONYMOUS,
  impliedGroups,
  SERVICE_ACCOUNT_PREFIX,
} from '../apf/identity.ts'
import type { Identity } from '../apf/request.ts'
import { cubeContains, type IdentityCube, type IdentityFacts, isPossible, serviceAccountFamily } from './identity.ts'
import { has } from './string-set.ts'

/** Who is in a group that the system keeps for itself. */
const USUAL_MEMBERS: Readonly<Record<string, string>> = {
  'system:masters': 'kubernetes-admin',
  'system:nodes': 'system:node:node-1',
  'system:serviceaccounts': `${SERVICE_ACCOUNT_PREFIX}default:default`,
  [ALL_UNAUTHENTICATED]: ANONYMOUS,
}
const NAMESPACE_GROUP_PREFIX = 'system:serviceaccounts:'
const FAMILIAR_NAMES = ['jane', `${SERVICE_ACCOUNT_PREFIX}default:default`, ANONYMOUS]
/** An identity that only impersonation makes is shown where there is no other. */
const IMPERSONATED = 100
const UNFAMILIAR = 10

/** The plainest identity found in any of the cubes, or null where none is possible. */
export function exampleIdentity(cubes: readonly IdentityCube[], facts: IdentityFacts): Identity | null {
  return plainest(cubes, facts, knownNames) ?? plainest(cubes, facts, inventedNames)
}

function plainest(
  cubes: readonly IdentityCube[],
  facts: IdentityFacts,
  namesFor: (cube: IdentityCube) => string[],
): Identity | null {
  let best: Identity | null = null
  let least = Infinity
  for (const cube of cubes) {
    for (const [rank, name] of namesFor(cube).entries()) {
      // Groups make an identity special, and impersonation more so.
      const atLeast = rank + cube.has.length * UNFAMILIAR
      if (atLeast >= least) break
      const identity = identityIn(cube, name)
      if (!cubeContains(cube, identity) || !isPossible(identity, facts)) continue
      const isOwn = impliedGroups(name).every((group) => identity.groups.includes(group))
      const strangeness = atLeast + (isOwn ? 0 : IMPERSONATED)
      if (strangeness < least) {
        least = strangeness
        best = identity
      }
    }
  }
  return best
}

/** Names that everybody knows or that the cube names, the plainest first. */
function knownNames({ users, has: groups }: IdentityCube): string[] {
  return [
    ...groups.flatMap((group) => usualMember(group) ?? []),
    ...FAMILIAR_NAMES,
    ...[...users.exact].flatMap(([name, inside]) => (inside ? [name] : [])),
    ...[...users.families].flatMap(([family, inside]) => (inside ? [`${family}default`] : [])),
  ].filter((name) => has(users, name))
}

/** For each kind of names in the cube one that it does not exclude. */
function inventedNames({ users }: IdentityCube): string[] {
  const stems = [
    ...(users.outside ? ['user-'] : []),
    ...[...users.families.keys()].map((family) => `${family}account-`),
  ]
  return stems.flatMap((stem) => {
    for (let number = 1; number <= users.exact.size + 1; number++) if (has(users, stem + number)) return [stem + number]
    return []
  })
}

function usualMember(group: string): string | undefined {
  if (!group.startsWith(NAMESPACE_GROUP_PREFIX)) return USUAL_MEMBERS[group]
  return `${serviceAccountFamily(group.slice(NAMESPACE_GROUP_PREFIX.length))}default`
}

/**
 * The groups of a credential stand first, those that the server adds behind them. Groups given to impersonation take the
 * place of all that a ServiceAccount has of its own.
 */
function identityIn({ has: groups, lacks }: IdentityCube, name: string): Identity {
  const own = impliedGroups(name)
  const implied = own.some((group) => lacks.includes(group)) ? [] : own
  const wanted = new Set([...groups.filter((group) => !implied.includes(group)), ...implied])
  // The server adds system:authenticated only to those whose credential says nothing about it.
  if (groups.includes(ALL_UNAUTHENTICATED) && !groups.includes(ALL_AUTHENTICATED)) wanted.delete(ALL_AUTHENTICATED)
  if (!wanted.has(ALL_AUTHENTICATED) && !wanted.has(ALL_UNAUTHENTICATED)) {
    wanted.add(lacks.includes(ALL_AUTHENTICATED) ? ALL_UNAUTHENTICATED : ALL_AUTHENTICATED)
  }
  return { name, groups: [...wanted] }
}
