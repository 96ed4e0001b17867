/** Rules of live state on recordings of API servers. */
import { describe, expect, it } from 'vitest'
import type { RuleId } from '../../../src/lint/rule.ts'
import type { LevelState } from '../../../src/metrics/server-state.ts'
import { type Changes, found, liveContext } from './live-context.ts'

interface Case {
  says: string
  of: string[]
  rule: RuleId
  finds: string[]
  changes?: Changes
}

const DAY = 86_400

/** A level of the second server, changed. */
function second(name: string, change: Partial<LevelState>): Changes {
  return {
    servers: (server, index) =>
      index === 0
        ? { ...server, name: 'a' }
        : {
            ...server,
            name: 'b',
            levels: server.levels.map((level) => (level.name === name ? { ...level, ...change } : level)),
          },
  }
}

const CASES: Case[] = [
  {
    says: 'nothing where all default objects are there',
    of: ['1.37-idle'],
    rule: 'APF401',
    finds: [],
  },
  {
    says: 'a mandatory object that is missing',
    of: ['1.37-idle'],
    rule: 'APF401',
    finds: ['warning: mandatory FlowSchema catch-all is missing; the server uses one of its own in its place'],
    changes: without('catch-all'),
  },
  {
    says: 'a suggested object that is missing',
    of: ['1.37-idle'],
    rule: 'APF402',
    finds: ['info: suggested FlowSchema system-nodes is missing'],
    changes: without('system-nodes'),
  },
  {
    says: 'no missing objects where none were recorded',
    of: ['1.37-idle'],
    rule: 'APF401',
    finds: [],
    changes: { objects: () => ({ flowSchemas: [], priorityLevels: [] }) },
  },
  {
    says: 'servers of different modes',
    of: ['1.37-idle', '1.37-maxinflight-idle'],
    rule: 'APF501',
    finds: ['warning: the servers differ in what limits requests: 1.37-idle APF; 1.37-maxinflight-idle MaxInFlight'],
  },
  { says: 'servers of one mode', of: ['1.37-ha-a', '1.34-ha-b'], rule: 'APF501', finds: [] },
  {
    says: 'servers with different seats',
    of: ['1.37-ha-a', '1.34-ha-b'],
    rule: 'APF502',
    finds: ['warning: the servers differ in seats: 1.37-ha-a 600 seats; 1.34-ha-b 180 seats'],
  },
  {
    says: 'servers of different releases',
    of: ['1.37-ha-a', '1.34-ha-b'],
    rule: 'APF503',
    finds: ['info: the servers are of different releases: 1.37-ha-a v1.37.2; 1.34-ha-b v1.34.4'],
  },
  {
    says: 'evidence that contradicts itself',
    of: ['1.37-idle'],
    rule: 'APF504',
    finds: ['warning: 1.37-idle: the evidence contradicts itself: metrics and flags differ'],
    changes: {
      servers: (server) => ({ ...server, mode: { ...server.mode, contradiction: 'metrics and flags differ' } }),
    },
  },
  {
    says: 'an aggregated API server',
    of: ['1.37-idle'],
    rule: 'APF505',
    finds: ['info: 1.37-idle is an aggregated API server: its limiter is its own, beside that of kube-apiserver'],
    changes: { servers: (server) => ({ ...server, component: 'other-api-server' }) },
  },
  {
    says: 'objects without effect',
    of: ['1.31-zero-both-noapf'],
    rule: 'APF506',
    finds: ['warning: 13 FlowSchemas exist and have no effect on 1.31-zero-both-noapf: APF is off there'],
  },
  { says: 'nothing full on an idle server', of: ['1.37-idle'], rule: 'APF510', finds: [] },
  {
    says: 'levels that are full, default ones included',
    of: ['1.37-exempt-borrowing'],
    rule: 'APF510',
    finds: [
      'warning: PriorityLevelConfiguration busy is full on 1.37-exempt-borrowing: 2 of 2 seats are in use and 28 requests wait',
    ],
  },
  {
    says: 'nothing full where every seat is in use and nobody waits',
    of: ['1.37-exempt-borrowing'],
    rule: 'APF510',
    finds: [],
    changes: {
      servers: (server) => ({ ...server, levels: server.levels.map((level) => ({ ...level, waitingRequests: 0 })) }),
    },
  },
  {
    says: 'refusals, by schema and level',
    of: ['1.24-saturated'],
    rule: 'APF511',
    finds: [
      'warning: FlowSchema analysts: 1.24-saturated refused 87 of 91 requests in strict since it started',
      'warning: FlowSchema batch-jobs: 1.24-saturated refused 8 of 14 requests in batch since it started',
    ],
  },
  {
    says: 'only as information that callers gave up',
    of: ['1.37-wide'],
    rule: 'APF511',
    finds: ['info: FlowSchema tight: 1.37-wide refused 1 of 4 requests in tight since it started'],
    changes: {
      servers: (server) => ({
        ...server,
        levels: server.levels.map((level) => ({
          ...level,
          rejectedBy: level.rejectedBy.map((rejection) => ({ ...rejection, reason: 'cancelled' })),
        })),
      }),
    },
  },
  {
    says: 'no schema without traffic where nothing tells when the servers were read',
    of: ['1.37-wide'],
    rule: 'APF512',
    finds: [],
  },
  { says: 'no drift among servers alike', of: ['1.37-idle', '1.37-idle'], rule: 'APF513', finds: [] },
  { says: 'no drift where the seats differ', of: ['1.37-ha-a', '1.34-ha-b'], rule: 'APF513', finds: [] },
  {
    says: 'a level with other limits on one server',
    of: ['1.37-idle', '1.37-idle'],
    rule: 'APF513',
    finds: [
      'warning: PriorityLevelConfiguration workload-low is not the same on all API servers: a gives it 245 seats; b gives it 196 seats',
    ],
    changes: second('workload-low', { nominal: 196 }),
  },
  {
    says: 'a level that one server does not enforce',
    of: ['1.37-idle', '1.37-idle'],
    rule: 'APF513',
    finds: [
      'warning: PriorityLevelConfiguration workload-low is not the same on all API servers: a gives it 245 seats; b does not enforce it',
    ],
    changes: second('workload-low', { inForce: false }),
  },
  {
    says: 'no drift where a level is on its way out',
    of: ['1.37-idle', '1.37-idle'],
    rule: 'APF513',
    finds: [],
    changes: second('workload-low', { nominal: 196, quiescing: true }),
  },
  { says: 'no condition that is stale', of: ['1.37-idle'], rule: 'APF514', finds: [] },
  {
    says: 'a condition that says that a level is missing which is there',
    of: ['1.37-idle'],
    rule: 'APF514',
    finds: ['warning: FlowSchema probes has the condition Dangling: True, and its level "exempt" is there'],
    changes: withDangling('True'),
  },
  {
    says: 'no stale condition for another release',
    of: ['1.37-idle'],
    rule: 'APF514',
    finds: [],
    changes: { ...withDangling('True'), release: null },
  },
]

