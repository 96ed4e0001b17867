import { describe, expect, it } from 'vitest'
import { missingToolchain } from './build.ts'
import { estimateSummary, runEstimateCampaign } from './estimates.ts'
import { buildEstimators, estimatorReleases } from './estimators.ts'

const ESTIMATES = 145_000
const SEED = 20_250_131
const COLD_BUILD = 20 * 60_000

const suffix = missingToolchain ? ` [${missingToolchain}]` : ''

describe.skipIf(missingToolchain)(`the work estimators and allocations of upstream, 0.23 to 0.37${suffix}`, () => {
  it('reckon random requests and borrowing problems as we do', { timeout: COLD_BUILD }, async () => {
    const releases = estimatorReleases()
    const program = await buildEstimators(releases)
    const result = await runEstimateCampaign(program, releases, ESTIMATES, SEED)
    console.log(`seed ${SEED}, ${releases.length} releases: ${estimateSummary(result)}`)
    expect(result.disagreements).toEqual([])
    expect(result.estimates).toBeGreaterThanOrEqual(ESTIMATES)
    expect(result.wide / result.estimates).toBeGreaterThan(0.3)
    expect(result.solved / result.allocations).toBeGreaterThan(0.8)
  })
})
