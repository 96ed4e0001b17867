/**
 * From the plain data of a FlowSchema or PriorityLevelConfiguration, of any version of the API, to the object that the API
 * server holds: type-checked against the structs of that version and defaulted.
 * Source: kubernetes/api flowcontrol types.go, kubernetes/apimachinery pkg/apis/meta/v1/types.go and the conversions of
 * kubernetes/kubernetes pkg/apis/flowcontrol.
 */
import {
  DEFAULT_HAND_SIZE,
  DEFAULT_PRECEDENCE,
  DEFAULT_QUEUE_LENGTH_LIMIT,
  DEFAULT_QUEUES,
  DEFAULT_SHARES,
  defaultedExempt,
  defaultedLending,
  defaultedPrecedence,
  defaultedQueuing,
  defaultedShares,
  remainingAnnotations,
  type Written,
} from './defaulting.ts'
import {
  boolean,
  type DecodeReport,
  type Decoder,
  type ExpectedType,
  int32,
  int64,
  listOf,
  type Mistyped,
  optional,
  raw,
  string,
  stringAs,
  stringMap,
  struct,
  time,
} from './field-decoders.ts'
import {
  type ApfObject,
  type Condition,
  type ExemptSpec,
  FLOWCONTROL_GROUP,
  type FlowSchema,
  type FlowSchemaSpec,
  type LimitedSpec,
  type LimitResponse,
  type NonResourceRule,
  type ObjectMeta,
  type PolicyRule,
  type PriorityLevelConfiguration,
  type PriorityLevelSpec,
  type QueuingConfiguration,
  type ResourceRule,
  type Subject,
} from './objects.ts'
import { type FieldPath, formatFieldPath, type Origin, type Problem, placeOf, type Severity } from './problem.ts'
import { PROBLEM } from './problem-codes.ts'
import { nearest } from './suggest.ts'
import { API_VERSIONS, type ApiVersion, minorText, newestVersion, type VersionRules } from './versions.ts'

export interface DecodedObject {
  /** Null where the server would not have taken the data: not an object of this API, or a value of the wrong type. */
  object: ApfObject | null
  problems: Problem[]
  /** How the server words the first value of a wrong type; null without one. */
  typeError: string | null
}

export interface DecodeOptions {
  /** Type of the items of a list, which do not repeat it: `{ apiVersion: 'flowcontrol…/v1', kind: 'FlowSchema' }`. */
  defaults?: TypeMeta
  /** The data comes from a server: what only matters when an object is sent to one is not reported. */
  fromServer?: boolean
}

export interface TypeMeta {
  apiVersion: string
  kind: string
}

/** The type that plain data claims, '' where it says nothing; null if it is not even an object. */
export function typeMetaOf(value: unknown, defaults?: TypeMeta): TypeMeta | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
  const claimed = (name: 'apiVersion' | 'kind'): string => {
    const content: unknown = Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined
    return (typeof content === 'string' && content) || (defaults?.[name] ?? '')
  }
  return { apiVersion: claimed('apiVersion'), kind: claimed('kind') }
}

/** Whether a type is a FlowSchema or PriorityLevelConfiguration of the flow control group, of whatever version. */
export function isApfType({ apiVersion, kind }: TypeMeta): boolean {
  return apiVersion.startsWith(`${FLOWCONTROL_GROUP}/`) && (kind === 'FlowSchema' || kind === PRIORITY_LEVEL)
}

const PRIORITY_LEVEL = 'PriorityLevelConfiguration'

/**
 * Decodes one object.
 *
 * @param value   JSON data, already parsed from JSON or YAML (with the scalars of YAML 1.1, as kubectl reads them)
 * @param origin  where it was read from, for the places of problems
 * @param rules   the Kubernetes version in question; fields that it does not know are unknown
 * @returns the object after defaulting, and everything that is wrong with the data. Unknown fields are dropped, as by a
 *   server without strict validation; a value of the wrong type makes the whole object unusable.
 */
export function decodeObject(
  value: unknown,
  origin: Origin | null,
  rules: VersionRules,
  options: DecodeOptions = {},
): DecodedObject {
  const type = typeMetaOf(value, options.defaults)
  if (type === null || !isApfType(type)) {
    return unrecognized(value, type, origin)
  }
  const version = type.apiVersion.slice(FLOWCONTROL_GROUP.length + 1)
  if (!isApiVersion(version)) return unrecognized(value, type, origin)

  const reading = new Reading(origin, type.kind, version, options.fromServer ?? false)
  if (!options.fromServer) reportVersion(version, rules, reading)
  const object = type.kind === 'FlowSchema' ? flowSchema(value, reading) : priorityLevel(value, rules, reading)
  if (!options.fromServer) reportSubmission(value, reading)
  const { typeError } = reading
  const problems = reading.problems.filter(({ code }) => !(options.fromServer && code === PROBLEM.replacedByDefault))
  return { object: typeError === null ? object : null, problems: named(problems, object), typeError }
}