function without(name: string): Changes {
  return {
    objects: ({ flowSchemas, priorityLevels }) => ({
      flowSchemas: flowSchemas.filter(({ metadata }) => metadata.name !== name),
      priorityLevels,
    }),
  }
}

function withDangling(status: string): Changes {
  const condition = { type: 'Dangling', status, reason: '', message: '', lastTransitionTime: null }
  return {
    objects: ({ flowSchemas, priorityLevels }) => ({
      flowSchemas: flowSchemas.map((schema) =>
        schema.metadata.name === 'probes' ? { ...schema, status: { conditions: [condition] } } : schema,
      ),
      priorityLevels,
    }),
  }
}

describe.each(CASES)('$rule', ({ says, of, rule, finds, changes }) => {
  it(`finds ${says}`, async () => {
    expect(found(await liveContext(of, changes), rule)).toEqual(finds)
  })
})

describe('APF512', () => {
  const START = 1_700_000_000
  const settled = (seconds: number): Changes['objects'] => {
    return ({ flowSchemas, priorityLevels }) => ({
      flowSchemas: flowSchemas.map((schema) => ({
        ...schema,
        status: {
          conditions: [
            {
              type: 'Dangling',
              status: 'False',
              reason: '',
              message: '',
              lastTransitionTime: new Date(seconds * 1000).toISOString(),
            },
          ],
        },
      })),
      priorityLevels,
    })
  }
  const started: Changes['servers'] = (server) => ({
    ...server,
    startedAt: START,
    flowSchemas: server.flowSchemas.filter(({ name }) => name !== 'tight'),
  })

  it.each([
    ['schemas without a request for more than a day', START + 3 * DAY, START, ['single', 'tight']],
    ['nothing within a day of the start', START + DAY / 2, START, []],
    ['nothing of a schema that is younger than a day', START + 3 * DAY, START + 2.5 * DAY, []],
  ])('finds %s', async (_, readAt, since, names) => {
    const objects = settled(since)
    const context = await liveContext(['1.37-wide'], { servers: started, readAt, ...(objects && { objects }) })
    const expected = names.map((name) =>
      expect.stringMatching(`^info: FlowSchema ${name} has had no request on 1.37-wide`),
    )
    expect(found(context, 'APF512')).toEqual(expected)
  })
})
