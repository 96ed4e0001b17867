/**
 * Cold start: the whole process of an answer against a bare Node, in turns. Node 20 reads NODE_EXTRA_CA_CERTS at every
 * start, which has nothing to do with us: it is unset.
 */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const ROUNDS = 21
const WARM_UPS = 2
/** Bar on the ratio of the best times, on Node 20. */
const BAR = 3

const bin = fileURLToPath(new URL('../bin/kubectl-apf', import.meta.url))
const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env

const SIDES = {
  'node -e 0': ['-e', '0'],
  version: [bin, 'version'],
  'schemas --defaults 1.37': [bin, 'schemas', '--defaults', '1.37'],
  'whereis list pods -n shop --as=… --defaults 1.37': [
    bin,
    ...'whereis list pods -n shop --as=system:serviceaccount:shop:reporter --defaults 1.37'.split(' '),
  ],
} as const

const times = new Map<string, number[]>(Object.keys(SIDES).map((side) => [side, []]))
for (let round = -WARM_UPS; round < ROUNDS; round++) {
  for (const [side, args] of Object.entries(SIDES)) {
    const start = performance.now()
    const { status } = spawnSync(process.execPath, args, { env })
    if (status !== 0) throw new Error(`${side} exited with ${status}`)
    if (round >= 0) times.get(side)?.push(performance.now() - start)
  }
}

const best = (side: string) => Math.min(...(times.get(side) ?? []))
const median = (side: string) => [...(times.get(side) ?? [])].sort((a, b) => a - b)[ROUNDS >> 1] ?? Number.NaN
const bare = best('node -e 0')
let worst = 0
for (const side of Object.keys(SIDES)) {
  const ratio = best(side) / bare
  worst = Math.max(worst, ratio)
  console.log(
    `${side}: best ${best(side).toFixed(1)} ms, median ${median(side).toFixed(1)} ms, ${ratio.toFixed(2)} × bare node`,
  )
}
console.log(
  `bar: ${BAR} × bare node: ${worst <= BAR ? 'held' : 'MISSED'} (Node ${process.versions.node}, ${ROUNDS} rounds in turns)`,
)
// Times are no assertion unless asked for: a busy machine proves nothing.
if (worst > BAR && process.argv.includes('--check')) process.exitCode = 1
