import { describe, expect, it } from 'vitest'
import { identitiesOf } from '../../../src/analysis/expectations/identities.ts'
import type { SetCase, WhoSet } from '../../../src/analysis/expectations/model.ts'
import { proveSetCase } from '../../../src/analysis/expectations/prove.ts'
import { requestOfLine } from '../../../src/analysis/request-of-line.ts'
import { plainClassifier } from '../../../src/apf/classify.ts'
import { defaultObjects } from '../../../src/apf/defaults/index.ts'
import { impliedGroups } from '../../../src/apf/identity.ts'
import { bypassesFairness } from '../../../src/apf/long-running.ts'
import type { FlowSchema, PolicyRule, Subject } from '../../../src/apf/objects.ts'
import { effectiveConfiguration } from '../../../src/apf/order.ts'
import type { Identity, RequestAttributes } from '../../../src/apf/request.ts'
import { rulesFor } from '../../../src/apf/versions.ts'
import { cubeContains, isPossible } from '../../../src/regions/identity.ts'
import {
  NO_REQUEST,
  perPlane,
  pointOf,
  type Region,
  regionContains,
  spacesOf,
  uniteRegions,
} from '../../../src/regions/region.ts'
import { everything, only } from '../../../src/regions/string-set.ts'

const rules = rulesFor({ minor: 37 })

/** A generator whose numbers follow from its seed (mulberry32). */
function generator(seed: number) {
  let state = seed
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const pick = <T>(list: readonly T[]): T => {
    const value = list[Math.floor(next() * list.length)]
    if (value === undefined) throw new Error('nothing to pick from')
    return value
  }
  const some = <T>(list: readonly T[]): T[] => {
    const chosen = list.filter(() => next() < 0.4)
    return chosen.length > 0 ? chosen : [pick(list)]
  }
  return { next, pick, some }
}
type Generator = ReturnType<typeof generator>

const USERS = ['ann', 'jane', 'system:serviceaccount:shop:a', 'system:serviceaccount:depot:b', 'system:kube-scheduler']
const GROUPS = ['dev', 'ops', 'system:nodes', 'system:masters', 'system:serviceaccounts', 'system:serviceaccounts:shop']
const VERBS = ['get', 'list', 'create']
const RESOURCES = ['pods', 'nodes', 'pods/status']
const NAMESPACES = ['shop', 'depot', '']

function randomSubject({ pick, next }: Generator): Subject {
  const none = { user: null, group: null, serviceAccount: null }
  if (next() < 0.4) return { ...none, kind: 'User', user: { name: pick([...USERS, '*']) } }
  if (next() < 0.6) return { ...none, kind: 'Group', group: { name: pick([...GROUPS, 'system:authenticated']) } }
  return {
    ...none,
    kind: 'ServiceAccount',
    serviceAccount: { namespace: pick(['shop', 'depot']), name: pick(['a', 'b', '*']) },
  }
}

function randomRule(random: Generator): PolicyRule {
  const list = (values: readonly string[]) => (random.next() < 0.3 ? ['*'] : random.some(values))
  const resourceRules = [
    {
      verbs: list(VERBS),
      apiGroups: list(['', 'apps']),
      resources: list(RESOURCES),
      namespaces: list(['shop', 'depot']),
      clusterScope: random.next() < 0.5,
    },
  ]
  const nonResourceRules = random.next() < 0.3 ? [{ verbs: ['get'], nonResourceURLs: ['/metrics'] }] : []
  return { subjects: [randomSubject(random), randomSubject(random)], resourceRules, nonResourceRules }
}

function randomConfiguration(random: Generator) {
  const { flowSchemas, priorityLevels } = defaultObjects(rules)
  const [example] = flowSchemas
  if (example === undefined) throw new Error('no default objects')
  const own = ['own-a', 'own-b', 'own-c'].map(
    (name): FlowSchema => ({
      ...example,
      metadata: { ...example.metadata, name },
      spec: {
        priorityLevelConfiguration: { name: random.pick(['exempt', 'workload-low', 'workload-high', 'missing']) },
        matchingPrecedence: random.pick([2, 300, 850, 5000, 9950]),
        distinguisherMethod: null,
        rules: [randomRule(random), randomRule(random)],
      },
    }),
  )
  return effectiveConfiguration([...flowSchemas, ...own], priorityLevels, rules)
}

