/** Subjects as policies name them: `user:NAME`, `group:NAME`, `sa:NAMESPACE/NAME`, where NAME of an account may be `*`. */
import { SERVICE_ACCOUNT_PREFIX, serviceAccountOf } from '../apf/identity.ts'
import { WILDCARD } from '../apf/match.ts'
import type { Subject } from '../apf/objects.ts'
import { NAMESPACE_GROUP_PREFIX } from './breadth.ts'

/** Whether a policy allows everybody whom the subject names. */
export function isAllowed({ kind, user, group, serviceAccount }: Subject, allowed: readonly string[]): boolean {
  if (kind === 'User' && user) {
    if (allowed.includes(`user:${user.name}`)) return true
    const account = serviceAccountOf(user.name)
    return account !== null && isAllowedAccount(account, allowed)
  }
  if (kind === 'Group' && group) {
    if (allowed.includes(`group:${group.name}`)) return true
    const namespace = group.name.startsWith(NAMESPACE_GROUP_PREFIX) && group.name.slice(NAMESPACE_GROUP_PREFIX.length)
    return namespace !== false && allowed.includes(`sa:${namespace}/${WILDCARD}`)
  }
  return kind === 'ServiceAccount' && serviceAccount !== null && isAllowedAccount(serviceAccount, allowed)
}

function isAllowedAccount(
  { namespace, name }: { namespace: string; name: string },
  allowed: readonly string[],
): boolean {
  return [
    `sa:${namespace}/${name}`,
    `sa:${namespace}/${WILDCARD}`,
    `user:${SERVICE_ACCOUNT_PREFIX}${namespace}:${name}`,
    `group:${NAMESPACE_GROUP_PREFIX}${namespace}`,
  ].some((form) => allowed.includes(form))
}
