/**
 * The configuration of EventRateLimit as it is written, in a file of its own or within an AdmissionConfiguration: decoded as
 * the server does, with its errors.
 * Source: kubernetes/apiserver pkg/admission/config.go; kubernetes/kubernetes plugin/pkg/admission/eventratelimit/config.go
 */
import { nearest } from '../apf/suggest.ts'
import {
  type ConfigurationError,
  type ConfigurationRules,
  EVENT_RATE_LIMIT,
  LIMIT_TYPES,
  type LimitEntry,
  validateLimits,
} from './event-rate-limit.ts'
import { isObject } from './plain-data.ts'

const GROUP = 'eventratelimit.admission.k8s.io'
const VERSION = `${GROUP}/v1alpha1`
const OUTER_VERSIONS: ReadonlySet<string> = new Set(['apiserver.config.k8s.io/v1', 'apiserver.k8s.io/v1alpha1'])

/** Where the configuration of the plugin is found, as an AdmissionConfiguration says. */
export type OuterConfiguration =
  /** The server ends with this text. */
  | { error: string }
  | { embedded: unknown; entry: number; pathIgnored: string | null }
  | { path: string }
  /** No entry of that name: the plugin, if enabled, has no configuration. `similar` names are probably misspelt. */
  | { absent: true; similar: string[] }

/** What a document is taken for, before it is decoded. */
export function isAdmissionConfiguration(value: unknown): boolean {
  return isObject(value) && value['kind'] === 'AdmissionConfiguration'
}

/** The configuration of the plugin itself, by its kind. */
export function isConfiguration(value: unknown): boolean {
  return isObject(value) && value['kind'] === 'Configuration'
}

/**
 * Reads the outer file, which is decoded strictly.
 * @param duplicates  what the decoder says of keys that stand twice
 */
export function readOuter(value: unknown, duplicates: readonly string[]): OuterConfiguration {
  const document = isObject(value) ? value : {}
  const version = textOr(document['apiVersion'], '')
  if (!OUTER_VERSIONS.has(version)) {
    const text = `no kind "AdmissionConfiguration" is registered for version "${version}" in scheme`
    return { error: `failed to read plugin config: ${text} "${SCHEME}"` }
  }
  const mismatch = outerMismatch(document['plugins'], version.split('/').at(-1) ?? '')
  if (mismatch !== null) return { error: `failed to read plugin config: ${mismatch}` }
  const plugins = Array.isArray(document['plugins']) ? document['plugins'].map(asRecord) : []
  const unknown = [...unknownKeys(document, ['apiVersion', 'kind', 'plugins'], ''), ...plugins.flatMap(unknownOfPlugin)]
  const strict = [...duplicates, ...unknown.map((field) => `unknown field "${field}"`)]
  if (strict.length > 0) return { error: `failed to read plugin config: strict decoding error: ${strict.join(', ')}` }
  const entry = plugins.findIndex(({ name }) => name === EVENT_RATE_LIMIT)
  const plugin = plugins[entry]
  if (plugin === undefined) {
    const names = plugins.map(({ name }) => textOr(name, ''))
    return { absent: true, similar: names.filter((name) => nearest(name, [EVENT_RATE_LIMIT]) !== null) }
  }
  const path = textOr(plugin['path'], '')
  if (plugin['configuration'] !== undefined && plugin['configuration'] !== null) {
    return { embedded: plugin['configuration'], entry, pathIgnored: path || null }
  }
  return path === '' ? { absent: true, similar: [] } : { path }
}

/** What Go's JSON decoder says of the first value of a wrong type in the outer file; null where all fit. */
function outerMismatch(plugins: unknown, version: string): string | null {
  if (plugins === undefined || plugins === null) return null
  const type = `${version}.AdmissionPluginConfiguration`
  const field = 'AdmissionConfiguration.plugins'
  if (!Array.isArray(plugins)) return cannotUnmarshal(plugins, field, `[]${type}`)
  for (const plugin of plugins) {
    if (plugin === null) continue
    if (!isObject(plugin)) return cannotUnmarshal(plugin, field, type)
    for (const name of ['name', 'path']) {
      const text = plugin[name]
      if (text !== undefined && text !== null && typeof text !== 'string') {
        return cannotUnmarshal(text, `AdmissionPluginConfiguration.plugins.${name}`, 'string')
      }
    }
  }
  return null
}

function unknownOfPlugin(plugin: Record<string, unknown>, index: number): string[] {
  return unknownKeys(plugin, ['name', 'path', 'configuration'], `plugins[${index}].`)
}

/** As the server's binaries print it; the number of the line differs between releases. */
const SCHEME = 'pkg/runtime/scheme.go:111'

export interface DecodedConfiguration {
  /** Null: there is no such list, or nothing could be decoded. */
  limits: LimitEntry[] | null
  /** Of decoding or of validation; not empty: the server does not start. */
  errors: ConfigurationError[]
  /** Fields that the server passes over in silence. */
  ignored: IgnoredField[]
}