/** The problems of one object, gathered while it is decoded. */
class Reading implements DecodeReport {
  readonly problems: Problem[] = []
  /** Text of the first one. */
  typeError: string | null = null
  readonly origin: Origin | null
  readonly kind: string
  readonly version: ApiVersion

  /** Served objects have the fields of a newer release; nobody has misspelt them. */
  readonly #unknownField: Severity

  constructor(origin: Origin | null, kind: string, version: ApiVersion, fromServer: boolean) {
    this.#unknownField = fromServer ? 'info' : 'error'
    this.origin = origin
    this.kind = kind
    this.version = version
  }

  add(code: string, severity: Severity, path: FieldPath, message: string, fix?: string): void {
    const problem: Problem = { code, severity, message, at: placeOf(this.origin, path) }
    if (fix !== undefined) problem.fix = fix
    this.problems.push(problem)
  }

  unknownField(path: FieldPath, known: readonly string[]): void {
    const name = String(path[path.length - 1])
    this.add(
      PROBLEM.unknownField,
      this.#unknownField,
      path,
      `${this.version} has no field ${formatFieldPath(path)}`,
      otherSpelling(name, known),
    )
  }

  wrongType(mistyped: Mistyped): void {
    const { path, value, expected } = mistyped
    this.typeError ??= goTypeError(mistyped, this.version)
    const message = `${formatFieldPath(path)} is ${describeValue(value)}, must be ${EXPECTED[expected]}`
    this.add(PROBLEM.wrongType, 'error', path, message, retyped(value, expected))
  }

  /** Reports a written 0 that defaulting replaces; of an object with mistyped values nothing is known. */
  zeroReplaced(path: FieldPath, written: number | null, replacement: number): void {
    if (written !== 0 || this.typeError !== null) return
    const message = `the server replaces ${formatFieldPath(path)} 0 by the default ${replacement}`
    this.add(PROBLEM.replacedByDefault, 'warning', path, message, `write ${replacement}, or the value that is meant`)
  }
}

function flowSchema(value: unknown, reading: Reading): FlowSchema {
  const written = FLOW_SCHEMA(value, null, reading)
  const precedence = written.spec.matchingPrecedence
  reading.zeroReplaced(['spec', 'matchingPrecedence'], precedence, DEFAULT_PRECEDENCE)
  return {
    kind: 'FlowSchema',
    apiVersion: reading.version,
    metadata: objectMeta(written.metadata),
    spec: { ...written.spec, matchingPrecedence: defaultedPrecedence(precedence) },
    status: written.status,
    origin: reading.origin,
  }
}

function priorityLevel(value: unknown, rules: VersionRules, reading: Reading): PriorityLevelConfiguration {
  const written = priorityLevelDecoder(reading.version, rules)(value, null, reading)
  const annotations = written.metadata.annotations
  return {
    kind: PRIORITY_LEVEL,
    apiVersion: reading.version,
    metadata: objectMeta({
      ...written.metadata,
      annotations: remainingAnnotations(annotations, reading.version, rules),
    }),
    spec: {
      type: written.spec.type,
      limited: written.spec.limited && limitedSpec(written.spec.limited, annotations, rules, reading),
      exempt: written.spec.exempt && defaultedExempt(written.spec.exempt),
    },
    origin: reading.origin,
  }
}

function limitedSpec(
  written: WrittenLimited,
  annotations: Record<string, string>,
  rules: VersionRules,
  reading: Reading,
): LimitedSpec {
  const path = ['spec', 'limited']
  const shares = defaultedShares(written.nominalConcurrencyShares, reading.version, annotations, rules)
  if (shares !== 0) {
    const field = API_VERSIONS[reading.version].sharesField
    reading.zeroReplaced([...path, field], written.nominalConcurrencyShares, DEFAULT_SHARES)
  }
  const { type, queuing } = written.limitResponse
  if (queuing !== null) {
    const queuingPath = [...path, 'limitResponse', 'queuing']
    reading.zeroReplaced([...queuingPath, 'queues'], queuing.queues, DEFAULT_QUEUES)
    reading.zeroReplaced([...queuingPath, 'handSize'], queuing.handSize, DEFAULT_HAND_SIZE)
    reading.zeroReplaced([...queuingPath, 'queueLengthLimit'], queuing.queueLengthLimit, DEFAULT_QUEUE_LENGTH_LIMIT)
  }
  return {
    nominalConcurrencyShares: shares,
    ...defaultedLending(written),
    limitResponse: { type, queuing: queuing && defaultedQueuing(queuing) },
  }
}

