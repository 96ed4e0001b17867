/** From documents to the FlowSchemas and PriorityLevelConfigurations in them. */
import { decodeObject, isApfType, type TypeMeta, typeMetaOf } from '../apf/decode.ts'
import { type ApfObject, FLOWCONTROL_GROUP } from '../apf/objects.ts'
import { type FieldPath, formatFieldPath, type Origin, type Place, type Problem, placeOf } from '../apf/problem.ts'
import { PROBLEM } from '../apf/problem-codes.ts'
import type { VersionRules } from '../apf/versions.ts'
import { type DuplicateKey, excerpt, HELM_FIRST, type SourceDocument } from './source-text.ts'

/** Something for the flow control group, not decoded yet: that needs the version, which may be known only later. */
export interface Candidate {
  value: unknown
  origin: Origin
  /** The type of a list's items, which need not repeat it. */
  defaults: TypeMeta | null
  /** As served by an API server, not written to be sent to one. */
  served: boolean
  /** Paths are those of the object. */
  duplicateKeys: DuplicateKey[]
}

/** An object of another kind that was asked for. */
export interface ForeignObject {
  kind: string
  value: unknown
  origin: Origin
}

/** What reading found, in reading order. */
export type Found = { candidate: Candidate } | { problem: Problem }

/** A document on its way to its objects. */
interface DocumentReading {
  file: string
  document: SourceDocument
  named: boolean
  duplicates: ReadonlyMap<string, DuplicateKey[]>
}

interface DocumentPart {
  value: unknown
  /** Path of the part in its document. */
  base: FieldPath
  /** The type of the items of the typed list in which it is. */
  itemType: TypeMeta | null
  served: boolean
}

function originOf({ value, base, served }: DocumentPart, { file, document }: DocumentReading): Origin {
  return {
    file,
    locate: (path) => document.locate([...base, ...path]),
    // What a server wrote, nobody wrote.
    ...(!served && { written: value }),
    writtenAt: (path) => document.writtenAt([...base, ...path]),
  }
}

function duplicatesIn({ base }: DocumentPart, { duplicates }: DocumentReading): readonly DuplicateKey[] {
  return duplicates.get(formatFieldPath(base)) ?? []
}

export class ManifestCollector {
  readonly found: Found[] = []
  /** Numbers of objects of other kinds, by kind. */
  readonly otherKinds = new Map<string, number>()
  /** Files of a folder with documents that are no objects of the Kubernetes API, such as the values of a chart. */
  readonly filesWithoutKind = new Set<string>()
  /** Objects of other kinds that were asked for. */
  readonly foreign: ForeignObject[] = []
  readonly #wanted: ReadonlySet<string>

  /** @param wanted  other kinds to keep, as `GROUP/KIND`, in whatever version */
  constructor(wanted: ReadonlySet<string> = new Set()) {
    this.#wanted = wanted
  }

  addProblem(problem: Problem): void {
    this.found.push({ problem })
  }

  /**
   * Takes the objects of one document.
   * @param named  the user named this very file, not only a folder: then everything in it should be an object
   * @param served  the document was recorded from an API server
   */
  addDocument(file: string, document: SourceDocument, { named, served }: { named: boolean; served: boolean }): void {
    const reading = { file, document, named, duplicates: duplicatesByObject(document) }
    this.#visit({ value: document.value, base: [], itemType: null, served }, reading)
  }

  #visit(part: DocumentPart, reading: DocumentReading): void {
    const { value, base, itemType } = part
    if (value === null || value === undefined) return
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries())
        this.#visit({ ...part, value: item, base: [...base, index] }, reading)
      return
    }
    const type = typeMetaOf(value, itemType ?? undefined)
    const list = type && listOf(value, type)
    if (list) {
      this.#visitList(list, part, reading)
      return
    }

    const kind = classify(type)
    if (kind === 'ours' || (kind === 'unknown' && reading.named)) this.#addCandidate(part, reading)
    else if (kind === 'unknown') this.filesWithoutKind.add(reading.file)
    else if (type && this.#wanted.has(groupKindOf(type))) {
      this.foreign.push({ kind: type.kind, value, origin: originOf(part, reading) })
    } else if (type) {
      if (kind === 'namesake') this.addProblem(namesake(value, type, originOf(part, reading)))
      this.otherKinds.set(type.kind, (this.otherKinds.get(type.kind) ?? 0) + 1)
    }
  }

  #visitList({ items, itemType, fault }: ObjectList, part: DocumentPart, reading: DocumentReading): void {
    const { base } = part
    for (const duplicate of duplicatesIn(part, reading)) {
      this.addProblem(duplicateKeyProblem(reading.file, duplicate))
    }
    if (fault) this.addProblem(fault(originOf(part, reading)))
    const served = part.served || itemType !== null
    for (const [index, item] of items.entries()) {
      this.#visit({ value: item ?? {}, base: [...base, 'items', index], itemType, served }, reading)
    }
  }

  #addCandidate(part: DocumentPart, reading: DocumentReading): void {
    const { value, base, itemType, served } = part
    const duplicateKeys = duplicatesIn(part, reading).map((duplicate) => ({
      ...duplicate,
      path: duplicate.path.slice(base.length),
    }))
    this.found.push({
      candidate: { value, origin: originOf(part, reading), defaults: itemType, served, duplicateKeys },
    })
  }

  /** `skipped 3 objects of other kinds: 2 Deployment, 1 Service`, and what else was passed over. */
  notes(): string[] {
    const notes: string[] = []
    const kinds = [...this.otherKinds].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
    const total = kinds.reduce((sum, [, count]) => sum + count, 0)
    if (total > 0) {
      const counts = kinds.slice(0, KINDS_IN_NOTE).map(([kind, count]) => `${count} ${kind}`)
      if (kinds.length > KINDS_IN_NOTE) counts.push(`${kinds.length - KINDS_IN_NOTE} more kinds`)
      notes.push(
        `skipped ${total} ${total === 1 ? 'object of another kind' : 'objects of other kinds'}: ${counts.join(', ')}`,
      )
    }
    const files = [...this.filesWithoutKind]
    if (files.length > 0) {
      const names = files.slice(0, FILES_IN_NOTE).join(', ')
      const more = files.length > FILES_IN_NOTE ? ` and ${files.length - FILES_IN_NOTE} more files` : ''
      notes.push(`skipped what is no Kubernetes object in ${names}${more}`)
    }
    return notes
  }
}