export interface IgnoredField {
  field: string
  /** The field that was probably meant; null where none is near. */
  meant: string | null
}

/**
 * Decodes and validates the configuration of the plugin.
 *
 * @param value    null: an empty file
 * @param content  of the file, which one of the errors repeats
 */
export function readConfiguration(value: unknown, content: string, rules: ConfigurationRules): DecodedConfiguration {
  const failed = (text: string): DecodedConfiguration => ({
    limits: null,
    errors: [{ field: '', text }],
    ignored: [],
  })
  const document = isObject(value) ? value : {}
  const kind = textOr(document['kind'], '')
  const version = textOr(document['apiVersion'], '')
  if (kind === '') return failed(`Object 'Kind' is missing in '${content}'`)
  if (version === '') return failed(`Object 'apiVersion' is missing in '${content}'`)
  if (kind !== 'Configuration' || version !== VERSION) {
    return failed(`no kind "${kind}" is registered for version "${version}" in scheme "${SCHEME}"`)
  }
  const mismatch = typeMismatch(document['limits'], content.trimStart().startsWith('{'))
  if (mismatch !== null) return failed(mismatch)
  const entries = Array.isArray(document['limits']) ? document['limits'].map(asRecord) : null
  const limits = entries?.map(limitEntry) ?? null
  return { limits, errors: validateLimits(limits, rules), ignored: ignoredFields(document, entries ?? []) }
}

/** Nobody decodes a plugin that was enabled without any configuration: it has no limits, and that is an error. */
export function noConfiguration(rules: ConfigurationRules): DecodedConfiguration {
  return { limits: null, errors: validateLimits(null, rules), ignored: [] }
}

function limitEntry(entry: Record<string, unknown>): LimitEntry {
  return {
    type: textOr(entry['type'], ''),
    qps: numberOr(entry['qps'], 0),
    burst: numberOr(entry['burst'], 0),
    cacheSize: numberOr(entry['cacheSize'], 0),
  }
}

const FIELDS = ['burst', 'cacheSize', 'qps', 'type'] as const

/**
 * What Go's JSON decoder says of the first value of a wrong type; null where all fit. YAML is made JSON first, with its keys
 * sorted; JSON is read as it stands.
 */
function typeMismatch(limits: unknown, isJson: boolean): string | null {
  if (limits === undefined || limits === null) return null
  if (!Array.isArray(limits)) return cannotUnmarshal(limits, 'Configuration.limits', '[]v1alpha1.Limit')
  for (const entry of limits) {
    if (entry === null) continue
    if (!isObject(entry)) return cannotUnmarshal(entry, 'Configuration.limits', 'v1alpha1.Limit')
    const fields = isJson ? Object.keys(entry) : FIELDS
    for (const field of fields) {
      const fault = fieldMismatch(field, entry[field])
      if (fault !== null) return fault
    }
  }
  return null
}

function fieldMismatch(field: string, value: unknown): string | null {
  if (value === undefined || value === null || !FIELDS.some((known) => known === field)) return null
  if (field === 'type') {
    return typeof value === 'string' ? null : cannotUnmarshal(value, 'Limit.limits.type', 'v1alpha1.LimitType')
  }
  return isInt32(value) ? null : cannotUnmarshal(value, `Limit.limits.${field}`, 'int32')
}

function cannotUnmarshal(value: unknown, field: string, type: string): string {
  // A number is named only where numbers are expected, and it does not fit.
  const what = typeof value === 'number' && type === 'int32' ? `number ${value}` : jsonType(value)
  return `json: cannot unmarshal ${what} into Go struct field ${field} of type ${type}`
}

function jsonType(value: unknown): string {
  if (Array.isArray(value)) return 'array'
  return typeof value === 'boolean' ? 'bool' : typeof value
}

function isInt32(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= -(2 ** 31) && value < 2 ** 31
}

function ignoredFields(document: Record<string, unknown>, entries: readonly Record<string, unknown>[]): IgnoredField[] {
  const outer = unknownKeys(document, ['apiVersion', 'kind', 'limits'], '').map((field) => ({
    field,
    meant: nearestIgnoringCase(field, ['limits']),
  }))
  const inner = entries.flatMap((entry, index) =>
    unknownKeys(entry, FIELDS, '').map((field) => ({
      field: `limits[${index}].${field}`,
      meant: nearestIgnoringCase(field, FIELDS),
    })),
  )
  return [...outer, ...inner]
}

function nearestIgnoringCase(name: string, known: readonly string[]): string | null {
  return known.find((each) => each.toLowerCase() === name.toLowerCase()) ?? nearest(name, known)
}

function unknownKeys(object: Record<string, unknown>, known: readonly string[], prefix: string): string[] {
  return Object.keys(object)
    .filter((key) => !known.includes(key))
    .map((key) => `${prefix}${key}`)
}

function asRecord(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {}
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === 'string' ? value : otherwise
}

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise
}

/** The type that was probably meant; null where none is near. */
export function meantType(type: string): string | null {
  return nearestIgnoringCase(type, LIMIT_TYPES)
}
