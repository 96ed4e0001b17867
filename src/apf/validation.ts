/**
 * What the API server checks of an object on creation, after decoding and defaulting. Errors come in its order.
 * Source: kubernetes/kubernetes pkg/apis/flowcontrol/validation/validation.go.
 */
import { PRESERVE_ZERO_ANNOTATION } from './defaulting.ts'
import { mandatoryObjects } from './defaults/index.ts'
import { equalData } from './equal-data.ts'
import { type ErrorValue, type FieldError, FieldErrors } from './field-errors.ts'
import { labelFaults, subdomainFaults, validateMetadata } from './metadata-validation.ts'
import {
  type ApfObject,
  type Condition,
  type ExemptSpec,
  type FlowSchema,
  type FlowSchemaSpec,
  type LimitedSpec,
  type LimitResponse,
  MANDATORY_NAMES,
  type NonResourceRule,
  type PolicyRule,
  type PriorityLevelConfiguration,
  type PriorityLevelSpec,
  type QueuingConfiguration,
  type ResourceRule,
  type Subject,
} from './objects.ts'
import type { FieldPath } from './problem.ts'
import { entropyBits, MAX_HAND_ENTROPY_BITS } from './shuffle-sharding.ts'
import { API_VERSIONS, type SharesField, type VersionRules } from './versions.ts'

const MAX_PRECEDENCE = 10_000
const MAX_QUEUES = 10_000_000
/** In the order of messages. */
const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'proxy', 'update', 'watch']
const SUBJECT_KINDS = ['Group', 'ServiceAccount', 'User']
const DISTINGUISHERS = ['ByNamespace', 'ByUser']
const LEVEL_TYPES = ['Exempt', 'Limited']
const RESPONSE_TYPES = ['Queue', 'Reject']

/**
 * Errors of an object, empty if the server accepts it.
 * @param existing  what it replaces; null on creation
 */
export function validateObject(
  object: ApfObject,
  rules: VersionRules,
  existing: ApfObject | null = null,
): FieldError[] {
  if (object.kind === 'FlowSchema') return validateFlowSchema(object, rules)
  return validatePriorityLevel(object, rules, existing?.kind === object.kind ? existing : null)
}

/** Errors of the conditions in a status, which is checked only when the status is written. */
export function validateConditions(conditions: readonly Pick<Condition, 'type'>[], rules: VersionRules): FieldError[] {
  const errors = new FieldErrors(rules)
  const seen = new Set<string>()
  conditions.forEach(({ type }, index) => {
    const path = ['status', 'conditions', index, 'type']
    if (seen.has(type)) errors.duplicate(path, type)
    seen.add(type)
    if (type === '') errors.required(path, rules.emptyConditionReason)
  })
  return errors.found
}

/** Errors of a FlowSchema, empty if the server accepts it. The level it names need not exist. */
export function validateFlowSchema({ metadata, spec }: FlowSchema, rules: VersionRules): FieldError[] {
  const errors = new FieldErrors(rules)
  validateMetadata(metadata, rules, errors)
  validatePrecedence(spec.matchingPrecedence, metadata.name, errors)
  const method = spec.distinguisherMethod
  if (method !== null && !DISTINGUISHERS.includes(method.type)) {
    const value = { goType: 'flowcontrol.FlowDistinguisherMethod', fields: { Type: method.type } }
    errors.notSupported(['spec', 'distinguisherMethod', 'type'], value, DISTINGUISHERS)
  }
  const level = spec.priorityLevelConfiguration.name
  const levelPath = ['spec', 'priorityLevelConfiguration', 'name']
  if (level === '') errors.required(levelPath, 'must reference a priority level')
  else for (const fault of subdomainFaults(level)) errors.invalid(levelPath, level, fault)
  spec.rules.forEach((rule, index) => {
    validateRule(rule, ['spec', 'rules', index], rules, errors)
  })
  validateFixedSpec(metadata.name, spec, () => mandatoryObjects(rules).flowSchemas, '', errors)
  return errors.found
}

