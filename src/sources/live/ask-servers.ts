/** Asks every API server that can be asked safely what it does. */
import type { Problem } from '../../apf/problem.ts'
import { levelDumps, readDump } from '../../metrics/dumps.ts'
import { healthChecksIn } from '../../metrics/mode.ts'
import type { Observations } from '../../metrics/observe.ts'
import { type MetricsReading, type ProcessMetrics, readMetrics } from '../../metrics/process-metrics.ts'
import { isSourceFailure } from '../failure.ts'
import type { Client, SendOptions } from './client.ts'
import type { Connection } from './connect.ts'
import { type Fault, isFault, type Reply } from './exchange.ts'
import { readPfHeaders } from './pf-headers.ts'
import {
  type AllServers,
  anyServer,
  directClient,
  isClient,
  readDirectory,
  serverName,
  whyNotDirectly,
} from './servers.ts'
import { bodyOf } from './status.ts'

export interface AskOptions {
  allServers: AllServers
  /** URLs of `--apiserver`; with any, only these are asked. */
  urls: readonly string[]
  /** Milliseconds between two samples; null: one is enough. */
  intervalMs: number | null
  sleep(ms: number): Promise<void>
}

/** What one API server said. */
export interface ServerReading {
  observations: Observations
  /** Of the same process over the same connection, `seconds` later; null without. */
  later: { metrics: ProcessMetrics; seconds: number } | null
  /** Versions of the flow control API, the preferred one first; null where it was not told. */
  apfVersions: string[] | null
}

export interface ServersAsked {
  readings: ServerReading[]
  reached: number
  total: number | null
  unreachable: { name: string; why: string }[]
}

const DUMP_PATH = '/debug/api_priority_and_fairness/dump_priority_levels'
const GROUP_PATH = '/apis/flowcontrol.apiserver.k8s.io'

/** How long a server may still take once the one at the common address has told everything. */
const PATIENCE_MS = 3000

/** Connections that are opened in the hope of meeting another server behind the same address, for each one missing. */
const TRIES_PER_SERVER = 3
const MOST_TRIES = 9

export async function askServers(connection: Connection, options: AskOptions): Promise<ServersAsked> {
  const { client } = connection
  if (options.urls.length > 0) return askNamed(connection, options)
  const home = client.server.text
  const first = askAt(home, serverName(home, []), anyServer(connection, options.intervalMs ?? 0), options)
  if (options.allServers === 'never') {
    const { readings, unreachable } = sorted([{ name: serverName(home, []), answer: await first }])
    return asked(readings, null, unreachable)
  }
  return askBehind(connection, first, options)
}

function asked(
  readings: ServerReading[],
  total: number | null,
  unreachable: ServersAsked['unreachable'],
): ServersAsked {
  return { readings, reached: readings.length, total, unreachable }
}

async function askNamed(connection: Connection, options: AskOptions): Promise<ServersAsked> {
  const [{ readings, unreachable }, { total }] = await Promise.all([
    askAll(connection, options.urls, options),
    readDirectory(connection.client),
  ])
  return asked(readings, Math.max(options.urls.length, total ?? 0), unreachable)
}

/** The servers behind the common address: by their own addresses, else by meeting them. */
async function askBehind(
  connection: Connection,
  first: Promise<ServerReading | string>,
  options: AskOptions,
): Promise<ServersAsked> {
  const home = connection.client.server.text
  const why = whyNotDirectly(connection)
  const directory = await readDirectory(connection.client)
  const others = directory.total === 1 ? [] : directory.addresses.filter((url) => url !== home)
  const [direct, atHome] = await Promise.all([
    why === null ? askAll(connection, others, options, first.then(patience)) : { readings: [], unreachable: [] },
    first,
  ])
  const { readings: firsts, unreachable: missed } = sorted([{ name: serverName(home, []), answer: atHome }])
  const homeIsOneServer = directory.addresses.includes(home)
  const known = [
    ...direct.readings,
    ...firsts.filter((reading) => homeIsOneServer || isAnother(reading, direct.readings)),
  ]
  const total = directory.total ?? (directory.addresses.length || null)
  const readings = [...known, ...(total === null ? [] : await meetOthers(connection, known, total, options))]
  if (total !== null && readings.length >= total) return asked(readings, total, [])
  const unreachable = [...missed, ...direct.unreachable]
  const unseen = total === null ? 0 : total - readings.length - unreachable.length
  if (unseen > 0) unreachable.push({ name: inWords(unseen), why: why ?? 'no address of theirs is known' })
  return asked(readings, total, unreachable)
}

