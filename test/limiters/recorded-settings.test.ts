/** What real servers and clients did, and what we say they do. The recordings are described beside them. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { isRefused, requestInfo } from '../../src/apf/request-info.ts'
import { rulesFor } from '../../src/apf/versions.ts'
import { processIo } from '../../src/cli/io.ts'
import { type EventStream, readEventStream } from '../../src/commands/limits/event-stream.ts'
import { readCiliumMetrics, readClientMetrics } from '../../src/commands/limits/metrics.ts'
import { ciliumHealth, countOf } from '../../src/limiters/cilium-health.ts'
import { resolveLimiter } from '../../src/limiters/client-go.ts'
import { EventRateLimiter, type LimitType, limitsInForce } from '../../src/limiters/event-rate-limit.ts'
import { inflightAnswer, poolOf } from '../../src/limiters/max-in-flight.ts'
import type { EventLimits } from '../../src/report/contract.ts'
import { apf, ROOT } from '../support/cli.ts'

const RECORDINGS = `${ROOT}test/fixtures/limiters`
const scratch = mkdtempSync(join(tmpdir(), 'recordings-'))
afterAll(() => rmSync(scratch, { recursive: true }))

const read = (name: string) => readFileSync(`${RECORDINGS}/${name}`, 'utf8')

function file(name: string, text: string): string {
  const path = join(scratch, name)
  writeFileSync(path, text)
  return path
}

interface Exchange {
  what: string
  request: { method: string; path: string; user?: string }
  response?: { status: number; body: string }
}

describe('EventRateLimit', () => {
  const limit = (type: LimitType, qps: number, burst: number, cacheSize = 0) => ({ type, qps, burst, cacheSize })
  const recordings: [name: string, limits: ReturnType<typeof limit>[]][] = ['1.34.4', '1.37.2'].flatMap((version) => [
    [`erl-${version}-server`, [limit('Server', 1, 3)]],
    [`erl-${version}-user`, [limit('User', 1, 2)]],
    [`erl-${version}-combo3`, [limit('Server', 1, 1), limit('Namespace', 1, 1), limit('User', 1, 1)]],
  ])
  recordings.push(
    ['erl-1.37.2-combo', [limit('Server', 1, 3), limit('Namespace', 1, 2)]],
    ['erl-1.37.2-namespace', [limit('Namespace', 1, 2)]],
    ['erl-1.37.2-lru', [limit('Namespace', 1, 3, 2)]],
  )

  it.each(recordings)('%s: refuses what the server refused, by its audit log', async (name, limits) => {
    const { audit } = JSON.parse(read(`${name}-evidence.json`)) as { audit: string[] }
    const stream = await audited(name, audit)
    const limiter = new EventRateLimiter(limitsInForce(limits))
    const ours = stream.writes.map(({ write }) => limiter.admit(write).accepted)
    const recorded = writesIn(audit).map(({ responseStatus }) => responseStatus.code !== 429)
    expect(ours.filter((accepted) => !accepted).length).toBeGreaterThan(0)
    expect(ours).toEqual(recorded)
  })
})

interface Start {
  case: string
  starts: boolean
  /** Absent where it started. */
  lines?: string[]
  admissionConfig: string | null
  eventConfig: string | null
}

/** Those that are about the flags of the server, or about files that are not there. */
const OF_FLAGS = [
  ...['no-config-at-all', 'path-missing', 'outer-missing-file', 'configured-not-enabled'],
  ...['misspelt-plugin-flag', 'runtime-config'],
]

describe.each(['1.31.14', '1.34.4', '1.37.2'])('kube-apiserver %s, started with the configuration', (version) => {
  const all = JSON.parse(read(`erl-config-${version}.json`)) as Start[]
  const named = all.filter((each) => !OF_FLAGS.includes(each.case)).map((each) => [each.case, each] as const)

  it.each(named)('%s: refuses it as we say', async (_, { starts, lines = [], admissionConfig, eventConfig }) => {
    const folder = mkdtempSync(join(scratch, 'start-'))
    writeFileSync(join(folder, 'adm.yaml'), admissionConfig ?? '')
    writeFileSync(join(folder, 'event.yaml'), eventConfig ?? '')
    const args = ['limits', 'events', '--config', join(folder, 'adm.yaml'), '--server-version', version, '-o', 'json']
    const { code, stdout, stderr } = await apf(args)
    const { valid, startError } = JSON.parse(stdout) as EventLimits
    expect({ code, valid }, stderr).toEqual({ code: starts ? 0 : 1, valid: starts })
    if (startError !== null) expect(comparable(lines.join('\n'))).toContain(comparable(startError.split('\n')[0] ?? ''))
  })
})

/** Without the quoting of the log, the lines of source files, and the order of the four types. */
function comparable(text: string): string {
  return text
    .replaceAll('\\\\"', '"')
    .replaceAll('\\"', '"')
    .replaceAll(/scheme\.go:\d+/g, '')
    .replaceAll(/supported values: (?:"\w+"(?:, )?)+/g, 'supported values')
}

async function audited(name: string, audit: readonly string[]): Promise<EventStream> {
  return readEventStream(file(`${name}.jsonl`, `${audit.join('\n')}\n`), processIo())
}

