/** Whom `forAll` means, as sets of identities. */
import {
  ALL_AUTHENTICATED,
  ALL_UNAUTHENTICATED,
  ANONYMOUS,
  impliedGroups,
  SERVICE_ACCOUNT_PREFIX,
  serviceAccountOf,
} from '../../apf/identity.ts'
import type { EffectiveConfiguration } from '../../apf/order.ts'
import { compareBytes } from '../../apf/text.ts'
import type { IdentityCube } from '../../regions/identity.ts'
import { USERS } from '../../regions/spaces.ts'
import { allBut, everything, only, type StringSet } from '../../regions/string-set.ts'
import { ALL_SERVICE_ACCOUNTS, NAMESPACE_GROUP_PREFIX } from '../breadth.ts'
import type { WhoSet } from './model.ts'

const ANY = '*'
const RESERVED = 'system:'
const MASTERS = 'system:masters'

/**
 * The identities that a promise is about. Somebody who is named may be in further groups besides, but in none that the
 * system keeps for itself (`system:…`) unless the promise names it: these come with a credential of their own, and every
 * promise would be broken by system:masters. ServiceAccounts are in their own groups and no other.
 */
export function identitiesOf(
  { users, groups, notGroups }: WhoSet,
  configuration: EffectiveConfiguration,
): IdentityCube[] {
  const named = namedIn(configuration)
  return (groups ?? [null]).flatMap((group, index) =>
    (users ?? [null]).flatMap((user) => {
      const { users: names, has, lacks } = cubeOf(user, group, named, groups ?? [])
      // Cubes of several groups are disjoint: who is in an earlier one belongs there.
      const excluded = [...notGroups, ...(groups?.slice(0, index) ?? [])]
      if (excluded.some((name) => has.has(name))) return []
      return [{ users: names, has: sorted(has), lacks: sorted([...lacks, ...excluded]) }]
    }),
  )
}

interface Named {
  groups: ReadonlySet<string>
  reservedUsers: readonly string[]
}

interface Part {
  users: StringSet
  has: ReadonlySet<string>
  lacks: ReadonlySet<string>
}

/** @param promised  all groups of the promise: nobody is left out for being in one of them */
function cubeOf(user: string | null, group: string | null, named: Named, promised: readonly string[]): Part {
  const users = user === null ? everything(USERS) : usersOf(user)
  const own = user === null || user === ANY ? null : ownGroups(user)
  const has = new Set([...(group === null || group === ANY ? [] : [group, ...impliedBy(group)]), ...(own ?? [])])
  const isEverybody = (user === null || user === ANY) && (group === null || isBroad(group))
  if (isEverybody) return { users, has, lacks: new Set(promised.includes(MASTERS) ? [] : [MASTERS]) }
  const isServiceAccount = has.has(ALL_SERVICE_ACCOUNTS)
  const keep = (name: string) => has.has(name) || promised.includes(name) || isAuthentication(name)
  const others = [...named.groups].filter((name) => !keep(name) && !mayCarry(name, has))
  const lacks = isServiceAccount ? others : others.filter((name) => name.startsWith(RESERVED))
  const isAnybody = user === null || user === ANY
  return {
    users: isAnybody ? (isServiceAccount ? accountsOf(group) : allBut(USERS, named.reservedUsers)) : users,
    has,
    lacks: new Set(
      [MASTERS, ...(isServiceAccount ? [] : [ALL_SERVICE_ACCOUNTS]), ...lacks].filter((name) => !keep(name)),
    ),
  }
}

/** A user name, or all ServiceAccounts of a namespace. */
function usersOf(user: string): StringSet {
  if (user === ANY) return everything(USERS)
  return isAccountsOfNamespace(user) ? only(USERS, [], [user.slice(0, -1)]) : only(USERS, [user])
}

/** Names of the ServiceAccounts in a group of theirs. */
function accountsOf(group: string | null): StringSet {
  const namespace = group?.startsWith(NAMESPACE_GROUP_PREFIX) ? group.slice(NAMESPACE_GROUP_PREFIX.length) : null
  return only(USERS, [], [namespace === null ? SERVICE_ACCOUNT_PREFIX : `${SERVICE_ACCOUNT_PREFIX}${namespace}:`])
}

/** Whether a name of a promise stands for all ServiceAccounts of one namespace. */
export function isAccountsOfNamespace(user: string): boolean {
  return user.endsWith(':*') && serviceAccountOf(`${user.slice(0, -1)}any`) !== null
}

/** Groups that come with the name. */
function ownGroups(user: string): string[] {
  if (!isAccountsOfNamespace(user)) return impliedGroups(user)
  return impliedGroups(`${user.slice(0, -1)}any`)
}

/** Groups in which everybody is who is in this one. */
function impliedBy(group: string): string[] {
  if (group === ALL_UNAUTHENTICATED) return []
  if (group.startsWith(NAMESPACE_GROUP_PREFIX)) return [ALL_SERVICE_ACCOUNTS, ALL_AUTHENTICATED]
  return [ALL_AUTHENTICATED]
}

/** All ServiceAccounts are in groups of some namespace. */
function mayCarry(group: string, has: ReadonlySet<string>): boolean {
  if (!has.has(ALL_SERVICE_ACCOUNTS) || !group.startsWith(NAMESPACE_GROUP_PREFIX)) return false
  return ![...has].some((other) => other.startsWith(NAMESPACE_GROUP_PREFIX))
}

function isAuthentication(group: string): boolean {
  return group === ALL_AUTHENTICATED || group === ALL_UNAUTHENTICATED
}

function isBroad(group: string): boolean {
  return group === ANY || isAuthentication(group)
}

function namedIn({ order }: EffectiveConfiguration): Named {
  const groups = new Set<string>()
  const users = new Set<string>()
  for (const { schema } of order) {
    for (const { subjects } of schema.spec.rules) {
      for (const { kind, group, user } of subjects) {
        if (kind === 'Group' && group && group.name !== ANY) groups.add(group.name)
        if (kind === 'User' && user?.name.startsWith(RESERVED)) users.add(user.name)
      }
    }
  }
  users.delete(ANONYMOUS)
  return { groups, reservedUsers: [...users].filter((name) => serviceAccountOf(name) === null) }
}

function sorted(names: Iterable<string>): string[] {
  return [...new Set(names)].sort(compareBytes)
}
