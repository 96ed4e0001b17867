/** `npm run oracle -- [--count N] [--seed S] [--upstream 0.31.14]` */
import { parseArgs } from 'node:util'
import { buildOracle, DEFAULT_UPSTREAM, missingToolchain } from './build.ts'
import { runCampaign, summary } from './campaign.ts'

const { values } = parseArgs({
  options: {
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
console.log(`k8s.io/apiserver ${upstream}, seed ${seed}`)
const program = await buildOracle(upstream)
let reported = 0
const result = await runCampaign({
  program,
  upstream,
  count: Number(values.count),
  seed,
  onProgress(requests) {
    if (requests - reported < 500_000) return
    reported = requests
    console.log(`${requests} requests`)
  },
})
console.log(summary(result))
for (const disagreement of result.disagreements) console.log(disagreement)
console.log(result.disagreements.length === 0 ? '0 disagreements' : 'DISAGREEMENTS')
process.exitCode = result.disagreements.length === 0 ? 0 : 1
