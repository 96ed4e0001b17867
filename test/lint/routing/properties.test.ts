/** Claims of rules, held against requests at random: what is said to match nothing matches nothing. */
import { describe, expect, it } from 'vitest'
import { landingsOf, SYSTEM_TRAFFIC } from '../../../src/analysis/system-traffic.ts'
import { plainClassifier } from '../../../src/apf/classify.ts'
import { defaultObjects } from '../../../src/apf/defaults/index.ts'
import { bypassesFairness } from '../../../src/apf/long-running.ts'
import { matchesFlowSchema, nonResourceRuleMatches, resourceRuleMatches } from '../../../src/apf/match.ts'
import type { FlowSchema, NonResourceRule, ResourceRule } from '../../../src/apf/objects.ts'
import { effectiveConfiguration } from '../../../src/apf/order.ts'
import type { FieldPath } from '../../../src/apf/problem.ts'
import type { Identity, RequestAttributes } from '../../../src/apf/request.ts'
import { isRefused, requestInfo } from '../../../src/apf/request-info.ts'
import { rulesFor } from '../../../src/apf/versions.ts'
import { builtInResources } from '../../../src/kubectl/resources.ts'
import { lintContext } from '../../../src/lint/context.ts'
import { lint } from '../../../src/lint/engine.ts'
import { regionContains } from '../../../src/regions/region.ts'
import { Random } from '../../oracle/random.ts'
import { flowSchema, type SubjectJson } from '../../support/objects.ts'
import { ROUTING_RULES } from './lint-yaml.ts'

const REQUESTS = 20_000
const SEED = 20_261_130
const RULES = rulesFor({ minor: 34 })
const { flowSchemas: DEFAULT_SCHEMAS, priorityLevels: LEVELS } = defaultObjects(RULES)

const NAMESPACES = ['shop', 'kube-system', 'default', 'kube-node-lease', 'lab']
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']
const CUSTOM_GROUPS = ['shop.example.com', 'apps.example.com', 'gateway.networking.k8s.io', 'v1.example.com']
const CUSTOM_RESOURCES = ['orders', 'orders/status', 'widgets', 'widgets/refund']
const PATHS = [
  ...[
    '/',
    '/healthz',
    '/healthz/',
    '/healthz/etcd',
    '/livez',
    '/version',
    '/version/',
    '/metrics',
    '/api',
    '/api/',
    '/api/v1',
  ],
  ...[
    '/apis',
    '/apis/apps',
    '/apis/apps/',
    '/apis/apps/v1',
    '/openapi/v3/apis/apps/v1',
    '/API/v1/pods',
    '/debug/pprof/heap',
    '/logs/',
  ],
]

/** A request for something that a server serves: known resources in their scope, custom ones, and paths. */
function servedRequest(random: Random): RequestAttributes {
  for (;;) {
    const request = requestInfo(random.pick(METHODS), random.chance(0.2) ? random.pick(PATHS) : resourceUrl(random))
    if (!isRefused(request) && isServed(request)) return request
  }
}

/** Servers know no methods but GET, DELETE and, within a namespace, POST for collections. */
function isServed({ isResourceRequest, verb, name, namespace, resource }: RequestAttributes): boolean {
  if (!isResourceRequest || name !== '') return true
  const isNamespaced = builtInResources().some((known) => known.resource === resource && known.namespaced)
  return (
    ['list', 'watch', 'deletecollection'].includes(verb) || (verb === 'create' && (namespace !== '' || !isNamespaced))
  )
}

