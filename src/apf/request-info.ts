/**
 * From method and URL to the attributes that APF sees.
 * Source: kubernetes/apiserver pkg/endpoints/request/requestinfo.go (NewRequestInfo), as kube-apiserver configures it.
 */
import { readCollectionQuery } from './list-options.ts'
import { pathRequest, type RequestAttributes } from './request.ts'
import { readTarget } from './request-target.ts'

/** A request that the server answers before APF could see it. */
export interface RefusedTarget {
  /** One line: what the server cannot read, or answers by itself. */
  refused: string
  /** 400 and 200 by the HTTP server, 500 by the parser of API requests. */
  httpStatus: 200 | 400 | 500
}

export function isRefused(request: object): request is RefusedTarget {
  return 'refused' in request
}

/** Source: Go net/http (serverHandler, globalOptionsHandler) */
const ANSWERED_BY_HTTP_SERVER: RefusedTarget = {
  refused: 'the HTTP server answers OPTIONS * by itself',
  httpStatus: 200,
}

/** Characters of an HTTP token, the form of a method. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/

/**
 * Parses a request as kube-apiserver does.
 *
 * @param method  as sent; case counts
 * @param target  request target: a path with an optional query, an absolute URL, `*`, or the authority of a CONNECT
 */
export function requestInfo(method: string, target: string): RequestAttributes | RefusedTarget {
  const resourceVerb = verbOfMethod(method)
  if (resourceVerb === '' && !TOKEN.test(method)) return { refused: 'the method is no HTTP token', httpStatus: 400 }
  if (target === '*' && method === 'OPTIONS') return ANSWERED_BY_HTTP_SERVER
  const read = readTarget(method, target)
  if ('fault' in read) return { refused: `the server cannot read the request target: ${read.fault}`, httpStatus: 400 }

  const { path, query } = read
  // Slashes at the ends do not count; doubled ones inside make empty segments.
  let start = 0
  let end = path.length
  while (start < end && path.charCodeAt(start) === SLASH) start++
  while (end > start && path.charCodeAt(end - 1) === SLASH) end--

  // From here on `start` and `stop` enclose the segment in question. Only those that are kept become strings of their own.
  const groupless = path.startsWith('api/', start)
  if (!groupless && !path.startsWith('apis/', start)) return pathRequest(method.toLowerCase(), path)
  const apiPrefix = groupless ? 'api' : 'apis'
  start += apiPrefix.length + 1
  let stop = segmentEnd(path, start, end)
  if (stop === end) return pathRequest(method.toLowerCase(), path)
  let apiGroup = ''
  if (!groupless) {
    apiGroup = path.slice(start, stop)
    start = stop + 1
    stop = segmentEnd(path, start, end)
    if (stop === end) return pathRequest(method.toLowerCase(), path, apiPrefix)
  }
  const apiVersion = path.slice(start, stop)
  start = stop + 1
  stop = segmentEnd(path, start, end)

  let verb = resourceVerb
  const verbWord = legacyVerb(path, start, stop)
  if (verbWord !== null) {
    if (stop === end) return { refused: `the path ends with the verb ${verbWord}`, httpStatus: 500 }
    verb = verbWord
    start = stop + 1
    stop = segmentEnd(path, start, end)
  }

  let namespace = ''
  if (stop < end && isSegment(path, start, stop, 'namespaces')) {
    const nameStop = segmentEnd(path, stop + 1, end)
    namespace = path.slice(stop + 1, nameStop)
    if (nameStop < end && !isNamespaceSubresource(path, nameStop + 1, end)) start = nameStop + 1
  }

  const parts = segmentsOf(path, start, end)
  const resource = parts[0] ?? ''
  let name = parts[1] ?? ''
  const subresource = verb === 'proxy' ? '' : (parts[2] ?? '')
  if (name === '' && verb === 'get') {
    const collection = readCollectionQuery(query)
    verb = collection.watch ? 'watch' : 'list'
    name = collection.name
  } else if (name === '' && verb === 'delete') {
    verb = 'deletecollection'
  }
  return {
    isResourceRequest: true,
    path,
    verb,
    apiPrefix,
    apiGroup,
    apiVersion,
    namespace,
    resource,
    subresource,
    name,
    parts,
  }
}

/** The verb on resources, before the path is known to name an object; '' for a method that has none. */
function verbOfMethod(method: string): string {
  switch (method) {
    case 'GET':
    case 'HEAD':
      return 'get'
    case 'POST':
      return 'create'
    case 'PUT':
      return 'update'
    case 'PATCH':
      return 'patch'
    case 'DELETE':
      return 'delete'
    default:
      return ''
  }
}

/** The deprecated way to name a verb: `/api/v1/watch/…`. */
function legacyVerb(path: string, start: number, stop: number): 'watch' | 'proxy' | null {
  if (isSegment(path, start, stop, 'watch')) return 'watch'
  return isSegment(path, start, stop, 'proxy') ? 'proxy' : null
}

/** Whether the segment behind a namespace belongs to the Namespace object itself. */
function isNamespaceSubresource(path: string, start: number, end: number): boolean {
  const stop = segmentEnd(path, start, end)
  return isSegment(path, start, stop, 'status') || isSegment(path, start, stop, 'finalize')
}

function segmentsOf(path: string, from: number, end: number): string[] {
  // Nearly all paths end within two segments, and an array that grows is several times as large as one that need not.
  const first = segmentEnd(path, from, end)
  if (first === end) return [path.slice(from, end)]
  const second = segmentEnd(path, first + 1, end)
  if (second === end) return [path.slice(from, first), path.slice(first + 1, end)]
  const segments = [path.slice(from, first), path.slice(first + 1, second)]
  for (let start = second + 1, stop = 0; stop < end; start = stop + 1) {
    stop = segmentEnd(path, start, end)
    segments.push(path.slice(start, stop))
  }
  return segments
}

/** Where the segment that starts at `start` ends; `end` is the end of the last one. */
function segmentEnd(path: string, start: number, end: number): number {
  const slash = path.indexOf('/', start)
  return slash < 0 || slash > end ? end : slash
}

function isSegment(path: string, start: number, stop: number, word: string): boolean {
  return stop - start === word.length && path.startsWith(word, start)
}

const SLASH = 0x2f
