import { describe, expect, it } from 'vitest'
import { reachOf, type SchemaReach, type Share } from '../../src/analysis/reach.ts'
import { plainClassifier } from '../../src/apf/classify.ts'
import { defaultObjects } from '../../src/apf/defaults/index.ts'
import { bypassesFairness } from '../../src/apf/long-running.ts'
import { policyRuleMatches } from '../../src/apf/match.ts'
import { type EffectiveConfiguration, effectiveConfiguration } from '../../src/apf/order.ts'
import type { Identity, RequestAttributes } from '../../src/apf/request.ts'
import { rulesFor } from '../../src/apf/versions.ts'
import { cubeContains, type IdentityFacts } from '../../src/regions/identity.ts'
import { regionContains } from '../../src/regions/region.ts'
import { Random } from '../oracle/random.ts'
import { randomIdentity, randomRequest, randomState, vocabularyOf } from '../support/changes.ts'
import { flowSchema, queueLevel, type RuleJson, type SubjectJson } from '../support/objects.ts'

const rules = rulesFor({ minor: 37 })
const DEFAULTS = defaultObjects(rules)
const EVERYTHING = { verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'], clusterScope: true }
const DEV: SubjectJson = { kind: 'Group', group: { name: 'dev' } }
const REPORTER: SubjectJson = { kind: 'ServiceAccount', serviceAccount: { namespace: 'shop', name: 'reporter' } }

function withDefaults(
  schemas: Record<string, [matchingPrecedence: number, ...rules: RuleJson[]]>,
): EffectiveConfiguration {
  const own = Object.entries(schemas).map(([name, [matchingPrecedence, ...ownRules]]) =>
    flowSchema({
      metadata: { name },
      spec: { priorityLevelConfiguration: { name: 'work' }, matchingPrecedence, rules: ownRules },
    }),
  )
  return effectiveConfiguration(
    [...DEFAULTS.flowSchemas, ...own],
    [...DEFAULTS.priorityLevels, queueLevel('work')],
    rules,
  )
}

function reach(
  configuration: EffectiveConfiguration,
  name: string,
  identities: IdentityFacts,
): SchemaReach | undefined {
  return reachOf(configuration, { identities, rules, schemas: new Set([name]) })[0]
}

describe('the reach of a schema', () => {
  const shadowed = withDefaults({
    wide: [300, { subjects: [DEV, REPORTER], resourceRules: [EVERYTHING] }],
    lists: [400, { subjects: [DEV], resourceRules: [{ ...EVERYTHING, verbs: ['list'] }] }],
    mixed: [
      500,
      { subjects: [DEV], resourceRules: [EVERYTHING] },
      {
        subjects: [{ kind: 'User', user: { name: 'ann' } }],
        nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/x'] }],
      },
    ],
    streams: [
      600,
      { subjects: [DEV], resourceRules: [{ ...EVERYTHING, resources: ['pods/exec', 'pods/log'], verbs: ['get'] }] },
    ],
    late: [9950, { subjects: [REPORTER], resourceRules: [EVERYTHING] }],
    twice: [
      700,
      { subjects: [REPORTER], nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/a/*'] }] },
      { subjects: [REPORTER], nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/a/b'] }] },
    ],
  })

  it.each<[string, IdentityFacts, string, string[]]>([
    ['wide', 'any', 'part', ['exempt', 'system-leader-election']],
    ['lists', 'any', 'nothing', ['wide']],
    ['mixed', 'any', 'part', ['exempt', 'wide']],
    ['streams', 'any', 'nothing', []],
    ['late', 'any', 'nothing', ['wide']],
    ['late', 'authenticated', 'nothing', ['wide']],
    ['catch-all', 'any', 'nothing', ['global-default']],
    ['exempt', 'any', 'all', []],
  ])('%s (%s) is %s, for %j', (name, identities, extent, coveredBy) => {
    const found = reach(shadowed, name, identities)
    expect({ extent: found?.extent, coveredBy: found?.coveredBy }).toEqual({ extent, coveredBy })
    expect(found?.witness === null).toBe(extent === 'nothing')
  })

  it('tells of each rule, and of an earlier rule of the same schema that covers it', () => {
    expect(reach(shadowed, 'twice', 'any')?.rules.map(({ extent, coveredBy }) => [extent, coveredBy])).toEqual([
      ['part', ['exempt', 'system-nodes']],
      ['nothing', ['twice']],
    ])
  })

  it('is told within some requests of some identities', () => {
    const [wide] = reachOf(shadowed, { identities: 'authenticated', rules, schemas: new Set(['wide']) })
    const [share] = wide?.rules[0]?.shares ?? []
    const found = reachOf(shadowed, { identities: 'authenticated', rules, ...(share ? { within: share } : {}) })
    expect(found.filter(({ extent }) => extent !== 'nothing').map(({ entry }) => entry.schema.metadata.name)).toEqual([
      'wide',
    ])
    expect(found.find(({ entry }) => entry.schema.metadata.name === 'wide')?.extent).toBe('all')
  })
})

const SEED = Number(process.env['REACH_SEED'] ?? 1)
const STATES = Number(process.env['REACH_STATES'] ?? 6)
const REQUESTS = 200

describe(`what rules get in ${STATES} random configurations (seed ${SEED})`, () => {
  it(
    'is what the classifier gives them, and what they do not get is taken by the schemas that are named',
    () => {
      const random = new Random(SEED)
      for (let round = 0; round < STATES; round++) {
        const configuration = randomState(random, rules)
        if (configuration.order.length > 30) continue
        const identities: IdentityFacts = random.pick(['any', 'authenticated'])
        const reaches = reachOf(configuration, { identities, rules })
        const vocabulary = vocabularyOf([configuration])
        const classifier = plainClassifier(configuration)
        for (let count = 0; count < REQUESTS; count++) {
          const identity = randomIdentity(random, vocabulary, identities)
          const request = randomRequest(random, [configuration])
          if (bypassesFairness(request, rules)) continue
          const taken = classifier.find(identity, request)
          for (const { entry, rules: ruleReaches } of reaches) {
            for (const { ruleIndex, extent, shares, coveredBy } of ruleReaches) {
              const said = JSON.stringify({
                round,
                name: entry.schema.metadata.name,
                ruleIndex,
                extent,
                identity,
                request,
              })
              const takes = taken.entry === entry && taken.ruleIndex === ruleIndex
              const rule = entry.schema.spec.rules[ruleIndex]
              const loses = !takes && rule !== undefined && policyRuleMatches(rule, identity, request)
              expect(takes && extent === 'nothing', said).toBe(false)
              expect(loses && extent === 'all', said).toBe(false)
              expect(shares.filter((share) => shareContains(share, { identity, request })).length, said).toBe(
                takes ? 1 : 0,
              )
              const isTaken = configuration.order.some(
                ({ schema }) =>
                  coveredBy.includes(schema.metadata.name) &&
                  schema.spec.rules.some((other) => policyRuleMatches(other, identity, request)),
              )
              expect(!loses || isTaken, said).toBe(true)
            }
          }
        }
      }
    },
    STATES * 20_000,
  )
})

function shareContains(
  { identities, requests }: Share,
  { identity, request }: { identity: Identity; request: RequestAttributes },
): boolean {
  return identities.some((cube) => cubeContains(cube, identity)) && regionContains(requests, request)
}
