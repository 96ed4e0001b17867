/** The account of a server: its own word before what follows from objects, and both alike where they speak of the same. */
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { sortedLevels } from '../../src/analysis/seats.ts'
import { accountOfServer, rateKey, rejectionRates, seatsTold } from '../../src/analysis/server-account.ts'
import { effectiveConfiguration } from '../../src/apf/order.ts'
import { readRecording } from '../../src/metrics/read-recording.ts'
import type { LevelState, ServerState } from '../../src/metrics/server-state.ts'
import { isSourceFailure } from '../../src/sources/failure.ts'
import { openSource } from '../../src/sources/open.ts'
import { ROOT } from '../support/cli.ts'

const FIXTURES = `${ROOT}test/fixtures/apf/`

interface Answers {
  mode: string
  totalSeats: number
  levels: Record<string, Record<string, number | string | null>>
}

const recordings = readdirSync(FIXTURES)
  .map((name) => {
    const answers: Answers = JSON.parse(readFileSync(`${FIXTURES}${name}/answers.json`, 'utf8'))
    return { name, answers }
  })
  .filter(({ answers }) => answers.mode === 'APF')

async function accountOf(name: string) {
  const server = await readRecording(`${FIXTURES}${name}`)
  const state = await openSource({ from: [`${FIXTURES}${name}`], overlayDefaults: false })
  if (isSourceFailure(state)) throw new Error(state.what)
  const { levels } = effectiveConfiguration(state.flowSchemas, state.priorityLevels, state.rules)
  const objects = [...levels.values()]
  const account = accountOfServer(server, objects, seatsTold(server, objects), state.rules, false, null)
  return { server, objects, account, rules: state.rules }
}

/** A deleted level still has a part of the seats there. */
const OTHER_OBJECTS = ['1.28-features', '1.31-features', '1.34-features', '1.37-features']

describe.each(recordings)('$name', ({ name, answers }) => {
  it('has the seats, limits, use and refusals of the right answers', async () => {
    const { account, rules } = await accountOf(name)
    expect(account.limit.value).toBe(answers.totalSeats)
    for (const [level, right] of Object.entries(answers.levels)) {
      // Servers tell nothing of exempt before 1.28, which is not the same as zero.
      if (level === 'exempt' && !rules.exemptLevelHasShares) continue
      const own = account.levels.find((each) => each.name === level)
      for (const key of ['nominal', 'lower', 'upper', 'current'] as const) {
        if (typeof right[key] === 'number') expect([level, key, own?.[key]]).toEqual([level, key, right[key]])
      }
      const uses = {
        executingRequests: right['executing'],
        waitingRequests: right['waiting'],
        rejected: right['rejected'],
      }
      for (const [key, value] of Object.entries(uses)) {
        if (typeof value === 'number') expect([level, key, Reflect.get(own ?? {}, key)]).toEqual([level, key, value])
      }
    }
  })
})

const ofItsObjects = recordings.filter(({ name }) => !OTHER_OBJECTS.includes(name))

describe.each(ofItsObjects)('$name', ({ name, answers }) => {
  it('has the limits that follow from its objects and its total', async () => {
    const { server, objects, account, rules } = await accountOf(name)
    const given = { value: answers.totalSeats, source: 'given' } as const
    const computed = accountOfServer(server, objects, given, rules, false, null)
    for (const level of account.levels) {
      const { nominal, lendable, lower, upper, reachable, maxSeatsPerRequest, maxFinalSeats } = level
      expect(computed.levels.find((each) => each.name === level.name)).toMatchObject({
        ...{ nominal, lendable, lower, upper, reachable, maxSeatsPerRequest, maxFinalSeats },
      })
    }
  })
})

describe('the next round of borrowing', () => {
  it('leaves a level at its borrowing limit there, whatever waits', async () => {
    const { account } = await accountOf('1.37-borrowing')
    expect(account.levels.find(({ name }) => name === 'capped')).toMatchObject({ current: 8, upper: 8, nextTarget: 8 })
  })

  it('gives every level what is guaranteed while exempt uses more than the rest', async () => {
    const { account } = await accountOf('1.37-exempt-borrowing')
    expect(account.round?.branch).toBe('all-at-lower')
    expect(account.levels.find(({ name }) => name === 'busy')).toMatchObject({ lower: 2, nextTarget: 2 })
  })

  it('is not known before levels borrow', async () => {
    const { account } = await accountOf('1.24-saturated')
    expect(account.round).toBeNull()
    expect(account.unknown.filter(({ field }) => field.endsWith('nextTarget'))).toEqual([])
  })
})

describe('a level that is deleted and still served', () => {
  it('is there, with the reason why its shares are not known', async () => {
    const { account } = await accountOf('1.37-features')
    expect(account.levels.find(({ name }) => name === 'doomed')).toMatchObject({
      nominal: 40,
      shares: null,
      type: 'Limited',
    })
    expect(account.unknown).toContainEqual({
      field: 'levels[doomed].shares',
      why: 'the server still serves this level, its object does not exist: deleted, or not among those read',
    })
  })
})

describe('evidence that contradicts itself', () => {
  it('is told beside the limits, which nobody knows to be in force', async () => {
    const { server, objects, rules } = await accountOf('1.37-saturated')
    const contradiction = 'the health report says NotAPF, the flags say APF'
    const torn: ServerState = { ...server, mode: { mode: 'Unknown', evidence: [], contradiction } }
    const account = accountOfServer(torn, objects, seatsTold(torn, objects), rules, false, null)
    expect(account.limit.value).toBe(60)
    expect(account.unknown).toEqual([{ field: 'mode', why: contradiction }])
  })
})

describe('rates', () => {
  const level = (count: number) => ({ name: 'a', rejectedBy: [{ flowSchema: 's', reason: 'queue-full', count }] })
  const at = (startedAt: number | null, count: number): ServerState =>
    ({ startedAt, levels: [level(count) as LevelState] }) as ServerState
  const rate = (before: ServerState, after: ServerState, seconds: number) =>
    rejectionRates(before, after, seconds)?.get(rateKey('a', 's', 'queue-full'))

  it('are what two samples of one process differ in', () => {
    expect(rate(at(1, 10), at(1, 25), 5)).toBe(3)
    expect(rate(at(1, 10), at(1, 10), 5)).toBe(0)
  })

  it('do not exist between two processes, or where nobody knows', () => {
    expect(rejectionRates(at(1, 10), at(2, 25), 5)).toBeNull()
    expect(rejectionRates(at(null, 10), at(null, 25), 5)).toBeNull()
    expect(rejectionRates(at(1, 10), at(1, 25), 0)).toBeNull()
  })
})

describe('levels under pressure', () => {
  it('come first: refusing, then waiting, then full', async () => {
    const { account } = await accountOf('1.37-saturated')
    const names = sortedLevels(account.levels, 'pressure').map(({ name }) => name)
    expect(names.slice(0, 3)).toEqual(['batch', 'tenants', 'strict'])
    expect(sortedLevels(account.levels, 'name')[0]?.name).toBe('batch')
    expect(sortedLevels(account.levels, 'shares')[0]?.name).toBe('workload-low')
  })
})
