import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type MapRegion, subjectMap } from '../../src/analysis/subject-map.ts'
import { classify, plainClassifier } from '../../src/apf/classify.ts'
import { defaultObjects } from '../../src/apf/defaults/index.ts'
import { type EffectiveConfiguration, effectiveConfiguration } from '../../src/apf/order.ts'
import type { Identity, RequestAttributes } from '../../src/apf/request.ts'
import { rulesFor, type VersionRules } from '../../src/apf/versions.ts'
import { intersectBoxes } from '../../src/regions/box.ts'
import { PLANE_NAMES, simplifyRegion } from '../../src/regions/region.ts'
import { isDescribable, union } from '../../src/regions/string-set.ts'
import { flowSchema, queueLevel, type SubjectJson } from '../support/objects.ts'
import { attributesOf, entryContains, nonResourceRequest, resourceRequest } from '../support/region-entries.ts'
import reporterMap from './testdata/map-of-reporter-1.37.json' with { type: 'json' }

/** Few words, so that rules and requests meet. */
const VERBS = ['get', 'list', 'watch', 'proxy', 'create', '*', '', 'Get']
const GROUPS = ['', 'apps', '*']
const RESOURCES = ['pods', 'pods/log', 'pods/status', 'nodes', 'namespaces', '*', '', 'pods/*', '*/log']
const NAMESPACES = ['shop', 'default', '*', '']
const PATHS = [
  ...[
    '/',
    '/*',
    '*',
    '',
    '/healthz',
    '/healthz/',
    '/healthz/*',
    '/health*',
    '/healthz/etcd',
    '/a/b',
    '/a/b/*',
    '/a/b/c',
    '/a',
  ],
  ...['/debug', '/debug/pprof', '/debug/pprof/', '/debug/pprof/heap', '//', 'healthz'],
]

const some = (words: string[]) =>
  fc.oneof(fc.constant<string[]>(['*']), fc.array(fc.constantFrom(...words), { maxLength: 3 }))

const policyRules = fc.record({
  subjects: fc.constantFrom<SubjectJson[]>(
    [{ kind: 'Group', group: { name: '*' } }],
    [{ kind: 'User', user: { name: 'ada' } }],
    [{ kind: 'Group', group: { name: 'dev' } }],
  ),
  resourceRules: fc.array(
    fc.record({
      verbs: some(VERBS),
      apiGroups: some(GROUPS),
      resources: some(RESOURCES),
      namespaces: some(NAMESPACES),
      clusterScope: fc.boolean(),
    }),
    { maxLength: 3 },
  ),
  nonResourceRules: fc.array(fc.record({ verbs: some(VERBS), nonResourceURLs: some(PATHS) }), { maxLength: 2 }),
})

const versions = fc.constantFrom(21, 29, 37).map((minor) => rulesFor({ minor }))

const configurations = fc
  .tuple(
    versions,
    fc.array(fc.tuple(fc.integer({ min: 1, max: 5 }), fc.array(policyRules, { maxLength: 2 })), { maxLength: 10 }),
  )
  .map(([rules, schemas]) => ({
    rules,
    configuration: effectiveConfiguration(
      schemas.map(([matchingPrecedence, schemaRules], number) =>
        flowSchema({
          metadata: { name: `schema-${number}` },
          spec: { priorityLevelConfiguration: { name: 'work' }, matchingPrecedence, rules: schemaRules },
        }),
      ),
      [queueLevel('work')],
      rules,
    ),
  }))

const identities: fc.Arbitrary<Identity> = fc.record({
  name: fc.constantFrom('ada', 'bob'),
  groups: fc.subarray(['dev', 'system:authenticated', 'system:masters']),
})

const requests: fc.Arbitrary<RequestAttributes> = fc.oneof(
  fc
    .record({
      verb: fc.constantFrom(...VERBS, 'patch'),
      apiGroup: fc.constantFrom(...GROUPS, 'batch'),
      resource: fc.constantFrom('pods', 'nodes', 'namespaces', '*', '', 'other'),
      subresource: fc.constantFrom('', 'log', 'status', 'exec', '*', 'other'),
      namespace: fc.constantFrom(...NAMESPACES, 'other'),
    })
    .map(resourceRequest),
  fc
    .tuple(
      fc.constantFrom(...VERBS, 'post').map((verb) => verb.toLowerCase()),
      fc.constantFrom(...PATHS, '/healthzz', '/other', '/a/b/', '/a/bc', '/healthz/etcd/x', 'other'),
    )
    .map(([verb, path]) => nonResourceRequest(verb, path)),
)

interface Setting {
  configuration: EffectiveConfiguration
  rules: VersionRules
}

function landing({ configuration, rules }: Setting, identity: Identity, request: RequestAttributes) {
  const outcome = classify(plainClassifier(configuration), identity, request, rules)
  return outcome.outcome === 'bypass' ? null : outcome.entry
}

