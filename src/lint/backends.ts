/**
 * What an API server calls before it answers a request: the backends of admission webhooks and of aggregated APIs. While it
 * waits for them the request keeps its seats.
 * Source: kubernetes/api admissionregistration/v1, kube-aggregator pkg/apis/apiregistration/v1.
 */
import { ownGroups, ownPlurals } from '../analysis/resource-facts.ts'
import type { FieldPath } from '../apf/problem.ts'
import {
  EVERY_REQUEST,
  intersectRegions,
  NO_REQUEST,
  type Region,
  subtractRegion,
  uniteRegions,
} from '../regions/region.ts'
import { resourceRuleRegion } from '../regions/rules.ts'
import type { ForeignObject } from './rule.ts'

/** The kinds that name backends, as `GROUP/KIND`. */
export const BACKEND_KINDS: ReadonlySet<string> = new Set([
  'admissionregistration.k8s.io/ValidatingWebhookConfiguration',
  'admissionregistration.k8s.io/MutatingWebhookConfiguration',
  'apiregistration.k8s.io/APIService',
])

/** Something behind a Service of the cluster. Backends elsewhere have no ServiceAccount to call back with. */
interface Backend {
  object: ForeignObject
  /** Of the object. */
  name: string
  path: FieldPath
  /** Where the Service is, and most likely what runs behind it. */
  namespace: string
  /** The requests that wait for it. */
  requests: Region
}

export interface Webhook extends Backend {
  /** Of the webhook among those of its object. */
  webhook: string
  /** False: a request fails if the webhook does not answer in time. */
  ignoresFailure: boolean
  timeoutSeconds: number
  /** Labels or expressions choose among the requests in a way that the object alone does not tell. */
  isSelective: boolean
}

export interface AggregatedApi extends Backend {
  /** `metrics.k8s.io/v1beta1`. */
  api: string
}

/** The webhooks of admission that call a Service. */
export function webhooksOf(objects: readonly ForeignObject[]): Webhook[] {
  return objects.filter(({ kind }) => kind !== 'APIService').flatMap(webhooksIn)
}

function webhooksIn(object: ForeignObject): Webhook[] {
  return listAt(object.value, 'webhooks').flatMap((webhook, index) => {
    const namespace = textAt(webhook, 'clientConfig', 'service', 'namespace')
    if (namespace === '') return []
    const selected = namespacesSelected(at(webhook, 'namespaceSelector'))
    const requests = listAt(webhook, 'rules').map(admittedRequests).reduce(uniteRegions, NO_REQUEST)
    const timeoutSeconds = at(webhook, 'timeoutSeconds')
    return [
      {
        object,
        name: textAt(object.value, 'metadata', 'name'),
        path: ['webhooks', index],
        namespace,
        requests: intersectRegions(requests, selected.requests),
        webhook: textAt(webhook, 'name'),
        ignoresFailure: at(webhook, 'failurePolicy') === 'Ignore',
        timeoutSeconds: typeof timeoutSeconds === 'number' ? timeoutSeconds : DEFAULT_TIMEOUT_SECONDS,
        isSelective:
          !selected.exactly || selects(at(webhook, 'objectSelector')) || listAt(webhook, 'matchConditions').length > 0,
      },
    ]
  })
}

const DEFAULT_TIMEOUT_SECONDS = 10

const VERBS: Readonly<Record<string, readonly string[]>> = {
  CREATE: ['create'],
  UPDATE: ['update', 'patch'],
  DELETE: ['delete', 'deletecollection'],
  CONNECT: [],
}

/** The requests that one entry of a webhook's rules is about. CONNECT is left out: it is for people at a terminal. */
function admittedRequests(rule: unknown): Region {
  const operations = textsAt(rule, 'operations')
  const verbs = (operations.includes('*') ? Object.keys(VERBS) : operations).flatMap((each) => VERBS[each] ?? [])
  const resources = textsAt(rule, 'resources').flatMap(resourcesMeant)
  const apiGroups = textsAt(rule, 'apiGroups')
  const scope = textAt(rule, 'scope') || '*'
  if (verbs.length === 0 || resources.length === 0 || apiGroups.length === 0) return NO_REQUEST
  const written = resourceRuleRegion({
    verbs,
    apiGroups: apiGroups.includes('*') ? ['*'] : apiGroups,
    resources: resources.includes('*') ? ['*'] : resources,
    clusterScope: scope !== 'Namespaced',
    namespaces: scope === 'Cluster' ? [] : ['*'],
  })
  return subtractRegion(written, impossibleWrites())
}