function resourceUrl(random: Random): string {
  // Mostly what rules name, so that requests come close to matching.
  const known = random.pick(random.chance(0.7) ? NAMED : builtInResources())
  const isCustom = random.chance(0.2)
  const group = isCustom ? random.pick(CUSTOM_GROUPS) : known.group
  const [resource = '', customSubresource] = isCustom ? random.pick(CUSTOM_RESOURCES).split('/') : [known.resource]
  const subresources = isCustom ? (customSubresource === undefined ? [] : [customSubresource]) : known.subresources
  const inNamespace = isCustom ? random.chance(0.5) : known.namespaced
  const isCollection = random.chance(0.4)
  const overAll = inNamespace && isCollection && random.chance(0.4)
  const subresource =
    !isCollection && subresources.length > 0 && random.chance(0.5) ? `/${random.pick(subresources)}` : ''
  const scope = inNamespace && !overAll ? `/namespaces/${random.pick(NAMESPACES)}` : ''
  const name = isCollection ? '' : `/${random.pick(['web-0', 'shop', 'node-1'])}`
  const query = random.chance(0.2) ? '?watch=1' : ''
  const prefix = group === '' ? '/api/v1' : `/apis/${group}/${known.version}`
  return `${prefix}${scope}/${resource}${name}${subresource}${query}`
}

const RESOURCE_WORDS = [
  ...[
    'pods',
    'pods/log',
    'pods/status',
    'pods/*',
    '*/status',
    'Pods',
    'pod',
    'po',
    'log',
    'status',
    'exec',
    'deployments',
  ],
  ...[
    'deployments.apps',
    'deploy',
    'nodes',
    'nodes/status',
    'nodes/metrics',
    'node',
    'namespaces',
    'leases',
    'lease',
    'events',
  ],
  ...['pods/logs', 'pods/web-0/log', 'secrets/status', 'orders', 'orders/status', 'cofigmaps', 'bindings', 'ingresses'],
]
const NAMED = builtInResources().filter(({ resource }) => RESOURCE_WORDS.includes(resource))
const GROUP_WORDS = [
  '',
  'apps',
  'apps/v1',
  'v1',
  'core',
  'batch',
  'coordination',
  'coordination.k8s.io',
  'coordnation.k8s.io',
  'Apps',
  'apps.v1',
  'shop.example.com',
  'shop',
  'networking.k8s.io',
  'deployments.apps',
]
const URL_WORDS = [
  '/',
  '/*',
  '/healthz',
  '/healthz/*',
  '/healthz/',
  '/api',
  '/api/*',
  '/api/v1',
  '/api/v1/*',
  '/api/v1/pods',
  '/apis/*',
  '/apis/apps/*',
  '/apis/apps/v1',
  '/apis/apps/v1/*',
  '/apis/apps/v1/deployments',
  '/healthz?verbose',
  '/version',
  '/a%2Fb',
]
const VERB_WORDS = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection', 'proxy']

/** A list as the server accepts it: a wildcard alone, or words. */
function list(random: Random, words: readonly string[], wildcard = 0.2): string[] {
  if (random.chance(wildcard)) return ['*']
  return [...new Set(Array.from({ length: random.integer(1, 3) }, () => random.pick(words)))]
}

function randomSchema(random: Random, index: number, subjects: SubjectJson[], precedence = 1500): FlowSchema {
  const resourceRule = () => {
    const clusterScope = random.chance(0.5)
    const namespaces = clusterScope && random.chance(0.4) ? [] : list(random, NAMESPACES, 0.5)
    return {
      verbs: list(random, VERB_WORDS),
      apiGroups: list(random, GROUP_WORDS),
      resources: list(random, RESOURCE_WORDS),
      clusterScope,
      namespaces,
    }
  }
  return flowSchema({
    metadata: { name: `schema-${index}` },
    spec: {
      priorityLevelConfiguration: { name: 'workload-low' },
      matchingPrecedence: precedence,
      rules: [
        {
          subjects,
          resourceRules: [resourceRule(), resourceRule()],
          nonResourceRules: [{ verbs: list(random, VERB_WORDS), nonResourceURLs: list(random, URL_WORDS) }],
        },
      ],
    },
  })
}

