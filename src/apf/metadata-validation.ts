/**
 * Rules for names and other metadata.
 * Source: kubernetes/apimachinery pkg/util/validation/validation.go, pkg/api/validation/objectmeta.go.
 */
import { byteLength, type FieldErrors } from './field-errors.ts'
import type { ObjectMeta } from './objects.ts'
import type { FieldPath } from './problem.ts'
import { compareBytes } from './text.ts'
import type { VersionRules } from './versions.ts'

const SUBDOMAIN_LIMIT = 253
const LABEL_LIMIT = 63
const ANNOTATIONS_LIMIT = 256 * 1024
/** Finalizers that need no prefix. */
const STANDARD_FINALIZERS = ['kubernetes', 'orphan', 'foregroundDeletion']

const DNS_LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'
const DNS_SUBDOMAIN = `${DNS_LABEL}(\\.${DNS_LABEL})*`
const NAME_PART = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'
const LABEL_VALUE = `(${NAME_PART})?`

const SUBDOMAIN_MESSAGE =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end " +
  `with an alphanumeric character (e.g. 'example.com', regex used for validation is '${DNS_SUBDOMAIN}')`
const DNS_LABEL_MESSAGE =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an " +
  `alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '${DNS_LABEL}')`
const NAME_PART_MESSAGE =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character " +
  `(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${NAME_PART}')`
const LABEL_VALUE_MESSAGE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end " +
  "with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is " +
  `'${LABEL_VALUE}')`

/** What is wrong with a name as a DNS-1123 subdomain; too long and malformed are two faults. */
export function subdomainFaults(name: string, unit = 'characters'): string[] {
  const faults = lengthFaults(name, SUBDOMAIN_LIMIT, unit)
  if (!isSubdomain(name)) faults.push(SUBDOMAIN_MESSAGE)
  return faults
}

/** What is wrong with a name as a DNS-1123 label, such as that of a namespace. */
export function labelFaults(name: string, rules: VersionRules): string[] {
  const faults = lengthFaults(name, LABEL_LIMIT, 'characters')
  if (fully(DNS_LABEL).test(name)) return faults
  faults.push(rules.dotsNamedInLabelErrors && isSubdomain(name) ? 'must not contain dots' : DNS_LABEL_MESSAGE)
  return faults
}

/** Name, labels, annotations and finalizers, as on creation. */
export function validateMetadata(metadata: ObjectMeta, rules: VersionRules, errors: FieldErrors): void {
  const { name, generateName = '', labels, annotations, finalizers = [] } = metadata
  const report = (path: FieldPath, value: string, faults: readonly string[]): void => {
    for (const fault of faults) errors.invalid(path, value, fault)
  }
  if (generateName !== '') {
    // The server appends random letters, so a dash may stand last.
    const prefix = generateName.replace(/(?<=.)-$/, 'a')
    report(['metadata', 'generateName'], generateName, subdomainFaults(prefix))
  }
  if (name !== '') report(['metadata', 'name'], name, subdomainFaults(name))
  else if (generateName === '') errors.required(['metadata', 'name'], 'name or generateName is required')

  for (const [key, value] of sortedEntries(labels)) {
    report(['metadata', 'labels'], key, qualifiedNameFaults(key, rules))
    report(['metadata', 'labels'], value, labelValueFaults(value, rules))
  }
  let size = 0
  for (const [key, value] of sortedEntries(annotations)) {
    report(['metadata', 'annotations'], key, qualifiedNameFaults(key.toLowerCase(), rules))
    size += byteLength(key) + byteLength(value)
  }
  if (size > ANNOTATIONS_LIMIT) errors.tooLong(['metadata', 'annotations'], ANNOTATIONS_LIMIT)
  for (const finalizer of finalizers) {
    report(['metadata', 'finalizers'], finalizer, qualifiedNameFaults(finalizer, rules))
  }
  finalizers.forEach((finalizer, index) => {
    if (finalizer.includes('/') || STANDARD_FINALIZERS.includes(finalizer)) return
    const fault = 'name is neither a standard finalizer name nor is it fully qualified'
    errors.invalid(['metadata', 'finalizers', index], finalizer, fault)
  })
}

function qualifiedNameFaults(key: string, rules: VersionRules): string[] {
  const parts = key.split('/')
  if (parts.length > 2) {
    return [
      `${rules.labelKeyName} ${NAME_PART_MESSAGE} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ]
  }
  const faults: string[] = []
  const name = parts[parts.length - 1] ?? ''
  if (parts.length === 2) {
    const prefix = parts[0] ?? ''
    const prefixFaults = prefix === '' ? ['must be non-empty'] : subdomainFaults(prefix, rules.metadataLengthUnit)
    faults.push(...prefixFaults.map((fault) => `prefix part ${fault}`))
  }
  const nameFaults = name === '' ? ['must be non-empty'] : lengthFaults(name, LABEL_LIMIT, rules.metadataLengthUnit)
  if (!fully(NAME_PART).test(name)) nameFaults.push(NAME_PART_MESSAGE)
  faults.push(...nameFaults.map((fault) => `name part ${fault}`))
  return faults
}

function labelValueFaults(value: string, rules: VersionRules): string[] {
  const faults = lengthFaults(value, LABEL_LIMIT, rules.metadataLengthUnit)
  if (!fully(LABEL_VALUE).test(value)) faults.push(LABEL_VALUE_MESSAGE)
  return faults
}

function lengthFaults(text: string, limit: number, unit: string): string[] {
  return byteLength(text) > limit ? [`must be no more than ${limit} ${unit}`] : []
}

function isSubdomain(name: string): boolean {
  return name.split('.').every((label) => fully(DNS_LABEL).test(label))
}

const compiled = new Map<string, RegExp>()

/** A pattern that must match the whole text. */
function fully(pattern: string): RegExp {
  let regex = compiled.get(pattern)
  if (regex === undefined) {
    regex = new RegExp(`^(?:${pattern})$`)
    compiled.set(pattern, regex)
  }
  return regex
}

/** Go walks a map in random order; ours is sorted. */
function sortedEntries(map: Readonly<Record<string, string>>): [string, string][] {
  return Object.entries(map).sort(([a], [b]) => compareBytes(a, b))
}