function objectMeta(written: WrittenMeta): ObjectMeta {
  const { name, uid, generation, labels, annotations } = written
  const meta: ObjectMeta = { name, uid, generation, labels, annotations }
  if (written.generateName !== '') meta.generateName = written.generateName
  if (written.finalizers.length > 0) meta.finalizers = written.finalizers
  return meta
}

// The structs, version differences aside the same in all versions of the API.

interface WrittenMeta {
  name: string
  generateName: string
  uid: string | null
  generation: number | null
  labels: Record<string, string>
  annotations: Record<string, string>
  finalizers: string[]
}

type WrittenLimited = Pick<
  Written<LimitedSpec>,
  'nominalConcurrencyShares' | 'lendablePercent' | 'borrowingLimitPercent'
> & { limitResponse: Pick<LimitResponse, 'type'> & { queuing: Written<QueuingConfiguration> | null } }

const OWNER_REFERENCE = struct('v1.OwnerReference', {
  apiVersion: string,
  kind: string,
  name: string,
  uid: stringAs('types.UID'),
  controller: boolean,
  blockOwnerDeletion: boolean,
})

const MANAGED_FIELDS = struct('v1.ManagedFieldsEntry', {
  manager: string,
  operation: stringAs('v1.ManagedFieldsOperationType'),
  apiVersion: string,
  time: optional(time),
  fieldsType: string,
  fieldsV1: raw,
  subresource: string,
})

const OBJECT_META = struct('v1.ObjectMeta', {
  name: string,
  generateName: string,
  namespace: string,
  selfLink: string,
  uid: optional(stringAs('types.UID')),
  resourceVersion: string,
  generation: optional(int64),
  creationTimestamp: optional(time),
  deletionTimestamp: optional(time),
  deletionGracePeriodSeconds: optional(int64),
  labels: stringMap,
  annotations: stringMap,
  ownerReferences: listOf(OWNER_REFERENCE),
  finalizers: listOf(string),
  managedFields: listOf(MANAGED_FIELDS),
})

/** Both kinds have conditions of one shape, with types of their own. */
function statusOf(kind: ApfObject['kind']): Decoder<{ conditions: Condition[] }> {
  const condition: Decoder<Condition> = struct(`${kind}Condition`, {
    type: stringAs(`${kind}ConditionType`),
    status: stringAs('ConditionStatus'),
    lastTransitionTime: optional(time),
    reason: string,
    message: string,
  })
  return struct(`${kind}Status`, { conditions: listOf(condition) })
}

const SUBJECT: Decoder<Subject> = struct('Subject', {
  kind: stringAs('SubjectKind'),
  user: optional(struct('UserSubject', { name: string })),
  group: optional(struct('GroupSubject', { name: string })),
  serviceAccount: optional(struct('ServiceAccountSubject', { namespace: string, name: string })),
})

const RESOURCE_RULE: Decoder<ResourceRule> = struct('ResourcePolicyRule', {
  verbs: listOf(string),
  apiGroups: listOf(string),
  resources: listOf(string),
  clusterScope: boolean,
  namespaces: listOf(string),
})

const NON_RESOURCE_RULE: Decoder<NonResourceRule> = struct('NonResourcePolicyRule', {
  verbs: listOf(string),
  nonResourceURLs: listOf(string),
})

const POLICY_RULE: Decoder<PolicyRule> = struct('PolicyRulesWithSubjects', {
  subjects: listOf(SUBJECT),
  resourceRules: listOf(RESOURCE_RULE),
  nonResourceRules: listOf(NON_RESOURCE_RULE),
})

const FLOW_SCHEMA_SPEC: Decoder<Written<FlowSchemaSpec>> = struct('FlowSchemaSpec', {
  priorityLevelConfiguration: struct('PriorityLevelConfigurationReference', { name: string }),
  matchingPrecedence: optional(int32),
  distinguisherMethod: optional(struct('FlowDistinguisherMethod', { type: stringAs('FlowDistinguisherMethodType') })),
  rules: listOf(POLICY_RULE),
})

const FLOW_SCHEMA = struct('FlowSchema', {
  apiVersion: string,
  kind: string,
  metadata: OBJECT_META,
  spec: FLOW_SCHEMA_SPEC,
  status: statusOf('FlowSchema'),
})

