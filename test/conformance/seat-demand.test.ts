import { describe, expect, it } from 'vitest'
import { SeatDemandIntegrator, smoothedDemand } from '../../src/apf/seat-demand.ts'
import { vectors } from './vectors.ts'

interface Period {
  segments: { seconds: number; seats: number }[]
  previousSmoothed: number
  currentSeats?: number
}
interface Statistics {
  average?: number
  stdev?: number
  highWatermark: number
  smoothed: number
}

describe.each(vectors<Period, Statistics>('seats', 'demand'))('$note', ({ input, expected }) => {
  const demand = demandOf(input)

  it('has the statistics of the server', () => {
    expect(demand.highWatermark).toBe(expected.highWatermark)
    if (expected.average === undefined) expect(demand.average).toBeNull()
    else expect(demand.average).toBeCloseTo(expected.average, 6)
    if (expected.stdev !== undefined) expect(demand.deviation).toBeCloseTo(expected.stdev, 6)
  })

  it('is smoothed as on the server', () =>
    expect(smoothedDemand(input.previousSmoothed, demand)).toBeCloseTo(expected.smoothed, 6))
})

interface Decay {
  start: number
  periods: number
  avg: number
  stdev: number
}

describe.each(vectors<Decay, { smoothed: number }>('seats', 'demandDecay'))('$note', ({ input, expected }) => {
  it('decays as on the server', () => {
    const demand = { average: input.avg, deviation: input.stdev, highWatermark: 0 }
    let smoothed = input.start
    for (let period = 0; period < input.periods; period++) smoothed = smoothedDemand(smoothed, demand)
    expect(smoothed).toBeCloseTo(expected.smoothed, 6)
  })
})

function demandOf({ segments, currentSeats = 0 }: Period) {
  const integrator = new SeatDemandIntegrator(0, segments[0]?.seats ?? currentSeats)
  let now = 0
  for (const { seconds, seats } of segments) {
    integrator.set(now, seats)
    now += seconds
  }
  return integrator.finishPeriod(now)
}
