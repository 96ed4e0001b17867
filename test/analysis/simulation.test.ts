/** A change as a whole: what moves, what happens on the way, in which order nothing does. */
import { describe, expect, it } from 'vitest'
import type { ChangeStep, SetField } from '../../src/analysis/change/change.ts'
import { isRefusedChange, type Simulation, simulate } from '../../src/analysis/simulation.ts'
import { defaultObjects } from '../../src/apf/defaults/index.ts'
import { rulesFor } from '../../src/apf/versions.ts'

const RULES = rulesFor({ minor: 37 })
const API = 'flowcontrol.apiserver.k8s.io/v1'
const EVERYTHING = {
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
}

function apply(kind: string, name: string, spec: object): ChangeStep {
  const written = { apiVersion: API, kind, metadata: { name }, spec }
  return {
    action: 'apply',
    written,
    origin: { file: 'f', locate: () => undefined },
    type: null,
    served: false,
    serverSide: false,
  }
}

function schema(name: string, level: string, precedence: number, group = 'dev'): ChangeStep {
  const rules = [{ subjects: [{ kind: 'Group', group: { name: group } }], ...EVERYTHING }]
  return apply('FlowSchema', name, {
    priorityLevelConfiguration: { name: level },
    matchingPrecedence: precedence,
    rules,
  })
}

function level(name: string): ChangeStep {
  return apply('PriorityLevelConfiguration', name, { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } })
}

function remove(kind: 'FlowSchema' | 'PriorityLevelConfiguration', name: string): ChangeStep {
  return { action: 'delete', target: { kind, name } }
}

/** @param existing  what the cluster has besides the default objects */
function simulated(steps: readonly ChangeStep[], existing: readonly ChangeStep[] = []): Simulation {
  const ask = (objects = defaultObjects(RULES), asked: readonly ChangeStep[] = existing) => {
    const answer = simulate({
      before: { objects, rules: RULES, complete: true },
      rules: RULES,
      change: { steps: asked },
      withAllDefaults: false,
      identities: 'authenticated',
    })
    if (isRefusedChange(answer)) throw new Error(answer.refusals.map(({ message }) => message).join('\n'))
    return answer
  }
  return ask(existing.length === 0 ? defaultObjects(RULES) : ask().after.objects, steps)
}

const places = ({ moves }: Simulation) =>
  moves.map(({ from, to }) => `${from.level.metadata.name} → ${to.level.metadata.name}`)
const orderOf = ({ way }: Simulation) => way.order?.map(({ object }) => object.name)

describe('the way of a change', () => {
  it('has nothing in between where one object is changed', () => {
    expect(simulated([schema('dev', 'exempt', 700)]).way).toMatchObject({ verdict: 'direct', states: [] })
  })

  it('is safe where each step moves its own requests to their place', () => {
    const steps = [schema('dev', 'system', 700), schema('qa', 'system', 701, 'qa')]
    expect(simulated(steps).way).toMatchObject({ verdict: 'safe', order: null })
  })

  it('wants a level before the schema that names it', () => {
    const simulation = simulated([schema('dev', 'own', 700), level('own')])
    expect(simulation.way).toMatchObject({ verdict: 'reorder', states: [{ dangling: ['dev'], detours: [] }] })
    expect(orderOf(simulation)).toEqual(['own', 'dev'])
    expect(places(simulation)[0]).toBe('global-default → own')
  })

  it('sends requests to a third level where a schema is without its level for a while', () => {
    const simulation = simulated([schema('dev', 'own', 700), level('own')], [schema('dev', 'exempt', 700)])
    const [state] = simulation.way.states
    expect(state?.dangling).toEqual(['dev'])
    expect(
      state?.detours.map(({ from, via, to }) => [from, via, to].map((entry) => entry.level.metadata.name)),
    ).toContainEqual(['exempt', 'global-default', 'own'])
    expect(orderOf(simulation)).toEqual(['own', 'dev'])
  })

  it('takes the new schema first where one is replaced by another', () => {
    const simulation = simulated(
      [remove('FlowSchema', 'old'), schema('new', 'system', 701)],
      [schema('old', 'exempt', 700)],
    )
    expect(simulation.way.verdict).toBe('reorder')
    expect(orderOf(simulation)).toEqual(['new', 'old'])
  })

  it('cannot avoid what servers need a while to undo', () => {
    const simulation = simulated([remove('FlowSchema', 'service-accounts')])
    expect(simulation.moves).toEqual([])
    expect(simulation.way).toMatchObject({ verdict: 'unavoidable', order: null, states: [{ edit: null }] })
    expect(simulation.rewrites).toMatchObject([{ kind: 'restored' }])
  })

  it('finds the one order of two edits that sends nobody astray', () => {
    const before = [schema('a', 'system', 700), schema('b', 'exempt', 701)]
    const simulation = simulated([schema('a', 'node-high', 702), schema('b', 'workload-high', 700)], before)
    expect(simulation.way.verdict).toBe('reorder')
    expect(simulation.way.states[0]?.detours[0]?.via.level.metadata.name).toBe('exempt')
    expect(orderOf(simulation)).toEqual(['b', 'a'])
  })
})