function findingsOn(own: readonly FlowSchema[]) {
  const flowSchemas = [...own, ...DEFAULT_SCHEMAS]
  const context = lintContext({
    own: { flowSchemas: [...own], priorityLevels: [] },
    all: { flowSchemas, priorityLevels: LEVELS },
    rules: RULES,
    complete: true,
    serverSeats: { value: 600, assumed: true },
  })
  return { findings: lint([context], ROUTING_RULES), context }
}

/** The clause of a finding with the one entry that it is about in place of the list. */
function clauseWithEntry(schema: FlowSchema, path: FieldPath): ((request: RequestAttributes) => boolean) | null {
  const [, , rule, member, index, field, entry] = path
  const parts = schema.spec.rules[Number(rule)]?.[member as 'resourceRules' | 'nonResourceRules'][Number(index)]
  if (parts === undefined || typeof field !== 'string') return null
  const values = Reflect.get(parts, field) as string[]
  const kept = typeof entry === 'number' ? values.slice(entry, entry + 1) : values
  const clause = { ...parts, [field]: kept }
  return 'resources' in clause
    ? (request) => resourceRuleMatches(clause as ResourceRule, request)
    : (request) => nonResourceRuleMatches(clause as NonResourceRule, request)
}

const EVERYONE: SubjectJson[] = [{ kind: 'Group', group: { name: '*' } }]

describe('what an entry is said to match', () => {
  const random = new Random(SEED)
  const schemas = Array.from({ length: 60 }, (_, index) => randomSchema(random, index, EVERYONE, 1000 + index))
  const { findings } = findingsOn(schemas)
  const dead = findings.flatMap(({ rule, severity, object, path, message, note }) => {
    if (!['APF207', 'APF208', 'APF209', 'APF211'].includes(rule.id) || severity !== 'warning') return []
    // Of these, the rule says itself that it takes lists.
    if (note?.startsWith('of requests for them') || object?.kind !== 'FlowSchema') return []
    const matches = clauseWithEntry(object, path)
    return matches === null ? [] : [{ matches, message }]
  })

  it(`is nothing, for ${REQUESTS} requests that a server serves (seed ${SEED})`, () => {
    expect(dead.length).toBeGreaterThan(50)
    const wrong = new Set<string>()
    for (let n = 0; n < REQUESTS; n++) {
      const request = servedRequest(random)
      for (const { matches, message } of dead) if (matches(request)) wrong.add(`${message} ${JSON.stringify(request)}`)
    }
    expect([...wrong]).toEqual([])
  })
})

const SUBJECTS: SubjectJson[] = [
  { kind: 'Group', group: { name: 'system:authenticated' } },
  { kind: 'Group', group: { name: 'system:serviceaccounts' } },
  { kind: 'Group', group: { name: 'system:serviceaccounts:shop' } },
  { kind: 'Group', group: { name: 'system:nodes' } },
  { kind: 'Group', group: { name: 'dev' } },
  { kind: 'ServiceAccount', serviceAccount: { namespace: 'shop', name: '*' } },
  { kind: 'ServiceAccount', serviceAccount: { namespace: 'shop', name: 'reporter' } },
  { kind: 'ServiceAccount', serviceAccount: { namespace: 'kube-system', name: 'dns' } },
  { kind: 'User', user: { name: 'ann' } },
  { kind: 'User', user: { name: 'system:kube-scheduler' } },
]

