/**
 * What an API server answers to an object that is sent to it, from decoding to storage, without admission and permissions.
 * Source: kubernetes/apiserver pkg/endpoints/handlers/create.go, update.go and rest.go, pkg/registry/rest/create.go and
 * update.go, kubernetes/apimachinery pkg/api/errors/errors.go.
 */

import { decodeObject, deprecationText, goTypeOf, isApfType, type TypeMeta, typeMetaOf } from './decode.ts'
import { equalData } from './equal-data.ts'
import type { ErrorCategory, FieldError } from './field-errors.ts'
import { memberOf } from './member.ts'
import { type ApfObject, type Condition, FLOWCONTROL_GROUP } from './objects.ts'
import { formatFieldPath } from './problem.ts'
import { PROBLEM } from './problem-codes.ts'
import { validateConditions, validateObject } from './validation.ts'
import { API_VERSIONS, type VersionRules } from './versions.ts'

export interface ServerRequest {
  operation: 'create' | 'update' | 'updateStatus'
  /** What the URL names; absent: what the object says of itself, as clients do it. */
  resource?: TypeMeta
  /** As the parameter; '' where it is absent, which means Warn. */
  fieldValidation: 'Strict' | 'Warn' | 'Ignore' | ''
  /** The object of that name on the server; null: there is none. */
  existing: ApfObject | null
  rules: VersionRules
  /** Nothing is stored, and storage refuses nothing. */
  dryRun?: boolean
  /** Texts about keys that stand twice in the body. Those that kubectl sends have none. */
  duplicateKeys?: readonly string[]
}

export interface ServerAnswer {
  accepted: boolean
  /** Of HTTP: 200 and 201, 400 not decoded, 404, 409, 422 not valid, 500. */
  status: number
  /** Why it is refused; null if it is not. */
  message: string | null
  causes: Cause[]
  /** Texts of the warning headers. */
  warnings: string[]
  /** What is then in storage; null if it is refused. */
  stored: ApfObject | null
}

/** An entry of `details.causes` of the server's answer. */
export interface Cause {
  field: string
  reason: string
  message: string
}

/** @param value  JSON data of the body */
export function serverAnswer(value: unknown, request: ServerRequest): ServerAnswer {
  const { rules } = request
  const sent = request.resource ?? typeMetaOf(value) ?? { apiVersion: '', kind: '' }
  if (!isServed(sent, rules)) return refused(404, 'the server could not find the requested resource', [])
  const warnings: string[] = []
  const deprecation = deprecationText(sent, rules)
  if (deprecation !== null) warnings.push(deprecation)
  const misfit = typeRefusal(value, sent)
  if (misfit !== null) return refused(400, misfit, warnings)

  const decoded = decodeObject(value, null, rules, { defaults: sent })
  const { object, problems, typeError } = decoded
  if (object === null) return refused(400, notHandled(sent, sent.kind, typeError ?? 'not an object'), warnings)
  const unknown = problems.flatMap(({ code, at }) =>
    code === PROBLEM.unknownField ? [`unknown field "${at?.path}"`] : [],
  )
  const strictTexts = [...new Set([...(request.duplicateKeys ?? []), ...unknown])].slice(0, STRICT_TEXTS)
  const validation = rules.serverFieldValidation ? request.fieldValidation || 'Warn' : 'Ignore'
  if (validation === 'Strict' && strictTexts.length > 0) {
    return refused(400, notHandled(sent, sent.kind, `strict decoding error: ${strictTexts.join(', ')}`), warnings)
  }
  if (validation === 'Warn') warnings.push(...strictTexts)
  return admitted(value, object, request, warnings)
}

/** Later ones are not told. */
const STRICT_TEXTS = 100