describe('the moves of a change', () => {
  it('begin with system traffic, then exemptions', () => {
    const { moves } = simulated([schema('all', 'exempt', 600, 'system:authenticated')])
    const [first] = moves
    expect(first?.system.length).toBeGreaterThan(0)
    expect(moves.every(({ effects }) => effects.includes('now-exempt'))).toBe(true)
  })

  it('tell requests that are refused from now on, instead of queued', () => {
    const { moves } = simulated([schema('dev', 'own', 9500), level('own')])
    expect(moves.map(({ effects }) => effects)).toContainEqual(['now-rejected'])
  })

  it('name the step that does not change a thing', () => {
    const { objects, moves } = simulated([schema('dev', 'system', 700)], [schema('dev', 'system', 700)])
    expect({ objects, moves }).toEqual({
      objects: [{ object: { kind: 'FlowSchema', name: 'dev' }, effect: 'unchanged' }],
      moves: [],
    })
  })
})

describe('what levels do otherwise though no request moves', () => {
  const target = { kind: 'PriorityLevelConfiguration', name: 'workload-low' } as const
  const queuing = ['spec', 'limited', 'limitResponse', 'queuing']
  const one = [
    { path: [...queuing, 'queues'], value: 1 },
    { path: [...queuing, 'handSize'], value: 1 },
  ]

  it.each<[what: string, fields: SetField[], setting: string, before: unknown, after: unknown]>([
    ['lends less', [{ path: ['spec', 'limited', 'lendablePercent'], value: 0 }], 'lending', 90, 0],
    ['borrows less', [{ path: ['spec', 'limited', 'borrowingLimitPercent'], value: 0 }], 'borrowing', null, 0],
    [
      'refuses',
      [{ path: ['spec', 'limited', 'limitResponse'], value: { type: 'Reject' } }],
      'response',
      'Queue',
      'Reject',
    ],
    ['has one queue', one, 'queues', 128, 1],
    ['has shorter queues', [{ path: [...queuing, 'queueLengthLimit'], value: 5 }], 'queue-length', 50, 5],
  ])('is told: a level that %s', (_, fields, setting, before, after) => {
    const { settings, moves } = simulated([{ action: 'set', target, fields }])
    expect(settings).toEqual([{ level: 'workload-low', setting, before, after }])
    expect(moves).toEqual([])
  })

  it('is nothing where shares alone change', () => {
    const fields = [{ path: ['spec', 'limited', 'nominalConcurrencyShares'], value: 7 }]
    expect(simulated([{ action: 'set', target, fields }]).settings).toEqual([])
  })
})

describe('a mandatory level that is deleted', () => {
  it('leaves no mandatory schema without a level, since built-in ones stand in', () => {
    expect(simulated([remove('PriorityLevelConfiguration', 'catch-all')]).way).toMatchObject({
      verdict: 'direct',
      states: [],
    })
  })

  it('leaves the others without it', () => {
    const { way } = simulated([remove('PriorityLevelConfiguration', 'exempt')])
    expect(way.states.map(({ dangling }) => dangling)).toEqual([['probes']])
  })
})
