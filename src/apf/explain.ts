/**
 * Why a request lands where it does: for every FlowSchema, in the order tried, the nearest reason why it did not take it.
 * The verdict is the plain matcher's; this file only adds words.
 */
import type { SchemaMatch } from './classify.ts'
import { serviceAccountOf } from './identity.ts'
import { listContains, matchesFlowSchema, pathMatches, scopeMatches, subjectMatches, WILDCARD } from './match.ts'
import type { FlowSchema, NonResourceRule, PolicyRule, ResourceRule, Subject } from './objects.ts'
import { bySchemaOrder, type DanglingSchema, type EffectiveConfiguration, type EffectiveSchema } from './order.ts'
import { type FieldPath, formatFieldPath } from './problem.ts'
import { type Identity, type RequestAttributes, resourceWithSubresource } from './request.ts'

export interface TraceStep {
  schema: FlowSchema
  /** A stand-in of the server for a mandatory schema without a usable object. */
  builtIn: boolean
  result: 'matched' | 'no-match' | 'dangling' | 'not-reached'
  /** Null for `matched` and `not-reached`. */
  because: Reason | null
}

export interface Reason {
  code: ReasonCode
  /** Field path in the schema: `spec.rules[0].subjects`. */
  field: string
  /** For a person, without the schema's name. */
  message: string
}

/** In this order a later failure is nearer to a match than an earlier one; `scope` and `namespace` rank the same. */
export const REASON_CODES = [
  'no-rules',
  'kind',
  'subject',
  'verb',
  'apiGroup',
  'resource',
  'nonResourceURL',
  'scope',
  'namespace',
] as const
export type ReasonCode = (typeof REASON_CODES)[number] | 'dangling'

/** Names in a message before it says how many more there are. */
const NAMES_SHOWN = 3

/**
 * One step a FlowSchema: the order tried, with dangling schemas at the place where they would stand, also behind the match.
 *
 * @param match  what the classifier found for this identity and request
 */
export function trace(
  configuration: EffectiveConfiguration,
  match: SchemaMatch,
  identity: Identity,
  request: RequestAttributes,
): TraceStep[] {
  // Catch-all also answers what no schema matches; then every schema was tried in vain.
  let trying = true
  return inWouldBeOrder(configuration).map((item): TraceStep => {
    if ('because' in item) {
      return { schema: item.schema, builtIn: false, result: 'dangling', because: danglingReason(item) }
    }
    const { schema, builtIn } = item
    if (!trying) return { schema, builtIn, result: 'not-reached', because: null }
    if (item === match.entry && match.ruleIndex !== null) {
      trying = false
      return { schema, builtIn, result: 'matched', because: null }
    }
    return { schema, builtIn, result: 'no-match', because: nearestReason(schema, identity, request) }
  })
}

/** Schemas in force and dangling ones in one list, each where its precedence and name put it. */
export function inWouldBeOrder(configuration: EffectiveConfiguration): (EffectiveSchema | DanglingSchema)[] {
  const merged: (EffectiveSchema | DanglingSchema)[] = [...configuration.order]
  for (const dangling of configuration.dangling) {
    // Stand-ins keep their places at the ends, whatever their precedence says.
    let place = merged.findIndex((other) => !isStandIn(other) && bySchemaOrder(dangling.schema, other.schema) < 0)
    if (place < 0) place = isStandIn(merged.at(-1)) ? merged.length - 1 : merged.length
    merged.splice(place, 0, dangling)
  }
  return merged
}

function isStandIn(item: EffectiveSchema | DanglingSchema | undefined): boolean {
  return item !== undefined && 'builtIn' in item && item.builtIn
}

function danglingReason({ schema, because, detail }: DanglingSchema): Reason {
  const level = schema.spec.priorityLevelConfiguration.name
  return {
    code: 'dangling',
    field: 'spec.priorityLevelConfiguration.name',
    message:
      because === 'no-such-level'
        ? `takes nothing: priority level ${level || '""'} does not exist`
        : `takes nothing: priority level ${level} is malformed (${detail})`,
  }
}

