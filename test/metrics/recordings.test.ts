/** Every recording of a real server gives its right answers, which stand in answers.json beside it. */
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { decideMode, type ServerMode } from '../../src/metrics/mode.ts'
import { readMetrics } from '../../src/metrics/process-metrics.ts'
import { readRecording, savedMetrics } from '../../src/metrics/read-recording.ts'
import { serverSeatsOfLimits } from '../../src/metrics/server-seats.ts'
import type { InflightLimit, LevelState } from '../../src/metrics/server-state.ts'

const RECORDINGS = fileURLToPath(new URL('../fixtures/apf', import.meta.url))

interface Answers {
  serverVersion: string
  mode: ServerMode
  totalSeats?: number
  seatFairFrac?: number
  levels?: Record<string, LevelAnswer>
  rejections?: { priorityLevel: string; flowSchema: string; reason: string; count: number }[]
  readOnlyLimit?: number | null
  mutatingLimit?: number | null
  rejected429?: number
}

interface LevelAnswer {
  nominal?: number
  lower?: number
  upper?: number
  current: number | null
  executing: number
  executingSeats: number
  waiting: number
  rejected: number
  quiescing?: boolean
}

const recordings = readdirSync(RECORDINGS)
  .sort()
  .map((name) => ({ name, folder: `${RECORDINGS}/${name}`, answers: answersOf(`${RECORDINGS}/${name}`) }))
const withApf = recordings.filter(({ answers }) => answers.mode === 'APF')
const withoutApf = recordings.filter(({ answers }) => answers.mode !== 'APF')

/**
 * Where what a server shows is not what its answer says, and why. 1.24 counts no requests of exempt: the answers take the
 * missing series for 0, and we do not know. None of these scrapes fell into an adjustment.
 */
const DIFFERENT: Readonly<Record<string, Partial<LevelAnswer> | undefined>> = {
  'exempt of 1.24': { executing: 0, executingSeats: 0 },
}

it('there are recordings of five releases, 40 of them with APF', () => {
  expect([withApf.length, withoutApf.length]).toEqual([40, 25])
})

describe.each(withApf)('$name', ({ name, folder, answers }) => {
  const reading = readRecording(folder)

  it('has the release, mode, total seats and rejections of its answers, and nothing is wrong with it', async () => {
    const state = await reading
    const rejections = state.levels.flatMap((level) =>
      level.rejectedBy.map((rejection) => ({ priorityLevel: level.name, ...rejection })),
    )
    expect({
      serverVersion: state.version,
      mode: state.mode.mode,
      totalSeats: state.serverSeats?.value,
      rejections: new Set(rejections),
      contradiction: state.mode.contradiction,
      problems: state.problems,
    }).toEqual({
      serverVersion: answers.serverVersion,
      mode: 'APF',
      totalSeats: answers.totalSeats,
      rejections: new Set(answers.rejections),
      contradiction: null,
      problems: [],
    })
    if (answers.seatFairFrac !== undefined) expect(state.seatFairFrac).toBeCloseTo(answers.seatFairFrac, 9)
  })

  it('has the levels of its answers, to the seat', async () => {
    const { levels } = await reading
    const release = name.slice(0, 4)
    for (const [level, answer] of Object.entries(answers.levels ?? {})) {
      const unknown = DIFFERENT[`${level} of ${release}`] ?? {}
      const wanted = Object.fromEntries(
        Object.keys(NUMBERS).map((key) => [key, key in unknown ? null : (answer[key as keyof Numbers] ?? null)]),
      )
      expect({ level, ...numbersOf(levels.find((one) => one.name === level)) }).toEqual({ level, ...wanted })
    }
  })

  it('tells levels in force from those of which only series are left', async () => {
    const { levels } = await reading
    const inForce = levels.filter((level) => level.inForce).map((level) => level.name)
    expect(inForce).toEqual(Object.keys(answers.levels ?? {}).sort())
    const quiescing = Object.entries(answers.levels ?? {}).filter(([, level]) => level.quiescing)
    expect(levels.filter((level) => level.quiescing).map((level) => level.name)).toEqual(quiescing.map(([key]) => key))
  })
})

describe.each(withoutApf)('$name', ({ folder, answers }) => {
  it('has the mode, limits and rejections of its answers', async () => {
    const state = await readRecording(folder)
    expect({
      serverVersion: state.version,
      mode: state.mode.mode,
      readOnlyLimit: numberOf(state.readLimit),
      mutatingLimit: numberOf(state.mutatingLimit),
      rejected429: state.rejections.byLimiter,
      levels: state.levels,
      contradiction: state.mode.contradiction,
    }).toEqual({
      serverVersion: answers.serverVersion,
      mode: answers.mode,
      readOnlyLimit: answers.readOnlyLimit,
      mutatingLimit: answers.mutatingLimit,
      rejected429: answers.rejected429,
      levels: [],
      contradiction: null,
    })
  })
})

/** Up to 1.24 metrics cannot tell a limiter that has refused nothing from none at all. */
const MODES_OF_METRICS: Readonly<Record<string, ServerMode>> = {
  '1.24-maxinflight-idle': 'NotAPF',
  '1.24-zero-both-noapf': 'NotAPF',
  '1.24-zero-read-noapf': 'NotAPF',
}

it.each(recordings)(
  'the metrics of $name alone tell the mode, and from 1.26 on the seats',
  async ({ name, folder, answers }) => {
    const path = `${folder}/metrics-apf.txt`
    const [metrics] = (await readMetrics(path, savedMetrics(path))).processes
    if (metrics === undefined) throw new Error('no metrics')
    const minor = Number(name.slice(2, 4))
    expect(decideMode({ metrics, minor }).mode).toBe(MODES_OF_METRICS[name] ?? answers.mode)
    expect(serverSeatsOfLimits(metrics.levels)).toBe(minor >= 26 ? (answers.totalSeats ?? null) : null)
  },
)

const NUMBERS = {
  nominal: 'nominal',
  lower: 'lower',
  upper: 'upper',
  current: 'current',
  executing: 'executingRequests',
  executingSeats: 'executingSeats',
  waiting: 'waitingRequests',
  rejected: 'rejected',
} as const

type Numbers = typeof NUMBERS

function numbersOf(level: LevelState | undefined): Record<string, number | null | undefined> {
  return Object.fromEntries(Object.entries(NUMBERS).map(([key, field]) => [key, level?.[field]]))
}

function numberOf(limit: InflightLimit | null): number | null | undefined {
  return limit === null ? undefined : 'limit' in limit ? limit.limit : 'unlimited' in limit ? null : undefined
}

function answersOf(folder: string): Answers {
  return JSON.parse(readFileSync(`${folder}/answers.json`, 'utf8')) as Answers
}