/** What becomes of an object that could be decoded. */
function admitted(value: unknown, object: ApfObject, request: ServerRequest, warnings: string[]): ServerAnswer {
  const { operation, existing, rules, dryRun = false } = request
  if (operation === 'create') {
    const named = withMadeUpName(object)
    const errors = validateObject(named, rules)
    if (errors.length > 0) return invalid(named, errors, warnings)
    if (!dryRun && hasResourceVersion(value)) {
      return refused(500, 'resourceVersion should not be set on objects to be created', warnings)
    }
    if (existing !== null) return refused(409, alreadyExists(object), warnings)
    return accepted(201, inStorage(named, null), warnings)
  }
  if (existing === null) return refused(404, `${resourceOf(object)} not found`, warnings)
  const { name } = object.metadata
  const urlName = existing.metadata.name
  if (name === '') {
    const message = `the name of the object (${urlName} based on URL) was undeterminable: name must be provided`
    return refused(400, message, warnings)
  }
  if (name !== urlName) {
    return refused(400, `the name of the object (${name}) does not match the name on the URL (${urlName})`, warnings)
  }
  const { uid } = object.metadata
  if (uid !== null && uid !== '' && uid !== existing.metadata.uid) {
    return refused(409, otherUid(object, existing.metadata.uid ?? ''), warnings)
  }
  if (operation === 'updateStatus') return statusWritten(value, existing, rules, warnings)
  const errors = validateObject(object, rules, existing)
  return errors.length > 0 ? invalid(object, errors, warnings) : accepted(200, inStorage(object, existing), warnings)
}

/** Random letters, for which `x` stands, behind a prefix that leaves room for them. */
function withMadeUpName<T extends ApfObject>(object: T): T {
  const { name, generateName = '' } = object.metadata
  if (name !== '' || generateName === '') return object
  return { ...object, metadata: { ...object.metadata, name: `${generateName.slice(0, MADE_UP_PREFIX)}xxxxx` } }
}

const MADE_UP_PREFIX = 58

function alreadyExists(object: ApfObject): string {
  const unlucky = ', the server was not able to generate a unique name for the object'
  return `${resourceOf(object)} already exists${object.metadata.generateName === undefined ? '' : unlucky}`
}

function otherUid(object: ApfObject, uid: string): string {
  const key = `/${object.kind.toLowerCase()}s/${object.metadata.name}`
  return (
    `Operation cannot be fulfilled on ${resourceOf(object)}: StorageError: invalid object, Code: 4, Key: ${key}, ` +
    'ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ' +
    `${object.metadata.uid}, UID in object meta: ${uid}`
  )
}

/** Of the sent object only the status counts. */
function statusWritten(value: unknown, existing: ApfObject, rules: VersionRules, warnings: string[]): ServerAnswer {
  const conditions = conditionsIn(value)
  const errors = [...validateObject(existing, rules, existing), ...validateConditions(conditions, rules)]
  if (errors.length > 0) return invalid(existing, errors, warnings)
  return accepted(200, existing.kind === 'FlowSchema' ? { ...existing, status: { conditions } } : existing, warnings)
}

/** What clients write of UID, generation and status does not count. */
function inStorage(object: ApfObject, existing: ApfObject | null): ApfObject {
  const unchanged = existing !== null && equalData(object.spec, existing.spec)
  const generation = (existing?.metadata.generation ?? 0) + (unchanged ? 0 : 1)
  const metadata = { ...object.metadata, uid: existing?.metadata.uid ?? null, generation }
  if (object.kind !== 'FlowSchema') return { ...object, metadata }
  return { ...object, metadata, status: existing?.kind === 'FlowSchema' ? existing.status : { conditions: [] } }
}

/** Conditions of data that could be decoded. */
function conditionsIn(value: unknown): Condition[] {
  const items = memberOf(memberOf(value, 'status'), 'conditions')
  if (!Array.isArray(items)) return []
  return items.map((item: unknown) => {
    const text = (name: string): string => {
      const content = memberOf(item, name)
      return typeof content === 'string' ? content : ''
    }
    return {
      type: text('type'),
      status: text('status'),
      reason: text('reason'),
      message: text('message'),
      lastTransitionTime: text('lastTransitionTime') || null,
    }
  })
}