/**
 * The nearest reason why a schema does not take a request: of several rules the one that fails latest in the order of
 * REASON_CODES, the first of those that tie.
 */
export function nearestReason(schema: FlowSchema, identity: Identity, request: RequestAttributes): Reason {
  if (matchesFlowSchema(schema, identity, request) !== null) throw new Error(`${schema.metadata.name} matches`)
  let nearest: Reason = { code: 'no-rules', field: 'spec.rules', message: 'has no rules, so it takes nothing' }
  schema.spec.rules.forEach((rule, index) => {
    for (const reason of ruleReasons(rule, ['spec', 'rules', index], identity, request)) {
      if (closeness(reason.code) > closeness(nearest.code)) nearest = reason
    }
  })
  return nearest
}

function closeness(code: ReasonCode): number {
  return REASON_CODES.indexOf(code === 'scope' ? 'namespace' : (code as (typeof REASON_CODES)[number]))
}

function ruleReasons(rule: PolicyRule, path: FieldPath, identity: Identity, request: RequestAttributes): Reason[] {
  const member = request.isResourceRequest ? 'resourceRules' : 'nonResourceRules'
  if (rule[member].length === 0) {
    const message = request.isResourceRequest ? 'only non-resource paths' : 'only resources, no non-resource paths'
    return [reason('kind', [...path, member], rule[otherKind(member)].length === 0 ? 'covers no requests' : message)]
  }
  if (!rule.subjects.some((subject) => subjectMatches(subject, identity))) {
    return [reason('subject', [...path, 'subjects'], subjectMessage(rule.subjects, identity))]
  }
  return request.isResourceRequest
    ? rule.resourceRules.map((clause, i) => resourceRuleReason(clause, [...path, member, i], request))
    : rule.nonResourceRules.map((clause, i) => nonResourceRuleReason(clause, [...path, member, i], request))
}

function otherKind(member: 'resourceRules' | 'nonResourceRules'): 'resourceRules' | 'nonResourceRules' {
  return member === 'resourceRules' ? 'nonResourceRules' : 'resourceRules'
}

function resourceRuleReason(rule: ResourceRule, path: FieldPath, request: RequestAttributes): Reason {
  if (!listContains(rule.verbs, request.verb)) return verbReason(rule.verbs, path, request)
  if (!listContains(rule.apiGroups, request.apiGroup)) {
    const message = `API group ${quoteGroup(request.apiGroup)} is not in ${list(rule.apiGroups.map(quoteGroup))}`
    return reason('apiGroup', [...path, 'apiGroups'], message + wildcardNote(rule.apiGroups))
  }
  const resource = resourceWithSubresource(request)
  if (!listContains(rule.resources, resource)) {
    const message = `resource ${resource} is not in ${list(rule.resources)}${subresourceNote(rule.resources, request)}`
    return reason('resource', [...path, 'resources'], message + wildcardNote(rule.resources))
  }
  if (scopeMatches(rule, request.namespace)) throw new Error(`${formatFieldPath(path)} matches`)
  if (request.namespace === '') {
    return reason('scope', [...path, 'clusterScope'], scopeMessage(rule))
  }
  if (rule.namespaces.length === 0) {
    return reason('scope', [...path, 'namespaces'], 'only requests without a namespace')
  }
  const message = `namespace ${request.namespace} is not in ${list(rule.namespaces)}`
  return reason('namespace', [...path, 'namespaces'], message + wildcardNote(rule.namespaces))
}

function scopeMessage(rule: ResourceRule): string {
  return `the request has no namespace and clusterScope is false${
    rule.namespaces.includes(WILDCARD) ? '; namespaces ["*"] covers only requests with one' : ''
  }`
}

function nonResourceRuleReason(rule: NonResourceRule, path: FieldPath, request: RequestAttributes): Reason {
  if (!listContains(rule.verbs, request.verb)) return verbReason(rule.verbs, path, request)
  if (rule.nonResourceURLs.some((entry) => pathMatches(entry, request.path))) {
    throw new Error(`${formatFieldPath(path)} matches`)
  }
  const message = `path ${request.path || '""'} is not in ${list(rule.nonResourceURLs)}`
  return reason('nonResourceURL', [...path, 'nonResourceURLs'], message)
}

