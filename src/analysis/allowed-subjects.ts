/** Subjects as policies name them: `user:NAME`, `group:NAME`, `sa:NAMESPACE/NAME`, where NAME of an account may be `*`. */
import {
  ALL_AUTHENTICATED,
  ALL_UNAUTHENTICATED,
  ANONYMOUS,
  SERVICE_ACCOUNT_PREFIX,
  serviceAccountOf,
} from '../apf/identity.ts'
import { WILDCARD } from '../apf/match.ts'
import type { Subject } from '../apf/objects.ts'
import { ALL_SERVICE_ACCOUNTS, NAMESPACE_GROUP_PREFIX } from './breadth.ts'

/** Whether a text has one of the forms in which a policy names a subject. */
export function isSubjectForm(text: string): boolean {
  return /^(?:user:.+|group:.+|sa:[^/]+\/[^/]+)$/s.test(text)
}

/** Whether a policy allows everybody whom the subject names: that very subject, or one that takes in all of it. */
export function isAllowed(subject: Subject, allowed: readonly string[]): boolean {
  return formsCovering(subject).some((form) => allowed.includes(form))
}

const EVERYBODY = [`user:${WILDCARD}`, `group:${WILDCARD}`]

/** In which forms a policy may name a subject, or more. */
function formsCovering({ kind, user, group, serviceAccount }: Subject): string[] {
  if (kind === 'ServiceAccount' && serviceAccount) return formsOfAccount(serviceAccount)
  if (kind === 'User' && user) {
    const account = serviceAccountOf(user.name)
    return account === null ? [`user:${user.name}`, ...formsAbove(user.name)] : formsOfAccount(account)
  }
  return kind === 'Group' && group ? formsOfGroup(group.name) : []
}

function formsOfAccount({ namespace, name }: { namespace: string; name: string }): string[] {
  const one = name === WILDCARD ? [] : [`sa:${namespace}/${name}`, `user:${SERVICE_ACCOUNT_PREFIX}${namespace}:${name}`]
  return [...one, ...formsOfNamespace(namespace)]
}

function formsOfNamespace(namespace: string): string[] {
  const ofNamespace = [`sa:${namespace}/${WILDCARD}`, `group:${NAMESPACE_GROUP_PREFIX}${namespace}`]
  return [...ofNamespace, `group:${ALL_SERVICE_ACCOUNTS}`, ...formsAbove(ALL_SERVICE_ACCOUNTS)]
}

function formsOfGroup(name: string): string[] {
  if (name.startsWith(NAMESPACE_GROUP_PREFIX)) return formsOfNamespace(name.slice(NAMESPACE_GROUP_PREFIX.length))
  return [`group:${name}`, ...formsAbove(name)]
}

/** Forms that take in a whole user or group. Whoever is not anonymous has authenticated. */
function formsAbove(name: string): string[] {
  const isOpen = name === WILDCARD || name === ANONYMOUS || name === ALL_UNAUTHENTICATED
  return isOpen ? EVERYBODY : [`group:${ALL_AUTHENTICATED}`, ...EVERYBODY]
}
