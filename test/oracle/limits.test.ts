import { describe, expect, it } from 'vitest'
import { buildOracle, DEFAULT_UPSTREAM, missingToolchain } from './build.ts'
import { limitsSummary, runLimitsCampaign } from './limits.ts'

const COUNT = 100_000
const SEED = 20_250_131
const COLD_BUILD = 20 * 60_000

const suffix = missingToolchain ? ` [${missingToolchain}]` : ''

describe.skipIf(missingToolchain)(`the controller of k8s.io/apiserver ${DEFAULT_UPSTREAM}${suffix}`, () => {
  it('gives random levels the limits that we compute, and lends as we do', { timeout: COLD_BUILD }, async () => {
    const program = await buildOracle()
    const result = await runLimitsCampaign(program, DEFAULT_UPSTREAM, COUNT, SEED)
    console.log(`seed ${SEED}: ${limitsSummary(result)}`)
    expect(result.disagreements).toEqual([])
    expect(result.levels + result.allocations).toBeGreaterThanOrEqual(COUNT)
    for (const branch of ['fair', 'proportional', 'all-at-lower', 'backstop']) {
      expect(result.branches[branch] ?? 0, branch).toBeGreaterThan(20)
    }
  })
})
