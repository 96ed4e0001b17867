import { describe, expect, it } from 'vitest'
import {
  type CiliumParameters,
  ciliumDefaults,
  ciliumRules,
  isCiliumError,
  isCiliumGroup,
  NEWEST_CILIUM,
  parseRate,
  RATE_PANIC,
  readApiRateLimit,
} from '../../src/limiters/cilium.ts'
import { adjust, playCilium, semaphoreWeight } from '../../src/limiters/cilium-limiter.ts'
import { formatGoDuration } from '../../src/limiters/go-values.ts'
import { vectors } from './vectors.ts'

const RULES = ciliumRules(NEWEST_CILIUM)
const MILLISECOND = 1e6

type RateExpected = { ok: true; perSecond: number | '+Inf' } | { ok: false; error?: string; panic?: string }

describe.each(vectors<{ value: string }, RateExpected>('limiters', 'cilium.parseRate'))(
  '$input.value $note',
  ({ input, expected }) => {
    it('is read as the agent reads it', () => {
      if ('panic' in expected) {
        const outcome = readApiRateLimit(`endpoint-create=rate-limit:${input.value}`, RULES)
        expect(outcome).toEqual({ error: expected.panic, panics: true })
        expect(expected.panic).toBe(RATE_PANIC)
        return
      }
      const parsed = parseRate(input.value)
      if (expected.ok) {
        const wanted = expected.perSecond === '+Inf' ? Number.POSITIVE_INFINITY : expected.perSecond
        expect(parsed).toEqual({ value: wanted })
      } else expect(parsed).toEqual({ error: expected.error })
    })
  },
)

type OptionExpected =
  | { ok: true; map: Record<string, string>; effective: Record<string, EffectiveParameters> }
  | { ok: false; error: string }

interface EffectiveParameters {
  [name: string]: number | boolean | string
}

/** As the vectors have them: upstream's names, durations as Go prints them. */
function effective(parameters: CiliumParameters): EffectiveParameters {
  return {
    RateLimit: parameters.rateLimit,
    RateBurst: parameters.rateBurst,
    ParallelRequests: parameters.parallelRequests,
    MinParallelRequests: parameters.minParallelRequests,
    MaxParallelRequests: parameters.maxParallelRequests,
    MeanOver: parameters.meanOver,
    SkipInitial: parameters.skipInitial,
    MinWaitDuration: formatGoDuration(parameters.minWaitDuration),
    MaxWaitDuration: formatGoDuration(parameters.maxWaitDuration),
    EstimatedProcessingDuration: formatGoDuration(parameters.estimatedProcessingDuration),
    AutoAdjust: parameters.autoAdjust,
    Log: parameters.log,
    DelayedAdjustmentFactor: parameters.delayedAdjustmentFactor,
    MaxAdjustmentFactor: parameters.maxAdjustmentFactor,
  }
}

describe.each(vectors<{ apiRateLimit: string }, OptionExpected>('limiters', 'cilium.option'))(
  '$input.apiRateLimit $note',
  ({ input, expected }) => {
    it('gives the parameters, or the error, of the agent', () => {
      const outcome = readApiRateLimit(input.apiRateLimit, RULES)
      if (isCiliumError(outcome)) {
        expect({ ok: false, error: outcome.error }).toEqual(expected)
        return
      }
      const named = [...outcome.given.keys()].map((name) => {
        const parameters = outcome.groups.get(name)
        return [name, parameters && effective(parameters)] as const
      })
      expect({
        ok: true,
        map: Object.fromEntries(outcome.given),
        effective: Object.fromEntries(named),
      }).toEqual(expected)
    })
  },
)

/** Group `g` and the like have no defaults of their own. */
function parametersOf(group: string, override: string): CiliumParameters {
  const outcome = readApiRateLimit(override === '' ? '' : `${group}=${override}`, RULES)
  if (isCiliumError(outcome)) throw new Error(outcome.error)
  const parameters = outcome.groups.get(group)
  if (parameters === undefined) throw new Error(`no group ${group}`)
  return parameters
}

interface AdjustInput {
  group: string
  override: string
  successfulProcessingMs: number[]
}
interface AdjustExpected {
  meanProcessingSeconds: number
  adjustmentFactor: number
  parallelRequests: number
  rateLimitPerSecond: number | null
  burst: number | null
  semaphoreWeight: number | null
}

