/** Random objects of which a server refuses many: good ones with a few faults, of one seed always the same. */
import type { Random } from '../oracle/random.ts'

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json }

/** Values for any field; most are wrong in most of them. */
const VALUES: readonly Json[] = [
  null,
  '',
  0,
  1,
  -1,
  5,
  64,
  101,
  1000,
  10_000,
  10_001,
  10_000_001,
  2 ** 31,
  1.5,
  '5',
  true,
  false,
  [],
  {},
  'x',
  '*',
  'Shop',
  'a.b',
  '-a',
  'a b',
  'é中',
  '/healthz',
  '/a//b',
  '/a*',
  'a'.repeat(64),
  'a'.repeat(254),
  'Exempt',
  'Limited',
  'Queue',
  'Reject',
  'ByUser',
  'User',
  'Group',
  'ServiceAccount',
  'exempt',
  'catch-all',
  ['*'],
  ['*', 'x'],
  ['x', ''],
  [null],
  ['get', 'LIST'],
  { name: '' },
  { name: 'x' },
  { x: 1 },
  { namespace: 'a.b', name: '*' },
  { type: 'ByUser' },
  { queues: 8, handSize: 9, queueLengthLimit: 1 },
  { nominalConcurrencyShares: 5 },
  { limitResponse: { type: 'Reject' } },
]

const UNKNOWN_KEYS = [
  'surprise',
  'Spec',
  'Name',
  'assuredConcurrencyShares',
  'nominalConcurrencyShares',
  'verb',
  'x.y[0]',
]

/** More than the fields that a good object has. */
const EXTRAS: readonly (readonly [path: readonly string[], value: Json])[] = [
  [['metadata', 'labels'], { team: 'shop', '-a': 'b', 'a/b/c': 'd' }],
  [['metadata', 'labels'], { team: 'shop & co' }],
  [['metadata', 'annotations'], { 'apf.kubernetes.io/autoupdate-spec': 'false' }],
  [['metadata', 'annotations'], { 'flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares': '' }],
  [['metadata', 'annotations'], { 'a b': 'c' }],
  [
    ['metadata', 'finalizers'],
    ['x', 'shop.example.com/done'],
  ],
  [['metadata', 'generateName'], 'Shop-'],
  [['metadata', 'namespace'], 'shop'],
  [['metadata', 'uid'], '00000000-0000-0000-0000-000000000000'],
  [['metadata', 'generation'], 7],
  [['status'], { conditions: [{ type: '', status: 'True' }] }],
  [['spec', 'exempt'], { nominalConcurrencyShares: -1, lendablePercent: 200 }],
  [['spec', 'limited'], { limitResponse: { type: 'Queue', queuing: { queues: 1000, handSize: 10 } } }],
  [['spec', 'limited', 'borrowingLimitPercent'], -1],
]

/**
 * @param name  of the object; a fault may change it
 * @param base  the good spec, where it is not to be a random one
 */
export function brokenObject(random: Random, kind: string, apiVersion: string, name: string, base?: Json): Json {
  const usual = kind === 'FlowSchema' ? (FIXED[name] ?? schemaSpec(random)) : levelSpec(random, name)
  const object: Json = { apiVersion, kind, metadata: { name }, spec: structuredClone(base ?? usual) }
  const faults = random.pick([0, 1, 1, 1, 1, 2, 2, 3])
  for (let count = 0; count < faults; count++) addFault(object, random)
  return object
}

function addFault(object: { [key: string]: Json }, random: Random): void {
  if (random.chance(0.2)) {
    const [path, value] = random.pick(EXTRAS)
    setAt(object, path, value)
    return
  }
  const places = placesIn(object)
  if (places.length === 0) return
  const { container, key } = random.pick(places)
  const kind = random.next()
  if (Array.isArray(container)) {
    if (kind < 0.2) container.splice(Number(key), 1)
    else container[Number(key)] = otherValue(random, container[Number(key)])
  } else if (kind < 0.2) delete container[key]
  else if (kind < 0.28) container[random.pick(UNKNOWN_KEYS)] = structuredClone(random.pick(VALUES))
  else if (kind < 0.32) {
    container[String(key).toLowerCase()] = container[key] ?? null
  } else container[key] = otherValue(random, container[key])
}

