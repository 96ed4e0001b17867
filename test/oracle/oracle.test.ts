import { describe, expect, it } from 'vitest'
import { decodeObject } from '../../src/apf/decode.ts'
import { bootstrapClass, defaultObjects } from '../../src/apf/defaults/index.ts'
import { type ApfObject, FLOWCONTROL_GROUP } from '../../src/apf/objects.ts'
import { rulesFor, VERSION_TABLE, type VersionRules } from '../../src/apf/versions.ts'
import {
  buildOracle,
  DEFAULT_UPSTREAM,
  type DefaultLists,
  type DefaultObject,
  defaultsOfReleases,
  missingToolchain,
} from './build.ts'
import { runCampaign, summary } from './campaign.ts'
import { Oracle } from './process.ts'

const REQUESTS = 200_000
const SEED = 20_250_131

/** Compiling Kubernetes' API machinery for the first time takes minutes. */
const COLD_BUILD = 20 * 60_000

const suffix = missingToolchain ? ` [${missingToolchain}]` : ''

describe.skipIf(missingToolchain)(`k8s.io/apiserver ${DEFAULT_UPSTREAM} itself${suffix}`, () => {
  it('classifies random requests in random configurations as we do', { timeout: COLD_BUILD }, async () => {
    const program = await buildOracle()
    const result = await runCampaign({ program, upstream: DEFAULT_UPSTREAM, count: REQUESTS, seed: SEED })
    console.log(`seed ${SEED}: ${summary(result)}`)
    expect(result.disagreements).toEqual([])
    expect(result.requests).toBeGreaterThanOrEqual(REQUESTS)
    expect(result.custom / result.requests).toBeGreaterThan(0.4)
    expect(result.near / result.requests).toBeGreaterThan(0.3)
  })

  it('has our default objects', { timeout: COLD_BUILD }, async () => {
    const oracle = new Oracle(await buildOracle())
    const lists = await oracle.defaultObjects().finally(() => oracle.close())
    expectDefaults(rulesFor({ minor: 37, patch: 2 }), lists)
  })
})

describe.skipIf(missingToolchain)(`the default objects of the newest patch of every minor${suffix}`, () => {
  const releases = VERSION_TABLE.map(({ minor, lastPatch }) => ({ minor, release: `0.${minor}.${lastPatch}` }))

  it('are those of upstream, field by field', { timeout: COLD_BUILD }, async () => {
    const lists = await defaultsOfReleases(releases.map(({ release }) => release))
    expect(Object.keys(lists)).toHaveLength(18)
    for (const { minor, release } of releases) {
      const upstream = lists[release]
      if (!upstream) throw new Error(`no objects of ${release}`)
      expectDefaults(rulesFor({ minor }), upstream)
    }
  })
})

/** Names, classes, annotations and every field of every spec, in both directions. */
function expectDefaults(rules: VersionRules, lists: DefaultLists): void {
  const upstream = [
    ...described('FlowSchema', 'mandatory', lists.mandatoryFlowSchemas, rules),
    ...described('FlowSchema', 'suggested', lists.suggestedFlowSchemas, rules),
    ...described('PriorityLevelConfiguration', 'mandatory', lists.mandatoryPriorityLevels, rules),
    ...described('PriorityLevelConfiguration', 'suggested', lists.suggestedPriorityLevels, rules),
  ]
  const { flowSchemas, priorityLevels } = defaultObjects(rules)
  const ours = [...flowSchemas, ...priorityLevels].map((object) => ({
    title: `1.${rules.minor} ${object.kind} ${object.metadata.name}`,
    class: bootstrapClass(object, rules),
    annotations: object.metadata.annotations,
    spec: object.spec,
  }))
  expect(sortedByTitle(ours)).toEqual(sortedByTitle(upstream))
}

function described(kind: ApfObject['kind'], bootstrap: string, objects: DefaultObject[], rules: VersionRules) {
  return objects.map(({ metadata, spec }) => {
    const apiVersion = `${FLOWCONTROL_GROUP}/${rules.servedVersions[0]}`
    const { object } = decodeObject({ apiVersion, kind, metadata: { name: metadata.name }, spec }, null, rules)
    return {
      title: `1.${rules.minor} ${kind} ${metadata.name}`,
      class: bootstrap,
      annotations: metadata.annotations ?? {},
      spec: object?.spec,
    }
  })
}

function sortedByTitle<T extends { title: string }>(objects: T[]): T[] {
  return objects.sort((a, b) => (a.title < b.title ? -1 : 1))
}