function validatePrecedence(precedence: number, name: string, errors: FieldErrors): void {
  const path = ['spec', 'matchingPrecedence']
  if (precedence <= 0) errors.invalid(path, precedence, 'must be a positive value')
  if (precedence > MAX_PRECEDENCE) errors.invalid(path, precedence, `must not be greater than ${MAX_PRECEDENCE}`)
  if (precedence === 1 && name !== 'exempt') {
    errors.invalid(path, precedence, "only the schema named 'exempt' may have matchingPrecedence 1")
  }
}

function validateRule(rule: PolicyRule, path: FieldPath, rules: VersionRules, errors: FieldErrors): void {
  if (rule.subjects.length === 0) errors.required([...path, 'subjects'], 'subjects must contain at least one value')
  rule.subjects.forEach((subject, index) => {
    validateSubject(subject, [...path, 'subjects', index], rules, errors)
  })
  if (rule.resourceRules.length === 0 && rule.nonResourceRules.length === 0) {
    errors.required(path, 'at least one of resourceRules and nonResourceRules has to be non-empty')
  }
  rule.resourceRules.forEach((part, index) => {
    validateResourceRule(part, [...path, 'resourceRules', index], rules, errors)
  })
  rule.nonResourceRules.forEach((part, index) => {
    validateNonResourceRule(part, [...path, 'nonResourceRules', index], errors)
  })
}

const SUBJECT_MEMBERS = [
  { kind: 'ServiceAccount', member: 'serviceAccount' },
  { kind: 'User', member: 'user' },
  { kind: 'Group', member: 'group' },
] as const

function validateSubject(subject: Subject, path: FieldPath, rules: VersionRules, errors: FieldErrors): void {
  const own = SUBJECT_MEMBERS.find(({ kind }) => kind === subject.kind)
  if (own === undefined) {
    errors.notSupported([...path, 'kind'], subject.kind, SUBJECT_KINDS)
    return
  }
  const memberPath = [...path, own.member]
  const content = subject[own.member]
  if (content === null) {
    errors.required(memberPath, `${own.member} is required when subject kind is '${own.kind}'`)
  } else if ('namespace' in content) {
    validateServiceAccount(content, memberPath, rules, errors)
  } else if (content.name === '') {
    errors.required([...memberPath, 'name'])
  }
  for (const { kind, member } of SUBJECT_MEMBERS) {
    if (kind === own.kind || subject[member] === null) continue
    errors.forbidden([...path, member], `${member} is forbidden when subject kind is not '${kind}'`)
  }
}

function validateServiceAccount(
  { namespace, name }: { namespace: string; name: string },
  path: FieldPath,
  rules: VersionRules,
  errors: FieldErrors,
): void {
  if (name === '') errors.required([...path, 'name'])
  else if (name !== '*') for (const fault of subdomainFaults(name)) errors.invalid([...path, 'name'], name, fault)
  const namespacePath = [...path, 'namespace']
  if (namespace === '') errors.required(namespacePath, 'must specify namespace for service account')
  else for (const fault of labelFaults(namespace, rules)) errors.invalid(namespacePath, namespace, fault)
}

function validateResourceRule(rule: ResourceRule, path: FieldPath, rules: VersionRules, errors: FieldErrors): void {
  validateVerbs(rule.verbs, [...path, 'verbs'], errors)
  const lists = [
    { field: 'apiGroups', entries: rule.apiGroups, one: 'api group', several: 'api groups' },
    { field: 'resources', entries: rule.resources, one: 'resource', several: 'resources' },
  ]
  for (const { field, entries, one, several } of lists) {
    if (entries.length === 0) {
      errors.required([...path, field], `resource rules must supply at least one ${one}`)
    }
    if (crowdedWildcard(entries)) {
      errors.invalid([...path, field], entries, `if '*' is present, must not specify other ${several}`)
    }
  }
  validateNamespaces(rule, [...path, 'namespaces'], rules, errors)
}