const KINDS_IN_NOTE = 8
const FILES_IN_NOTE = 3

/**
 * Decodes what was found.
 * @returns objects in reading order, and every problem. A problem of severity error is one of an input that could not be
 *   used; what a server would refuse in an object that can be read is a warning here, and judged by lint.
 */
export function decodeFound(
  found: readonly Found[],
  rules: VersionRules,
): { objects: ApfObject[]; problems: Problem[] } {
  const objects: ApfObject[] = []
  const problems: Problem[] = []
  for (const entry of found) {
    if ('problem' in entry) {
      problems.push(entry.problem)
      continue
    }
    const { value, origin, defaults, served, duplicateKeys } = entry.candidate
    const options = defaults === null ? { fromServer: served } : { fromServer: served, defaults }
    const decoded = decodeObject(value, origin, rules, options)
    const { object } = decoded
    for (const duplicate of duplicateKeys) {
      const problem = duplicateKeyProblem(origin.file, duplicate)
      problems.push(object ? { ...problem, object: { kind: object.kind, name: object.metadata.name } } : problem)
    }
    for (const problem of decoded.problems) {
      problems.push(object && problem.severity === 'error' ? { ...problem, severity: 'warning' } : problem)
    }
    const unusable = object === null || served ? null : unfinished(object, value)
    if (unusable) problems.push(unusable)
    else if (object) objects.push(object)
  }
  return { objects, problems }
}

/** Why an object is not one yet: it has no name, or a template stands where a value should. Null for a finished one. */
function unfinished({ kind, metadata, origin }: ApfObject, value: unknown): Problem | null {
  const placeholder = placeholderIn(fieldOf(value, 'metadata', 'name'), ['metadata', 'name'])
  const found = placeholder ?? placeholderIn(fieldOf(value, 'spec'), ['spec'])
  if (found) {
    return {
      code: 'template',
      severity: 'error',
      message: `not a value yet: found the template ${excerpt(found.text)} in ${formatFieldPath(found.path)}`,
      fix: found.text.startsWith('{{')
        ? HELM_FIRST
        : 'put in its value first, as in: envsubst < FILE | kubectl apf … --from -',
      at: placeOf(origin, found.path),
      object: { kind, name: metadata.name },
    }
  }
  if (metadata.name !== '') return null
  const generated = fieldOf(value, 'metadata', 'generateName') !== undefined
  return {
    code: PROBLEM.nameless,
    severity: 'error',
    message: generated
      ? `metadata.generateName leaves the name of this ${kind} to the server; order and references rest on it`
      : `this ${kind} has no metadata.name`,
    fix: 'give it a metadata.name',
    at: placeOf(origin, ['metadata', generated ? 'generateName' : 'name']),
    object: { kind, name: '' },
  }
}

const PLACEHOLDER = /\{\{.*?\}\}|\$\{[^}]*\}/s

/** The first template of Helm (`{{ … }}`) or of a shell (`${…}`) in the texts of a value. */
function placeholderIn(value: unknown, path: FieldPath): { text: string; path: FieldPath } | null {
  if (typeof value === 'string') {
    const [text] = PLACEHOLDER.exec(value) ?? []
    return text === undefined ? null : { text, path }
  }
  if (typeof value !== 'object' || value === null) return null
  for (const [key, part] of Object.entries(value)) {
    const found = placeholderIn(part, [...path, Array.isArray(value) ? Number(key) : key])
    if (found) return found
  }
  return null
}

function fieldOf(value: unknown, ...keys: readonly string[]): unknown {
  return keys.reduce<unknown>(
    (part, key) => (typeof part === 'object' && part !== null ? Reflect.get(part, key) : undefined),
    value,
  )
}

