/** One phrase for a request, for people. */
import type { RequestAttributes } from '../apf/request.ts'
import { resourceWithSubresource } from '../apf/request.ts'
import { builtInResources, type ResourceCatalog } from './resources.ts'

/**
 * `LIST pods in shop`, `UPDATE leases.coordination.k8s.io candle-lock in candle-system`, `get /healthz`.
 *
 * A request without a namespace says `in all namespaces` only where the resource is known to be namespaced.
 */
export function requestPhrase(request: RequestAttributes, catalog: ResourceCatalog = builtInResources()): string {
  if (!request.isResourceRequest) return `${request.verb} ${request.path || '(empty path)'}`
  const words = [request.verb === '' ? '(no verb)' : request.verb.toUpperCase(), typePhrase(request)]
  if (request.name !== '') words.push(request.name)
  const place = placePhrase(request, catalog)
  if (place !== '') words.push(place)
  return words.join(' ')
}

/** The words that ask `whereis` for a request: `list deployments.apps -n shop`, `get /healthz`. */
export function requestWords(request: RequestAttributes): string {
  const { isResourceRequest, verb, path, name, namespace, resource } = request
  if (!isResourceRequest) return `${verb} ${path}`
  const words = [verb, typePhrase(request)]
  if (name !== '') words.push(name)
  if (namespace !== '' && resource !== 'namespaces') words.push('-n', namespace)
  return words.join(' ')
}

/** `deployments.apps/scale`: the group stands with the resource, as kubectl writes it. */
function typePhrase(request: RequestAttributes): string {
  if (request.apiGroup === '') return resourceWithSubresource(request)
  const type = `${request.resource}.${request.apiGroup}`
  return request.subresource === '' ? type : `${type}/${request.subresource}`
}

function placePhrase(request: RequestAttributes, catalog: ResourceCatalog): string {
  const { resource, apiGroup, namespace, name } = request
  if (resource === 'namespaces' && namespace === name) return ''
  if (namespace !== '') return `in ${namespace}`
  const known = catalog.find((candidate) => candidate.resource === resource && candidate.group === apiGroup)
  if (known?.namespaced === false) return ''
  const spansNamespaces = ['list', 'watch', 'deletecollection'].includes(request.verb)
  return known && spansNamespaces ? 'in all namespaces' : 'without a namespace'
}