/** Whether a server met at the common address is none of those asked by their own: only start times can tell. */
function isAnother(reading: ServerReading, others: readonly ServerReading[]): boolean {
  const start = startOf(reading)
  const starts = others.map(startOf)
  return others.length === 0 || (start !== null && !starts.includes(start) && !starts.includes(null))
}

function inWords(count: number): string {
  return count === 1 ? '1 other API server' : `${count} other API servers`
}

function startOf({ observations: { metrics } }: ServerReading): number | null {
  return 'unavailable' in metrics ? null : metrics.startedAt
}

/** Connects again until all were met, or the tries are used up. Without start times servers cannot be told apart. */
async function meetOthers(
  connection: Connection,
  known: readonly ServerReading[],
  total: number,
  options: AskOptions,
): Promise<ServerReading[]> {
  const missing = total - known.length
  if (missing <= 0 || known.some((reading) => startOf(reading) === null)) return []
  const home = connection.client.server.text
  const met: ServerReading[] = []
  const tries = Math.min(MOST_TRIES, missing * TRIES_PER_SERVER)
  for (let attempt = 0; attempt < tries && met.length < missing; attempt++) {
    const name = `${serverName(home, [])}#${known.length + met.length + 1}`
    const reading = await askAt(home, name, anyServer(connection, options.intervalMs ?? 0), options)
    if (typeof reading === 'string') break
    const start = startOf(reading)
    const seen = [...known, ...met].some((other) => startOf(other) === start)
    if (start !== null && !seen) met.push(reading)
  }
  return met
}

/** Resolves in a while; alone it does not keep the process from ending. */
function patience(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, PATIENCE_MS).unref()
  })
}

/** @param enough  when it resolves, nobody waits any longer for those that have not answered yet */
async function askAll(connection: Connection, urls: readonly string[], options: AskOptions, enough?: Promise<void>) {
  const answers = await Promise.all(
    urls.map(async (url) => {
      const name = URL.canParse(url) ? serverName(url, urls) : url
      return {
        name,
        answer: await askAt(url, name, directClient(connection, url, options.intervalMs ?? 0), options, enough),
      }
    }),
  )
  return sorted(answers)
}

/** The servers that answered, and why the others did not. */
function sorted(answers: readonly { name: string; answer: ServerReading | string }[]) {
  return {
    readings: answers.flatMap(({ answer }) => (typeof answer === 'string' ? [] : [answer])),
    unreachable: answers.flatMap(({ name, answer }) => (typeof answer === 'string' ? [{ name, why: answer }] : [])),
  }
}

type MaybeClient = Parameters<typeof isClient>[0]

/** Everything that one server tells. @returns why it could not be asked, in words */
async function askAt(
  address: string,
  name: string,
  client: MaybeClient,
  options: AskOptions,
  enough?: Promise<void>,
): Promise<ServerReading | string> {
  if (!isClient(client)) return typeof client === 'string' ? client : isSourceFailure(client) ? client.what : ''
  try {
    const answer = readServer(address, name, client, options)
    const late = enough?.then(() => `no answer within ${PATIENCE_MS / 1000} s after the others`)
    return await (late === undefined ? answer : Promise.race([answer, late]))
  } finally {
    client.close()
  }
}

async function readServer(
  address: string,
  name: string,
  client: Client,
  { intervalMs, sleep }: AskOptions,
): Promise<ServerReading | string> {
  const version = await client.send('GET', '/version', { takeThrottling: true })
  if (isFault(version)) return faultInWords(version)
  const scraped = await scrape(name, client)
  const scrapedAt = performance.now()
  const livez = await client.send('GET', '/livez?verbose', { takeThrottling: true, accept: '*/*' })
  const dump = await client.send('GET', DUMP_PATH, { takeThrottling: true, accept: '*/*' })
  const group = await client.send('GET', GROUP_PATH, { takeThrottling: true })
  let later: ServerReading['later'] = null
  if (intervalMs !== null && !('unavailable' in scraped)) {
    await sleep(Math.max(0, intervalMs - (performance.now() - scrapedAt)))
    const seconds = (performance.now() - scrapedAt) / 1000
    const second = await scrape(name, client)
    later = 'unavailable' in second ? null : { metrics: second.process, seconds }
  }
  const told = versionTold(version)
  return {
    observations: {
      name,
      address,
      version: told === null ? null : told.replace(/^v/, ''),
      metrics: 'unavailable' in scraped ? scraped : scraped.process,
      levelDump: dumpOf(name, dump),
      mode: modeObservations(version, livez, dump, group),
      problems: 'unavailable' in scraped ? [] : scraped.problems,
    },
    later,
    apfVersions: versionsOf(group),
  }
}