/** What must hold for any map, whatever it says. */
function expectSound(setting: Setting, identity: Identity, asked: readonly RequestAttributes[]) {
  const { regions } = subjectMap(setting.configuration, identity, setting.rules)
  const witnesses = regions.map(({ witness }) => attributesOf(witness))
  const misplaced = [...asked, ...witnesses].filter((request) => {
    const holding = regions.flatMap(({ schema, entries }) =>
      entries.filter((entry) => entryContains(entry, request)).map(() => schema),
    )
    return holding.length !== 1 || holding[0] !== landing(setting, identity, request)
  })
  expect(misplaced).toEqual([])
  regions.forEach((region, index) => {
    expect(region.level).toBe(region.schema?.level ?? null)
    expect(entryIn(region, witnesses[index]), JSON.stringify(region.witness)).toBe(true)
    expect(region.witness).toMatchObject({ user: identity.name, groups: identity.groups })
  })
}

function entryIn({ entries }: MapRegion, request: RequestAttributes | undefined): boolean {
  return request !== undefined && entries.some((entry) => entryContains(entry, request))
}

describe('the map of a subject', () => {
  it('puts every request into the one region where the classifier puts it, and each witness into its own', () => {
    fc.assert(
      fc.property(configurations, identities, fc.array(requests, { minLength: 60, maxLength: 60 }), expectSound),
      { numRuns: 500 },
    )
  })

  it('has disjoint entries, none of which could be merged with another in one dimension', () => {
    fc.assert(
      fc.property(configurations, identities, ({ configuration, rules }, identity) => {
        for (const { requests, entries } of subjectMap(configuration, identity, rules).regions) {
          const simple = simplifyRegion(requests)
          expect(PLANE_NAMES.flatMap((plane) => simple[plane])).toHaveLength(entries.length)
          for (const plane of PLANE_NAMES) {
            simple[plane].forEach((box, i) => {
              for (const other of simple[plane].slice(i + 1)) {
                expect(intersectBoxes(box, other)).toEqual([])
                const unlike = box.flatMap((set, dimension) => {
                  const otherSet = other[dimension]
                  return otherSet && otherSet.key !== set.key ? [union(set, otherSet)] : []
                })
                expect(unlike.length > 1 || unlike.some((joined) => !isDescribable(joined))).toBe(true)
              }
            })
          }
        }
      }),
      { numRuns: 300 },
    )
  })

  it.each([20, 21, 22, 23, 24, 25, 26, 28, 31, 34, 37])('is right over the default objects of 1.%i', (minor) => {
    const rules = rulesFor({ minor })
    const objects = defaultObjects(rules)
    const setting = { rules, configuration: effectiveConfiguration(objects.flowSchemas, objects.priorityLevels, rules) }
    const authenticated = ['system:authenticated']
    const identities = [
      { name: 'ada', groups: authenticated },
      { name: 'ada', groups: [] },
      { name: 'root', groups: ['system:masters', ...authenticated] },
      { name: 'system:anonymous', groups: ['system:unauthenticated'] },
      { name: 'system:kube-controller-manager', groups: authenticated },
      { name: 'system:serviceaccount:kube-system:coredns', groups: ['system:serviceaccounts', ...authenticated] },
      { name: 'system:node:n1', groups: ['system:nodes', ...authenticated] },
    ]
    const resources = ['pods', 'leases', 'endpoints', 'configmaps', 'nodes']
    const asked = [
      ...['get', 'update', 'patch', 'watch', 'proxy', ''].flatMap((verb) =>
        ['', 'coordination.k8s.io', 'apps'].flatMap((apiGroup) =>
          resources.flatMap((resource) =>
            ['', 'status', 'log'].flatMap((subresource) =>
              ['', 'default', 'kube-system'].map((namespace) =>
                resourceRequest({ verb, apiGroup, resource, subresource, namespace }),
              ),
            ),
          ),
        ),
      ),
      ...['get', 'head', 'watch', 'proxy'].flatMap((verb) =>
        ['/', '', '/healthz', '/healthz/', '/readyz/etcd', '/livezz', '/debug/pprof', '/debug/pprof/heap'].map((path) =>
          nonResourceRequest(verb, path),
        ),
      ),
    ]
    for (const identity of identities) expectSound(setting, identity, asked)
  })

  it('of an ordinary ServiceAccount over the default objects of 1.37 is this', () => {
    const rules = rulesFor({ minor: 37 })
    const objects = defaultObjects(rules)
    const configuration = effectiveConfiguration(objects.flowSchemas, objects.priorityLevels, rules)
    const identity = {
      name: 'system:serviceaccount:shop:reporter',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:shop', 'system:authenticated'],
    }
    const { regions } = subjectMap(configuration, identity, rules)
    const printed = regions.map(({ schema, level, entries, witness }) => ({
      flowSchema: schema?.schema.metadata.name ?? null,
      priorityLevel: level?.metadata.name ?? null,
      requests: entries,
      witness,
    }))
    expect(printed).toEqual(reporterMap)
  })
})
