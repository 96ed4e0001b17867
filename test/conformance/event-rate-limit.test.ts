import { describe, expect, it } from 'vitest'
import {
  configurationRules,
  EventRateLimiter,
  type EventWrite,
  type LimitType,
  limitsInForce,
} from '../../src/limiters/event-rate-limit.ts'
import { readConfiguration } from '../../src/limiters/event-rate-limit-file.ts'
import { vectors } from './vectors.ts'

interface SequenceInput {
  limits: { type: LimitType; qps: number; burst: number; cacheSize?: number }[]
  events: ({ tMs: number } & Partial<Omit<EventWrite, 'at'>>)[]
}
interface SequenceExpected {
  results: {
    accepted: boolean
    charged: boolean
    perLimit?: { type: LimitType; key: string; allowed: boolean; tokensAfter: number; evicted?: string }[]
    message?: string
  }[]
}

const NOBODY = { component: '', host: '' }
const NOTHING = { kind: '', namespace: '', name: '', uid: '', apiVersion: '' }

describe.each(vectors<SequenceInput, SequenceExpected>('limiters', 'eventratelimit.sequence'))(
  '$note',
  ({ input, expected }) => {
    it('is accepted and refused as by the plugin', () => {
      const limiter = new EventRateLimiter(limitsInForce(input.limits.map((limit) => ({ cacheSize: 0, ...limit }))))
      const results = input.events.map(({ tMs, ...event }) => {
        const verdict = limiter.admit({
          at: tMs * 1e6,
          group: '',
          kind: 'Event',
          operation: 'CREATE',
          dryRun: false,
          namespace: '',
          user: '',
          source: NOBODY,
          involvedObject: NOTHING,
          ...event,
        })
        return {
          accepted: verdict.accepted,
          charged: verdict.charged,
          perLimit: verdict.perLimit.map(({ type, key, allowed, tokensAfter, evicted }) => ({
            type,
            key,
            allowed,
            tokensAfter: Math.round(tokensAfter * 1e6) / 1e6,
            ...(evicted === null ? {} : { evicted }),
          })),
          ...(verdict.message === null ? {} : { message: verdict.message }),
        }
      })
      expect(results).toEqual(
        expected.results.map(({ accepted, charged, perLimit = [], message }) => ({
          accepted,
          charged,
          perLimit,
          ...(message === undefined ? {} : { message }),
        })),
      )
    })
  },
)

interface ValidateExpected {
  valid: boolean
  errors: { field: string; text: string }[]
}

/** The server prints the names in random order; of ours the order is fixed. */
const RANDOM_ORDER = '<the four names in random order>'
const OUR_ORDER = '"Server", "Namespace", "User", "SourceAndObject"'

describe.each(vectors<{ config: object }, ValidateExpected>('limiters', 'eventratelimit.validate'))(
  '$note',
  ({ input, expected }) => {
    it('is refused with the errors of the server', () => {
      const written = { apiVersion: 'eventratelimit.admission.k8s.io/v1alpha1', kind: 'Configuration', ...input.config }
      const { errors } = readConfiguration(written, '', configurationRules(37))
      expect(errors).toEqual(
        expected.errors.map(({ field, text }) => ({ field, text: text.replace(RANDOM_ORDER, OUR_ORDER) })),
      )
      expect(errors.length === 0).toBe(expected.valid)
    })
  },
)
