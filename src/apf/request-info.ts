/**
 * From method and URL to the attributes that APF sees.
 * Source: kubernetes/apiserver pkg/endpoints/request/requestinfo.go (NewRequestInfo), as kube-apiserver configures it.
 */
import { readCollectionQuery } from './list-options.ts'
import type { RequestAttributes } from './request.ts'
import { readTarget } from './request-target.ts'

/** A request that the server answers before APF could see it. */
export interface RefusedTarget {
  /** One line: what the server cannot read. */
  refused: string
  /** 400 by the HTTP server, 500 by the parser of API requests. */
  httpStatus: 400 | 500
}

export function isRefused(request: RequestAttributes | RefusedTarget): request is RefusedTarget {
  return 'refused' in request
}

/** Characters of an HTTP token, the form of a method. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/

/**
 * Parses a request as kube-apiserver does.
 *
 * @param method  as sent; case counts
 * @param target  request target: a path with an optional query, an absolute URL, `*`, or the authority of a CONNECT
 *
 * `OPTIONS *` parses like any other although the HTTP server answers it by itself.
 */
export function requestInfo(method: string, target: string): RequestAttributes | RefusedTarget {
  const resourceVerb = verbOfMethod(method)
  if (resourceVerb === '' && !TOKEN.test(method)) return { refused: 'the method is no HTTP token', httpStatus: 400 }
  const read = readTarget(method, target)
  if ('fault' in read) return { refused: `the server cannot read the request target: ${read.fault}`, httpStatus: 400 }

  const { path, query } = read
  const segments = segmentsOf(path)
  const prefix = segments[0]
  if (segments.length < 3 || (prefix !== 'api' && prefix !== 'apis')) return nonResource(method, path, '')
  if (prefix === 'apis' && segments.length < 4) return nonResource(method, path, prefix)

  let at = prefix === 'api' ? 1 : 2
  const apiGroup = prefix === 'api' ? '' : (segments[1] ?? '')
  const apiVersion = segments[at++] ?? ''

  let verb = resourceVerb
  const verbWord = segments[at]
  if (verbWord === 'watch' || verbWord === 'proxy') {
    verb = verbWord
    at += 1
    if (at === segments.length) return { refused: `the path ends with the verb ${verbWord}`, httpStatus: 500 }
  }

  let namespace = ''
  if (segments[at] === 'namespaces') {
    namespace = segments[at + 1] ?? ''
    const next = segments[at + 2]
    if (next !== undefined && next !== 'status' && next !== 'finalize') at += 2
  }

  const parts = segments.slice(at)
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
    apiPrefix: prefix,
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

function nonResource(method: string, path: string, apiPrefix: string): RequestAttributes {
  return {
    isResourceRequest: false,
    path,
    verb: method.toLowerCase(),
    apiPrefix,
    apiGroup: '',
    apiVersion: '',
    namespace: '',
    resource: '',
    subresource: '',
    name: '',
    parts: [],
  }
}

/** Segments between slashes. Slashes at the ends do not count; doubled ones inside make empty segments. */
function segmentsOf(path: string): string[] {
  let start = 0
  let end = path.length
  while (start < end && path.charCodeAt(start) === SLASH) start++
  while (end > start && path.charCodeAt(end - 1) === SLASH) end--
  const segments: string[] = []
  while (start < end) {
    const slash = path.indexOf('/', start)
    const stop = slash < 0 || slash > end ? end : slash
    segments.push(path.slice(start, stop))
    start = stop + 1
  }
  return segments
}

const SLASH = 0x2f
