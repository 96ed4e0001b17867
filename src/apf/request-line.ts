/**
 * Requests as data: the JSON lines of `whereis --requests`, of expectations, and of every witness that is printed.
 */
import { impliedGroups } from './identity.ts'
import { type Identity, pathRequest, type RequestAttributes } from './request.ts'
import { type RefusedTarget, requestInfo } from './request-info.ts'
import { cut } from './text.ts'

export interface RequestLine<Caller extends Identity = Identity> {
  /** As given, to be echoed; null where absent. */
  id: unknown
  identity: Caller
  /** False: the groups were implied by the user name. */
  groupsGiven: boolean
  request: RequestAttributes | RefusedTarget
}

export interface MalformedLine {
  id: unknown
  /** One line: which key is wrong, what was expected and what was found. */
  malformed: string
}

export function isMalformed(line: RequestLine | MalformedLine): line is MalformedLine {
  return 'malformed' in line
}

/** A request line in its canonical spelling, all keys of its form present. */
export type CanonicalRequestLine = { user: string; groups: readonly string[] } & (
  | {
      verb: string
      apiGroup: string
      resource: string
      subresource: string
      namespace: string
      name: string
    }
  | { verb: string; path: string }
)

/** Makes the caller of a line. Groups are null where the line does not give them: then the name implies them. */
export type Identify<Caller extends Identity> = (name: string, groups: string[] | null) => Caller

function identify(name: string, groups: string[] | null): Identity {
  return { name, groups: groups ?? impliedGroups(name) }
}

/** Reads one line of JSON text; see `readRequestLine`. */
export function parseRequestLine(text: string): RequestLine | MalformedLine
export function parseRequestLine<Caller extends Identity>(
  text: string,
  caller: Identify<Caller>,
): RequestLine<Caller> | MalformedLine
export function parseRequestLine(text: string, caller: Identify<Identity> = identify): RequestLine | MalformedLine {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { id: null, malformed: 'not JSON' }
  }
  return readRequestLine(value, caller)
}

/**
 * Reads a request line that has been decoded already. Keys that no form knows are ignored. Strings are taken as Go decodes
 * them: a surrogate without its partner becomes U+FFFD.
 *
 * @param caller  for batches, which know most callers already
 */
export function readRequestLine(value: unknown): RequestLine | MalformedLine
export function readRequestLine<Caller extends Identity>(
  value: unknown,
  caller: Identify<Caller>,
): RequestLine<Caller> | MalformedLine
export function readRequestLine(value: unknown, caller: Identify<Identity> = identify): RequestLine | MalformedLine {
  if (!isLineObject(value)) return { id: null, malformed: `expected an object, found ${kindOf(value)}` }
  const { id = null, user, groups } = value
  if (typeof user !== 'string') return { id, malformed: wrongType('user', 'a string', user) }
  if (user === '') return { id, malformed: 'user: must not be empty' }
  const name = user.toWellFormed()
  const givenGroups = groups === undefined || groups === null ? null : readGroups(groups)
  if (typeof givenGroups === 'string') return { id, malformed: givenGroups }
  const request = readRequest(value)
  if (typeof request === 'string') return { id, malformed: request }
  return { id, identity: caller(name, givenGroups), groupsGiven: givenGroups !== null, request }
}

function readGroups(groups: unknown): string[] | string {
  if (!Array.isArray(groups)) return wrongType('groups', 'an array of strings', groups)
  const read: string[] = []
  for (let i = 0; i < groups.length; i++) {
    const group: unknown = groups[i]
    if (typeof group !== 'string') return wrongType(`groups[${i}]`, 'a string', group)
    read.push(group.toWellFormed())
  }
  return read
}

/**
 * The line that stands for a request. It leads to the same classification, though not to the same attributes in all that
 * APF ignores: API version, path and parts of a resource request are lost, and a Namespace takes its namespace as its name.
 */