const QUEUING: Decoder<Written<QueuingConfiguration>> = struct('QueuingConfiguration', {
  queues: optional(int32),
  handSize: optional(int32),
  queueLengthLimit: optional(int32),
})

const EXEMPT: Decoder<Written<ExemptSpec>> = struct('ExemptPriorityLevelConfiguration', {
  nominalConcurrencyShares: optional(int32),
  lendablePercent: optional(int32),
})

function priorityLevelDecoder(version: ApiVersion, rules: VersionRules) {
  const life = API_VERSIONS[version]
  const limited = struct<WrittenLimited>(
    'LimitedPriorityLevelConfiguration',
    {
      nominalConcurrencyShares: optional(int32),
      limitResponse: struct('LimitResponse', { type: stringAs('LimitResponseType'), queuing: optional(QUEUING) }),
      lendablePercent: optional(int32),
      borrowingLimitPercent: optional(int32),
    },
    {
      renamed: { nominalConcurrencyShares: life.sharesField },
      missing: life.lendingFields && rules.lendingFields ? [] : ['lendablePercent', 'borrowingLimitPercent'],
    },
  )
  const hasExempt = life.exemptBlock && rules.exemptLevelHasShares
  return struct(PRIORITY_LEVEL, {
    apiVersion: string,
    kind: string,
    metadata: OBJECT_META,
    spec: struct<
      Pick<PriorityLevelSpec, 'type'> & { limited: WrittenLimited | null; exempt: Written<ExemptSpec> | null }
    >(
      'PriorityLevelConfigurationSpec',
      { type: stringAs('PriorityLevelEnablement'), limited: optional(limited), exempt: optional(EXEMPT) },
      { missing: hasExempt ? [] : ['exempt'] },
    ),
    status: statusOf(PRIORITY_LEVEL),
  })
}

// What is said about the object as a whole.

function isApiVersion(version: string): version is ApiVersion {
  return Object.hasOwn(API_VERSIONS, version)
}

function unrecognized(value: unknown, type: TypeMeta | null, origin: Origin | null): DecodedObject {
  const problem = notRecognized(type, origin)
  const kind = type?.kind ?? ''
  const name = writtenName(value)
  if (kind !== '' && name !== '') problem.object = { kind, name }
  return { object: null, problems: [problem], typeError: null }
}

/** What data that are no object say that they are called; '' where they do not. */
function writtenName(value: unknown): string {
  const metadata: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, 'metadata') : null
  const name: unknown = typeof metadata === 'object' && metadata !== null ? Reflect.get(metadata, 'name') : null
  return typeof name === 'string' ? name : ''
}

function notRecognized(type: TypeMeta | null, origin: Origin | null): Problem {
  const at = placeOf(origin, [])
  const base = { code: PROBLEM.notRecognized, severity: 'error', at } as const
  if (type === null)
    return { ...base, message: 'not an object of the Kubernetes API: no mapping with apiVersion and kind' }
  if (type.kind === '') return { ...base, message: 'kind is not set', fix: `write FlowSchema or ${PRIORITY_LEVEL}` }
  if (type.apiVersion === '') return { ...base, message: `${type.kind} without apiVersion` }
  const message = `no kind ${type.kind} in ${type.apiVersion}`
  const meant = nearest(type.kind, ['FlowSchema', PRIORITY_LEVEL])
  if (meant !== null && meant !== type.kind) return { ...base, message, fix: `did you mean ${meant}?` }
  return {
    ...base,
    message,
    fix: `versions of ${FLOWCONTROL_GROUP}: ${Object.keys(API_VERSIONS).join(', ')}`,
  }
}

/** The warning with which the server answers requests for a version of the API that it will drop; null for others. */
export function deprecationText({ apiVersion, kind }: TypeMeta, rules: VersionRules): string | null {
  const version = rules.deprecatedVersions.find((candidate) => apiVersion === fullVersion(candidate))
  if (version === undefined) return null
  const { deprecated, removed, replacedBy } = API_VERSIONS[version]
  if (deprecated === null || removed === null || replacedBy === null) return null
  return (
    `${apiVersion} ${kind} is deprecated in v${minorText(deprecated)}+, unavailable in v${minorText(removed)}+; ` +
    `use ${fullVersion(replacedBy)} ${kind}`
  )
}

function fullVersion(version: ApiVersion): string {
  return `${FLOWCONTROL_GROUP}/${version}`
}

