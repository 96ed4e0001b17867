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
/** Invented names that a set may exclude before the next kind of names is tried. */
const INVENTIONS = 1000

/** The plainest identity found in any of the cubes, or null where none is possible. */
export function exampleIdentity(cubes: readonly IdentityCube[], facts: IdentityFacts): Identity | null {
  let plainest: { identity: Identity; strangeness: number } | null = null
  for (const cube of cubes) {
    for (const [rank, name] of [...candidateNames(cube)].entries()) {
      const identity = identityIn(cube, name)
      if (!cubeContains(cube, identity) || !isPossible(identity, facts)) continue
      const isOwn = impliedGroups(name).every((group) => identity.groups.includes(group))
      const strangeness = rank + cube.has.length * UNFAMILIAR + (isOwn ? 0 : IMPERSONATED)
      if (!plainest || strangeness < plainest.strangeness) plainest = { identity, strangeness }
    }
  }
  return plainest?.identity ?? null
}

/** The plainest first. */
function candidateNames({ users, has: groups }: IdentityCube): Set<string> {
  const names = [
    ...groups.flatMap((group) => usualMember(group) ?? []),
    ...FAMILIAR_NAMES,
    ...[...users.exact.keys()],
    ...[...users.families.keys()].flatMap((family) => [`${family}default`, `${family}example`]),
  ].filter((name) => has(users, name))
  const invented = [...(users.outside ? ['user-'] : []), ...users.families.keys()].flatMap(
    (stem) => numbered(stem).find((name) => has(users, name)) ?? [],
  )
  return new Set([...names, ...invented])
}

function usualMember(group: string): string | undefined {
  if (!group.startsWith(NAMESPACE_GROUP_PREFIX)) return USUAL_MEMBERS[group]
  return `${serviceAccountFamily(group.slice(NAMESPACE_GROUP_PREFIX.length))}default`
}

function numbered(stem: string): string[] {
  return Array.from({ length: INVENTIONS }, (_, index) => `${stem}${stem.endsWith(':') ? 'account-' : ''}${index + 1}`)
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