/** One that storage takes for a number, and not for "any". */
function hasResourceVersion(value: unknown): boolean {
  const version = memberOf(memberOf(value, 'metadata'), 'resourceVersion')
  return typeof version === 'string' && /^0*[1-9]\d*$/.test(version)
}

// The type of an object

function isServed({ apiVersion, kind }: TypeMeta, rules: VersionRules): boolean {
  return isApfType({ apiVersion, kind }) && rules.servedVersions.some((version) => apiVersion === fullVersion(version))
}

/** Why data are none of the type that the URL names; null if they are. What they leave unsaid the URL says. */
function typeRefusal(value: unknown, sent: TypeMeta): string | null {
  const type = typeMetaOf(value, sent)
  if (type === null) return unrecognized(sent, `${goTypeOf(value)} into Go value of type ${TYPE_META}`)
  for (const field of ['apiVersion', 'kind'] as const) {
    const content = memberOf(value, field)
    if (content !== undefined && content !== null && typeof content !== 'string') {
      return unrecognized(sent, `${goTypeOf(content)} into Go struct field .${field} of type string`)
    }
  }
  const { apiVersion, kind } = type
  const version = apiVersion.slice(apiVersion.indexOf('/') + 1)
  const registered = isApfType({ apiVersion, kind: kind.replace(/List$/, '') }) && Object.hasOwn(API_VERSIONS, version)
  if (!registered) {
    const reason = `no kind "${kind}" is registered for version "${apiVersion}" in scheme "pkg/runtime/scheme.go:110"`
    return notHandled(type, sent.kind, reason)
  }
  if (kind !== sent.kind) {
    const from = `${version}.${kind}`
    return notHandled(type, sent.kind, `converting (${from}) to (flowcontrol.${sent.kind}): unknown conversion`)
  }
  return apiVersion === sent.apiVersion
    ? null
    : `the API version in the data (${apiVersion}) does not match the expected API version (${sent.apiVersion})`
}

const TYPE_META =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'

function unrecognized({ kind }: TypeMeta, mismatch: string): string {
  const reason = `couldn't get version/kind; json parse error: json: cannot unmarshal ${mismatch}`
  return `the object provided is unrecognized (must be of type ${kind}): ${reason}`
}

function notHandled({ apiVersion, kind }: TypeMeta, expectedKind: string, reason: string): string {
  const version = apiVersion.slice(apiVersion.indexOf('/') + 1)
  return `${kind} in version "${version}" cannot be handled as a ${expectedKind}: ${reason}`
}

// The answer

function accepted(status: number, stored: ApfObject, warnings: string[]): ServerAnswer {
  return { accepted: true, status, message: null, causes: [], warnings, stored }
}

function refused(status: number, message: string, warnings: string[], causes: Cause[] = []): ServerAnswer {
  return { accepted: false, status, message, causes, warnings, stored: null }
}

function invalid({ kind, metadata }: ApfObject, errors: readonly FieldError[], warnings: string[]): ServerAnswer {
  const causes = errors.map(({ path, category, message }) => ({
    field: formatFieldPath(path),
    reason: REASONS[category],
    message,
  }))
  const texts = [...new Set(causes.map(({ field, message }) => `${field}: ${message}`))]
  const list = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`
  return refused(422, `${kind}.${FLOWCONTROL_GROUP} "${metadata.name}" is invalid: ${list}`, warnings, causes)
}

const REASONS: Readonly<Record<ErrorCategory, string>> = {
  Required: 'FieldValueRequired',
  Invalid: 'FieldValueInvalid',
  Forbidden: 'FieldValueForbidden',
  NotSupported: 'FieldValueNotSupported',
  TooLong: 'FieldValueTooLong',
  Duplicate: 'FieldValueDuplicate',
}

/** `flowschemas.flowcontrol.apiserver.k8s.io "shop"` */
function resourceOf({ kind, metadata }: ApfObject): string {
  return `${kind.toLowerCase()}s.${FLOWCONTROL_GROUP} "${metadata.name}"`
}

function fullVersion(version: string): string {
  return `${FLOWCONTROL_GROUP}/${version}`
}
