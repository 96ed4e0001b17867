/**
 * The requests of an expectation in any of their forms: words as of a command line, URLs, request lines, and lists whose
 * combinations are meant.
 */
import { type Identity, pathRequest, type RequestAttributes } from '../../apf/request.ts'
import { isRefused, type RefusedTarget } from '../../apf/request-info.ts'
import { isMalformed, readRequestLine } from '../../apf/request-line.ts'
import { nearest } from '../../apf/suggest.ts'
import { cut } from '../../apf/text.ts'
import { attributesOf } from '../../kubectl/attributes.ts'
import { isArgumentProblem, type Note } from '../../kubectl/note.ts'
import type { PlannedRequest } from '../../kubectl/planned-request.ts'
import { requestsFromArguments } from '../../kubectl/request-arguments.ts'
import { requestFromUrl } from '../../kubectl/request-url.ts'
import { isKnownType, type ResourceType, resolveResourceType } from '../../kubectl/resource-name.ts'
import { builtInResources } from '../../kubectl/resources.ts'
import { apiVerbs } from '../../kubectl/verbs.ts'
import type { Box } from '../../regions/box.ts'
import { NO_REQUEST, perPlane, pointOf, type Region, spacesOf, uniteRegions } from '../../regions/region.ts'
import { PATHS, PLAIN, RESOURCES } from '../../regions/spaces.ts'
import { everything, only, type StringSet, type StringSpace } from '../../regions/string-set.ts'
import type { FieldReader, Members, Node } from '../field-reader.ts'
import { requestWordsOf } from './words.ts'

/** One entry of `requests`, read. */
export type ReadRequests =
  | { form: 'one'; request: RequestAttributes | RefusedTarget; query: string | null; identity: Identity | null }
  | { form: 'resources'; verbs: string[]; types: TypeEntry[]; namespaces: string[] | null }
  | { form: 'paths'; verbs: string[]; paths: string[] }

/** `*` in `group` or `resource` stands for all of them; the subresource is part of `resource`, as rules write it. */
interface TypeEntry {
  group: string
  resource: string
  /** Null for what was not looked up. */
  type: ResourceType | null
}

const ANY = '*'

const LINE_FIELDS = [
  ...(['user', 'groups', 'method', 'url', 'path', 'verb', 'apiGroup', 'resource', 'subresource'] as const),
  ...(['namespace', 'name', 'id'] as const),
]
const LIST_FIELDS = ['verbs', 'apiGroups', 'resources', 'namespaces', 'paths'] as const
type RequestField = (typeof LINE_FIELDS)[number] | (typeof LIST_FIELDS)[number]

/** Null where it is no request; then the problems say why. */
export function readRequests(node: Node, reader: FieldReader): ReadRequests | null {
  if (typeof node.value === 'string') return fromWords(node.value, node, reader)
  const members = reader.members<RequestField>(node, [...LIST_FIELDS, ...LINE_FIELDS], 'words, a URL or an object')
  if (members === null) return null
  return isInLists(members) ? fromLists(members, node, reader) : fromLine(node, reader)
}

function isInLists(members: Members<RequestField>): boolean {
  const isList = ([field, { value }]: [RequestField, Node]) => field !== 'groups' && Array.isArray(value)
  return LIST_FIELDS.some((field) => members.has(field)) || [...members].some(isList)
}

// Words and URLs

function fromWords(text: string, node: Node, reader: FieldReader): ReadRequests | null {
  const words = requestWordsOf(text)
  if (isArgumentProblem(words)) return reader.wrong(node, words.problem, words.fix)
  const planned = requestsFromArguments(words)
  if (isArgumentProblem(planned)) {
    if (planned.refused) return { form: 'one', request: planned.refused, query: null, identity: null }
    return reader.wrong(node, planned.problem, planned.fix)
  }
  warnOf(planned.notes, node, reader)
  const { attributes, query = null } = meantRequest(planned.requests)
  return { form: 'one', request: attributes, query, identity: null }
}

/** Of the words `get pods`, which kubectl knows, the LIST that it sends: no GET of a collection has another verb. */
export function meantRequest(requests: readonly PlannedRequest[]): PlannedRequest {
  const typed = requests.find(({ primary }) => primary)
  if (typed === undefined) throw new Error('words of a request without a request')
  const { isResourceRequest, verb, name } = typed.attributes
  if (!isResourceRequest || verb !== 'get' || name !== '') return typed
  return requests.find(({ attributes }) => attributes.verb === 'list') ?? typed
}

/** Doubts about a name are worth a warning; what is only told is not. */
const DOUBTS: ReadonlySet<Note['code']> = new Set([
  'unknown-resource',
  'unknown-subresource',
  'unknown-verb',
  'verb-never-sent',
  'wildcard-resource',
  'extra-arguments',
  'ignored-namespace',
])

function warnOf(notes: readonly Note[], node: Node, reader: FieldReader): void {
  for (const { code, message } of notes) if (DOUBTS.has(code)) reader.warn(node, message)
}

// Request lines