/** Mostly of the same type, since a wrong type hides all other faults. */
function otherValue(random: Random, value: Json | undefined): Json {
  const likely = VALUES.filter(
    (other) => typeof other === typeof value && Array.isArray(other) === Array.isArray(value),
  )
  return structuredClone(random.pick(random.chance(0.8) && likely.length > 0 ? likely : VALUES))
}

interface Spot {
  container: Json[] | { [key: string]: Json }
  key: string | number
}

/** Everything below the type of the object, which would send it elsewhere. */
function placesIn(value: Json, top = true): Spot[] {
  if (typeof value !== 'object' || value === null) return []
  if (Array.isArray(value)) {
    return value.flatMap((item, key) => [{ container: value, key }, ...placesIn(item, false)])
  }
  return Object.entries(value).flatMap(([key, item]) => {
    const own = top && (key === 'apiVersion' || key === 'kind') ? [] : [{ container: value, key }]
    return [...own, ...placesIn(item, false)]
  })
}

function setAt(object: { [key: string]: Json }, [first = '', ...rest]: readonly string[], value: Json): void {
  if (rest.length === 0) {
    object[first] = structuredClone(value)
    return
  }
  const inner = object[first]
  if (typeof inner === 'object' && inner !== null && !Array.isArray(inner)) setAt(inner, rest, value)
}

const EVERYTHING = { verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'], clusterScope: true }
const EVERY_PATH = { verbs: ['*'], nonResourceURLs: ['*'] }

function group(name: string): Json {
  return { kind: 'Group', group: { name } }
}

/** Specs of the mandatory schemas. */
const FIXED: Readonly<Record<string, Json>> = {
  exempt: {
    priorityLevelConfiguration: { name: 'exempt' },
    matchingPrecedence: 1,
    rules: [{ subjects: [group('system:masters')], resourceRules: [EVERYTHING], nonResourceRules: [EVERY_PATH] }],
  },
  'catch-all': {
    priorityLevelConfiguration: { name: 'catch-all' },
    matchingPrecedence: 10_000,
    distinguisherMethod: { type: 'ByUser' },
    rules: [
      {
        subjects: [group('system:unauthenticated'), group('system:authenticated')],
        resourceRules: [EVERYTHING],
        nonResourceRules: [EVERY_PATH],
      },
    ],
  },
}

function schemaSpec(random: Random): Json {
  return {
    priorityLevelConfiguration: { name: random.pick(['workload-low', 'shop', 'not-there']) },
    matchingPrecedence: random.integer(1, 10_000),
    distinguisherMethod: { type: random.pick(['ByUser', 'ByNamespace']) },
    rules: [
      {
        subjects: [
          { kind: 'User', user: { name: 'ann' } },
          { kind: 'ServiceAccount', serviceAccount: { namespace: 'shop', name: random.pick(['*', 'reporter']) } },
        ],
        resourceRules: [
          { verbs: ['get', 'list'], apiGroups: ['', 'apps'], resources: ['pods'], namespaces: ['shop', 'web'] },
          { verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true },
        ],
        nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/healthz', '/debug/*'] }],
      },
    ],
  }
}

function levelSpec(random: Random, name: string): Json {
  if (name === 'exempt')
    return { type: 'Exempt', exempt: { nominalConcurrencyShares: random.integer(0, 9), lendablePercent: 0 } }
  if (name === 'catch-all')
    return { type: 'Limited', limited: { nominalConcurrencyShares: 5, limitResponse: { type: 'Reject' } } }
  const queuing = { queues: random.integer(1, 64), handSize: random.integer(1, 8), queueLengthLimit: 50 }
  return {
    type: 'Limited',
    limited: {
      nominalConcurrencyShares: random.integer(0, 30),
      lendablePercent: random.integer(0, 100),
      borrowingLimitPercent: random.integer(0, 200),
      limitResponse: random.chance(0.3) ? { type: 'Reject' } : { type: 'Queue', queuing },
    },
  }
}
