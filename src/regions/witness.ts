/** One readable request out of a region, in the form of a request line. */
import type { Identity } from '../apf/request.ts'
import { cut } from '../apf/text.ts'
import type { Box } from './box.ts'
import { namedSets, type Region } from './region.ts'
import { has, type StringSet } from './string-set.ts'

/** A request with its identity as a request line of the contract: complete, so that nothing is implied. */
export type RequestLine = ResourceRequestLine | NonResourceRequestLine

export interface ResourceRequestLine {
  user: string
  groups: string[]
  verb: string
  apiGroup: string
  resource: string
  subresource: string
  namespace: string
  name: string
}

export interface NonResourceRequestLine {
  user: string
  groups: string[]
  verb: string
  path: string
}

const NAMESPACES = 'namespaces'

/** Requests that everybody knows, the plainest first: API group, resource, its usual verbs. */
const FAMILIAR_RESOURCES: readonly (readonly [string, string, readonly string[]])[] = [
  ['', 'pods', ['list', 'get', 'watch', 'create', 'delete', 'patch', 'update', 'deletecollection']],
  ['', 'pods/exec', ['create', 'get']],
  ['', 'pods/log', ['get']],
  ['', 'nodes', ['list', 'get', 'watch', 'patch', 'update']],
  ['apps', 'deployments', ['list', 'get', 'watch', 'create', 'update', 'patch', 'delete']],
  ['', 'configmaps', ['list', 'get', 'watch', 'create', 'update', 'patch', 'delete']],
  ['', 'secrets', ['list', 'get', 'watch', 'create', 'update', 'patch', 'delete']],
  ['', 'services', ['list', 'get', 'watch', 'create', 'update', 'patch', 'delete']],
  ['', 'events', ['create', 'list', 'get', 'watch', 'patch']],
  ['', 'endpoints', ['get', 'list', 'watch', 'create', 'update']],
  ['coordination.k8s.io', 'leases', ['update', 'get', 'create', 'list', 'watch', 'patch']],
  ['', 'pods/status', ['patch', 'update', 'get']],
  ['', 'nodes/status', ['patch', 'update', 'get']],
  ['', NAMESPACES, ['list', 'get', 'watch', 'create', 'update', 'patch', 'delete']],
]
/** The last is what a request with an unknown method has. */
const FAMILIAR_VERBS = ['list', 'get', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection', 'proxy', '']
/** Verbs for one object or a subresource of it, the plainest first. */
const OBJECT_VERBS = ['get', 'update', 'patch', 'create', 'delete']
const FAMILIAR_NAMESPACES = ['default', 'kube-system']
/** The last is what CONNECT has. */
const FAMILIAR_PATHS = ['/healthz', '/version', '/metrics', '/apis', '/openapi/v3', '/debug/pprof/profile', '/', '']
const FAMILIAR_METHODS = ['get', 'post', 'head', 'put', 'patch', 'delete', 'options', 'trace', 'connect', 'proxy']

/** What a value costs that no list of familiar ones has. */
const UNFAMILIAR = 100

/** A value out of a set; the smaller `strangeness`, the more familiar it is. */
interface Example<T> {
  value: T
  strangeness: number
}

/** The most readable request found in a region, or null if the region is empty. */
export function witness(region: Region, { name, groups }: Identity): RequestLine | null {
  const examples = [
    ...region.namespaced.map(namespacedExample),
    ...region.cluster.map(clusterExample),
    ...region.nonResource.map(nonResourceExample),
  ]
  const plainest = least(examples)
  return plainest && { user: name, groups: [...groups], ...plainest.value }
}

type ResourceExample = Example<Omit<ResourceRequestLine, 'user' | 'groups'>>

function namespacedExample(box: Box): ResourceExample {
  const { namespace, apiGroup, resource, verb } = namedSets('namespaced', box)
  const chosen = pick(namespace, FAMILIAR_NAMESPACES, (n) => [numbered('example', n)])
  return resourceExample(apiGroup, resource, verb, chosen)
}

function clusterExample(box: Box): ResourceExample {
  const { apiGroup, resource, verb } = namedSets('cluster', box)
  return resourceExample(apiGroup, resource, verb, { value: '', strangeness: 0 })
}

function resourceExample(
  apiGroups: StringSet,
  resources: StringSet,
  verbs: StringSet,
  namespace: Example<string>,
): ResourceExample {
  const familiar = FAMILIAR_RESOURCES.flatMap(([apiGroup, resource, usualVerbs], rank) => {
    if (!has(apiGroups, apiGroup) || !has(resources, resource)) return []
    const isOneNamespace = resource === NAMESPACES && namespace.value !== ''
    const verb = pickVerb(verbs, isOneNamespace ? OBJECT_VERBS : usualVerbs)
    return [{ value: [apiGroup, resource, verb.value] as const, strangeness: rank + verb.strangeness }]
  })
  const chosen = least(familiar) ?? unfamiliarResource(apiGroups, resources, verbs)
  const [apiGroup, resourceWithSubresource, verb] = chosen.value
  const [resource, subresource] = cut(resourceWithSubresource, '/')
  return {
    value: {
      verb,
      apiGroup,
      resource,
      subresource,
      namespace: namespace.value,
      // A request for one Namespace object lies in the namespace of that name.
      name: resource === NAMESPACES ? namespace.value : '',
    },
    strangeness: chosen.strangeness + namespace.strangeness,
  }
}

function unfamiliarResource(apiGroups: StringSet, resources: StringSet, verbs: StringSet) {
  const apiGroup = pick(apiGroups, ['', 'apps'], (n) => [`${numbered('example', n)}.com`])
  const resource = pick(resources, [], (n) => [
    numbered('examples', n),
    ...[...resources.families.keys()].map((subresource) => `${numbered('examples', n)}/${subresource}`),
  ])
  const verb = pickVerb(verbs, resource.value.includes('/') ? OBJECT_VERBS : FAMILIAR_VERBS)
  return {
    value: [apiGroup.value, resource.value, verb.value] as const,
    strangeness: apiGroup.strangeness + resource.strangeness + verb.strangeness,
  }
}

function pickVerb(verbs: StringSet, usualVerbs: readonly string[]): Example<string> {
  const usual = usualVerbs.findIndex((verb) => has(verbs, verb))
  if (usual >= 0) return { value: usualVerbs[usual] ?? '', strangeness: usual }
  const other = pick(verbs, FAMILIAR_VERBS, (n) => [numbered('example', n)])
  return { value: other.value, strangeness: other.strangeness + FAMILIAR_VERBS.length }
}

function nonResourceExample(box: Box): Example<Omit<NonResourceRequestLine, 'user' | 'groups'>> {
  const sets = namedSets('nonResource', box)
  const path = pick(sets.path, FAMILIAR_PATHS, (n) => [
    `/${numbered('example', n)}`,
    numbered('example', n),
    ...[...sets.path.families.keys()].map((folder) => folder + numbered('example', n)),
  ])
  const verb = pick(sets.verb, FAMILIAR_METHODS, (n) => [numbered('example', n)])
  return { value: { verb: verb.value, path: path.value }, strangeness: path.strangeness + verb.strangeness }
}

/**
 * A member of a set that is not empty: a familiar one, else one that the set names, else an invented one.
 * @param invent  for each number from 1, names of which no finite set excludes all
 */
function pick(set: StringSet, familiar: readonly string[], invent: (n: number) => string[]): Example<string> {
  const rank = familiar.findIndex((value) => has(set, value))
  if (rank >= 0) return { value: familiar[rank] ?? '', strangeness: rank }
  for (const [value, inside] of set.exact) if (inside) return { value, strangeness: UNFAMILIAR }
  for (let n = 1; ; n++) {
    const value = invent(n).find((invented) => has(set, invented))
    if (value !== undefined) return { value, strangeness: 2 * UNFAMILIAR }
  }
}

function numbered(word: string, n: number): string {
  return n === 1 ? word : `${word}-${n}`
}

function least<T extends Example<unknown>>(examples: readonly T[]): T | null {
  return examples.reduce<T | null>(
    (best, next) => (best === null || next.strangeness < best.strangeness ? next : best),
    null,
  )
}