interface AuditEvent {
  verb: string
  objectRef?: { resource: string }
  requestReceivedTimestamp: string
  responseStatus: { code: number }
}

/** Writes of events that came as far as to the plugin, in the order of time. */
function writesIn(audit: readonly string[]): AuditEvent[] {
  return audit
    .map((line) => JSON.parse(line) as AuditEvent)
    .filter(({ verb, objectRef }) => objectRef?.resource === 'events' && !['get', 'list', 'watch'].includes(verb))
    .filter(({ responseStatus: { code } }) => code !== 400 && code !== 422)
    .sort((a, b) => Date.parse(a.requestReceivedTimestamp) - Date.parse(b.requestReceivedTimestamp))
}

describe('MaxInFlight', () => {
  it.each(['1.31.14', '1.34.4', '1.37.2'])('of %s: the pool that was full is the one we name', (version) => {
    const exchanges = JSON.parse(read(`maxinflight-${version}.json`)) as Exchange[]
    const refused = exchanges.filter(({ response }) => response?.status === 429)
    expect(refused.length).toBeGreaterThan(3)
    for (const { what, request } of refused) {
      const info = requestInfo(request.method, request.path)
      if (isRefused(info)) throw new Error(info.refused)
      // The recording holds the only read slot first, and the only write slot later; each entry says which.
      const wanted = /write|mutating|create|SelfSubject|POST|OPTIONS|HEAD/.test(`${what} ${request.method}`)
      expect(poolOf(info), what).toBe(wanted ? 'mutating' : 'readOnly')
    }
    for (const { what, request } of exchanges.filter(({ what }) => what.includes('long running'))) {
      const info = requestInfo(request.method, request.path)
      if (isRefused(info)) throw new Error(info.refused)
      expect(poolOf(info), what).toBe('exempt-long-running')
    }
  })

  it('of both limits 1 without APF has two counters', () => {
    const given = { maxRequestsInflight: '1', maxMutatingRequestsInflight: '1', enablePriorityAndFairness: 'false' }
    expect(inflightAnswer({ ...given, featureGates: null }, rulesFor({ minor: 37 })).pools).toMatchObject([
      { pool: 'reads', limit: 1 },
      { pool: 'writes', limit: 1 },
    ])
  })
})

describe('client-go', () => {
  it.each(['0.31.14', '0.34.4', '0.37.2'])('%s refuses a QPS without burst in our words', (version) => {
    const resolved = resolveLimiter({ qps: 100, burst: 0, builtBy: 'clientset' })
    expect('error' in resolved && resolved.error).toBeTruthy()
    expect(read(`client-go/${version}-burst-missing.log`)).toContain('error' in resolved ? resolved.error : '?')
  })

  const VERSIONS = ['0.24.17', '0.28.15', '0.31.14', '0.34.4', '0.37.2']
  const cases = [
    ...VERSIONS.flatMap((version) => [
      [`${version}-burst-v0`, 'waits'],
      // The server of the older client answered faster, so that more of its time was waiting.
      [`${version}-seq-v3`, version === '0.24.17' ? 'waits' : 'partly-waits'],
    ]),
    ...['0.31.14', '0.34.4', '0.37.2'].flatMap((version) => [
      [`${version}-negative`, 'not-exposed'],
      [`${version}-discovery`, 'does-not-wait'],
    ]),
  ]
  it.each(cases)('%s: the metrics say that it %s', async (name, verdict) => {
    const metrics = await readClientMetrics(file(`${name}.txt`, exposition(read(`client-go/${name}.log`))), processIo())
    expect(metrics.verdict).toBe(verdict)
  })
})

/** The METRIC lines of a recording, which stand for series, as the exposition that they were read from. */
function exposition(log: string): string {
  return [...log.matchAll(/^METRIC (\w+)(\{.*\}) (?:count=(\d+) sum=([\d.]+) over5ms=(\d+)|(\d+))$/gm)]
    .flatMap(([, name, labels = '', count = '', sum, over5ms, value]) => {
      if (value !== undefined) return [`${name}${labels} ${value}`]
      const bucket = labels.replace(/\}$/, ',le="0.005"}')
      const upTo5ms = Number(count) - Number(over5ms)
      return [`${name}_bucket${bucket} ${upTo5ms}`, `${name}_sum${labels} ${sum}`, `${name}_count${labels} ${count}`]
    })
    .map((line) => `${line}\n`)
    .join('')
}

describe('the Cilium agent', () => {
  it.each(['1.20.2-text-ts', '1.20.2-json-ts', '1.15.19-text'])(
    '%s: its metrics tell who was refused',
    async (name) => {
      const [, metrics = ''] = read(`cilium/${name}.log`).split('# METRICS\n')
      const groups = await readCiliumMetrics(file(`cilium-${name}.txt`, metrics), processIo())
      const create = groups.get('endpoint-create')
      if (create === undefined) throw new Error('endpoint-create is missing')
      const health = ciliumHealth(create, null)
      expect(health.state).toBe('limited')
      expect(countOf(health.processed, 'fail-limit-wait')).toBeGreaterThan(0)
      expect(create).toMatchObject({ maxWait: 1.5, parallelLimit: 2, rateLimit: 1, rateBurst: 2 })
    },
  )
})