export function formatRequestLine(identity: Identity, request: RequestAttributes): CanonicalRequestLine {
  const { name: user, groups } = identity
  const { verb, path, apiGroup, resource, subresource, namespace } = request
  if (!request.isResourceRequest) return { user, groups, verb, path }
  const name = resource === NAMESPACES ? namespace : request.name
  return { user, groups, verb, apiGroup, resource, subresource, namespace, name }
}

const NAMESPACES = 'namespaces'

type Key = 'url' | 'method' | 'verb' | 'path' | 'resource' | 'apiGroup' | 'subresource' | 'namespace' | 'name'
type LineObject = { [key in Key | 'id' | 'user' | 'groups']?: unknown }

/** The request of a line in whichever form it is given, or what is wrong with it. */
function readRequest(line: LineObject): RequestAttributes | RefusedTarget | string {
  if (line.url !== undefined) return readUrlForm(line)
  if (line.path !== undefined) return readPathForm(line)
  if (line.resource !== undefined) return readResourceForm(line)
  return 'no request: expected url, or verb and resource, or verb and path'
}

function readUrlForm(line: LineObject): RequestAttributes | RefusedTarget | string {
  const { method = 'GET', url } = line
  const stray = resourceKey(line) ?? (line.verb !== undefined ? 'verb' : line.path !== undefined ? 'path' : null)
  if (stray !== null) return twoForms(stray, 'url')
  if (typeof url !== 'string') return wrongType('url', 'a string', url)
  if (typeof method !== 'string') return wrongType('method', 'a string', method)
  return requestInfo(method.toWellFormed(), url.toWellFormed())
}

function readPathForm(line: LineObject): RequestAttributes | string {
  const { verb, path } = line
  const stray = resourceKey(line) ?? (line.method !== undefined ? 'method' : null)
  if (stray !== null) return twoForms(stray, 'path')
  if (typeof path !== 'string') return wrongType('path', 'a string', path)
  if (typeof verb !== 'string') return wrongType('verb', 'a string', verb)
  return pathRequest(verb.toWellFormed().toLowerCase(), path.toWellFormed())
}

function readResourceForm(line: LineObject): RequestAttributes | string {
  const { verb, apiGroup = '', resource, subresource, namespace = '', name = '' } = line
  if (line.method !== undefined) return twoForms('method', 'resource')
  if (typeof verb !== 'string') return wrongType('verb', 'a string', verb)
  if (typeof apiGroup !== 'string') return wrongType('apiGroup', 'a string', apiGroup)
  if (typeof resource !== 'string') return wrongType('resource', 'a string', resource)
  if (typeof namespace !== 'string') return wrongType('namespace', 'a string', namespace)
  if (typeof name !== 'string') return wrongType('name', 'a string', name)
  if (subresource !== undefined && typeof subresource !== 'string') {
    return wrongType('subresource', 'a string', subresource)
  }
  const [mainResource, splitOff] = subresource === undefined ? cut(resource, '/') : [resource, subresource]
  return {
    isResourceRequest: true,
    path: '',
    verb: verb.toWellFormed(),
    apiPrefix: '',
    apiGroup: apiGroup.toWellFormed(),
    apiVersion: '',
    namespace: (mainResource === NAMESPACES ? name : namespace).toWellFormed(),
    resource: mainResource.toWellFormed(),
    subresource: splitOff.toWellFormed(),
    name: name.toWellFormed(),
    parts: [],
  }
}

/** The first key that only a resource form has. Written out: this runs for every line of a batch. */
function resourceKey(line: LineObject): Key | null {
  if (line.resource !== undefined) return 'resource'
  if (line.apiGroup !== undefined) return 'apiGroup'
  if (line.subresource !== undefined) return 'subresource'
  if (line.namespace !== undefined) return 'namespace'
  return line.name !== undefined ? 'name' : null
}

function twoForms(stray: Key, form: Key): string {
  return `${stray}: not together with ${form}, which is another form of a request`
}

function wrongType(key: string, expected: string, found: unknown): string {
  return found === undefined ? `${key}: missing` : `${key}: expected ${expected}, found ${kindOf(found)}`
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

function isLineObject(value: unknown): value is LineObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