const IDENTITIES: Identity[] = [
  { name: 'ann', groups: ['system:authenticated'] },
  { name: 'ann', groups: ['dev', 'system:authenticated'] },
  { name: 'jane', groups: ['dev', 'system:masters', 'system:authenticated'] },
  { name: 'system:anonymous', groups: ['system:unauthenticated'] },
  { name: 'system:kube-scheduler', groups: ['system:authenticated'] },
  { name: 'system:node:node-1', groups: ['system:nodes', 'system:authenticated'] },
  ...['shop:reporter', 'shop:web', 'kube-system:dns', 'lab:dns'].map((account) => ({
    name: `system:serviceaccount:${account}`,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${account.split(':')[0]}`, 'system:authenticated'],
  })),
]

function randomConfiguration(random: Random): FlowSchema[] {
  return Array.from({ length: 12 }, (_, index) => {
    const precedence = random.pick([50, 300, 500, 850, 1000, 2000, 9000, 9500, 9950])
    const subjects = [random.pick(SUBJECTS), ...(random.chance(0.4) ? [random.pick(SUBJECTS)] : [])]
    return randomSchema(random, index, subjects, precedence)
  })
}

describe('what is said to be shadowed', () => {
  const random = new Random(SEED + 1)
  const configurations = Array.from({ length: 6 }, () => {
    const { findings, context } = findingsOn(randomConfiguration(random))
    return { findings: findings.filter(({ rule }) => ['APF204', 'APF205', 'APF215'].includes(rule.id)), context }
  })

  it(`takes nothing, for ${REQUESTS} requests each (seed ${SEED + 1})`, () => {
    expect(configurations.flatMap(({ findings }) => findings).length).toBeGreaterThan(10)
    const wrong = new Set<string>()
    for (const { findings, context } of configurations) {
      const classifier = plainClassifier(context.configuration)
      for (let n = 0; n < REQUESTS; n++) {
        const identity = random.pick(IDENTITIES)
        const request = servedRequest(random)
        if (bypassesFairness(request, RULES)) continue
        const { entry, ruleIndex } = classifier.find(identity, request)
        for (const { rule, object, path, message } of findings) {
          if (object !== entry.schema) continue
          const [, , index, , subject] = path
          const isRule = rule.id === 'APF205' && index === ruleIndex
          const only = rule.id === 'APF215' ? withOneSubject(entry.schema, Number(index), Number(subject)) : null
          const isSubject = only !== null && matchesFlowSchema(only, identity, request) === ruleIndex
          if (rule.id === 'APF204' || isRule || isSubject)
            wrong.add(`${message} ${JSON.stringify({ identity, request })}`)
        }
      }
    }
    expect([...wrong]).toEqual([])
  })
})

/** The schema with one subject left of one rule, and nobody named by the others. */
function withOneSubject(schema: FlowSchema, ruleIndex: number, subjectIndex: number): FlowSchema {
  const rules = schema.spec.rules.map((rule, index) => ({
    ...rule,
    subjects: index === ruleIndex ? rule.subjects.slice(subjectIndex, subjectIndex + 1) : [],
  }))
  return { ...schema, spec: { ...schema.spec, rules } }
}

describe('where traffic of the system is said to land', () => {
  const random = new Random(SEED + 2)

  it(`is where the classifier puts it, witnesses included (seed ${SEED + 2})`, () => {
    let compared = 0
    for (let round = 0; round < 10; round++) {
      const configuration = effectiveConfiguration([...randomConfiguration(random), ...DEFAULT_SCHEMAS], LEVELS, RULES)
      const classifier = plainClassifier(configuration)
      for (const traffic of SYSTEM_TRAFFIC) {
        for (const identity of traffic.identities) {
          const landings = landingsOf(traffic.requests, identity, configuration, RULES)
          for (const { entry, witness } of landings) {
            expect(classifier.find(identity, attributesOf(witness)).entry).toBe(entry)
          }
          for (let n = 0; n < 50; n++) {
            const request = servedRequest(random)
            if (!regionContains(traffic.requests, request) || bypassesFairness(request, RULES)) continue
            const landing = landings.find(({ requests }) => regionContains(requests, request))
            expect(landing?.entry).toBe(classifier.find(identity, request).entry)
            compared++
          }
        }
      }
    }
    expect(compared).toBeGreaterThan(500)
  })
})

function attributesOf(line: object): RequestAttributes {
  const none = {
    isResourceRequest: true,
    path: '',
    apiPrefix: '',
    apiVersion: '',
    apiGroup: '',
    resource: '',
    subresource: '',
    namespace: '',
    name: '',
    parts: [],
    verb: '',
  }
  return { ...none, ...line, isResourceRequest: !('path' in line) }
}