function validateNamespaces(rule: ResourceRule, path: FieldPath, rules: VersionRules, errors: FieldErrors): void {
  const { namespaces, clusterScope } = rule
  if (namespaces.length === 0) {
    if (clusterScope) return
    errors.required(path, 'resource rules that are not cluster scoped must supply at least one namespace')
  } else if (namespaces.includes('*')) {
    if (crowdedWildcard(namespaces)) {
      errors.invalid(path, namespaces, "if '*' is present, must not specify other namespaces")
    }
  } else {
    namespaces.forEach((namespace, index) => {
      const faults = labelFaults(namespace, rules)
      if (faults.length === 0) return
      const intro = "each member of this list must be '*' or a DNS-1123 label; "
      errors.invalid([...path, index], namespace, intro + faults.join(';'))
    })
  }
}

function validateNonResourceRule(rule: NonResourceRule, path: FieldPath, errors: FieldErrors): void {
  validateVerbs(rule.verbs, [...path, 'verbs'], errors)
  const urls = rule.nonResourceURLs
  const urlsPath = [...path, 'nonResourceURLs']
  if (urls.length === 0) {
    errors.required(urlsPath, 'nonResourceURLs must contain at least one value')
  } else if (urls.includes('*')) {
    if (crowdedWildcard(urls)) {
      errors.invalid(urlsPath, urls, "if '*' is present, must not specify other non-resource URLs")
    }
  } else {
    urls.forEach((url, index) => {
      const fault = nonResourceUrlFault(url)
      if (fault !== null) errors.invalid([...urlsPath, index], url, fault)
    })
  }
}

/** The first fault of an entry of nonResourceURLs, null if it may stand. */
function nonResourceUrlFault(url: string): string | null {
  if (url === '') return 'must not be empty'
  if (url === '/') return null
  if (!url.startsWith('/')) return 'must start with slash'
  if (url.includes(' ')) return 'must not contain white-space'
  if (url.includes('//')) return 'must not contain double slash'
  const wildcard = url.indexOf('*')
  if (wildcard !== -1 && !(url.endsWith('/*') && wildcard === url.length - 1)) {
    return 'wildcard can only do suffix matching'
  }
  return null
}

function validateVerbs(verbs: readonly string[], path: FieldPath, errors: FieldErrors): void {
  if (verbs.length === 0) {
    errors.required(path, 'verbs must contain at least one value')
  } else if (verbs.includes('*')) {
    if (crowdedWildcard(verbs)) errors.invalid(path, verbs, "if '*' is present, must not specify other verbs")
  } else if (!verbs.every((verb) => VERBS.includes(verb))) {
    errors.notSupported(path, verbs, VERBS)
  }
}

/** `*` among others. */
function crowdedWildcard(entries: readonly string[]): boolean {
  return entries.length > 1 && entries.includes('*')
}

/**
 * Errors of a PriorityLevelConfiguration, empty if the server accepts it.
 * @param existing  what it replaces; null on creation
 */
export function validatePriorityLevel(
  level: PriorityLevelConfiguration,
  rules: VersionRules,
  existing: PriorityLevelConfiguration | null = null,
): FieldError[] {
  const { metadata, spec } = level
  const zeroShares = rules.zeroSharesValid || existing?.spec.limited?.nominalConcurrencyShares === 0
  const errors = new FieldErrors(rules)
  validateMetadata(metadata, rules, errors)
  if (rules.preserveZeroAnnotation && Object.hasOwn(metadata.annotations, PRESERVE_ZERO_ANNOTATION)) {
    errors.forbidden(['metadata', 'annotations'], `annotation '${PRESERVE_ZERO_ANNOTATION}' is forbidden`)
  }
  if ((spec.type === 'Exempt') !== (metadata.name === 'exempt')) {
    errors.invalid(['spec', 'type'], spec.type, rules.exemptTypeMessage)
  }
  validateLevelSpec(spec, { field: sharesFieldOf(level), zero: zeroShares }, rules, errors)
  const exception = rules.exemptLevelHasShares && metadata.name === 'exempt' ? " except the 'spec.exempt' field" : ''
  validateFixedSpec(metadata.name, spec, () => mandatoryObjects(rules).priorityLevels, exception, errors)
  if (rules.generatedUnionRules) validateUnions(spec, errors)
  return errors.found
}

