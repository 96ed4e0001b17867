/** Saved metrics of clients and of Cilium agents. */
import { CliError, EXIT } from '../../cli/errors.ts'
import type { Io } from '../../cli/io.ts'
import type { CiliumSeries } from '../../limiters/cilium-health.ts'
import { type ClientSeries, clientHealth } from '../../limiters/client-health.ts'
import { readExposition, type Sample } from '../../metrics/exposition.ts'
import { contentProblem } from '../../metrics/metrics-problems.ts'
import { savedMetrics } from '../../metrics/read-recording.ts'
import type { ClientMetrics } from '../../report/contract.ts'
import { unreadable } from '../../sources/input.ts'

/** @throws CliError (exit 2) for a file that is no exposition */
async function eachSample(
  file: string,
  io: Io,
  wants: (name: string) => boolean,
  take: (sample: Sample) => void,
): Promise<void> {
  let report: Awaited<ReturnType<typeof readExposition>>
  try {
    report = await readExposition(file === '-' ? io.stdin : savedMetrics(file), wants, take)
  } catch (error) {
    const { message, fix } = unreadable(file, error)
    throw new CliError({
      exitCode: EXIT.usage,
      what: `${file}: ${message}`,
      ...(fix === undefined ? {} : { next: fix }),
    })
  }
  if (report.otherContent === null) return
  throw new CliError({ exitCode: EXIT.usage, what: `${file} ${contentProblem(file, report).message}` })
}

// Clients

const LIMITER = 'rest_client_rate_limiter_duration_seconds'
const REQUEST = 'rest_client_request_duration_seconds'

/** What a client says of itself, over all of its series. */
export async function readClientMetrics(file: string, io: Io): Promise<ClientMetrics> {
  const sums = new Map<string, number>()
  const add = (key: string, value: number) => sums.set(key, (sums.get(key) ?? 0) + value)
  await eachSample(
    file,
    io,
    (name) => name.startsWith('rest_client_'),
    ({ name, labels, value }) => {
      // The bound nearest to 5 ms: 0.005 from 1.24 on, 0.004 before.
      const le = labels.get('le')
      if (!Number.isFinite(value) || value < 0) return
      if (name.endsWith('_bucket') && le !== '0.005' && le !== '0.004') return
      add(name, value)
      if (name === 'rest_client_requests_total' && labels.get('code') === '429') add('429', value)
    },
  )
  const read = (key: string) => sums.get(key) ?? null
  const histogram = (name: string) => {
    const sum = read(`${name}_sum`)
    const count = read(`${name}_count`)
    return sum === null || count === null ? null : { sum, count, upTo5ms: read(`${name}_bucket`) }
  }
  const attempts = read('rest_client_requests_total')
  const series: ClientSeries = {
    limiter: histogram(LIMITER),
    request: histogram(REQUEST),
    attempts,
    attempts429: attempts === null ? null : (read('429') ?? 0),
    retries: read('rest_client_request_retries_total'),
  }
  if (series.attempts === null && series.limiter === null && series.request === null) {
    throw new CliError({
      exitCode: EXIT.usage,
      what: `${file} has no series rest_client_*`,
      why: 'a program that is built on client-go exposes them on its own port',
      next: 'curl -s http://POD:PORT/metrics > metrics.txt',
    })
  }
  const { verdict, meanWait, limiterShare, delayedShare, says } = clientHealth(series)
  return {
    file,
    verdict,
    attempts,
    attempts429: series.attempts429,
    calls: series.request?.count ?? null,
    meanWaitSeconds: meanWait,
    limiterShare,
    delayedShare,
    retries: series.retries,
    says,
  }
}

// Cilium

/** Of the agent, and of the clustermesh components that limit their kvstore with the same code. */
const CILIUM_FAMILY = /^cilium_(?:kvstoremesh_|clustermesh_apiserver_)?api_limiter_(.*)$/

/** One sample of an agent, by group. */
export async function readCiliumMetrics(file: string, io: Io): Promise<Map<string, CiliumSeries>> {
  const groups = new Map<string, GrowingSeries>()
  await eachSample(
    file,
    io,
    (name) => CILIUM_FAMILY.test(name),
    ({ name, labels, value }) => {
      if (Number.isNaN(value)) return
      const [, family = ''] = CILIUM_FAMILY.exec(name) ?? []
      const group = labels.get('api_call') ?? ''
      const series = groups.get(group) ?? newSeries(group)
      groups.set(group, series)
      record(series, family, labels.get('value') ?? '', labels.get('outcome') ?? '', value)
    },
  )
  if (groups.size === 0) {
    throw new CliError({
      exitCode: EXIT.usage,
      what: `${file} has no series cilium_api_limiter_*`,
      why: 'the agent exposes them from the first call on, on its own port; the operator and kube-apiserver have none',
      next: 'kubectl -n kube-system exec ds/cilium -- cilium-dbg metrics list -o json, or curl http://NODE:9962/metrics',
    })
  }
  return groups
}

type GrowingSeries = { -readonly [Key in keyof CiliumSeries]: CiliumSeries[Key] } & { processed: Map<string, number> }

function newSeries(group: string): GrowingSeries {
  return {
    group,
    processed: new Map(),
    inFlight: null,
    parallelLimit: null,
    rateLimit: null,
    rateBurst: null,
    factor: null,
    meanProcessing: null,
    estimatedProcessing: null,
    meanWait: null,
    maxWait: null,
  }
}

/** Of a gauge by family and its label `value`, where it belongs. */
const GAUGES: Readonly<Record<string, Exclude<keyof CiliumSeries, 'group' | 'processed'>>> = {
  'adjustment_factor ': 'factor',
  'requests_in_flight in-flight': 'inFlight',
  'requests_in_flight limit': 'parallelLimit',
  'rate_limit limit': 'rateLimit',
  'rate_limit burst': 'rateBurst',
  'processing_duration_seconds mean': 'meanProcessing',
  'processing_duration_seconds estimated': 'estimatedProcessing',
  'wait_duration_seconds mean': 'meanWait',
  'wait_duration_seconds max': 'maxWait',
}

function record(series: GrowingSeries, family: string, which: string, outcome: string, value: number): void {
  if (family === 'processed_requests_total') {
    series.processed.set(outcome, (series.processed.get(outcome) ?? 0) + value)
    return
  }
  const gauge = GAUGES[`${family} ${which}`]
  if (gauge !== undefined) series[gauge] = value
}
