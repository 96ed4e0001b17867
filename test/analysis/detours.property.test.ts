/**
 * Detours, complete and exact: a random request of a random identity is on one exactly if the classifier finds it meanwhile
 * in a level that is neither its first nor its last.
 */
import { describe, expect, it } from 'vitest'
import { movesBetween } from '../../src/analysis/moves.ts'
import { detoursThrough } from '../../src/analysis/simulation/detours.ts'
import { compileClassifier } from '../../src/apf/compiled-classifier.ts'
import { defaultObjects } from '../../src/apf/defaults/index.ts'
import { bypassesFairness } from '../../src/apf/long-running.ts'
import { type EffectiveConfiguration, effectiveConfiguration } from '../../src/apf/order.ts'
import { rulesFor } from '../../src/apf/versions.ts'
import { cubeContains } from '../../src/regions/identity.ts'
import { regionContains } from '../../src/regions/region.ts'
import { generatedManifests } from '../e2e/generated.ts'
import { Random } from '../oracle/random.ts'
import { randomIdentity, randomRequest, vocabularyOf } from '../support/changes.ts'
import { type FlowSchemaJson, flowSchema, queueLevel } from '../support/objects.ts'
import { attributesOf } from '../support/region-entries.ts'

const SEED = 27_182
const CHANGES = 6
const SCHEMAS = 8
const REQUESTS = 200
const RULES = rulesFor({ minor: 37 })

/** Some schemas; meanwhile some of them are others already, or gone, or on their way to other ones. */
function threeStates(random: Random): EffectiveConfiguration[] {
  const schemasOf = (seed: number) =>
    (generatedManifests(seed, SCHEMAS, 'v1') as (FlowSchemaJson & { kind: string })[])
      .filter(({ kind }) => kind === 'FlowSchema')
      .map(flowSchema)
  const [first, second, last] = [0, 1, 2].map(() => schemasOf(random.integer(1, 1e6)))
  const edited = Array.from({ length: SCHEMAS }, () => random.chance(0.4))
  const states = [
    first,
    first?.flatMap((schema, index) =>
      edited[index] && random.chance(0.7) ? (second?.slice(index, index + 1) ?? []) : schema,
    ),
    first?.flatMap((schema, index) => (edited[index] ? (last?.slice(index, index + 1) ?? []) : schema)),
  ]
  const defaults = defaultObjects(RULES)
  const levels = ['level-0', 'level-1', 'level-2', 'level-3'].map(queueLevel)
  return states.map((schemas) =>
    effectiveConfiguration(
      [...defaults.flowSchemas, ...(schemas ?? [])],
      [...defaults.priorityLevels, ...levels],
      RULES,
    ),
  )
}

describe.each(['any', 'authenticated'] as const)(`detours of identities: %s, seed ${SEED}`, (identities) => {
  const random = new Random(SEED)
  it.each(Array.from({ length: CHANGES }, (_, index) => index))('change %i', () => {
    const configurations = threeStates(random)
    const [before, meanwhile, after] = configurations.map((configuration) => ({ configuration, rules: RULES }))
    if (!before || !meanwhile || !after) throw new Error('there are three states')
    const { moves } = movesBetween(before.configuration, after.configuration, {
      identities,
      rules: { before: RULES, after: RULES },
    })
    const { detours, undecided } = detoursThrough(before, meanwhile, after, moves, identities)
    expect(undecided).toEqual([])
    const classifiers = configurations.map(compileClassifier)
    const levels = (...asked: Parameters<ReturnType<typeof compileClassifier>['find']>) =>
      classifiers.map((classifier) => classifier.find(...asked).entry.level.metadata.name)

    for (const { from, via, to, witness } of detours) {
      const identity = { name: witness.user, groups: witness.groups }
      const names = [from, via, to].map(({ level }) => level.metadata.name)
      expect(levels(identity, attributesOf(witness))).toEqual(names)
    }
    const vocabulary = vocabularyOf(configurations)
    for (let count = 0; count < REQUESTS; count++) {
      const identity = randomIdentity(random, vocabulary, identities)
      const request = randomRequest(random, configurations)
      if (bypassesFairness(request, RULES)) continue
      const [first, via, last] = levels(identity, request)
      const onDetour = via !== first && via !== last
      const found = detours.filter(
        (detour) =>
          detour.identities.some((cube) => cubeContains(cube, identity)) && regionContains(detour.requests, request),
      )
      expect([found.length > 0, request, identity]).toEqual([onDetour, request, identity])
    }
  })
})