export type Scraped = { process: ProcessMetrics; problems: readonly Problem[] } | { unavailable: string }

/**
 * The metrics of the server that a client leads to, read as they come.
 * @param name  how the server is called in problems
 */
export async function scrape(
  name: string,
  client: Client,
  options: Pick<SendOptions, 'takeThrottling'> = {},
): Promise<Scraped> {
  let read: Scraped = { unavailable: 'what it answers to GET /metrics are no metrics' }
  const reply = await client.send('GET', '/metrics', {
    ...options,
    accept: 'text/plain;version=0.0.4',
    async consume(chunks) {
      read = scrapedOf(await readMetrics(`${name} /metrics`, chunks))
    },
  })
  if (isFault(reply)) return { unavailable: faultInWords(reply) }
  return reply.status === 200 ? read : { unavailable: statusInWords(reply.status) }
}

/** An API server tells of itself alone. */
function scrapedOf({ processes: [process], problems }: MetricsReading): Scraped {
  if (process !== undefined) return { process, problems }
  return { unavailable: problems[0]?.message ?? 'there are no metrics of an API server' }
}

function dumpOf(name: string, reply: Reply | Fault): Observations['levelDump'] {
  if (isFault(reply)) return { unavailable: faultInWords(reply) }
  if (reply.status !== 200) return { unavailable: statusInWords(reply.status) }
  const table = readDump(`${name} ${DUMP_PATH}`, reply.body)
  return table.columns.length === 0 ? { unavailable: table.problems[0]?.message ?? '' } : levelDumps(table)
}

function versionTold(reply: Reply): string | null {
  const body = reply.status === 200 ? bodyOf(reply) : null
  const version = body?.kind === 'json' ? body.value['gitVersion'] : null
  return typeof version === 'string' ? version : null
}

function statusInWords(status: number): string {
  const known: Readonly<Record<number, string>> = {
    401: 'the server does not accept the credentials (401)',
    403: 'forbidden (403)',
    404: 'the server does not have it (404)',
    429: 'the server is too busy (429)',
  }
  return known[status] ?? `the server answered ${status}`
}

/** Why there was no answer, for a list of servers. */
function faultInWords({ fault, detail }: Fault): string {
  switch (fault) {
    case 'unreachable':
      return detail === 'ETIMEDOUT' ? 'connecting took too long' : `cannot be reached (${detail})`
    case 'tls':
      return `its certificate does not prove that it belongs to the cluster (${detail})`
    case 'timeout':
    case 'command-timeout':
      return `no answer within ${Number.parseInt(detail, 10) / 1000} s`
    case 'proxy':
      return detail
    default:
      return `${fault} (${detail})`
  }
}

function modeObservations(
  version: Reply,
  livez: Reply | Fault,
  dump: Reply | Fault,
  group: Reply | Fault,
): Observations['mode'] {
  const observations: Observations['mode'] = {
    answer: { path: '/version', status: version.status, hasApfHeaders: hasApfHeaders(version) },
  }
  if (!isFault(livez)) {
    const checks = healthChecksIn(livez.body)
    if (checks.length > 0) observations.healthChecks = checks
    if (livez.status === 429 && !hasApfHeaders(livez)) observations.healthThrottled = true
  }
  if (!isFault(dump)) observations.debugStatus = dump.status
  if (!isFault(group)) {
    if (group.status === 404) observations.apiGroupServed = false
    if (group.status === 200) observations.apiGroupServed = true
  }
  return observations
}

function hasApfHeaders(reply: Reply): boolean {
  return readPfHeaders(reply.headers).flowSchemaUID !== null
}

function versionsOf(group: Reply | Fault): string[] | null {
  if (isFault(group)) return null
  if (group.status === 404) return []
  const body = bodyOf(group)
  if (group.status !== 200 || body.kind !== 'json') return null
  const preferred = versionIn(body.value['preferredVersion'])
  const listed = body.value['versions']
  const names = (Array.isArray(listed) ? listed : []).map(versionIn).filter((name) => name !== null)
  return preferred === null ? names : [preferred, ...names.filter((name) => name !== preferred)]
}

function versionIn(value: unknown): string | null {
  const name = typeof value === 'object' && value !== null ? Reflect.get(value, 'version') : null
  return typeof name === 'string' ? name : null
}
