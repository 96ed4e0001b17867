/**
 * Names and groups of those who ask, as APF sees them.
 * Source: kubernetes/apiserver pkg/endpoints/filters/impersonation, pkg/authentication/serviceaccount/util.go and
 * pkg/authentication/group.
 */
import { isDnsLabel, isDnsSubdomain } from './names.ts'
import type { Identity } from './request.ts'
import type { VersionRules } from './versions.ts'

export const ANONYMOUS = 'system:anonymous'
export const ALL_AUTHENTICATED = 'system:authenticated'
export const ALL_UNAUTHENTICATED = 'system:unauthenticated'

export const SERVICE_ACCOUNT_PREFIX = 'system:serviceaccount:'
const NODE_PREFIX = 'system:node:'

/** What the Impersonate headers carry; absent and empty members mean no header. */
export interface ImpersonationHeaders {
  user?: string
  groups?: readonly string[]
  uid?: string
  extra?: Readonly<Record<string, readonly string[]>>
}

/** The identity is that of the classic impersonation; see `constrainedImpersonation` of the version rules for others. */
export type Impersonation =
  | { impersonated: true; identity: Identity }
  | { impersonated: false }
  | { impersonated: false; failure: string; httpStatus: 400 | 500 }

/**
 * Whom the server takes the requester for. Nothing of the requester is inherited, and any explicit group of a
 * ServiceAccount takes the place of its own groups. UID and extra change nothing, but need a user.
 */
export function impersonate(headers: ImpersonationHeaders, rules: VersionRules): Impersonation {
  const { user = '', groups = [], uid = '', extra = {} } = headers
  if (user === '') {
    if (groups.length === 0 && uid === '' && Object.keys(extra).length === 0) return { impersonated: false }
    const failure = 'groups, UID or extra without a user to impersonate'
    return { impersonated: false, failure, httpStatus: rules.impersonationFailureStatus }
  }
  if (groups.length === 0) return { impersonated: true, identity: { name: user, groups: impliedGroups(user) } }
  const added = user === ANONYMOUS ? ALL_UNAUTHENTICATED : ALL_AUTHENTICATED
  const complete = groups.includes(added) || groups.includes(ALL_UNAUTHENTICATED)
  return { impersonated: true, identity: { name: user, groups: complete ? [...groups] : [...groups, added] } }
}

/** Groups of a user of whom only the name is known: a ServiceAccount's own ones, and those that the server adds itself. */
export function impliedGroups(userName: string): string[] {
  if (userName === ANONYMOUS) return [ALL_UNAUTHENTICATED]
  const serviceAccount = serviceAccountOf(userName)
  if (serviceAccount === null) return [ALL_AUTHENTICATED]
  return ['system:serviceaccounts', `system:serviceaccounts:${serviceAccount.namespace}`, ALL_AUTHENTICATED]
}

/** The ServiceAccount behind a user name, or null where the name has not exactly that form. */
export function serviceAccountOf(userName: string): { namespace: string; name: string } | null {
  if (!userName.startsWith(SERVICE_ACCOUNT_PREFIX)) return null
  const colon = userName.indexOf(':', SERVICE_ACCOUNT_PREFIX.length)
  if (colon < 0) return null
  const namespace = userName.slice(SERVICE_ACCOUNT_PREFIX.length, colon)
  const name = userName.slice(colon + 1)
  return isDnsLabel(namespace) && isDnsSubdomain(name) ? { namespace, name } : null
}

/** The node behind the user name of a kubelet, or null. Real kubelets are also in group `system:nodes`. */
export function nodeOf(userName: string): string | null {
  if (!userName.startsWith(NODE_PREFIX)) return null
  const node = userName.slice(NODE_PREFIX.length)
  return isDnsSubdomain(node) ? node : null
}