function fromLine(node: Node, reader: FieldReader): ReadRequests | null {
  const { value } = node
  const hasUser = typeof value === 'object' && value !== null && 'user' in value
  const groups: unknown = Reflect.get(Object(value), 'groups')
  if (!hasUser && groups !== undefined && groups !== null) {
    const at = { value: groups, path: [...node.path, 'groups'] }
    return reader.wrong(at, 'groups of whom?', 'add user: USER, or give the case its as and groups')
  }
  const line = readRequestLine(hasUser ? value : { ...Object(value), user: 'nobody' })
  if (isMalformed(line)) return reader.wrong(node, line.malformed)
  const { request } = line
  if (!isRefused(request)) warnOfCoreGroup(request, node, reader)
  const url: unknown = Reflect.get(Object(value), 'url')
  const query = typeof url === 'string' ? queryOf(url) : null
  return { form: 'one', request, query, identity: hasUser ? line.identity : null }
}

function queryOf(url: string): string | null {
  const planned = requestFromUrl(url, 'GET')
  return isArgumentProblem(planned) ? null : (planned.requests[0]?.query ?? null)
}

/** `resource: deployments` alone is a resource of the core group, which has none of that name. */
function warnOfCoreGroup(
  { isResourceRequest, apiGroup, resource }: RequestAttributes,
  node: Node,
  reader: FieldReader,
) {
  if (!isResourceRequest || apiGroup !== '' || isKnownType(`${resource}.v1.`, builtInResources())) return
  const elsewhere = builtInResources().find((known) => known.resource === resource)
  if (elsewhere === undefined) return
  const message = `${resource} without apiGroup is a resource of the core group, which has none of that name`
  reader.warn(node, message, `add apiGroup: ${elsewhere.group}`)
}

// Lists

/** Each list may be a single string; `verb`, `resource` and the like stand for lists of one. */
function fromLists(members: Members<RequestField>, node: Node, reader: FieldReader): ReadRequests | null {
  const stray = (['user', 'groups', 'method', 'url', 'path', 'id'] as const).find((field) => members.has(field))
  if (stray !== undefined) return reader.wrong(node, `${stray} does not go together with lists`)
  const list = (plural: (typeof LIST_FIELDS)[number], singular?: RequestField): string[] | null | undefined => {
    const given = members.get(plural) ?? (singular === undefined ? undefined : members.get(singular))
    return given === undefined ? undefined : reader.texts(given)
  }
  const verbs = list('verbs', 'verb')
  const paths = list('paths')
  const resources = list('resources', 'resource')
  const groups = list('apiGroups', 'apiGroup')
  const namespaces = list('namespaces', 'namespace')
  if (verbs === null || paths === null || resources === null || groups === null || namespaces === null) return null
  const isPartial = (name: string) => name !== ANY && name.includes(ANY)
  const partial = [verbs, resources, groups, namespaces].flatMap((names) => names?.find(isPartial) ?? [])[0]
  if (partial !== undefined) return reader.wrong(node, `${partial} is no name`, `${ANY} alone stands for everything`)
  if (verbs === undefined) return reader.wrong(node, 'no verbs', 'add verbs: [get, list]')
  if (paths !== undefined) {
    if (resources !== undefined || groups !== undefined || namespaces !== undefined) {
      return reader.wrong(node, 'paths do not go together with resources', 'write two entries')
    }
    return { form: 'paths', verbs: verbs.map((verb) => verb.toLowerCase()), paths }
  }
  if (resources === undefined) return reader.wrong(node, 'neither resources nor paths', 'add resources: [pods]')
  warnOfVerbs(verbs, node, reader)
  const types = typesOf(resources, groups, node, reader)
  return types === null ? null : { form: 'resources', verbs, types, namespaces: namespaces ?? null }
}

function warnOfVerbs(verbs: readonly string[], node: Node, reader: FieldReader): void {
  for (const verb of verbs) {
    if (verb === ANY || apiVerbs.includes(verb)) continue
    const meant = nearest(verb, apiVerbs)
    reader.warn(node, `no request on a resource has the verb ${verb}`, meant ? `did you mean ${meant}?` : undefined)
  }
}

/** With API groups the combinations as they are; without, resources as kubectl names them: `deploy`, `widgets.example.com`. */
function typesOf(
  resources: readonly string[],
  groups: readonly string[] | undefined,
  node: Node,
  reader: FieldReader,
): TypeEntry[] | null {
  if (groups !== undefined) {
    return groups.flatMap((group) => resources.map((resource) => ({ group, resource, type: null })))
  }
  const types = resources.map((text) => {
    if (text === ANY) return { group: ANY, resource: ANY, type: null }
    const [typeText, subresource] = cut(text, '/')
    const notes: Note[] = []
    const type = resolveResourceType(typeText, builtInResources(), notes)
    if (isArgumentProblem(type)) return reader.wrong(node, type.problem, type.fix)
    // Of a group that was named, resources may well be unknown here.
    warnOf(
      notes.filter(({ code }) => code !== 'unknown-resource' || type.group === ''),
      node,
      reader,
    )
    const resource = subresource === '' ? type.resource : `${type.resource}/${subresource}`
    return { group: type.group, resource, type }
  })
  return types.every((type) => type !== null) ? types : null
}