function reportVersion(version: ApiVersion, rules: VersionRules, reading: Reading): void {
  const newest = fullVersion(newestVersion(rules))
  const apiVersion = fullVersion(version)
  const { introduced, removed, replacedBy } = API_VERSIONS[version]
  if (!rules.servedVersions.includes(version)) {
    const life =
      removed === null ? `from ${minorText(introduced)}` : `${minorText(introduced)} to ${minorText(removed - 1)}`
    const message = `${apiVersion} is not served by Kubernetes ${minorText(rules.minor)} (only ${life})`
    reading.add(PROBLEM.notServed, 'error', ['apiVersion'], message, `use ${newest}`)
    return
  }
  const deprecation = deprecationText({ apiVersion, kind: reading.kind }, rules)
  if (deprecation !== null) {
    const fix = `use ${replacedBy === null ? newest : fullVersion(replacedBy)}`
    reading.add(PROBLEM.deprecatedVersion, 'warning', ['apiVersion'], deprecation, fix)
  }
}

function reportSubmission(value: unknown, reading: Reading): void {
  const member = (of: unknown, name: string): unknown =>
    typeof of === 'object' && of !== null && Object.hasOwn(of, name) ? Reflect.get(of, name) : undefined
  const spec = member(value, 'spec')
  if (spec === undefined || spec === null) {
    reading.add(
      PROBLEM.noSpec,
      'error',
      spec === null ? ['spec'] : [],
      'spec is missing; the server reads an empty one',
    )
  }
  const namespace = member(member(value, 'metadata'), 'namespace')
  if (typeof namespace === 'string' && namespace !== '') {
    const message = `metadata.namespace is dropped: a ${reading.kind} belongs to the whole cluster`
    reading.add(PROBLEM.ignoredMetadata, 'info', ['metadata', 'namespace'], message, 'remove it')
  }
}

function named(problems: readonly Problem[], { kind, metadata: { name } }: ApfObject): Problem[] {
  return problems.map((problem) => ({ ...problem, object: { kind, name } }))
}

/** Go's JSON decoder names the struct, the path without the items of lists, and the type. */
function goTypeError({ value, goType, goField, expected }: Mistyped, version: ApiVersion): string {
  const elements = goType.startsWith('[]') ? '[]' : ''
  const type = goType.slice(elements.length)
  const full = /^[A-Z]/.test(type) ? `${version}.${type}` : type
  const place = goField === null ? 'value' : `struct field ${goField.struct}.${goField.path.join('.')}`
  return `json: cannot unmarshal ${goTypeOf(value, expected)} into Go ${place} of type ${elements}${full}`
}

/** A value as Go's JSON decoder names it; a number only where another number would be right. */
export function goTypeOf(value: unknown, expected?: ExpectedType): string {
  if (typeof value === 'number') return expected === 'int32' || expected === 'int64' ? `number ${value}` : 'number'
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'string') return 'string'
  return Array.isArray(value) ? 'array' : 'object'
}

// Words for people.

const EXPECTED: Readonly<Record<ExpectedType, string>> = {
  string: 'a string',
  int32: 'a whole number of 32 bits',
  int64: 'a whole number of 64 bits',
  boolean: 'true or false',
  list: 'a list',
  object: 'a mapping',
  time: 'a time such as 2006-01-02T15:04:05Z',
}

function describeValue(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  switch (typeof value) {
    case 'string':
      return `the string ${JSON.stringify(shortened(value))}`
    case 'number':
    case 'bigint':
      return `the number ${value}`
    case 'boolean':
      return String(value)
    default:
      return 'a mapping'
  }
}

function shortened(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}

function retyped(value: unknown, expected: ExpectedType): string | undefined {
  if (expected === 'string' && typeof value === 'boolean') {
    return 'put it in quotes: YAML reads bare yes, no, on, off, y and n as true or false'
  }
  if (expected === 'string' && typeof value === 'number') return `put it in quotes: "${value}"`
  if (expected === 'int32' && typeof value === 'string' && /^\d+$/.test(value)) return 'remove the quotes'
  if (expected === 'boolean' && (value === 'true' || value === 'false')) return 'remove the quotes'
  if (expected === 'list' && !Array.isArray(value)) return 'write a list, also for a single entry'
  return undefined
}

/** What an unknown field was probably meant to be. */
function otherSpelling(name: string, known: readonly string[]): string | undefined {
  const shares = known.find((field) => field.endsWith('ConcurrencyShares'))
  const meant = shares !== undefined && name.endsWith('ConcurrencyShares') ? shares : nearest(name, known)
  return meant === null ? undefined : `write ${meant}`
}