interface ObjectList {
  items: readonly unknown[]
  /** Of the items of a typed list as the API serves it; null for a `List`, whose items say it themselves. */
  itemType: TypeMeta | null
  fault: ((origin: Origin) => Problem) | null
}

/** The items of `List` and of `…List` kinds; null for anything else. */
function listOf(value: unknown, type: TypeMeta): ObjectList | null {
  if (typeof value !== 'object' || value === null || !type.kind.endsWith('List')) return null
  if (!Object.hasOwn(value, 'items')) return type.kind === 'List' || isApfList(type) ? emptyList(type) : null
  const items: unknown = Reflect.get(value, 'items')
  const itemKind = type.kind.slice(0, -'List'.length)
  const itemType = itemKind === '' ? null : { apiVersion: type.apiVersion, kind: itemKind }
  if (Array.isArray(items)) return { items, itemType, fault: null }
  return { ...emptyList(type), fault: items === null ? null : (origin) => itemsNoList(type, origin) }
}

/** `apps/Deployment`, `/Pod`. */
function groupKindOf({ apiVersion, kind }: TypeMeta): string {
  return `${apiVersion.includes('/') ? apiVersion.split('/', 1)[0] : ''}/${kind}`
}

function isApfList({ apiVersion, kind }: TypeMeta): boolean {
  return isApfType({ apiVersion, kind: kind.slice(0, -'List'.length) })
}

function emptyList(type: TypeMeta): ObjectList {
  return { items: [], itemType: isApfList(type) ? type : null, fault: null }
}

function itemsNoList({ kind }: TypeMeta, origin: Origin): Problem {
  return {
    code: PROBLEM.wrongType,
    severity: 'error',
    message: `items of the ${kind} is not a list`,
    fix: 'write its objects as a list',
    at: placeOf(origin, ['items']),
  }
}

/**
 * `ours`: to be decoded, or refused with a reason; `namesake`: one of our kinds in another group; `unknown`: no kind, and
 * nothing that ties it to our group.
 */
function classify(type: TypeMeta | null): 'ours' | 'namesake' | 'other' | 'unknown' {
  if (type === null) return 'unknown'
  if (type.apiVersion.startsWith(`${FLOWCONTROL_GROUP}/`) || type.apiVersion === FLOWCONTROL_GROUP) return 'ours'
  if (type.kind === '') return 'unknown'
  if (type.kind !== 'FlowSchema' && type.kind !== 'PriorityLevelConfiguration') return 'other'
  return isForeignGroup(type.apiVersion) ? 'namesake' : 'ours'
}

/** Whether custom resources may be of the group of a version; those of Kubernetes itself have no such kinds. */
function isForeignGroup(apiVersion: string): boolean {
  const [group = ''] = apiVersion.split('/', 1)
  return apiVersion.includes('/') && group.includes('.') && !group.endsWith('.k8s.io')
}

function namesake(value: unknown, { apiVersion, kind }: TypeMeta, origin: Origin): Problem {
  const name = nameOf(value)
  const [group] = apiVersion.includes('/') ? apiVersion.split('/', 1) : ['']
  const problem: Problem = {
    code: 'other-group',
    severity: 'warning',
    message: `skipped: this ${kind} is of the API group ${group === '' ? '""' : excerpt(group ?? '')}, another kind than that of ${FLOWCONTROL_GROUP}`,
    fix: `where API Priority and Fairness is meant, write apiVersion: ${FLOWCONTROL_GROUP}/v1`,
    at: placeOf(origin, ['apiVersion']),
  }
  if (name !== '') problem.object = { kind, name }
  return problem
}

function nameOf(value: unknown): string {
  const name = fieldOf(value, 'metadata', 'name')
  return typeof name === 'string' ? name : ''
}

function duplicateKeyProblem(file: string, { path, at, first }: DuplicateKey): Problem {
  const key = String(path[path.length - 1])
  const parent = formatFieldPath(path.slice(0, -1))
  const place: Place = { file, ...at, path: formatFieldPath(path) }
  return {
    code: PROBLEM.duplicateKey,
    severity: 'warning',
    message: `the key ${key} is there twice${parent === '' ? '' : ` in ${parent}`}, first on line ${first.line}; the last value counts`,
    fix: 'remove one of them',
    at: place,
  }
}

/** The duplicate keys of a document by the path of the object, or of the list, in which they are. */
function duplicatesByObject({ duplicateKeys }: SourceDocument): ReadonlyMap<string, DuplicateKey[]> {
  const byObject = new Map<string, DuplicateKey[]>()
  for (const duplicate of duplicateKeys) {
    const object = formatFieldPath(duplicate.path.slice(0, objectDepth(duplicate.path)))
    const known = byObject.get(object)
    if (known) known.push(duplicate)
    else byObject.set(object, [duplicate])
  }
  return byObject
}

/** How much of a path leads to an object: through the items of lists, however nested. */
function objectDepth(path: FieldPath): number {
  let depth = 0
  while (typeof path[depth] === 'number' || (path[depth] === 'items' && typeof path[depth + 1] === 'number')) depth++
  return depth
}
