/**
 * Batch `whereis --requests` against JSON.parse of the same lines alone: each side is a process of its own on the same file,
 * in turns, by the CPU time that it takes. Then the same with every identity distinct, in lines a second.
 */
import { spawnSync } from 'node:child_process'
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Random } from '../test/oracle/random.ts'

const SEED = 1
const LINES = 2_000_000
const IDENTITIES = 50_000
const DISTINCT_LINES = 500_000
const ROUNDS = 7
/** Our speed as a part of that of JSON.parse alone, resident memory, and lines a second of distinct identities. */
const BARS = { ratio: 0.35, mebibytes: 250, linesPerSecond: 60_000 }

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'apf-batch-'))
/** Makes a process say at its end what it used. */
const PRELOAD = join(root, 'bench', 'report-use.cjs')
const quick = process.argv.includes('--quick')

const METHODS = ['GET', 'PUT', 'POST', 'PATCH', 'DELETE'] as const
const RESOURCES = ['pods', 'configmaps', 'secrets', 'services', 'endpoints', 'events'] as const
const PATHS = ['/healthz', '/version', '/openapi/v3'] as const

/** What a process used, as it says itself at its end. */
interface Use {
  microseconds: number
  mebibytes: number
}

/** Reads the file in chunks and parses each line, nothing else. */
const PARSE = `
let rest = ''
require('node:fs').createReadStream(process.argv[1], { encoding: 'utf8', highWaterMark: 262144 }).on('data', (chunk) => {
  const text = rest + chunk
  let start = 0
  for (let end = text.indexOf('\\n'); end >= 0; end = text.indexOf('\\n', start)) {
    JSON.parse(text.slice(start, end))
    start = end + 1
  }
  rest = text.slice(start)
})`

try {
  const lines = quick ? LINES / 20 : LINES
  const known = await writeLines('known.jsonl', lines, (random) => random.integer(0, IDENTITIES - 1))
  const best = { parse: Number.POSITIVE_INFINITY, whereis: Number.POSITIVE_INFINITY }
  let resident = 0
  for (let round = 0; round < (quick ? 1 : ROUNDS); round++) {
    best.parse = Math.min(best.parse, run(['--require', PRELOAD, '-e', PARSE, known]).microseconds)
    const whereis = runWhereis(known)
    best.whereis = Math.min(best.whereis, whereis.microseconds)
    resident = Math.max(resident, whereis.mebibytes)
  }
  const ratio = best.parse / best.whereis
  console.log(`${lines} lines of ${IDENTITIES} identities, CPU time a line:`)
  console.log(`  JSON.parse alone: ${(best.parse / lines).toFixed(2)} µs`)
  console.log(`  whereis --requests: ${(best.whereis / lines).toFixed(2)} µs, ${resident.toFixed(0)} MiB`)
  console.log(`  ${ratio.toFixed(2)} of the speed of JSON.parse; bar ${BARS.ratio}: ${held(ratio >= BARS.ratio)}`)
  console.log(`  memory; bar ${BARS.mebibytes} MiB: ${held(resident <= BARS.mebibytes)}`)

  const distinctLines = quick ? DISTINCT_LINES / 10 : DISTINCT_LINES
  const distinct = await writeLines('distinct.jsonl', distinctLines, (_, line) => line)
  const { microseconds, mebibytes } = runWhereis(distinct)
  const perSecond = (distinctLines * 1e6) / microseconds
  console.log(`${distinctLines} lines, every identity distinct:`)
  console.log(
    `  ${Math.round(perSecond)} lines a second of CPU, ${mebibytes.toFixed(0)} MiB; bars ${BARS.linesPerSecond} and ` +
      `${BARS.mebibytes} MiB: ${held(perSecond >= BARS.linesPerSecond && mebibytes <= BARS.mebibytes)}`,
  )
} finally {
  rmSync(folder, { recursive: true })
}

function held(holds: boolean): string {
  return holds ? 'held' : 'MISSED'
}

function runWhereis(file: string): Use {
  return run(['--require', PRELOAD, join(root, 'bin/kubectl-apf'), 'whereis', '--requests', file, '--defaults', '1.37'])
}

function run(args: readonly string[]): Use {
  const env = { ...process.env }
  // Node 20 reads such a file at every start; it has nothing to do with what is measured.
  delete env['NODE_EXTRA_CA_CERTS']
  const { status, stderr } = spawnSync(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'], env })
  const report = stderr.toString().trim().split('\n').at(-1) ?? ''
  if (status !== 0 || !report.startsWith('{')) throw new Error(`the measured process failed: ${stderr}`)
  return JSON.parse(report)
}

/** Requests as audit logs have them: most on objects, some lists and watches, few paths. */
async function writeLines(
  name: string,
  count: number,
  identity: (random: Random, line: number) => number,
): Promise<string> {
  const path = join(folder, name)
  const file = createWriteStream(path)
  const random = new Random(SEED)
  for (let line = 0; line < count; ) {
    let text = ''
    for (const stop = Math.min(count, line + 1000); line < stop; line++) {
      const number = identity(random, line)
      const namespace = `team-${number % 997}`
      const user = number % 3 === 0 ? `user-${number}@example.com` : `system:serviceaccount:${namespace}:app-${number}`
      text += `${JSON.stringify({ id: line, user, ...request(random, namespace) })}\n`
    }
    if (!file.write(text)) await new Promise<void>((resolve) => file.once('drain', resolve))
  }
  await new Promise<void>((resolve) => file.end(() => resolve()))
  return path
}

function request(random: Random, namespace: string): object {
  const kind = random.integer(0, 9)
  if (kind < 5) {
    const url = `/api/v1/namespaces/${namespace}/${random.pick(RESOURCES)}/object-${random.integer(0, 999)}`
    return { method: random.pick(METHODS), url }
  }
  if (kind < 7) return { url: `/api/v1/${random.pick(RESOURCES)}?limit=500&resourceVersion=0` }
  if (kind < 8) return { url: `/apis/apps/v1/namespaces/${namespace}/deployments?watch=true&timeoutSeconds=300` }
  if (kind < 9) return { verb: 'list', apiGroup: 'batch', resource: 'jobs', namespace }
  return { verb: 'get', path: random.pick(PATHS) }
}