function randomWho({ pick, some, next }: Generator): WhoSet {
  return {
    users: next() < 0.5 ? null : some([...USERS, 'system:serviceaccount:shop:*', '*']),
    groups: next() < 0.4 ? null : some([...GROUPS, 'system:authenticated']),
    notGroups: next() < 0.3 ? [pick(['ops', 'dev'])] : [],
  }
}

function requestOf(verb: string, resource: string, namespace: string): RequestAttributes {
  const [name = '', subresource = ''] = resource.split('/')
  return requestOfLine({ user: 'x', groups: [], verb, apiGroup: '', resource: name, subresource, namespace, name: '' })
}

const REQUESTS: readonly RequestAttributes[] = [
  ...VERBS.flatMap((verb) =>
    RESOURCES.flatMap((resource) => NAMESPACES.map((namespace) => requestOf(verb, resource, namespace))),
  ),
  requestOfLine({ user: 'x', groups: [], verb: 'get', path: '/metrics' }),
]

function regionOf(requests: readonly RequestAttributes[]): Region {
  return requests
    .map((request) => {
      const { plane, point } = pointOf(request)
      const box = spacesOf(plane).map((space, i) => only(space, [point[i] ?? '']))
      return perPlane((other) => (other === plane ? [box] : []))
    })
    .reduce(uniteRegions, NO_REQUEST)
}

const EVERYTHING = perPlane((plane) => [spacesOf(plane).map(everything)])

/** Identities around those that rules and promises name: each name with any of the groups. */
const IDENTITIES: readonly Identity[] = [...USERS, 'system:anonymous', 'bob', 'system:serviceaccount:shop:z'].flatMap(
  (name) => {
    const own = impliedGroups(name)
    const others = GROUPS.filter((group) => !own.includes(group))
    return Array.from({ length: 2 ** others.length }, (_, bits) => ({
      name,
      groups: [...own, ...others.filter((_group, i) => (bits >> i) & 1)],
    })).filter((identity) => isPossible(identity, 'authenticated'))
  },
)

describe('a promise about a set', () => {
  const seed = Math.floor(Math.random() * 2 ** 31)

  it(`holds or fails as trying does it (seed ${seed})`, () => {
    const random = generator(seed)
    let [held, refuted] = [0, 0]
    for (let round = 0; round < 60; round++) {
      const configuration = randomConfiguration(random)
      const classifier = plainClassifier(configuration)
      const tried = random.next() < 0.2 ? REQUESTS : random.some(REQUESTS)
      const of: SetCase = {
        kind: 'set',
        name: 'x',
        at: {},
        landingAt: {},
        who: randomWho(random),
        requests: tried === REQUESTS ? EVERYTHING : regionOf(tried),
        quantifier: random.pick(['never', 'always']),
        landing: {
          priorityLevel: random.pick([null, 'exempt', 'workload-low', 'global-default']),
          flowSchema: random.pick([null, null, 'probes', 'service-accounts']),
        },
      }
      if (of.landing.priorityLevel === null && of.landing.flowSchema === null) continue
      const cubes = identitiesOf(of.who, configuration)
      const isMeant = (identity: Identity) => cubes.some((cube) => cubeContains(cube, identity))
      const isThere = (identity: Identity, request: RequestAttributes) => {
        const { schema, level } = classifier.find(identity, request).entry
        const { flowSchema, priorityLevel } = of.landing
        return [null, schema.metadata.name].includes(flowSchema) && [null, level.metadata.name].includes(priorityLevel)
      }
      const { passed, problems } = proveSetCase(of, { configuration, rules, serverSeats: null, stored: () => null })
      if (passed === true) {
        held++
        for (const identity of IDENTITIES.filter(isMeant)) {
          for (const request of tried) {
            if (bypassesFairness(request, rules)) continue
            expect(isThere(identity, request), JSON.stringify({ round, of, identity, request })).toBe(
              of.quantifier === 'always',
            )
          }
        }
      } else {
        refuted++
        expect(passed).toBe(false)
        for (const { witness, actual } of problems) {
          if (witness === null) continue
          const identity = { name: witness.user, groups: witness.groups }
          const request = requestOfLine(witness)
          expect(isPossible(identity, 'authenticated')).toBe(true)
          expect(isMeant(identity) && regionContains(of.requests, request)).toBe(true)
          expect(isThere(identity, request)).toBe(of.quantifier === 'never')
          expect(classifier.find(identity, request).entry).toBe(actual.entry)
        }
      }
    }
    expect(Math.min(held, refuted)).toBeGreaterThan(5)
  })
})

