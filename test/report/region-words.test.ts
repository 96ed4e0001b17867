import { describe, expect, it } from 'vitest'
import { rulesFor } from '../../src/apf/versions.ts'
import { NO_REQUEST, subtractRegion, uniteRegions } from '../../src/regions/region.ts'
import { bypassRegion, nonResourceRuleRegion, resourceRuleRegion } from '../../src/regions/rules.ts'
import { NO_LIMITS, requestsInWords } from '../../src/report/region-words.ts'

const ANY = ['*']
const ANYWHERE = { namespaces: ANY, clusterScope: true }

interface Rules {
  resourceRules?: {
    verbs?: string[]
    apiGroups?: string[]
    resources?: string[]
    namespaces?: string[]
    clusterScope?: boolean
  }[]
  nonResourceRules?: { verbs: string[]; nonResourceURLs: string[] }[]
}

/** What the rules take under APF; of resource rules, whatever is not said is everything, scopes excepted. */
function regionOf({ resourceRules = [], nonResourceRules = [] }: Rules, minor: number) {
  const regions = [
    ...resourceRules.map((rule) =>
      resourceRuleRegion({ verbs: ANY, apiGroups: ANY, resources: ANY, namespaces: [], clusterScope: false, ...rule }),
    ),
    ...nonResourceRules.map(nonResourceRuleRegion),
  ]
  return subtractRegion(regions.reduce(uniteRegions, NO_REQUEST), bypassRegion(rulesFor({ minor })))
}

const PODS = { apiGroups: [''], resources: ['pods'] }
const PATHS = { verbs: ANY, nonResourceURLs: ANY }

describe('requests in words', () => {
  it.each<[Rules, string]>([
    [{ resourceRules: [ANYWHERE], nonResourceRules: [PATHS] }, 'everything'],
    [{ resourceRules: [ANYWHERE] }, 'every resource request'],
    [{ resourceRules: [{ namespaces: ANY }] }, 'every request in a namespace'],
    [{ resourceRules: [{ clusterScope: true }] }, 'every resource request without a namespace'],
    [{ resourceRules: [{ namespaces: ['shop'] }] }, 'any verb on any resource in shop'],
    [{ resourceRules: [{ verbs: ['list', 'get'], ...ANYWHERE }] }, 'get, list anywhere'],
    [{ resourceRules: [{ ...PODS, ...ANYWHERE }] }, 'any verb on pods anywhere'],
    [
      { resourceRules: [{ ...PODS, resources: ['pods/exec', 'pods/log'], namespaces: ANY }] },
      'watch pods/exec, pods/log in any namespace',
    ],
    [
      { resourceRules: [{ ...PODS, resources: ['pods', 'pods/log'], verbs: ['get'], namespaces: ['a', 'b'] }] },
      'get pods in a, b',
    ],
    [{ nonResourceRules: [PATHS] }, 'every non-resource request'],
    [
      { nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/metrics', '/healthz/*'] }] },
      'get /metrics /healthz/*',
    ],
    [{ nonResourceRules: [{ verbs: ANY, nonResourceURLs: ['/metrics'] }] }, 'any method on /metrics'],
    [{ nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ANY }] }, 'get on any path'],
  ])('%j: %s', (rules, words) => expect(requestsInWords(regionOf(rules, 37))).toBe(words))

  it('takes verbs that lie in several boxes together', () => {
    const but = subtractRegion(
      regionOf({ resourceRules: [{ ...PODS, ...ANYWHERE }] }, 37),
      regionOf({ resourceRules: [{ ...PODS, ...ANYWHERE, verbs: ['create', 'watch'] }] }, 37),
    )
    expect(requestsInWords(but)).toBe('any verb but create, watch on pods anywhere')
    const watched = uniteRegions(but, regionOf({ resourceRules: [{ ...PODS, ...ANYWHERE, verbs: ['watch'] }] }, 37))
    expect(requestsInWords(watched)).toBe('any verb but create on pods anywhere')
  })

  it('leaves out what bypasses APF in the release that is meant', () => {
    const everything = { resourceRules: [ANYWHERE], nonResourceRules: [PATHS] }
    expect(requestsInWords(regionOf(everything, 20), undefined, bypassRegion(rulesFor({ minor: 20 })))).toBe(
      'everything',
    )
    const withoutWatch = subtractRegion(
      regionOf({ resourceRules: [ANYWHERE] }, 37),
      regionOf({ resourceRules: [{ ...ANYWHERE, verbs: ['watch'] }] }, 37),
    )
    expect(requestsInWords(withoutWatch)).toBe('any verb but watch anywhere')
  })

  it('says all of it without limits', () => {
    const namespaces = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
    const region = regionOf({ resourceRules: [{ ...PODS, verbs: ['get'], namespaces }] }, 37)
    expect(requestsInWords(region)).toBe('get pods in a, b, c and 4 more')
    expect(requestsInWords(region, NO_LIMITS)).toBe('get pods in a, b, c, d, e, f, g')
  })
})