/** What the shares are called, and whether there may be none. */
interface SharesRule {
  field: SharesField
  zero: boolean
}

function sharesFieldOf({ apiVersion }: PriorityLevelConfiguration): SharesField {
  const life = Object.entries(API_VERSIONS).find(([version]) => version === apiVersion)?.[1]
  return life?.sharesField ?? 'nominalConcurrencyShares'
}

function validateLevelSpec(
  { type, limited, exempt }: PriorityLevelSpec,
  shares: SharesRule,
  rules: VersionRules,
  errors: FieldErrors,
): void {
  const membership = !rules.generatedUnionRules
  if (type === 'Exempt') {
    if (membership && limited !== null) {
      errors.forbidden(['spec', 'limited'], 'must be nil if the type is not Limited')
    }
    if (exempt !== null) validateExempt(exempt, errors)
  } else if (type === 'Limited') {
    if (membership && exempt !== null) errors.forbidden(['spec', 'exempt'], 'must be nil if the type is Limited')
    if (limited !== null) validateLimited(limited, shares, rules, errors)
    else if (membership) errors.required(['spec', 'limited'], 'must not be empty when type is Limited')
  } else {
    validateUnknownType(['spec', 'type'], type, LEVEL_TYPES, rules, errors)
  }
}

function validateExempt(exempt: ExemptSpec, errors: FieldErrors): void {
  const shares = exempt.nominalConcurrencyShares
  if (shares < 0) {
    errors.invalid(['spec', 'exempt', 'nominalConcurrencyShares'], shares, 'must be a non-negative integer')
  }
  validatePercent(exempt.lendablePercent, ['spec', 'exempt', 'lendablePercent'], errors)
}

function validateLimited(limited: LimitedSpec, shares: SharesRule, rules: VersionRules, errors: FieldErrors): void {
  const path = ['spec', 'limited']
  const { nominalConcurrencyShares } = limited
  if (nominalConcurrencyShares < (shares.zero ? 0 : 1)) {
    const rule = shares.zero ? 'must be a non-negative integer' : 'must be positive'
    errors.invalid([...path, shares.field], nominalConcurrencyShares, rule)
  }
  validateLimitResponse(limited.limitResponse, rules, errors)
  validatePercent(limited.lendablePercent, [...path, 'lendablePercent'], errors)
  const borrowing = limited.borrowingLimitPercent
  if (borrowing !== null && borrowing < 0) {
    errors.invalid([...path, 'borrowingLimitPercent'], borrowing, 'if specified, must be a non-negative integer')
  }
}

function validateLimitResponse({ type, queuing }: LimitResponse, rules: VersionRules, errors: FieldErrors): void {
  const path = ['spec', 'limited', 'limitResponse']
  const membership = !rules.generatedUnionRules
  if (type === 'Reject') {
    if (membership && queuing !== null) {
      errors.forbidden([...path, 'queuing'], 'must be nil if limited.limitResponse.type is not Limited')
    }
  } else if (type === 'Queue') {
    if (queuing !== null) validateQueuing(queuing, [...path, 'queuing'], errors)
    else if (membership) {
      errors.required([...path, 'queuing'], 'must not be empty if limited.limitResponse.type is Limited')
    }
  } else {
    validateUnknownType([...path, 'type'], type, RESPONSE_TYPES, rules, errors)
  }
}

