import { describe, expect, it } from 'vitest'
import {
  API_VERSIONS,
  type ApiVersion,
  parseServerVersion,
  resolveVersion,
  rulesFor,
  VERSION_TABLE,
  type VersionRules,
  versionFromVersionJson,
} from '../../src/apf/versions.ts'

describe('version texts', () => {
  it.each([
    ['1.31', 31, null],
    ['v1.31.2', 31, 2],
    ['v1.31.2-eks-7f9249a', 31, 2],
    ['v1.30.5-gke.1014001', 30, 5],
    ['v1.31.4+k3s1', 31, 4],
    ['1.31+', 31, null],
    ['31+', 31, null],
    ['31', 31, null],
    ['v1.37.0-beta.0', 37, 0],
    [' 1.28 \n', 28, null],
  ])('%j is minor %s, patch %s', (text, minor, patch) => {
    expect(parseServerVersion(text)).toEqual({ minor, patch, text: text.trim() })
  })

  it.each(['', '1', 'v1', '2.31', '1.x', 'latest', '1.31 or so', '1.-3', '1.31.'])('%j is none', (text) => {
    expect(parseServerVersion(text)).toBeNull()
  })
})

describe('GET /version', () => {
  it('gives the version of the binary', () => {
    const answer = { major: '1', minor: '31+', gitVersion: 'v1.31.2-eks-7f9249a', platform: 'linux/amd64' }
    expect(versionFromVersionJson(answer)).toEqual({ minor: 31, patch: 2, text: 'v1.31.2-eks-7f9249a' })
  })

  it('gives the emulated minor, in which patches of the binary mean nothing', () => {
    const answer = { gitVersion: 'v1.37.2', minor: '37', emulationMajor: '1', emulationMinor: '36' }
    expect(versionFromVersionJson(answer)).toEqual({ minor: 36, patch: null, text: 'v1.37.2 emulating 1.36' })
  })

  it('gives the patch where the server emulates itself', () => {
    const answer = { gitVersion: 'v1.37.2', emulationMajor: '1', emulationMinor: '37' }
    expect(versionFromVersionJson(answer)).toEqual({ minor: 37, patch: 2, text: 'v1.37.2' })
  })

  it('does without gitVersion', () => {
    expect(versionFromVersionJson({ major: '1', minor: '30+' })).toEqual({ minor: 30, patch: null, text: '1.30+' })
  })

  it.each([null, 'v1.31.2', 31, [], {}, { gitVersion: 31 }])('%j tells nothing', (answer) => {
    expect(versionFromVersionJson(answer)).toBeNull()
  })
})

describe('the row of a version', () => {
  it('is that of the last known patch if no patch is given', () => {
    expect(rulesFor({ minor: 23 })).toEqual(rulesFor({ minor: 23, patch: 17 }))
    expect(rulesFor({ minor: 23 })).toMatchObject({ patch: 17, headersOnExempt: true, uncountedListCost: 'one' })
  })

  it('is the newest for a server newer than the table, and says so', () => {
    const version = resolveVersion('v1.45.1')
    expect(version).toMatchObject({ known: true, newerThanKnown: true, text: 'v1.45.1', rules: { minor: 37 } })
  })

  it.each([
    ['1.19.3', ['1.20', '1.21']],
    ['latest', ['1.20', '1.37']],
  ])('does not exist for %s, and the nearest are named', (text, nearest) => {
    expect(resolveVersion(text)).toEqual({ known: false, text, nearest })
  })
})

describe('exceptions in patches', () => {
  const cases: [minor: number, patch: number, rule: Partial<VersionRules>][] = [
    [20, 6, { bootstrapGroup: 'A' }],
    [20, 7, { bootstrapGroup: 'A+probes' }],
    [21, 0, { bootstrapGroup: 'A' }],
    [21, 1, { bootstrapGroup: 'A+probes' }],
    [23, 1, { headersOnExempt: false }],
    [23, 2, { headersOnExempt: true }],
    [23, 5, { uncountedListCost: 'maximum' }],
    [23, 6, { uncountedListCost: 'one' }],
    [23, 12, { namedListCostsOne: false }],
    [23, 13, { namedListCostsOne: true }],
    [24, 6, { namedListCostsOne: false, uncountedListCost: 'one' }],
    [24, 7, { namedListCostsOne: true }],
    [25, 2, { namedListCostsOne: false }],
    [25, 3, { namedListCostsOne: true, seatCapPerLevel: false }],
    [25, 13, { seatCapPerLevel: true, smoothingGuarded: false }],
    [26, 0, { namedListCostsOne: true }],
    [26, 7, { seatCapPerLevel: false }],
    [26, 8, { seatCapPerLevel: true }],
    [26, 12, { smoothingGuarded: false }],
    [26, 13, { smoothingGuarded: true }],
    [27, 4, { seatCapPerLevel: false }],
    [27, 5, { seatCapPerLevel: true }],
    [27, 9, { smoothingGuarded: false }],
    [27, 10, { smoothingGuarded: true }],
    [28, 0, { seatCapPerLevel: true }],
    [28, 4, { waitLimitPerRequest: false }],
    [28, 5, { waitLimitPerRequest: true, smoothingGuarded: false }],
    [28, 6, { smoothingGuarded: true }],
    [28, 15, { objectCountsReachEstimator: false }],
    [29, 0, { waitLimitPerRequest: true, smoothingGuarded: true }],
    [29, 13, { objectCountsReachEstimator: false }],
    [29, 14, { objectCountsReachEstimator: true }],
    [30, 9, { objectCountsReachEstimator: false }],
    [30, 10, { objectCountsReachEstimator: true }],
    [31, 0, { objectCountsReachEstimator: true }],
    [33, 0, { namedListCostsOne: true }],
    [34, 0, { namedListCostsOne: false }],
  ]
  it.each(cases)('1.%i.%i: %o', (minor, patch, rule) => {
    expect(rulesFor({ minor, patch })).toMatchObject({ patch, ...rule })
  })
})

describe('the table', () => {
  it('has one row for each minor from 1.20 to 1.37', () => {
    expect(VERSION_TABLE.map(({ minor }) => minor)).toEqual([
      20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37,
    ])
  })

  it('serves and deprecates API versions as their lives say, newest first', () => {
    const newestFirst: ApiVersion[] = ['v1', 'v1beta3', 'v1beta2', 'v1beta1']
    for (const { minor, rules } of VERSION_TABLE) {
      const served = newestFirst.filter((version) => {
        const { introduced, removed } = API_VERSIONS[version]
        return introduced <= minor && minor < (removed ?? Number.POSITIVE_INFINITY)
      })
      expect(rules.servedVersions).toEqual(served)
      const isDeprecated = (version: ApiVersion): boolean =>
        (API_VERSIONS[version].deprecated ?? Number.POSITIVE_INFINITY) <= minor
      expect(rules.deprecatedVersions).toEqual(served.filter(isDeprecated))
    }
  })
})