let impossible: Region | undefined

/** Writes of the server's own resources with a namespace where they have none, or without where they have one. */
function impossibleWrites(): Region {
  impossible ??= ownGroups().flatMap(impossibleIn).reduce(uniteRegions, NO_REQUEST)
  return impossible
}

function impossibleIn(group: string): Region[] {
  const rule = { verbs: Object.values(VERBS).flat(), apiGroups: [group] }
  // A request on one Namespace is in it.
  const resources = ownPlurals(group, { namespaced: false }).filter((resource) => resource !== 'namespaces')
  return [
    resourceRuleRegion({ ...rule, resources, clusterScope: false, namespaces: ['*'] }),
    resourceRuleRegion({
      ...rule,
      resources: ownPlurals(group, { namespaced: true }),
      clusterScope: true,
      namespaces: [],
    }),
  ]
}

/** Resources in the words of FlowSchemas, which know no other wildcard than that for everything: never more than is meant. */
function resourcesMeant(resource: string): string[] {
  if (resource === '*' || resource === '*/*') return ['*']
  const [name = '', subresource] = resource.split('/')
  if (name === '*') return []
  return subresource === '*' ? [`${name}/status`, `${name}/scale`] : [resource]
}

/** The label by which a selector can name namespaces; the server sets it to the name. */
const NAME_LABEL = 'kubernetes.io/metadata.name'

/** The requests that a selector of namespaces leaves, as far as it names them. */
function namespacesSelected(selector: unknown): { requests: Region; exactly: boolean } {
  let requests = EVERY_REQUEST
  let exactly = true
  for (const { key, operator, values } of requirements(selector)) {
    if (key !== NAME_LABEL || (operator !== 'In' && operator !== 'NotIn')) {
      exactly = false
      continue
    }
    const named = operator === 'In' ? subtractRegion(EVERY_NAMESPACE, inNamespaces(values)) : inNamespaces(values)
    requests = subtractRegion(requests, named)
  }
  return { requests, exactly }
}

interface Requirement {
  key: string
  operator: string
  values: string[]
}

function requirements(selector: unknown): Requirement[] {
  const labels = at(selector, 'matchLabels')
  const pairs = typeof labels === 'object' && labels !== null ? Object.entries(labels) : []
  return [
    ...pairs.map(([key, value]) => ({ key, operator: 'In', values: [String(value)] })),
    ...listAt(selector, 'matchExpressions').map((expression) => ({
      key: textAt(expression, 'key'),
      operator: textAt(expression, 'operator'),
      values: textsAt(expression, 'values'),
    })),
  ]
}

function selects(selector: unknown): boolean {
  return requirements(selector).length > 0
}

const EVERY_NAMESPACE = inNamespaces(['*'])

/** Everything with a namespace in these; selectors of namespaces let pass what has none. */
function inNamespaces(namespaces: string[]): Region {
  return resourceRuleRegion({ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: false, namespaces })
}

/** Those with a Service; the others are the server's own. */
export function aggregatedApisOf(objects: readonly ForeignObject[]): AggregatedApi[] {
  return objects
    .filter(({ kind }) => kind === 'APIService')
    .flatMap((object) => {
      const group = textAt(object.value, 'spec', 'group')
      const namespace = textAt(object.value, 'spec', 'service', 'namespace')
      if (namespace === '' || group === '') return []
      const requests = resourceRuleRegion({
        verbs: ['*'],
        apiGroups: [group],
        resources: ['*'],
        clusterScope: true,
        namespaces: ['*'],
      })
      const name = textAt(object.value, 'metadata', 'name')
      const api = `${group}/${textAt(object.value, 'spec', 'version')}`
      return [{ object, name, path: ['spec', 'service'], namespace, requests, api }]
    })
}

// Reading

function at(value: unknown, ...keys: readonly string[]): unknown {
  return keys.reduce<unknown>(
    (part, key) => (typeof part === 'object' && part !== null ? Reflect.get(part, key) : undefined),
    value,
  )
}

function textAt(value: unknown, ...keys: readonly string[]): string {
  const text = at(value, ...keys)
  return typeof text === 'string' ? text : ''
}

function listAt(value: unknown, key: string): unknown[] {
  const list = at(value, key)
  return Array.isArray(list) ? list : []
}

function textsAt(value: unknown, key: string): string[] {
  return listAt(value, key).filter((item) => typeof item === 'string')
}