function verbReason(verbs: readonly string[], path: FieldPath, request: RequestAttributes): Reason {
  const message = `verb ${request.verb || '""'} is not in ${list(verbs)}`
  return reason('verb', [...path, 'verbs'], message + wildcardNote(verbs))
}

function subresourceNote(resources: readonly string[], request: RequestAttributes): string {
  if (request.subresource !== '' && resources.includes(request.resource)) {
    return `; ${request.resource} does not cover its subresources`
  }
  const partial = resources.find((entry) => entry !== WILDCARD && entry.includes(WILDCARD))
  return partial === undefined ? '' : `; ${partial} is no pattern, it matches nothing`
}

function wildcardNote(entries: readonly string[]): string {
  return entries.length > 1 && entries.includes(WILDCARD) ? '; "*" is a wildcard only when it stands alone' : ''
}

function subjectMessage(subjects: readonly Subject[], identity: Identity): string {
  const [only] = subjects
  if (only === undefined) return 'names no subjects'
  if (subjects.length === 1) return singleSubjectMessage(only, identity)
  const nearest = subjects.find((subject) => isNear(subject, identity))
  if (nearest) return `no subject is this caller; nearest: ${describeSubject(nearest)}`
  return subjects.length === 2
    ? `no subject is this caller: ${subjects.map(describeSubject).join(', ')}`
    : `none of its ${subjects.length} subjects is this caller`
}

function singleSubjectMessage(subject: Subject, identity: Identity): string {
  if (subject.kind === 'Group' && subject.group) {
    return `group ${subject.group.name} is not among the caller's groups`
  }
  if (subject.kind === 'User' && subject.user) return `user is not ${subject.user.name}`
  if (subject.kind === 'ServiceAccount' && subject.serviceAccount) {
    const { namespace, name } = subject.serviceAccount
    const caller = serviceAccountOf(identity.name)
    if (caller === null) {
      return name === WILDCARD
        ? `caller is no ServiceAccount of ${namespace}`
        : `caller is not ${describeSubject(subject)}`
    }
    if (caller.namespace !== namespace) return `ServiceAccount of ${caller.namespace}, not of ${namespace}`
    return `ServiceAccount is ${caller.name}, not ${name}`
  }
  return `${describeSubject(subject)} matches nobody`
}

/** A ServiceAccount subject is near to any ServiceAccount, most of all to one of its namespace. */
function isNear(subject: Subject, identity: Identity): boolean {
  return subject.kind === 'ServiceAccount' && serviceAccountOf(identity.name) !== null
}

/** A subject in words: `group dev`, `user ada`, `ServiceAccount shop/reporter`, `ServiceAccounts of shop`. */
export function describeSubject(subject: Subject): string {
  if (subject.kind === 'User' && subject.user) {
    return subject.user.name === WILDCARD ? 'any user' : `user ${subject.user.name}`
  }
  if (subject.kind === 'Group' && subject.group) {
    return subject.group.name === WILDCARD ? 'any group' : `group ${subject.group.name}`
  }
  if (subject.kind === 'ServiceAccount' && subject.serviceAccount) {
    const { namespace, name } = subject.serviceAccount
    return name === WILDCARD ? `ServiceAccounts of ${namespace}` : `ServiceAccount ${namespace}/${name}`
  }
  const known = ['User', 'Group', 'ServiceAccount'].includes(subject.kind)
  return known ? `a ${subject.kind} subject without its name` : `a subject of unknown kind ${subject.kind || '""'}`
}

function quoteGroup(group: string): string {
  return group === '' ? '"" (core)' : group
}

function list(entries: readonly string[]): string {
  if (entries.length === 0) return 'an empty list'
  const shown = entries.slice(0, NAMES_SHOWN).map((entry) => entry || '""')
  const more = entries.length - shown.length
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ')
}

function reason(code: ReasonCode, path: FieldPath, message: string): Reason {
  return { code, field: formatFieldPath(path), message }
}
