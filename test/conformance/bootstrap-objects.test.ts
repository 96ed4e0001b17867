import { describe, expect, it } from 'vitest'
import { decodeObject } from '../../src/apf/decode.ts'
import { bootstrapClass, defaultObjects } from '../../src/apf/defaults/index.ts'
import type { ApfObject } from '../../src/apf/objects.ts'
import { NEWEST_MINOR, OLDEST_MINOR, resolveVersion, rulesFor, type VersionRules } from '../../src/apf/versions.ts'
import { vectors } from './vectors.ts'

interface NamedSpec {
  name: string
  spec: object
}

interface Expected {
  appliesTo: string[]
  annotationsOnEveryObject: Record<string, string>
  mandatoryFlowSchemas: NamedSpec[]
  suggestedFlowSchemas: NamedSpec[]
  mandatoryPriorityLevels: NamedSpec[]
  suggestedPriorityLevels: NamedSpec[]
}

const sets = vectors<{ bootstrapVersion: string }, Expected>('classification', 'bootstrapObjects')

/** `1.20.0-1.20.6` stands for its two ends, `1.28` for all its patches. */
const releases = sets.flatMap(({ expected }) =>
  expected.appliesTo.flatMap((range) =>
    range
      .replace('-beta.0', '')
      .split('-')
      .map((release) => ({ release, expected })),
  ),
)

describe.each(releases)('default objects of $release', ({ release, expected }) => {
  const version = resolveVersion(release)
  if (!version.known) throw new Error(`${release} is not in the table`)
  const { rules } = version
  const { flowSchemas, priorityLevels } = defaultObjects(rules)

  it('have the specs of upstream', () => {
    const { mandatoryFlowSchemas, suggestedFlowSchemas, mandatoryPriorityLevels, suggestedPriorityLevels } = expected
    expect(specsByName(flowSchemas)).toEqual(
      upstreamSpecs('FlowSchema', [...mandatoryFlowSchemas, ...suggestedFlowSchemas], rules),
    )
    expect(specsByName(priorityLevels)).toEqual(
      upstreamSpecs('PriorityLevelConfiguration', [...mandatoryPriorityLevels, ...suggestedPriorityLevels], rules),
    )
  })

  it('have the annotations and classes of upstream', () => {
    const mandatory = [...expected.mandatoryFlowSchemas, ...expected.mandatoryPriorityLevels].map(({ name }) => name)
    for (const object of [...flowSchemas, ...priorityLevels]) {
      expect(object.metadata.annotations).toEqual(expected.annotationsOnEveryObject)
      expect(bootstrapClass(object, rules)).toBe(mandatory.includes(object.metadata.name) ? 'mandatory' : 'suggested')
    }
  })
})

it('every minor of the table is compared', () => {
  const compared = new Set(releases.map(({ release }) => Number(release.split('.')[1])))
  for (let minor = OLDEST_MINOR; minor <= NEWEST_MINOR; minor++) expect(compared).toContain(minor)
  expect(rulesFor({ minor: NEWEST_MINOR }).bootstrapGroup).toBe('F')
})

function specsByName(objects: readonly ApfObject[]): Record<string, unknown> {
  return Object.fromEntries(objects.map(({ metadata, spec }) => [metadata.name, spec]))
}

/** Upstream's objects are in the API version that the release itself uses. */
function upstreamSpecs(kind: string, objects: readonly NamedSpec[], rules: VersionRules): Record<string, unknown> {
  const apiVersion = `flowcontrol.apiserver.k8s.io/${rules.servedVersions[0]}`
  return Object.fromEntries(
    objects.map(({ name, spec }) => {
      const { object, problems } = decodeObject({ apiVersion, kind, metadata: { name }, spec }, null, rules)
      expect(problems).toEqual([])
      return [name, object?.spec]
    }),
  )
}
