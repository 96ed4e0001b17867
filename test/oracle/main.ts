/** `npm run oracle -- [--what classify|limits|estimates|clients|events|cilium] [--count N] [--seed S] [--upstream 0.31.14]` */
import { parseArgs } from 'node:util'
import { buildOracle, DEFAULT_UPSTREAM, missingToolchain } from './build.ts'
import { runCampaign, summary } from './campaign.ts'
import { estimateSummary, runEstimateCampaign } from './estimates.ts'
import { buildEstimators, estimatorReleases } from './estimators.ts'
import { buildLimiters, LIMITER_UPSTREAM, type LimiterTopic, limitersSummary, runLimitersCampaign } from './limiters.ts'
import { limitsSummary, runLimitsCampaign } from './limits.ts'

const { values } = parseArgs({
  options: {
    what: { type: 'string', default: 'classify' },
    count: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    upstream: { type: 'string', default: DEFAULT_UPSTREAM },
  },
})

if (missingToolchain) {
  console.error(`cannot build the oracle: ${missingToolchain}`)
  process.exit(2)
}
const { upstream } = values
const seed = Number(values.seed)
const count = Number(values.count)

interface Outcome {
  text: string
  disagreements: string[]
}

async function classify(): Promise<Outcome> {
  const program = await buildOracle(upstream)
  let reported = 0
  const result = await runCampaign({
    program,
    upstream,
    count,
    seed,
    onProgress(requests) {
      if (requests - reported < 500_000) return
      reported = requests
      console.log(`${requests} requests`)
    },
  })
  return { text: summary(result), disagreements: result.disagreements }
}

async function limits(): Promise<Outcome> {
  const result = await runLimitsCampaign(await buildOracle(upstream), upstream, count, seed)
  return { text: limitsSummary(result), disagreements: result.disagreements }
}

/** Of all releases at once. */
async function estimates(): Promise<Outcome> {
  const releases = estimatorReleases()
  const result = await runEstimateCampaign(await buildEstimators(releases), releases, count, seed)
  return { text: estimateSummary(result), disagreements: result.disagreements }
}

/** The other limiters of the path: `clients`, `events` and `cilium`. */
function limiters(topic: LimiterTopic) {
  return async (): Promise<Outcome> => {
    const result = await runLimitersCampaign(await buildLimiters(), topic, count, seed)
    return { text: limitersSummary(result), disagreements: result.disagreements }
  }
}

const LIMITERS = { clients: limiters('clients'), events: limiters('events'), cilium: limiters('cilium') }

const campaign = Object.entries({ classify, limits, estimates, ...LIMITERS }).find(
  ([name]) => name === values.what,
)?.[1]
if (campaign === undefined) {
  console.error(`--what ${values.what}: it is classify, limits, estimates, clients, events or cilium`)
  process.exit(2)
}
const against =
  values.what === 'estimates'
    ? 'all releases'
    : values.what in LIMITERS
      ? LIMITER_UPSTREAM
      : `k8s.io/apiserver ${upstream}`
console.log(`${against}, seed ${seed}`)
const { text, disagreements } = await campaign()
console.log(text)
for (const disagreement of disagreements) console.log(disagreement)
console.log(disagreements.length === 0 ? '0 disagreements' : 'DISAGREEMENTS')
process.exitCode = disagreements.length === 0 ? 0 : 1
