import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bypassesFairness } from '../../src/apf/long-running.ts'
import { nonResourceRuleMatches, resourceRuleMatches } from '../../src/apf/match.ts'
import type { RequestAttributes } from '../../src/apf/request.ts'
import { rulesFor } from '../../src/apf/versions.ts'
import { boxContains } from '../../src/regions/box.ts'
import { firstMatch } from '../../src/regions/first-match.ts'
import {
  DECISION_ORDERS,
  EVERY_REQUEST,
  intersectRegions,
  isEmptyRegion,
  NO_REQUEST,
  PLANE_NAMES,
  pointOf,
  type Region,
  regionContains,
  sameRegion,
  simplifyRegion,
  spacesOf,
  subtractRegion,
  uniteRegions,
} from '../../src/regions/region.ts'
import { bypassRegion, nonResourceRuleRegion, resourceRuleRegion } from '../../src/regions/rules.ts'
import { witness } from '../../src/regions/witness.ts'
import { attributesOf, nonResourceRequest, resourceRequest } from '../support/region-entries.ts'

const VERBS = ['get', 'watch', 'proxy', '', '*', 'Get']
const GROUPS = ['', 'apps']
const RESOURCES = ['pods', 'pods/log', 'nodes', '*', '']
const NAMESPACES = ['shop', 'default', '']
const PATHS = ['/', '/*', '', '/a', '/a/', '/a/*', '/a*', '/a/b', '/a/b/*', '/debug/pprof/', '/debug', '*']

const some = (words: string[]) =>
  fc.oneof(fc.constant<string[]>(['*']), fc.array(fc.constantFrom(...words), { maxLength: 3 }))

const resourceRules = fc.record({
  verbs: some(VERBS),
  apiGroups: some(GROUPS),
  resources: some(RESOURCES),
  namespaces: some(NAMESPACES),
  clusterScope: fc.boolean(),
})
const nonResourceRules = fc.record({ verbs: some(VERBS), nonResourceURLs: some(PATHS) })

/** Every request that differs in the words above, and some beside them. */
const UNIVERSE: RequestAttributes[] = [
  ...['get', 'watch', 'proxy', '', '*', 'Get', 'list'].flatMap((verb) =>
    ['', 'apps', 'batch'].flatMap((apiGroup) =>
      ['pods', 'nodes', '*', '', 'jobs'].flatMap((resource) =>
        ['', 'log', 'exec', 'status'].flatMap((subresource) =>
          ['', 'shop', 'default', 'web'].map((namespace) =>
            resourceRequest({ verb, apiGroup, resource, subresource, namespace }),
          ),
        ),
      ),
    ),
  ),
  ...['get', 'watch', 'proxy', '', '*', 'post'].flatMap((verb) =>
    [...PATHS, 'a', '/ab', '/a/b/c', '/a/bc', '/debug/pprof', '/debug/pprof/heap'].map((path) =>
      nonResourceRequest(verb, path),
    ),
  ),
]

const regions: fc.Arbitrary<Region> = fc.letrec<{ region: Region; rule: Region }>((tie) => ({
  region: fc.oneof(
    { depthSize: 'small' },
    tie('rule'),
    fc.tuple(tie('region'), tie('region')).map(([a, b]) => uniteRegions(a, b)),
    fc.tuple(tie('region'), tie('region')).map(([a, b]) => subtractRegion(a, b)),
  ),
  rule: fc.oneof(
    resourceRules.map(resourceRuleRegion),
    nonResourceRules.map(nonResourceRuleRegion),
    fc.constantFrom(
      EVERY_REQUEST,
      NO_REQUEST,
      bypassRegion(rulesFor({ minor: 21 })),
      bypassRegion(rulesFor({ minor: 37 })),
    ),
  ),
})).region

function members(region: Region): RequestAttributes[] {
  return UNIVERSE.filter((request) => regionContains(region, request))
}

