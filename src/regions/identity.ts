/** Sets of identities, exactly: by user name and by the groups they are in or not in. */
import {
  ALL_AUTHENTICATED,
  ALL_UNAUTHENTICATED,
  ANONYMOUS,
  impliedGroups,
  SERVICE_ACCOUNT_PREFIX,
  serviceAccountOf,
} from '../apf/identity.ts'
import { WILDCARD } from '../apf/match.ts'
import type { Subject } from '../apf/objects.ts'
import type { Identity } from '../apf/request.ts'
import { compareBytes } from '../apf/text.ts'
import { type PrintedSet, printWithFamilies } from './entry.ts'
import { USERS } from './spaces.ts'
import { describableParts, everything, has, only, type StringSet } from './string-set.ts'

/** Identities whose user name is in `users`, who are in every group of `has` and in none of `lacks`. Both sorted by bytes. */
export interface IdentityCube {
  users: StringSet
  has: readonly string[]
  lacks: readonly string[]
}

/**
 * Which identities there are.
 *
 * `any`: all that can reach the filter, impersonated ones included: they are in at least one of `system:authenticated` and
 * `system:unauthenticated`. A ServiceAccount may lack its groups, as any group given to impersonation takes their place.
 *
 * `authenticated`: those that authenticate themselves. They are in exactly one of the two groups, `system:anonymous` in
 * `system:unauthenticated`. A name that begins with `system:serviceaccount:` is that of a ServiceAccount, of the form
 * NAMESPACE:NAME, in `system:serviceaccounts`, `system:serviceaccounts:NAMESPACE` and `system:authenticated`.
 *
 * User names are not empty. Of other groups nothing is assumed: anybody may be in any of them.
 */
export type IdentityFacts = 'any' | 'authenticated'

/** Whether there is such an identity. */
export function isPossible({ name, groups }: Identity, facts: IdentityFacts): boolean {
  if (name === '') return false
  const authenticated = groups.includes(ALL_AUTHENTICATED)
  const unauthenticated = groups.includes(ALL_UNAUTHENTICATED)
  if (facts === 'any') return authenticated || unauthenticated
  if (authenticated === unauthenticated) return false
  if (name === ANONYMOUS) return unauthenticated
  if (!name.startsWith(SERVICE_ACCOUNT_PREFIX)) return true
  return serviceAccountOf(name) !== null && impliedGroups(name).every((group) => groups.includes(group))
}

/** The family of user names that a subject `ServiceAccount` with name `*` selects. */
export function serviceAccountFamily(namespace: string): string {
  return `${SERVICE_ACCOUNT_PREFIX}${namespace}:`
}

/** Identities as given: absent members restrict nothing. */
export function identityCube({
  users = everything(USERS),
  has: groups = [],
  lacks = [],
}: Partial<IdentityCube>): IdentityCube {
  return { users, has: sortedGroups(groups), lacks: sortedGroups(lacks) }
}

export const EVERY_IDENTITY: readonly IdentityCube[] = [identityCube({})]

function sortedGroups(groups: readonly string[]): string[] {
  return [...new Set(groups)].sort(compareBytes)
}

/**
 * The identities that a subject of a rule matches; none where the member of its kind is missing, its kind is unknown, or
 * the name of the user is empty.
 * ServiceAccounts are told by their name alone.
 */
export function subjectIdentities({ kind, user, group, serviceAccount }: Subject): IdentityCube[] {
  if (kind === 'User' && user) {
    if (user.name === '') return []
    return [identityCube(user.name === WILDCARD ? {} : { users: only(USERS, [user.name]) })]
  }
  if (kind === 'Group' && group) return [identityCube(group.name === WILDCARD ? {} : { has: [group.name] })]
  if (kind === 'ServiceAccount' && serviceAccount) {
    const { namespace, name } = serviceAccount
    const family = serviceAccountFamily(namespace)
    return [identityCube({ users: name === WILDCARD ? only(USERS, [], [family]) : only(USERS, [family + name]) })]
  }
  return []
}

export function cubeContains({ users, has: groups, lacks }: IdentityCube, identity: Identity): boolean {
  return (
    has(users, identity.name) &&
    groups.every((group) => identity.groups.includes(group)) &&
    !lacks.some((group) => identity.groups.includes(group))
  )
}

/** Identities as the JSON contract writes them: every group of `has` present and none of `lacks`. */
export interface SubjectsEntry {
  users: PrintedSet
  groups: { has: string[]; lacks: string[] }
}

/** One entry per cube, more where its user names cannot be told in one list. In a stable order. */
export function subjectsEntries(identities: readonly IdentityCube[]): SubjectsEntry[] {
  return identities
    .flatMap(({ users, has: groups, lacks }) =>
      describableParts(users).map((part) => ({
        users: printUsers(part),
        groups: { has: [...groups], lacks: [...lacks] },
      })),
    )
    .map((entry) => ({ entry, text: JSON.stringify(entry) }))
    .sort((a, b) => compareBytes(a.text, b.text))
    .map(({ entry }) => entry)
}

/** `system:serviceaccount:NS:*` is a pattern; a user name of that form, or `*`, is written as `exact`. */
function printUsers(set: StringSet): PrintedSet {
  return printWithFamilies(set, isPattern)
}

function isPattern(name: string): boolean {
  return name === WILDCARD || (name.startsWith(SERVICE_ACCOUNT_PREFIX) && name.endsWith(':*'))
}
