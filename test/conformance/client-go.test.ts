import { describe, expect, it } from 'vitest'
import {
  bucketWaits,
  type ClientConfig,
  playCalls,
  playRetries,
  resolveLimiter,
  throttledLines,
} from '../../src/limiters/client-go.ts'
import { vectors } from './vectors.ts'

const MILLISECOND = 1e6

/** The values of the vectors are milliseconds, rounded. */
function milliseconds(nanoseconds: number): number {
  return nanoseconds / MILLISECOND
}

type ConfigInput = Omit<ClientConfig, 'builtBy'> & { constructor: ClientConfig['builtBy'] }

describe.each(vectors<ConfigInput, object>('limiters', 'clientgo.resolveLimiter'))('$note', ({ input, expected }) => {
  it('gets the limiter that client-go builds', () => {
    expect(resolveLimiter({ ...input, builtBy: input.constructor })).toEqual(expected)
  })
})

interface BucketInput {
  qps: number
  burst: number
  arrivalsMs: number[]
}

describe.each(vectors<BucketInput, { waitsMs: number[] }>('limiters', 'clientgo.bucket'))(
  '$note',
  ({ input, expected }) => {
    it('holds back as long as client-go does', () => {
      const arrivals = input.arrivalsMs.map((time) => time * MILLISECOND)
      const waits = bucketWaits(input.qps, input.burst, arrivals).map(milliseconds)
      expect(waits).toHaveLength(expected.waitsMs.length)
      for (const [index, wait] of waits.entries()) expect(wait).toBeCloseTo(expected.waitsMs[index] ?? Number.NaN, 5)
    })
  },
)

interface CallsInput {
  qps: number
  burst: number
  n: number
  latencyMs: number
  workers: number
}
interface CallsExpected {
  lastStartMs: number
  finishMs: number
  callsDelayed: number
  maxWaitMs: number
  callsOver50ms: number
  callsOver1s: number
}

describe.each(vectors<CallsInput, CallsExpected>('limiters', 'clientgo.nCalls'))('$note', ({ input, expected }) => {
  it('takes as long, and delays as many calls', () => {
    const { qps, burst, n, latencyMs, workers } = input
    const times = playCalls({ limiter: { qps, burst }, calls: n, latency: latencyMs * MILLISECOND, workers })
    expect(milliseconds(times.lastStart)).toBeCloseTo(expected.lastStartMs, 4)
    expect(milliseconds(times.finish)).toBeCloseTo(expected.finishMs, 4)
    expect(milliseconds(times.longestWait)).toBeCloseTo(expected.maxWaitMs, 4)
    expect({ callsDelayed: times.delayed, callsOver50ms: times.over50ms, callsOver1s: times.over1s }).toEqual({
      callsDelayed: expected.callsDelayed,
      callsOver50ms: expected.callsOver50ms,
      callsOver1s: expected.callsOver1s,
    })
  })
})

interface LinesInput {
  verbosity: number
  waits: { tMs: number; latencyMs: number }[]
}

describe.each(vectors<LinesInput, { linesPerWait: number[][] }>('limiters', 'clientgo.throttledLog'))(
  '$note',
  ({ input, expected }) => {
    it('writes these lines of its waits', () => {
      const waits = input.waits.map(({ tMs, latencyMs }) => ({ at: tMs * MILLISECOND, wait: latencyMs * MILLISECOND }))
      expect(throttledLines(input.verbosity, waits)).toEqual(expected.linesPerWait)
    })
  },
)

interface RetryInput {
  responses: { code: number; retryAfter: string | null }[]
  body: 'bytes' | 'opaque-reader'
  maxRetries: number
}
interface RetryExpected {
  attempts: number
  sleepsSeconds: number[]
  finalCode: number
}

describe.each(vectors<RetryInput, RetryExpected>('limiters', 'clientgo.retry'))('$note', ({ input, expected }) => {
  it('is tried again as often, and as late', () => {
    const { attempts, sleepsSeconds, finalCode } = expected
    expect(playRetries(input)).toEqual({ attempts, sleeps: sleepsSeconds, finalCode })
  })
})
