/** The impersonation that makes a server see exactly one identity. */
import { ALL_AUTHENTICATED, ALL_UNAUTHENTICATED, impersonate, nodeOf } from '../../apf/identity.ts'
import type { Identity } from '../../apf/request.ts'
import type { VersionRules } from '../../apf/versions.ts'
import { impersonationFault } from './impersonation-headers.ts'
import { type Impersonate, NOBODY } from './kubeconfig/model.ts'

/**
 * Groups that the server adds by itself are left out: every header needs a permission of its own. Those of nodes are all
 * given, since newer servers may add others to a node that is named alone.
 * @returns null where no impersonation gives this identity, as for a user in no group at all
 */
export function impersonationOf(identity: Identity, rules: VersionRules): Impersonate | null {
  const { name, groups } = identity
  const own = groups.filter((group) => group !== ALL_AUTHENTICATED && group !== ALL_UNAUTHENTICATED)
  const attempts = nodeOf(name) === null ? [[], own, groups] : [groups]
  for (const attempt of attempts) {
    const seen = impersonate({ user: name, groups: attempt }, rules)
    const headers: Impersonate = { ...NOBODY, user: name, groups: attempt }
    if (seen.impersonated && sameGroups(seen.identity.groups, groups) && impersonationFault(headers) === null)
      return headers
  }
  return null
}

function sameGroups(a: readonly string[], b: readonly string[]): boolean {
  return new Set([...a, ...b]).size === new Set(a).size && new Set(a).size === new Set(b).size
}
