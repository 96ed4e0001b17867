/** What APF sees of a request. Source: kubernetes/apiserver pkg/endpoints/request/requestinfo.go (RequestInfo). */
export interface RequestAttributes {
  isResourceRequest: boolean
  /** Percent-decoded path exactly as received; '' where the request was given by its attributes. */
  path: string
  /** API verb, or the lower-cased HTTP method of a non-resource request. '' for an unknown method on a resource. */
  verb: string
  /** `api`, `apis` or ''. */
  apiPrefix: string
  /** '' is the core group. */
  apiGroup: string
  apiVersion: string
  /** '' for cluster-scoped resources, requests over all namespaces, and non-resource requests. */
  namespace: string
  resource: string
  subresource: string
  name: string
  /** Path segments from the resource on. */
  parts: string[]
}

/** Who asks, as APF sees it: after authentication and impersonation. */
export interface Identity {
  name: string
  groups: readonly string[]
}

/** A request on a path that is no resource, such as `get /healthz`. */
export function pathRequest(verb: string, path: string, apiPrefix = ''): RequestAttributes {
  return {
    isResourceRequest: false,
    path,
    verb,
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

/** `pods/log` for a subresource, `pods` without: the form that resource rules name. */
export function resourceWithSubresource(request: RequestAttributes): string {
  return request.subresource === '' ? request.resource : `${request.resource}/${request.subresource}`
}
