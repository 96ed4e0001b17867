/** Request attributes from words instead of a URL. */
import type { RequestAttributes } from '../apf/request.ts'
import type { ResourceReference } from './resource-name.ts'

/**
 * The attributes that the URL of this request would give, but for the path, which stays empty. A Namespace object counts
 * as standing in itself; a list or watch has a name from its field selector only, which leaves namespace and URL alone.
 *
 * @param namespace  '' for all namespaces; a resource known to be cluster-scoped has none whatever stands here
 * Source: kubernetes/apiserver pkg/endpoints/request/requestinfo.go
 */
export function attributesOf(verb: string, reference: ResourceReference, namespace: string): RequestAttributes {
  const { type, name, subresource } = reference
  const isByFieldSelector = verb === 'list' || verb === 'watch'
  const parts = [type.resource]
  if (!isByFieldSelector && name !== '') parts.push(name)
  if (!isByFieldSelector && subresource !== '') parts.push(subresource)
  const namespaceInUrl = () => {
    if (type.resource === 'namespaces') return isByFieldSelector ? '' : name
    return type.namespaced === false ? '' : namespace
  }
  return {
    isResourceRequest: true,
    path: '',
    verb,
    apiPrefix: type.group === '' ? 'api' : 'apis',
    apiGroup: type.group,
    apiVersion: type.version,
    namespace: namespaceInUrl(),
    resource: type.resource,
    subresource,
    name,
    parts,
  }
}