describe.each(vectors<AdjustInput, AdjustExpected>('limiters', 'cilium.adjust'))('$note', ({ input, expected }) => {
  it('is adjusted as by the agent', () => {
    const parameters = parametersOf(input.group, input.override)
    const times = input.successfulProcessingMs.map((time) => Math.round(time * MILLISECOND)).slice(-parameters.meanOver)
    const { meanProcessing, factor, parallelRequests, rate } = adjust(parameters, times)
    expect(meanProcessing).toBeCloseTo(expected.meanProcessingSeconds, 5)
    expect(factor).toBeCloseTo(expected.adjustmentFactor, 5)
    expect(rate?.perSecond ?? null).toEqual(
      expected.rateLimitPerSecond === null ? null : expect.closeTo(expected.rateLimitPerSecond, 5),
    )
    expect({ parallelRequests, burst: rate?.burst ?? null }).toEqual({
      parallelRequests: expected.parallelRequests,
      burst: expected.burst,
    })
    expect(semaphoreWeight(parallelRequests)).toBe(expected.semaphoreWeight ?? 0)
  })
})

interface WaitInput {
  group: string
  override: string
  requests: {
    atMs: number
    processingMs: number
    clientTimeoutMs?: number
    cancelledOnArrival?: boolean
    handlerError?: boolean
    handlerCode?: number
  }[]
}
interface WaitResult {
  outcome: string
  returnCode: number
  waitMs: number
  startedAtMs: number | null
  finishedAtMs: number
  messages: string[]
  error?: string
  pacingSleepMs?: number
  rateLimiterSkipped?: true
  after: {
    adjustmentFactor: number
    parallelRequests: number
    rateLimit: number | null
    burst: number | null
    inFlight: number
  }
}

const rounded = (value: number) => Math.round(value * 1e6) / 1e6

describe.each(vectors<WaitInput, { results: WaitResult[] }>('limiters', 'cilium.wait'))(
  '$note',
  ({ input, expected }) => {
    it('goes as with the agent', () => {
      const requests = input.requests.map((request) => ({
        at: request.atMs * MILLISECOND,
        processing: request.processingMs * MILLISECOND,
        patience: request.clientTimeoutMs === undefined ? null : request.clientTimeoutMs * MILLISECOND,
        cancelledOnArrival: request.cancelledOnArrival ?? false,
        handlerCode: request.handlerError ? (request.handlerCode ?? 500) : null,
      }))
      const calls = playCilium(parametersOf(input.group, input.override), requests)
      const results = calls.map(
        ({ result, returnCode, wait, started, finished, messages, error, pacing, skipped, after }): WaitResult => ({
          outcome: result,
          returnCode,
          waitMs: rounded(wait / MILLISECOND),
          startedAtMs: started === null ? null : rounded(started / MILLISECOND),
          finishedAtMs: rounded(finished / MILLISECOND),
          messages,
          ...(error === null ? {} : { error }),
          ...(pacing === null ? {} : { pacingSleepMs: rounded(pacing / MILLISECOND) }),
          ...(skipped ? { rateLimiterSkipped: true } : {}),
          after: {
            adjustmentFactor: rounded(after.factor),
            parallelRequests: after.parallelRequests,
            rateLimit: after.rate === null ? null : rounded(after.rate.perSecond),
            burst: after.rate?.burst ?? null,
            inFlight: after.inFlight,
          },
        }),
      )
      expect(results).toEqual(expected.results)
    })
  },
)

describe('the defaults', () => {
  it('of a release before 1.14 wait less for endpoint-create, and log before 1.12', () => {
    const create = (minor: number) => ciliumDefaults(ciliumRules(minor)).get('endpoint-create')
    expect(create(9)).toMatchObject({ maxWaitDuration: 15e9, minParallelRequests: 1, log: true })
    expect(create(13)).toMatchObject({ maxWaitDuration: 15e9, minParallelRequests: 1, log: false })
    expect(create(14)).toMatchObject({ maxWaitDuration: 60e9, minParallelRequests: 2, log: false })
  })

  it('exist for five groups', () => {
    expect([...ciliumDefaults(RULES).keys()].every(isCiliumGroup)).toBe(true)
  })
})