function validateUnknownType(
  path: FieldPath,
  type: string,
  supported: readonly string[],
  rules: VersionRules,
  errors: FieldErrors,
): void {
  if (type !== '' || rules.missingTypeError === 'NotSupported') errors.notSupported(path, type, supported)
  else if (!rules.generatedUnionRules) errors.required(path)
}

function validateQueuing(queuing: QueuingConfiguration, path: FieldPath, errors: FieldErrors): void {
  const { queues, handSize, queueLengthLimit } = queuing
  if (queueLengthLimit <= 0) errors.invalid([...path, 'queueLengthLimit'], queueLengthLimit, 'must be positive')
  if (queues <= 0) errors.invalid([...path, 'queues'], queues, 'must be positive')
  else if (queues > MAX_QUEUES) {
    errors.invalid([...path, 'queues'], queues, `must not be greater than ${MAX_QUEUES}`)
  }
  const handPath = [...path, 'handSize']
  if (handSize <= 0) {
    errors.invalid(handPath, handSize, 'must be positive')
  } else if (handSize > queues) {
    errors.invalid(handPath, handSize, `should not be greater than queues (${queues})`)
  } else if (entropyBits(queues, handSize) > MAX_HAND_ENTROPY_BITS) {
    const subject = `required entropy bits of deckSize ${queues} and handSize ${handSize}`
    errors.invalid(handPath, handSize, `${subject} should not be greater than ${MAX_HAND_ENTROPY_BITS}`)
  }
}

function validatePercent(percent: number, path: FieldPath, errors: FieldErrors): void {
  if (percent < 0 || percent > 100) errors.invalid(path, percent, 'must be between 0 and 100, inclusive')
}

/** The generated rules for the members of unions; they come last and explain nothing. */
function validateUnions({ type, limited, exempt }: PriorityLevelSpec, errors: FieldErrors): void {
  const limitedPath = ['spec', 'limited']
  if (exempt !== null && type !== 'Exempt') errors.forbidden(['spec', 'exempt'])
  if (limited !== null && type !== 'Limited') errors.forbidden(limitedPath)
  if (limited === null && type === 'Limited') errors.required(limitedPath)
  if (type === '') errors.required(['spec', 'type'])
  if (limited === null) return
  const { type: response, queuing } = limited.limitResponse
  const queuingPath = [...limitedPath, 'limitResponse', 'queuing']
  if (queuing !== null && response !== 'Queue') errors.forbidden(queuingPath)
  if (queuing === null && response === 'Queue') errors.required(queuingPath)
  if (response === '') errors.required([...limitedPath, 'limitResponse', 'type'])
}

/** The specs of mandatory objects cannot be changed, but for the part that `exception` names. */
function validateFixedSpec(
  name: string,
  spec: FlowSchemaSpec | PriorityLevelSpec,
  mandatory: () => readonly ApfObject[],
  exception: string,
  errors: FieldErrors,
): void {
  // Nearly no object has one of these names, and the built-in ones are costly to make.
  if (!MANDATORY_NAMES.some((fixedName) => fixedName === name)) return
  const fixed = mandatory().find(({ metadata }) => metadata.name === name)?.spec
  if (fixed === undefined) return
  const comparable = exception === '' ? {} : { exempt: null }
  if (equalData({ ...spec, ...comparable }, { ...fixed, ...comparable })) return
  errors.invalid(['spec'], specValue(spec), `spec of '${name}'${exception} must equal the fixed value`)
}

/** A short form: the server prints the whole spec, up to 1.33 with memory addresses. */
function specValue(spec: FlowSchemaSpec | PriorityLevelSpec): ErrorValue {
  const isLevel = 'type' in spec
  return isLevel
    ? { goType: 'flowcontrol.PriorityLevelConfigurationSpec', fields: { Type: spec.type } }
    : {
        goType: 'flowcontrol.FlowSchemaSpec',
        fields: { PriorityLevelConfiguration: spec.priorityLevelConfiguration.name },
      }
}