describe('regions', () => {
  it('hold the requests that their rule matches', () => {
    fc.assert(
      fc.property(resourceRules, nonResourceRules, (resourceRule, nonResourceRule) => {
        expect(members(resourceRuleRegion(resourceRule))).toEqual(
          UNIVERSE.filter((request) => request.isResourceRequest && resourceRuleMatches(resourceRule, request)),
        )
        expect(members(nonResourceRuleRegion(nonResourceRule))).toEqual(
          UNIVERSE.filter((request) => !request.isResourceRequest && nonResourceRuleMatches(nonResourceRule, request)),
        )
      }),
    )
  })

  it.each([20, 21, 22, 37])('of the bypass hold the requests that 1.%i does not classify', (minor) => {
    const rules = rulesFor({ minor })
    expect(members(bypassRegion(rules))).toEqual(UNIVERSE.filter((request) => bypassesFairness(request, rules)))
  })

  it('are combined request by request', () => {
    fc.assert(
      fc.property(regions, regions, (a, b) => {
        const inA = new Set(members(a))
        const inB = new Set(members(b))
        expect(members(intersectRegions(a, b))).toEqual([...inA].filter((request) => inB.has(request)))
        expect(members(subtractRegion(a, b))).toEqual([...inA].filter((request) => !inB.has(request)))
        expect(members(uniteRegions(a, b))).toEqual(UNIVERSE.filter((request) => inA.has(request) || inB.has(request)))
      }),
      { numRuns: 60 },
    )
  })

  it('are equal exactly if neither has anything that the other lacks', () => {
    fc.assert(
      fc.property(regions, regions, (a, b) => {
        expect(sameRegion(uniteRegions(a, b), uniteRegions(b, a))).toBe(true)
        expect(sameRegion(uniteRegions(subtractRegion(a, b), intersectRegions(a, b)), a)).toBe(true)
        expect(sameRegion(a, subtractRegion(a, b))).toBe(isEmptyRegion(intersectRegions(a, b)))
      }),
      { numRuns: 60 },
    )
  })

  it('stay the same, and disjoint, when simplified', () => {
    fc.assert(
      fc.property(regions, (region) => {
        const simple = simplifyRegion(region)
        expect(sameRegion(simple, region)).toBe(true)
        const inSeveral = UNIVERSE.filter((request) => {
          const { plane, point } = pointOf(request)
          return simple[plane].filter((box) => boxContains(box, point)).length > 1
        })
        expect(inSeveral).toEqual([])
      }),
      { numRuns: 60 },
    )
  })

  it('that are cut up and simplified are whole again', () => {
    fc.assert(
      fc.property(resourceRules.map(resourceRuleRegion), (region) => {
        const cut = uniteRegions(subtractRegion(EVERY_REQUEST, region), region)
        for (const plane of PLANE_NAMES) expect(simplifyRegion(cut)[plane]).toHaveLength(1)
      }),
    )
  })

  it('have a witness inside, unless they are empty', () => {
    fc.assert(
      fc.property(regions, (region) => {
        const line = witness(region, { name: 'ada', groups: [] })
        expect(line === null).toBe(isEmptyRegion(region))
        if (line) expect(regionContains(region, attributesOf(line))).toBe(true)
      }),
      { numRuns: 200 },
    )
  })
})

describe('first match', () => {
  it('gives each point to the first clause that holds it, and names the clauses that decide anything', () => {
    fc.assert(
      fc.property(fc.array(resourceRules.map(resourceRuleRegion), { maxLength: 8 }), (rules) => {
        const clauses = rules.flatMap(({ cluster }, index) => cluster.map((box) => ({ box, answer: index % 3 })))
        const { boxes, deciding } = firstMatch(clauses, spacesOf('cluster'), DECISION_ORDERS.cluster)
        const deciders = new Set<number>()
        const misplaced = UNIVERSE.filter((request) => {
          const { plane, point } = pointOf(request)
          if (plane !== 'cluster') return false
          const first = clauses.findIndex(({ box }) => boxContains(box, point))
          if (first >= 0) deciders.add(first)
          const holding = [...boxes].flatMap(([answer, found]) =>
            found.filter((box) => boxContains(box, point)).map(() => answer),
          )
          return holding.join() !== (clauses[first] ? String(clauses[first].answer) : '')
        })
        expect(misplaced).toEqual([])
        expect(deciding).toEqual(deciders)
      }),
    )
  })
})
