/**
 * Whether a FlowSchema takes a request: the rules as upstream writes them, one comparison after the other.
 * The compiled classifier answers the same and is held to this file by property tests.
 * Source: kubernetes/apiserver pkg/util/flowcontrol/rule.go
 */
import { SERVICE_ACCOUNT_PREFIX } from './identity.ts'
import type { FlowSchema, NonResourceRule, PolicyRule, ResourceRule, Subject } from './objects.ts'
import { type Identity, type RequestAttributes, resourceWithSubresource } from './request.ts'

export const WILDCARD = '*'

/**
 * The first rule of the schema that takes the request.
 * @returns index into `spec.rules`, or null if no rule does
 */
export function matchesFlowSchema(schema: FlowSchema, identity: Identity, request: RequestAttributes): number | null {
  const index = schema.spec.rules.findIndex((rule) => policyRuleMatches(rule, identity, request))
  return index < 0 ? null : index
}

/** One rule: a subject that is the caller, and a resource or non-resource rule of that same rule that covers the request. */
export function policyRuleMatches(rule: PolicyRule, identity: Identity, request: RequestAttributes): boolean {
  if (!rule.subjects.some((subject) => subjectMatches(subject, identity))) return false
  return (
    rule.resourceRules.some((resourceRule) => resourceRuleMatches(resourceRule, request)) ||
    rule.nonResourceRules.some((nonResourceRule) => nonResourceRuleMatches(nonResourceRule, request))
  )
}

/** Only the member named by `kind` is looked at; ServiceAccounts are told by the user name alone, never by groups. */
export function subjectMatches(subject: Subject, identity: Identity): boolean {
  switch (subject.kind) {
    case 'User':
      return subject.user !== null && (subject.user.name === WILDCARD || subject.user.name === identity.name)
    case 'Group':
      return subject.group !== null && (subject.group.name === WILDCARD || identity.groups.includes(subject.group.name))
    case 'ServiceAccount': {
      if (subject.serviceAccount === null) return false
      const { namespace, name } = subject.serviceAccount
      const prefix = `${SERVICE_ACCOUNT_PREFIX}${namespace}:`
      return name === WILDCARD ? identity.name.startsWith(prefix) : identity.name === prefix + name
    }
    default:
      return false
  }
}

export function resourceRuleMatches(rule: ResourceRule, request: RequestAttributes): boolean {
  return (
    request.isResourceRequest &&
    listContains(rule.verbs, request.verb) &&
    listContains(rule.apiGroups, request.apiGroup) &&
    listContains(rule.resources, resourceWithSubresource(request)) &&
    scopeMatches(rule, request.namespace)
  )
}

/** Requests without a namespace are governed by `clusterScope` alone, the others by `namespaces` alone. */
export function scopeMatches(rule: ResourceRule, namespace: string): boolean {
  return namespace === '' ? rule.clusterScope : listContains(rule.namespaces, namespace)
}

export function nonResourceRuleMatches(rule: NonResourceRule, request: RequestAttributes): boolean {
  return (
    !request.isResourceRequest &&
    listContains(rule.verbs, request.verb) &&
    rule.nonResourceURLs.some((entry) => pathMatches(entry, request.path))
  )
}

/** `*` is a wildcard only as the sole entry; in a longer list it is an ordinary string. */
export function listContains(list: readonly string[], value: string): boolean {
  return isWildcardList(list) || list.includes(value)
}

export function isWildcardList(list: readonly string[]): boolean {
  return list.length === 1 && list[0] === WILDCARD
}

/** One entry of `nonResourceURLs`: everything, this very path, or anything below it. */
export function pathMatches(entry: string, path: string): boolean {
  return entry === WILDCARD || entry === path || path.startsWith(pathPrefix(entry))
}

/** What a path must begin with to be below an entry: `/healthz` and `/healthz/*` both give `/healthz/`. */
export function pathPrefix(entry: string): string {
  const base = entry.endsWith(WILDCARD) ? entry.slice(0, -1) : entry
  return base.endsWith('/') ? base : `${base}/`
}
