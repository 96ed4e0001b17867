import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { type ProcessMetrics, readMetrics } from '../../src/metrics/process-metrics.ts'
import { savedMetrics } from '../../src/metrics/read-recording.ts'
import { inflightLimitOf, serverSeatsOfLimits, serverSeatsRange } from '../../src/metrics/server-seats.ts'
import { priorityLevel } from '../support/objects.ts'

async function recorded(file: string): Promise<ProcessMetrics> {
  const path = fileURLToPath(new URL(`../fixtures/apf/${file}`, import.meta.url))
  const [process] = (await readMetrics(path, savedMetrics(path))).processes
  if (process === undefined) throw new Error(`no metrics in ${file}`)
  return process
}

describe('the total seats', () => {
  it.each([
    ['exempt', { exempt: { nominal: 60, upper: 660 }, 'catch-all': { nominal: 10, upper: 610 } }, 600],
    ['catch-all, before exempt has limits', { 'catch-all': { nominal: 13, upper: 613 } }, 600],
    ['no level that may borrow what it likes', { batch: { nominal: 13, upper: 26 } }, null],
    ['levels without upper limits', { exempt: { nominal: 0 } }, null],
    [
      'two levels that disagree',
      { exempt: { nominal: 0, upper: 600 }, 'catch-all': { nominal: 13, upper: 193 } },
      null,
    ],
  ])('of %s', (_, levels, total) => {
    expect(serverSeatsOfLimits(new Map(Object.entries(levels)))).toBe(total)
  })

  const shares: [string, number][] = [
    ['leader-election', 10],
    ['node-high', 40],
    ['system', 30],
    ['workload-high', 40],
    ['workload-low', 100],
    ['global-default', 20],
    ['catch-all', 5],
  ]
  const levels = shares.map(([name, nominalConcurrencyShares]) =>
    priorityLevel({
      metadata: { name },
      spec: { type: 'Limited', limited: { nominalConcurrencyShares, limitResponse: { type: 'Reject' } } },
    }),
  )

  it('up to 1.25 are in the range that gives all levels their limits', async () => {
    const { levels: series } = await recorded('1.24-idle/metrics-apf.txt')
    const nominal = new Map([...series].map(([name, level]) => [name, level.concurrencyLimit ?? 0]))
    expect(serverSeatsRange(nominal, levels)).toEqual({ atLeast: 598, atMost: 600 })
  })

  it('have no range if the objects are not those in force', () => {
    const nominal = new Map(shares.map(([name]) => [name, 25]))
    expect(serverSeatsRange(nominal, levels)).toBeNull()
    expect(serverSeatsRange(new Map(), levels)).toBeNull()
  })
})

describe('the limits of requests in flight', () => {
  it('are exact where they are small, from the time at each ratio', async () => {
    const { readVsWrite } = await recorded('1.37-maxinflight-saturated/metrics.txt.gz')
    expect(inflightLimitOf(readVsWrite, 'readOnly')).toEqual({ limit: 3, source: 'metrics' })
    expect(inflightLimitOf(readVsWrite, 'mutating')).toEqual({ limit: 2, source: 'metrics' })
  })

  const series = (buckets: [number, number][]) =>
    new Map([['executing/readOnly', { buckets: buckets.map(([le, count]) => ({ le, count })), sum: 1, count: 1 }]])

  it('are a range where they are large', () => {
    const readVsWrite = series([
      [0, 5],
      [0.001, 5],
      [0.01, 7],
      [0.1, 9],
      [Number.POSITIVE_INFINITY, 9],
    ])
    expect(inflightLimitOf(readVsWrite, 'readOnly')).toEqual({ atLeast: 100, atMost: 999, source: 'metrics' })
  })

  it('are none for a kind without a series beside one that has it', () => {
    expect(inflightLimitOf(series([[0, 5]]), 'mutating')).toEqual({ unlimited: true, source: 'metrics' })
    expect(inflightLimitOf(new Map(), 'mutating')).toBeNull()
  })

  it('are not known if the server was never idle, or never busy', () => {
    expect(
      inflightLimitOf(
        series([
          [0, 0],
          [0.1, 0],
          [0.2, 7],
        ]),
        'readOnly',
      ),
    ).toBeNull()
    expect(
      inflightLimitOf(
        series([
          [0, 5],
          [0.1, 5],
          [0.2, 5],
        ]),
        'readOnly',
      ),
    ).toBeNull()
    expect(inflightLimitOf(series([]), 'readOnly')).toBeNull()
  })
})
