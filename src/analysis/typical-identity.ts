/** Identities as they occur: with the groups that a server or the usual credentials give them, and no others. */
import {
  ALL_AUTHENTICATED,
  ALL_UNAUTHENTICATED,
  ANONYMOUS,
  impliedGroups,
  nodeOf,
  SERVICE_ACCOUNT_PREFIX,
} from '../apf/identity.ts'
import { WILDCARD } from '../apf/match.ts'
import type { Subject } from '../apf/objects.ts'
import type { Identity } from '../apf/request.ts'
import { ALL_SERVICE_ACCOUNTS, NAMESPACE_GROUP_PREFIX } from './breadth.ts'

export const NODES = 'system:nodes'

/** Who stands for the members of a group. */
const SOMEBODY = 'example'

/** Somebody whom the subject names; null where it names nobody. */
export function typicalIdentity({ kind, user, group, serviceAccount }: Subject): Identity | null {
  if (kind === 'User' && user) return named(user.name === WILDCARD ? SOMEBODY : user.name)
  if (kind === 'Group' && group) return memberOf(group.name)
  if (kind !== 'ServiceAccount' || !serviceAccount) return null
  const { namespace, name } = serviceAccount
  return named(SERVICE_ACCOUNT_PREFIX + [namespace, name === WILDCARD ? SOMEBODY : name].join(':'))
}

/** A user of that name. Kubelets are also in the group of their credentials. */
function named(name: string): Identity {
  const groups = impliedGroups(name)
  return { name, groups: nodeOf(name) === null ? groups : [NODES, ...groups] }
}

function memberOf(group: string): Identity {
  if (group === ALL_UNAUTHENTICATED) return named(ANONYMOUS)
  if (group === WILDCARD || group === ALL_AUTHENTICATED) return named(SOMEBODY)
  if (group === NODES) return named('system:node:example')
  if (group === ALL_SERVICE_ACCOUNTS) return named(`${SERVICE_ACCOUNT_PREFIX}${SOMEBODY}:${SOMEBODY}`)
  if (group.startsWith(NAMESPACE_GROUP_PREFIX)) {
    return named(SERVICE_ACCOUNT_PREFIX + [group.slice(NAMESPACE_GROUP_PREFIX.length), SOMEBODY].join(':'))
  }
  return { name: SOMEBODY, groups: [group, ALL_AUTHENTICATED] }
}
