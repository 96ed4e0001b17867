/** How broadly a set of identities is drawn: from one account to everyone. */
import {
  ALL_AUTHENTICATED,
  ALL_UNAUTHENTICATED,
  ANONYMOUS,
  SERVICE_ACCOUNT_PREFIX,
  serviceAccountOf,
} from '../apf/identity.ts'
import { WILDCARD } from '../apf/match.ts'
import type { Subject } from '../apf/objects.ts'
import type { IdentityCube } from '../regions/identity.ts'
import type { StringSet } from '../regions/string-set.ts'

/** From narrow to broad. `namespace`: all ServiceAccounts of a namespace, or of several. */
export const BREADTHS = [
  'one-identity',
  'several-identities',
  'namespace',
  'group',
  'all-service-accounts',
  'all-authenticated',
  'everyone',
] as const
export type Breadth = (typeof BREADTHS)[number]

export const BREADTH_IN_WORDS: Readonly<Record<Breadth, string>> = {
  'one-identity': 'one identity',
  'several-identities': 'several identities',
  namespace: 'all ServiceAccounts of a namespace',
  group: 'a group',
  'all-service-accounts': 'all ServiceAccounts',
  'all-authenticated': 'all that authenticate',
  everyone: 'everyone',
}

/** The group of all ServiceAccounts. */
export const ALL_SERVICE_ACCOUNTS = 'system:serviceaccounts'
/** Before the name of a namespace: the group of its ServiceAccounts. */
export const NAMESPACE_GROUP_PREFIX = `${ALL_SERVICE_ACCOUNTS}:`

/** Negative where `a` is narrower than `b`. */
export function compareBreadth(a: Breadth, b: Breadth): number {
  return BREADTHS.indexOf(a) - BREADTHS.indexOf(b)
}

/** How broadly a list of subjects is drawn; null where it names nobody. */
export function breadthOfSubjects(subjects: readonly Subject[]): Breadth | null {
  return summedUp(subjects.map(reachOfSubject))
}

/** How broadly the union of the cubes is drawn; null for no cube. */
export function breadthOfIdentities(cubes: readonly IdentityCube[]): Breadth | null {
  return summedUp(cubes.map(reachOfCube))
}

/** Single names, told apart so that the same name twice is one identity, or a class. */
type Reach = { names: readonly string[] } | { broad: Breadth }

function summedUp(parts: readonly Reach[]): Breadth | null {
  const names = new Set(parts.flatMap((part) => ('names' in part ? part.names : [])))
  const broad = parts.flatMap((part) => ('broad' in part ? [part.broad] : []))
  if (names.size > 0) broad.push(names.size === 1 ? 'one-identity' : 'several-identities')
  return broad.reduce<Breadth | null>(
    (broadest, next) => (broadest === null || compareBreadth(broadest, next) < 0 ? next : broadest),
    null,
  )
}

function reachOfSubject({ kind, user, group, serviceAccount }: Subject): Reach {
  if (kind === 'User' && user) return user.name === WILDCARD ? { broad: 'everyone' } : reachOfName(user.name)
  if (kind === 'Group' && group) return { broad: breadthOfGroup(group.name) }
  if (kind === 'ServiceAccount' && serviceAccount) {
    const { namespace, name } = serviceAccount
    return name === WILDCARD ? { broad: 'namespace' } : { names: [`${SERVICE_ACCOUNT_PREFIX}${namespace}:${name}`] }
  }
  return { names: [] }
}

/** Who drops its credentials is anonymous, so that one name is open to everyone. */
function reachOfName(name: string): Reach {
  return name === ANONYMOUS ? { broad: 'everyone' } : { names: [name] }
}

function breadthOfGroup(name: string): Breadth {
  if (name === WILDCARD || name === ALL_UNAUTHENTICATED) return 'everyone'
  if (name === ALL_AUTHENTICATED) return 'all-authenticated'
  if (name === ALL_SERVICE_ACCOUNTS) return 'all-service-accounts'
  return name.startsWith(NAMESPACE_GROUP_PREFIX) ? 'namespace' : 'group'
}

/** The narrowest of what the names and each of the groups allow. */
function reachOfCube({ users, has }: IdentityCube): Reach {
  const byName = reachOfNames(users)
  if ('names' in byName) return byName
  const broad = has
    .map(breadthOfGroup)
    .reduce((narrowest, next) => (compareBreadth(next, narrowest) < 0 ? next : narrowest), byName.broad)
  return { broad }
}

function reachOfNames(users: StringSet): Reach {
  if (users.outside) return { broad: 'everyone' }
  const families = [...users.families].flatMap(([family, inside]) => (inside ? [family] : []))
  if (families.length > 0) {
    return { broad: families.every(isOneNamespace) ? 'namespace' : 'all-service-accounts' }
  }
  const names = [...users.exact.keys()]
  return names.includes(ANONYMOUS) ? { broad: 'everyone' } : { names }
}

/** Whether a family of user names is that of the ServiceAccounts of one namespace. */
function isOneNamespace(family: string): boolean {
  return serviceAccountOf(`${family}example`) !== null
}
