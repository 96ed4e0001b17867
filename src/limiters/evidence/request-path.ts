/** Paths and addresses of requests, as far as attribution needs them. */
import { isRefused, requestInfo } from '../../apf/request-info.ts'

/** Host and port of an absolute URL, without credentials; undefined for anything else. */
export function hostOf(url: string | undefined): string | undefined {
  return /^https?:\/\/(?:[^/@\s]*@)?([^/?#\s]+)/.exec(url ?? '')?.[1]
}

/** Path and query of a URL, whether it names a server or not. */
export function pathOf(url: string): string {
  return url.replace(/^https?:\/\/[^/]+/, '')
}

/** Groups that kube-apiserver serves itself: built-in ones, and its own extension points. */
const BUILT_IN = new Set([
  ...['', 'apps', 'autoscaling', 'batch', 'extensions', 'policy', 'settings.k8s.io'],
  ...['admissionregistration.k8s.io', 'apiextensions.k8s.io', 'apiregistration.k8s.io', 'auditregistration.k8s.io'],
  ...['authentication.k8s.io', 'authorization.k8s.io', 'certificates.k8s.io', 'coordination.k8s.io'],
  ...['discovery.k8s.io', 'events.k8s.io', 'flowcontrol.apiserver.k8s.io', 'internal.apiserver.k8s.io'],
  ...['networking.k8s.io', 'node.k8s.io', 'rbac.authorization.k8s.io', 'resource.k8s.io', 'scheduling.k8s.io'],
  ...['storage.k8s.io', 'storagemigration.k8s.io'],
])

/** Groups that nobody serves but a backend. */
const BACKENDS = new Set(['metrics.k8s.io', 'custom.metrics.k8s.io', 'external.metrics.k8s.io'])

/** Whether a server behind the API server answers a path. */
export type Aggregation = 'yes' | 'no' | 'possible'

/**
 * @param path    with or without query
 * @param served  `GROUP/VERSION` of the aggregated APIs; null where they are not known, then a group that is not built in
 *                may be a custom resource as well
 */
export function aggregationOf(path: string | null | undefined, served: ReadonlySet<string> | null): Aggregation {
  const [, group = '', version = ''] = /^\/apis\/([^/?]+)(?:\/([^/?]+))?/.exec(path ?? '') ?? []
  if (served !== null) return served.has(`${group}/${version}`) ? 'yes' : 'no'
  if (BUILT_IN.has(group)) return 'no'
  return BACKENDS.has(group) ? 'yes' : 'possible'
}

/** Whether the group of a resource such as `nodes.metrics.k8s.io` may be that of an aggregated API. */
export function aggregationOfResource(resource: string | undefined): Aggregation {
  const group = /^[^.]+\.(.+)$/.exec(resource ?? '')?.[1]
  return group === undefined ? 'no' : aggregationOf(`/apis/${group}/v1`, null)
}

export interface RequestShape {
  /** `eviction` of a pod, a write of a core Event, a LIST or WATCH, or anything else. */
  kind: 'eviction' | 'event-write' | 'collection' | 'other'
}

/** What a request is to the limiters behind APF. @param method  of HTTP, or the verb that an access log shows */
export function requestKind(method: string, uri: string): RequestShape['kind'] {
  if (method === 'LIST' || method === 'WATCH') return 'collection'
  const request = requestInfo(method, uri)
  if (isRefused(request) || !request.isResourceRequest) return 'other'
  if (request.resource === 'pods' && request.subresource === 'eviction' && request.verb === 'create') return 'eviction'
  if (
    request.resource === 'events' &&
    request.apiGroup === '' &&
    ['create', 'update', 'patch'].includes(request.verb)
  ) {
    return 'event-write'
  }
  return request.verb === 'list' || request.verb === 'watch' ? 'collection' : 'other'
}
