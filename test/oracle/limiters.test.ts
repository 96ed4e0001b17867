import { describe, expect, it } from 'vitest'
import { missingToolchain } from './build.ts'
import { buildLimiters, LIMITER_UPSTREAM, limitersSummary, runLimitersCampaign } from './limiters.ts'

const COUNT = 1500
const SEED = 20_260_611
const COLD_BUILD = 20 * 60_000

const suffix = missingToolchain ? ` [${missingToolchain}]` : ''

/** What has to come up for a campaign to prove anything. */
const OUTCOMES = {
  clients: ['reserve', 'allow', 'cancel', 'setLimit', 'setBurst', 'wait', 'deadline', 'retried yes'],
  events: ['accepted event', 'refused event', 'event not charged', 'refused configuration'],
  cilium: ['success', 'fail', 'fail-limit-wait', 'fail-parallel-wait', 'request-cancelled', 'accepted'],
} as const

describe.skipIf(missingToolchain)(`${LIMITER_UPSTREAM}${suffix}`, () => {
  it.each(['clients', 'events', 'cilium'] as const)(
    'holds back %s as we say',
    { timeout: COLD_BUILD },
    async (topic) => {
      const result = await runLimitersCampaign(await buildLimiters(), topic, COUNT, SEED)
      console.log(`seed ${SEED}: ${limitersSummary(result)}`)
      expect(result.disagreements).toEqual([])
      for (const outcome of OUTCOMES[topic]) expect(result.outcomes[outcome] ?? 0, outcome).toBeGreaterThan(20)
      expect(result.ties).toBeLessThan(COUNT / 5)
    },
  )
})
