/**
 * The request that shows on the wire where another one lands: the same to APF, and harmless. Classification comes before
 * authorization and looks at nothing but verb, group, resource, subresource, namespace and path.
 */
import { bypassesFairness } from '../../apf/long-running.ts'
import { type RequestAttributes, resourceWithSubresource } from '../../apf/request.ts'
import { isRefused, requestInfo } from '../../apf/request-info.ts'
import { utf8Bytes } from '../../apf/text.ts'
import type { VersionRules } from '../../apf/versions.ts'

export interface Probe {
  /** From the root of the server, with its query. */
  path: string
  accept: string
}

export interface NotSent {
  /** Why there is no such request: follows the words "not sent: ". */
  notSent: string
}

export function isNotSent(value: Probe | NotSent): value is NotSent {
  return 'notSent' in value
}

/** What is read of objects is their metadata, and nobody waits for it. */
const METADATA = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json'
const METADATA_LIST = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json'

/** A list of one object that may come from the cache, and a watch that ends by itself. */
const QUERIES: Readonly<Record<string, string>> = { get: '', list: '?limit=1', watch: '?watch=true&timeoutSeconds=1' }

/** The probe for a request, or why there is none. */
export function probeFor(request: RequestAttributes, rules: VersionRules): Probe | NotSent {
  const reason = harm(request, rules)
  if (reason !== null) return { notSent: reason }
  const probe = request.isResourceRequest
    ? resourceProbe(request)
    : { path: escaped(request.path, true), accept: '*/*' }
  // Whatever we think of our URL, the server's reading of it counts.
  const read = requestInfo('GET', probe.path)
  if (isRefused(read) || !sameToFairness(read, request))
    return { notSent: 'no URL of a plain GET has these attributes' }
  return probe
}

/** Why a request is never sent; null for a harmless read. */
function harm(request: RequestAttributes, rules: VersionRules): string | null {
  const { verb, isResourceRequest, subresource, apiGroup, path } = request
  if (bypassesFairness(request, rules)) return 'APF does not see it, so that no header would tell'
  if (!isResourceRequest) {
    if (verb !== 'get') return 'only GET is ever sent'
    return /^\/+debug(?:\/|$)/.test(path) ? 'what is under /debug is expensive or reveals too much' : null
  }
  if (!Object.hasOwn(QUERIES, verb)) return `${verb || 'it'} is no read; only get, list and watch are sent`
  if (verb === 'watch' && subresource !== '') return 'watching a subresource may open a stream'
  // A GET of a subresource can open a stream or act, as consoles of virtual machines do.
  if (subresource !== '' && !isKubernetesOwn(apiGroup) && subresource !== 'status' && subresource !== 'scale') {
    return `what ${resourceWithSubresource(request)} does when it is read is not known here`
  }
  return null
}

function isKubernetesOwn(group: string): boolean {
  return !group.includes('.') || group.endsWith('.k8s.io')
}

function resourceProbe({
  verb,
  apiGroup,
  apiVersion,
  namespace,
  resource,
  subresource,
  name,
}: RequestAttributes): Probe {
  // APF does not look at the version, and a resource that does not exist is classified like any other.
  const version = apiVersion || 'v1'
  const base = apiGroup === '' ? ['api', version] : ['apis', apiGroup, version]
  const scope = namespace === '' || resource === 'namespaces' ? [] : ['namespaces', namespace]
  const object = verb === 'get' ? [name, ...(subresource === '' ? [] : [subresource])] : []
  const path = [...base, ...scope, resource, ...object].map((segment) => `/${escaped(segment, false)}`).join('')
  const accept = verb !== 'get' ? METADATA_LIST : subresource === '' ? METADATA : 'application/json'
  return { path: path + (QUERIES[verb] ?? ''), accept }
}

function sameToFairness(a: RequestAttributes, b: RequestAttributes): boolean {
  if (!a.isResourceRequest || !b.isResourceRequest) {
    return a.isResourceRequest === b.isResourceRequest && a.verb === b.verb && a.path === b.path
  }
  return (
    a.verb === b.verb &&
    a.apiGroup === b.apiGroup &&
    a.resource === b.resource &&
    a.subresource === b.subresource &&
    a.namespace === b.namespace
  )
}

/** Percent-encoding of everything that is not plain in a path; raw bytes of the request survive. */
function escaped(text: string, keepSlashes: boolean): string {
  return Array.from(utf8Bytes(text), (byte) => {
    const character = String.fromCharCode(byte)
    if (/[A-Za-z0-9._~!$&'()*+,;=:@-]/.test(character) || (keepSlashes && character === '/')) return character
    return `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  }).join('')
}