// One by one

/** Requests that one case may expand to. */
export const MOST_REQUESTS = 100_000

/** The problem of a case that expands to more than {@link MOST_REQUESTS}. */
export function tooMany(node: Node, reader: FieldReader): null {
  return reader.wrong(node, `more than ${MOST_REQUESTS} requests`, 'prove it for all of them with forAll')
}

/** Every single request; null where a list stands for more than can be tried, which is a problem. */
export function expandRequests(
  read: ReadRequests,
  node: Node,
  reader: FieldReader,
): { request: RequestAttributes | RefusedTarget; query: string | null; identity: Identity | null }[] | null {
  if (read.form === 'one') return [read]
  const names =
    read.form === 'paths'
      ? [...read.verbs, ...read.paths.filter(isPathPattern)]
      : [...read.verbs, ...read.types.flatMap(({ group, resource }) => [group, resource]), ...(read.namespaces ?? [])]
  const pattern = names.find((name) => name === ANY || isPathPattern(name))
  if (pattern !== undefined) {
    const message = `${pattern} stands for more requests than can be tried one by one`
    return reader.wrong(node, message, 'name some, or prove it for all with forAll')
  }
  if (countOf(read) > MOST_REQUESTS) return tooMany(node, reader)
  return requestsOf(read).map((request) => ({ request, query: null, identity: null }))
}

function countOf(read: Exclude<ReadRequests, { form: 'one' }>): number {
  if (read.form === 'paths') return read.verbs.length * read.paths.length
  return read.verbs.length * read.types.length * (read.namespaces?.length ?? 1)
}

function requestsOf(read: Exclude<ReadRequests, { form: 'one' }>): RequestAttributes[] {
  if (read.form === 'paths') {
    return read.paths.flatMap((path) => read.verbs.map((verb) => pathRequest(verb, path)))
  }
  const namespaces = read.namespaces ?? ['']
  return namespaces.flatMap((namespace) =>
    read.types.flatMap((type) => read.verbs.map((verb) => resourceRequest(verb, type, namespace))),
  )
}

function resourceRequest(verb: string, { group, resource, type }: TypeEntry, namespace: string): RequestAttributes {
  const [name, subresource] = cut(resource, '/')
  const known = type ?? { resource: name, group, version: '', namespaced: undefined, subresources: undefined }
  const isOneNamespace = name === 'namespaces' && verb !== 'create' && verb !== 'deletecollection'
  return attributesOf(verb, { type: known, subresource, name: isOneNamespace ? namespace : '' }, namespace)
}

function isPathPattern(path: string): boolean {
  return path === ANY || path.endsWith('/*')
}

// As a set

/** All requests of one entry; null where it is none that could be classified, which is a problem. */
export function regionOfRequests(read: ReadRequests, node: Node, reader: FieldReader): Region | null {
  switch (read.form) {
    case 'one':
      if (read.identity !== null) return reader.wrong(node, 'user: forAll says who asks', 'leave user out')
      if (isRefused(read.request)) return reader.wrong(node, `the server refuses it: ${read.request.refused}`)
      return regionOfPoint(read.request)
    case 'paths':
      return perPlane((plane) => (plane === 'nonResource' ? [[pathSet(read.paths), listSet(PLAIN, read.verbs)]] : []))
    case 'resources':
      return read.types
        .map((type) => regionOfType(read.verbs, type, read.namespaces))
        .reduce((all, region) => uniteRegions(all, region), NO_REQUEST)
  }
}

function regionOfPoint(request: RequestAttributes): Region {
  const { plane, point } = pointOf(request)
  const spaces = spacesOf(plane)
  const box = point.map((value, dimension) => only(spaces[dimension] ?? PLAIN, [value]))
  return perPlane((other) => (other === plane ? [box] : []))
}

function regionOfType(verbs: readonly string[], { group, resource }: TypeEntry, namespaces: readonly string[] | null) {
  const box = [listSet(PLAIN, [group]), listSet(RESOURCES, [resource]), listSet(PLAIN, verbs)]
  const named = namespaces?.filter((namespace) => namespace !== '') ?? [ANY]
  return perPlane((plane): Box[] => {
    if (plane === 'namespaced') return named.length > 0 ? [[listSet(PLAIN, named), ...box]] : []
    return plane === 'cluster' && (namespaces === null || namespaces.includes('')) ? [box] : []
  })
}

function listSet(space: StringSpace, list: readonly string[]): StringSet {
  return list.includes(ANY) ? everything(space) : only(space, list)
}

/** `/healthz` is that very path, `/healthz/*` what lies below it. */
function pathSet(paths: readonly string[]): StringSet {
  if (paths.includes(ANY)) return everything(PATHS)
  const folders = paths.filter(isPathPattern).map((pattern) => pattern.slice(0, -1))
  return only(
    PATHS,
    paths.filter((path) => !isPathPattern(path)),
    folders,
  )
}
