/**
 * `whereis` on a live cluster against `kubectl get flowschemas` on the same, in turns, and `seats` against
 * `kubectl get --raw /metrics`; then `whereis` with 2,000 more FlowSchemas against a program that sends the same GETs and
 * nothing else.
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { buildPrograms, DEFAULT_RELEASE, programsOf } from '../test/e2e/build.ts'
import { type Cluster, startCluster } from '../test/e2e/cluster.ts'
import { createSchemas } from '../test/e2e/crowd.ts'
import { tokenOf } from '../test/e2e/users.ts'
import { missingToolchain, repositoryRoot } from '../test/support/go-programs.ts'

const ROUNDS = 20
const WARM_UPS = 2
const SCHEMAS = 2000
const MAX_OUTPUT = 64 * 1024 * 1024
/** Bars on ratios of medians. */
const KUBECTL_BAR = 3
const METRICS_BAR = 2
const GETS_BAR = 1.5

const FLOWCONTROL = '/apis/flowcontrol.apiserver.k8s.io/v1'
const WHEREIS = 'whereis list pods -n shop --as=system:serviceaccount:shop:reporter'.split(' ')

/** Reads everything that `whereis` reads, at the same time and in pages of the same size. */
const GETS = `
const https = require('node:https')
const { gunzipSync } = require('node:zlib')
const [url, token] = process.argv.slice(1)
const agent = new https.Agent({ keepAlive: true, rejectUnauthorized: false })
const get = (path) => new Promise((resolve, reject) => {
  const headers = { authorization: 'Bearer ' + token, 'accept-encoding': 'gzip' }
  https.get(url + path, { agent, headers }, (response) => {
    const chunks = []
    response.on('data', (chunk) => chunks.push(chunk))
    response.on('end', () => {
      const body = Buffer.concat(chunks)
      resolve(JSON.parse(response.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body))
    })
  }).on('error', reject)
})
const list = async (path) => {
  for (let next = ''; next !== undefined; ) {
    const { metadata } = await get(path + '?limit=500' + (next && '&continue=' + encodeURIComponent(next)))
    next = metadata.continue
  }
}
Promise.all([get('/version'), list('${FLOWCONTROL}/flowschemas'), list('${FLOWCONTROL}/prioritylevelconfigurations')])
  .then(() => agent.destroy())
`

if (missingToolchain && !process.env['KUBEBUILDER_ASSETS']) {
  console.error(`the benchmark of live clusters ${missingToolchain}`)
  process.exit(2)
}
if (!process.env['KUBEBUILDER_ASSETS']) await buildPrograms(DEFAULT_RELEASE)
const found = programsOf(DEFAULT_RELEASE)
if ('missing' in found) throw new Error(found.missing)
const { kubectl } = found.programs
const apf = join(repositoryRoot(), 'bin', 'kubectl-apf')

const cluster = await startCluster(found.programs)
let missed = false
try {
  compare(
    cluster,
    { whereis: [process.execPath, apf, ...WHEREIS], 'kubectl get flowschemas': [kubectl, 'get', 'flowschemas'] },
    KUBECTL_BAR,
  )
  compare(
    cluster,
    {
      seats: [process.execPath, apf, 'seats', '--all-servers=never'],
      'kubectl get --raw /metrics': [kubectl, 'get', '--raw', '/metrics'],
    },
    METRICS_BAR,
  )
  await createSchemas(cluster, SCHEMAS, 'flowcontrol.apiserver.k8s.io/v1')
  console.log(`with ${SCHEMAS} more FlowSchemas:`)
  const gets = [process.execPath, '-e', GETS, cluster.server.url, tokenOf('admin')]
  compare(cluster, { whereis: [process.execPath, apf, ...WHEREIS], 'the GETs alone': gets }, GETS_BAR)
} finally {
  await cluster.stop()
}
// Times are no assertion unless asked for: a busy machine proves nothing.
if (missed && process.argv.includes('--check')) process.exitCode = 1

/** Prints the medians of both sides, and the ratio of the first to the second against its bar. */
function compare(cluster: Cluster, sides: Record<string, string[]>, bar: number): void {
  // Node 20 reads that file at every start.
  const { NODE_EXTRA_CA_CERTS: _, ...inherited } = process.env
  const env = { ...inherited, ...cluster.env, KUBECONFIG: cluster.kubeconfig() }
  const times = new Map<string, number[]>(Object.keys(sides).map((side) => [side, []]))
  for (let round = -WARM_UPS; round < ROUNDS; round++) {
    for (const [side, [command = '', ...args]] of Object.entries(sides)) {
      const start = performance.now()
      const { status, stderr } = spawnSync(command, args, { env, cwd: cluster.folder, maxBuffer: MAX_OUTPUT })
      if (status !== 0) throw new Error(`${side} exited with ${status}: ${stderr}`)
      if (round >= 0) times.get(side)?.push(performance.now() - start)
    }
  }
  const medians = [...times].map(([side, all]) => {
    const median = all.sort((a, b) => a - b)[ROUNDS >> 1] ?? Number.NaN
    console.log(`${side}: median ${median.toFixed(0)} ms`)
    return median
  })
  const [ours = Number.NaN, theirs = Number.NaN] = medians
  const held = ours / theirs <= bar
  if (!held) missed = true
  console.log(`${(ours / theirs).toFixed(2)} ×, bar ${bar} ×: ${held ? 'held' : 'MISSED'} (${ROUNDS} rounds in turns)`)
}