describe('whom forAll means', () => {
  const { flowSchemas, priorityLevels } = defaultObjects(rules)
  const configuration = effectiveConfiguration(flowSchemas, priorityLevels, rules)
  const AUTHENTICATED = 'system:authenticated'
  const who: [who: Partial<WhoSet>, identity: Identity, isMeant: boolean][] = [
    [{ groups: ['dev'] }, { name: 'jane', groups: ['dev', AUTHENTICATED] }, true],
    [{ groups: ['dev'] }, { name: 'jane', groups: ['dev', 'ops', AUTHENTICATED] }, true],
    [{ groups: ['dev'] }, { name: 'jane', groups: ['ops', AUTHENTICATED] }, false],
    [{ groups: ['dev'] }, { name: 'jane', groups: ['dev', 'system:masters', AUTHENTICATED] }, false],
    [{ groups: ['dev', 'system:masters'] }, { name: 'jane', groups: ['dev', 'system:masters', AUTHENTICATED] }, true],
    [{ groups: ['dev'] }, { name: 'jane', groups: ['dev', 'system:nodes', AUTHENTICATED] }, false],
    [{ groups: ['dev'] }, { name: 'system:kube-scheduler', groups: ['dev', AUTHENTICATED] }, false],
    [
      { groups: ['dev'] },
      { name: 'system:serviceaccount:shop:a', groups: ['dev', ...impliedGroups('system:serviceaccount:shop:a')] },
      false,
    ],
    [{ groups: ['dev', 'ops'] }, { name: 'jane', groups: ['ops', AUTHENTICATED] }, true],
    [{ groups: ['dev'], notGroups: ['ops'] }, { name: 'jane', groups: ['dev', 'ops', AUTHENTICATED] }, false],
    [{ groups: ['dev'], users: ['ann'] }, { name: 'ann', groups: ['dev', AUTHENTICATED] }, true],
    [{ groups: ['dev'], users: ['ann'] }, { name: 'ann', groups: [AUTHENTICATED] }, false],
    [
      { users: ['system:serviceaccount:shop:*'] },
      { name: 'system:serviceaccount:shop:a', groups: impliedGroups('system:serviceaccount:shop:a') },
      true,
    ],
    [
      { users: ['system:serviceaccount:shop:*'] },
      { name: 'system:serviceaccount:depot:a', groups: impliedGroups('system:serviceaccount:depot:a') },
      false,
    ],
    [
      { groups: ['system:serviceaccounts'] },
      { name: 'system:serviceaccount:depot:a', groups: impliedGroups('system:serviceaccount:depot:a') },
      true,
    ],
    [
      { groups: ['system:serviceaccounts:depot'] },
      { name: 'system:serviceaccount:depot:a', groups: impliedGroups('system:serviceaccount:depot:a') },
      true,
    ],
    [{ groups: ['system:nodes'] }, { name: 'system:node:n1', groups: ['system:nodes', AUTHENTICATED] }, true],
    [{ users: ['system:kube-scheduler'] }, { name: 'system:kube-scheduler', groups: [AUTHENTICATED] }, true],
    [{ users: ['system:anonymous'] }, { name: 'system:anonymous', groups: ['system:unauthenticated'] }, true],
    [{}, { name: 'system:anonymous', groups: ['system:unauthenticated'] }, true],
    [{}, { name: 'system:node:n1', groups: ['system:nodes', AUTHENTICATED] }, true],
    [{}, { name: 'jane', groups: ['system:masters', AUTHENTICATED] }, false],
    [{ groups: ['system:authenticated'] }, { name: 'system:node:n1', groups: ['system:nodes', AUTHENTICATED] }, true],
    [{ groups: ['system:authenticated'] }, { name: 'system:anonymous', groups: ['system:unauthenticated'] }, false],
  ]

  it.each(who)('%j: %j is meant: %s', (set, identity, isMeant) => {
    const cubes = identitiesOf({ users: null, groups: null, notGroups: [], ...set }, configuration)
    expect(isPossible(identity, 'authenticated')).toBe(true)
    expect(cubes.some((cube) => cubeContains(cube, identity))).toBe(isMeant)
  })
})
