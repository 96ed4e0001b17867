import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { plainClassifier } from '../../src/apf/classify.ts'
import { compileClassifier } from '../../src/apf/compiled-classifier.ts'
import { effectiveConfiguration } from '../../src/apf/order.ts'
import { type Identity, pathRequest, type RequestAttributes } from '../../src/apf/request.ts'
import { rulesFor } from '../../src/apf/versions.ts'
import { flowSchema, queueLevel, type RuleJson, type SubjectJson } from '../support/objects.ts'

/** Few words, so that rules and requests meet; among them those that a careless index would take for something else. */
const names = fc.constantFrom('ada', '*', '', 'a:b', 'system:serviceaccount:shop:reporter', 'system:serviceaccount:')
const groups = fc.constantFrom('dev', '*', '', 'system:authenticated', 'system:serviceaccounts:shop')
const saNamespaces = fc.constantFrom('shop', '', 'shop:reporter', '*')
const saNames = fc.constantFrom('reporter', '*', '', 'x:y')
const verbs = fc.constantFrom('get', 'list', '*', '', 'proxy')
const apiGroups = fc.constantFrom('', 'apps', '*', 'apps/v1')
const resources = fc.constantFrom('pods', 'pods/log', '*', 'pods/*', '', 'log')
const namespaces = fc.constantFrom('shop', 'default', '*', '')
const paths = fc.constantFrom(
  '/',
  '/*',
  '*',
  '',
  '/healthz',
  '/healthz/',
  '/healthz/*',
  '/health*',
  '/a/b',
  '//',
  '/a//b/',
)
const requestPaths = fc.constantFrom(
  '/',
  '',
  '*',
  '/healthz',
  '/healthz/',
  '/healthz/etcd',
  '/healthzz',
  '/a/b/c',
  '//',
  '/a//b/c',
)

const listOf = <T>(values: fc.Arbitrary<T>) => fc.array(values, { maxLength: 3 })

const subjects: fc.Arbitrary<SubjectJson> = fc.oneof(
  names.map((name) => ({ kind: 'User', user: { name } })),
  groups.map((name) => ({ kind: 'Group', group: { name } })),
  fc
    .tuple(saNamespaces, saNames)
    .map(([namespace, name]) => ({ kind: 'ServiceAccount', serviceAccount: { namespace, name } })),
  fc.constantFrom<SubjectJson>({ kind: 'User' }, { kind: 'Robot', user: { name: '*' } }),
)

const policyRules: fc.Arbitrary<RuleJson> = fc.record({
  subjects: listOf(subjects),
  resourceRules: listOf(
    fc.record({
      verbs: listOf(verbs),
      apiGroups: listOf(apiGroups),
      resources: listOf(resources),
      namespaces: listOf(namespaces),
      clusterScope: fc.boolean(),
    }),
  ),
  nonResourceRules: listOf(fc.record({ verbs: listOf(verbs), nonResourceURLs: listOf(paths) })),
})

const configurations = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 4 }), fc.constantFrom('wl', 'gone'), listOf(policyRules)), {
    maxLength: 40,
  })
  .map((schemas) =>
    effectiveConfiguration(
      schemas.map(([matchingPrecedence, name, rules], number) =>
        flowSchema({
          metadata: { name: `schema-${number}` },
          spec: { priorityLevelConfiguration: { name }, matchingPrecedence, rules },
        }),
      ),
      [queueLevel('wl')],
      rulesFor({ minor: 37 }),
    ),
  )

const identities: fc.Arbitrary<Identity> = fc.record({
  name: fc.oneof(
    names,
    fc.tuple(saNamespaces, saNames).map((pair) => `system:serviceaccount:${pair.join(':')}`),
  ),
  groups: listOf(groups),
})

const requests: fc.Arbitrary<RequestAttributes> = fc.record({
  isResourceRequest: fc.boolean(),
  path: requestPaths,
  verb: verbs,
  apiPrefix: fc.constant(''),
  apiGroup: apiGroups,
  apiVersion: fc.constant(''),
  namespace: namespaces,
  resource: fc.constantFrom('pods', '', '*', 'log'),
  subresource: fc.constantFrom('', 'log', '*'),
  name: fc.constant(''),
  parts: fc.constant([]),
})

describe('the compiled classifier', () => {
  it('finds the schema and the rule that the plain matcher finds', () => {
    fc.assert(
      fc.property(
        configurations,
        fc.array(fc.tuple(identities, requests), { maxLength: 40 }),
        (configuration, asked) => {
          const plain = plainClassifier(configuration)
          const compiled = compileClassifier(configuration)
          for (const [identity, request] of asked) {
            const expected = plain.find(identity, request)
            const found = compiled.find(identity, request)
            expect(found.entry).toBe(expected.entry)
            expect(found.ruleIndex).toBe(expected.ruleIndex)
          }
        },
      ),
      { numRuns: 400 },
    )
  })

  it('tells identities apart that share a name, however many groups come and go', () => {
    const rules: RuleJson[] = [
      {
        subjects: [{ kind: 'Group', group: { name: 'team-7' } }],
        nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
      },
    ]
    const schema = flowSchema({
      metadata: { name: 'team' },
      spec: { priorityLevelConfiguration: { name: 'wl' }, rules },
    })
    const compiled = compileClassifier(effectiveConfiguration([schema], [queueLevel('wl')], rulesFor({ minor: 37 })))
    const request = pathRequest('get', '/version')
    const landings = Array.from({ length: 40 }, (_, team) => {
      const { entry } = compiled.find({ name: 'ada', groups: [`team-${team % 20}`] }, request)
      return entry.schema.metadata.name
    })
    expect(landings.filter((name) => name === 'team')).toHaveLength(2)
    expect(landings[7]).toBe('team')
    expect(landings[27]).toBe('team')
  })
})
