/**
 * Reads what a folder holds of one API server: a snapshot of it, or a recording. Every file may be missing; each tells what
 * it can. The objects of flowschemas.json and prioritylevelconfigurations.json are read by the sources of objects.
 */
import { createReadStream, existsSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { createGunzip } from 'node:zlib'
import { PRIORITY_LEVEL_UID_HEADER } from '../apf/response-headers.ts'
import { levelDumps, readDump } from './dumps.ts'
import { healthChecksIn, type InflightFlags } from './mode.ts'
import { type Observations, observe } from './observe.ts'
import { type ProcessMetrics, readMetrics } from './process-metrics.ts'
import type { ServerState } from './server-state.ts'

/** In the order of preference: the complete exposition, then the families of interest. */
const METRICS_FILES = ['metrics.txt', 'metrics.txt.gz', 'metrics-apf.txt'] as const
const LEVEL_DUMP_FILE = 'dump_priority_levels.txt'
const DEBUG_PATH = '/debug/api_priority_and_fairness/dump_priority_levels'
const HEALTH_PATHS: readonly string[] = ['/livez', '/readyz', '/healthz']

/**
 * @param name  how the server is called; the folder's name by default
 */
export async function readRecording(folder: string, name = basename(folder)): Promise<ServerState> {
  const problems: Observations['problems'][number][] = []
  const metrics = await recordedMetrics(folder, problems)
  const dumpText = textOf(folder, LEVEL_DUMP_FILE)
  const dump = dumpText === null ? null : readDump(join(folder, LEVEL_DUMP_FILE), dumpText)
  if (dump !== null) problems.push(...dump.problems)
  const flags = recordedFlags(folder)
  const health = textOf(folder, 'livez_verbose.txt')
  return observe({
    name,
    address: null,
    version: recordedVersion(folder),
    metrics,
    levelDump: dump === null ? { unavailable: `there is no ${LEVEL_DUMP_FILE}` } : levelDumps(dump),
    mode: {
      ...recordedAnswers(folder),
      ...recordedObjects(folder),
      ...(dump !== null && dump.rows.length > 0 && { debugStatus: 200 }),
      ...(health !== null && { healthChecks: healthChecksIn(health) }),
      ...(flags !== null && { flags }),
    },
    problems,
  })
}

/** The bytes of a saved exposition, unpacked where its name ends in `.gz`. Errors come from the stream. */
export function savedMetrics(path: string): AsyncIterable<Uint8Array> {
  const file = createReadStream(path, { highWaterMark: CHUNK_BYTES })
  if (!path.endsWith('.gz')) return file
  const unpacked = createGunzip({ chunkSize: CHUNK_BYTES })
  file.on('error', (error) => unpacked.destroy(error))
  return file.pipe(unpacked)
}

const CHUNK_BYTES = 256 * 1024

async function recordedMetrics(
  folder: string,
  problems: Observations['problems'][number][],
): Promise<ProcessMetrics | { unavailable: string }> {
  const file = METRICS_FILES.find((name) => existsSync(join(folder, name)))
  if (file === undefined) return { unavailable: 'there is no metrics.txt' }
  const path = join(folder, file)
  try {
    const reading = await readMetrics(path, savedMetrics(path))
    problems.push(...reading.problems)
    const [process, ...others] = reading.processes
    if (process === undefined) return { unavailable: `${file} has no metrics of an API server` }
    return others.length === 0 ? process : { unavailable: `${file} has the metrics of several API servers` }
  } catch (error) {
    return { unavailable: `${file} cannot be read: ${error instanceof Error ? error.message : String(error)}` }
  }
}

function recordedVersion(folder: string): string | null {
  const text = field(jsonOf(folder, 'version.json'), 'gitVersion')
  return typeof text === 'string' ? text.replace(/^v/, '') : null
}

function recordedFlags(folder: string): InflightFlags | null {
  const flags = field(jsonOf(folder, 'flags.json'), 'flags')
  if (typeof flags !== 'object' || flags === null) return null
  const gates = field(flags, '--feature-gates')
  const isGateOff = typeof gates === 'string' && gates.split(',').includes('APIPriorityAndFairness=false')
  return {
    apfEnabled: field(flags, '--enable-priority-and-fairness') !== 'false' && !isGateOff,
    maxRequestsInflight: numberFlag(field(flags, '--max-requests-inflight')),
    maxMutatingRequestsInflight: numberFlag(field(flags, '--max-mutating-requests-inflight')),
  }
}

function numberFlag(value: unknown): number | null {
  return typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : null
}

/** What labelled answers of the server say of its mode. */
function recordedAnswers(folder: string): Observations['mode'] {
  const answers = listOf(jsonOf(folder, 'responses.json')).map((entry) => ({
    method: field(field(entry, 'request'), 'method'),
    path: String(field(field(entry, 'request'), 'path') ?? ''),
    status: Number(field(entry, 'status') ?? 0),
    hasApfHeaders: listOf(field(entry, 'headers')).some(
      (header) => String(listOf(header)[0]).toLowerCase() === PRIORITY_LEVEL_UID_HEADER,
    ),
  }))
  const gets = answers.filter(({ method }) => method === 'GET')
  const version = gets.find(({ path, status }) => path === '/version' && status === 200)
  const debug = gets.find(({ path, status }) => path === DEBUG_PATH && (status === 200 || status === 404))
  const group = gets.find(
    ({ path, status }) => path === '/apis/flowcontrol.apiserver.k8s.io' && (status === 200 || status === 404),
  )
  const isThrottled = gets.some(
    ({ path, status, hasApfHeaders }) =>
      status === 429 && !hasApfHeaders && HEALTH_PATHS.includes(path.split('?', 1)[0] ?? ''),
  )
  return {
    ...(version && { answer: { path: version.path, status: version.status, hasApfHeaders: version.hasApfHeaders } }),
    ...(debug && { debugStatus: debug.status }),
    ...(group && { apiGroupServed: group.status === 200 }),
    ...(isThrottled && { healthThrottled: true }),
  }
}

function recordedObjects(folder: string): Observations['mode'] {
  const schemas = listOf(field(jsonOf(folder, 'flowschemas.json'), 'items'))
  if (schemas.length === 0) return {}
  const conditions = schemas.flatMap((schema) => listOf(field(field(schema, 'status'), 'conditions')))
  return {
    flowSchemasExist: true,
    danglingConditions: conditions.some((condition) => field(condition, 'type') === 'Dangling'),
  }
}

/** Null if there is no such file, or none that can be read. */
function textOf(folder: string, file: string): string | null {
  try {
    return readFileSync(join(folder, file), 'utf8')
  } catch {
    return null
  }
}

function jsonOf(folder: string, file: string): unknown {
  try {
    return JSON.parse(textOf(folder, file) ?? 'null')
  } catch {
    return null
  }
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}
