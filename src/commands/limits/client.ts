/** `limits client`: the limiter inside of a client, from whatever says what it is. */
import { clientDemand, fitOf } from '../../analysis/client-demand.ts'
import { accountOfObjects } from '../../analysis/seats.ts'
import { effectiveConfiguration } from '../../apf/order.ts'
import { DEFAULT_INFLIGHT_FLAGS, serverLimit } from '../../apf/server-limit.ts'
import { nearest } from '../../apf/suggest.ts'
import { EXIT, type ExitCode, usageError } from '../../cli/errors.ts'
import type { Io } from '../../cli/io.ts'
import { type OutputFlagValues, printDocument, printTable } from '../../cli/print.ts'
import { type SourceFlagValues, withState } from '../../cli/source.ts'
import { clientAdvice, secondsUntilWaits } from '../../limiters/client-advice.ts'
import {
  clientNames,
  clientsOf,
  defaultsAt,
  KNOWN_CLIENTS,
  type KnownClient,
  newestVersion,
  versionText,
} from '../../limiters/client-defaults.ts'
import { burstError, DEADLINE_ERROR, playCalls, resolveLimiter } from '../../limiters/client-go.ts'
import { type ConfiguredClient, clientsIn, effectiveClient } from '../../limiters/client-settings.ts'
import type { Advice } from '../../limiters/settings.ts'
import {
  API_VERSION,
  type ClientLimit,
  type ClientLimits,
  type ClientLoad,
  type ClientMetrics,
  type ClientPrediction,
  type LevelDemand,
  type LimitAdvice,
} from '../../report/contract.ts'
import {
  clientColumns,
  clientLines,
  clientVerdict,
  demandColumns,
  metricsLines,
} from '../../report/limits-client-text.ts'
import { adviceLines, asText } from '../../report/limits-lines.ts'
import type { ClusterState } from '../../sources/cluster-state.ts'
import type { SourceDocument } from '../../sources/source-text.ts'
import { symbolsFor } from '../../ui/symbols.ts'
import { adviceDocument } from './advice.ts'
import { readClientMetrics } from './metrics.ts'
import {
  durationFlag,
  integerFlag,
  minorFlag,
  numberFlag,
  readEmbedded,
  readSettings,
  refuseStdinTwice,
} from './read.ts'

export interface ClientFlagValues extends OutputFlagValues, SourceFlagValues {
  config?: string[] | undefined
  qps?: string | undefined
  burst?: string | undefined
  component?: string | undefined
  calls?: number | undefined
  workers?: number | undefined
  latency?: string | undefined
  rate?: string | undefined
  deadline?: string | undefined
  clients?: number | undefined
  'from-metrics'?: string | undefined
  'max-requests-inflight'?: number | undefined
  'max-mutating-requests-inflight'?: number | undefined
  as?: string | undefined
  'as-group'?: string[] | undefined
  'as-uid'?: string | undefined
}

/** @returns findings (1) where a program refuses its settings */
export async function limitsClient(flags: ClientFlagValues, io: Io): Promise<ExitCode> {
  const load = loadOf(flags)
  const metrics = flags['from-metrics'] === undefined ? null : await readClientMetrics(flags['from-metrics'], io)
  const clients = await clientsOfFlags(flags, load, io)
  const demand = await demandOf(clients, load, flags, io)
  const document: ClientLimits = {
    apiVersion: API_VERSION,
    kind: 'ClientLimits',
    clients,
    load,
    metrics,
    levels: demand.levels,
    levelsNote: demand.note,
    advice: adviceOf(clients, metrics, load),
  }
  await print(document, flags, io)
  return clients.some(({ errors }) => errors.length > 0) ? EXIT.findings : EXIT.ok
}

const DEFAULT_CALLS = 100
const DEFAULT_LATENCY_NS = 50e6

function loadOf(flags: ClientFlagValues): ClientLoad {
  const calls = flags.calls ?? DEFAULT_CALLS
  const rate = numberFlag('rate', flags.rate)
  if (rate !== null && rate <= 0) throw usageError(`--rate ${flags.rate} is not above 0`)
  const deadline = durationFlag('deadline', flags.deadline)
  return {
    calls,
    workers: flags.workers ?? calls,
    latencySeconds: (durationFlag('latency', flags.latency) ?? DEFAULT_LATENCY_NS) / 1e9,
    ratePerSecond: rate,
    deadlineSeconds: deadline === null ? null : deadline / 1e9,
    clients: flags.clients ?? 1,
  }
}

// Which clients

async function clientsOfFlags(flags: ClientFlagValues, load: ClientLoad, io: Io): Promise<ClientLimit[]> {
  const qps = numberFlag('qps', flags.qps)
  const burst = integerFlag('burst', flags.burst)
  const given = [
    ...(qps === null && burst === null ? [] : ['--qps']),
    ...(flags.component === undefined ? [] : ['--component']),
    ...(flags.config === undefined ? [] : ['--config']),
  ]
  const [one, another] = given
  if (one !== undefined && another !== undefined) {
    throw usageError(`${one} with ${another}`, 'each says by itself what the limits are', 'leave one of them out')
  }
  if (flags.config !== undefined) return (await configured(flags.config, io)).map((client) => predicted(client, load))
  if (flags.component !== undefined) return ofComponent(flags.component).map((client) => predicted(client, load))
  if (one !== undefined) return [predicted(ofNumbers(qps, burst), load)]
  if (flags['from-metrics'] !== undefined) return []
  return KNOWN_CLIENTS.map((client) => predicted(ofKnown(client, newestVersion(client.component)), load))
}

type Unpredicted = Omit<ClientLimit, 'prediction'>

const NOWHERE = { file: null, line: null, object: null, replicas: null }

/** What a program makes of the two numbers; as a clientset, which is what most programs have. */
function ofNumbers(qps: number | null, burst: number | null): Unpredicted {
  const resolved = resolveLimiter({ qps: qps ?? 0, burst: burst ?? 0, builtBy: 'clientset' })
  const isRefused = 'error' in resolved
  const limiter = isRefused || resolved.limiter === 'caller-provided' ? null : resolved.limiter
  return {
    component: 'client-go',
    use: null,
    version: null,
    limiter,
    qpsFrom: qps === null ? 'default' : 'given',
    burstFrom: burst === null ? 'default' : 'given',
    settings: { qps: 'rest.Config.QPS', burst: 'rest.Config.Burst' },
    sharing: isRefused ? '' : resolved.sharing,
    ...NOWHERE,
    errors: isRefused ? [resolved.error] : limiter !== null && limiter.burst < 0 ? [burstError(limiter.burst)] : [],
    beware: null,
  }
}

function ofKnown(client: KnownClient, minor: number): Unpredicted {
  const { qps, burst } = defaultsAt(client, minor)
  return {
    component: client.component,
    use: client.use || null,
    version: versionText(client.component, minor),
    limiter: qps < 0 ? null : { qps, burst },
    qpsFrom: 'default',
    burstFrom: 'default',
    settings: client.settings,
    sharing: client.sharing,
    ...NOWHERE,
    errors: [],
    beware: client.beware ?? null,
  }
}

function ofComponent(text: string): Unpredicted[] {
  const [name = '', version] = text.split('@')
  const clients = clientsOf(name)
  if (clients.length === 0) {
    const meant = nearest(name, clientNames())
    throw usageError(
      `--component ${name} is not known`,
      meant === null ? `there are ${clientNames().join(', ')}` : `did you mean ${meant}?`,
    )
  }
  const minor = version === undefined ? newestVersion(name) : minorFlag('component', version)
  return clients.map((client) => ofKnown(client, minor))
}

/** What files set; of what they leave out the defaults of the component. */
async function configured(paths: readonly string[], io: Io): Promise<Unpredicted[]> {
  refuseStdinTwice('config', paths)
  const found: Unpredicted[] = []
  for (const path of paths) {
    const { file, documents } = await readSettings(path, io)
    for (const document of documents) found.push(...(await clientsInDocument(file, document)))
  }
  return found
}

async function clientsInDocument(file: string, document: SourceDocument): Promise<Unpredicted[]> {
  const direct = clientsIn(document.value).map((client) => ofConfigured(client, file, document, nameOf(document.value)))
  const embedded: Unpredicted[] = []
  for (const { path, text, object } of embeddedTexts(document.value)) {
    for (const inner of (await readEmbedded(`${file} ${path.at(-1)}`, text)) ?? []) {
      const { line } = document.locate(path)
      for (const client of clientsIn(inner.value)) {
        embedded.push({ ...ofConfigured(client, file, inner, object), line })
      }
    }
  }
  return [...direct, ...embedded]
}

interface EmbeddedText {
  path: (string | number)[]
  text: string
  /** That it stands in. */
  object: string
}

/** Values of ConfigMaps that are configuration files themselves, in YAML or JSON. */
function embeddedTexts(value: unknown): EmbeddedText[] {
  if (typeof value !== 'object' || value === null) return []
  const items: unknown = Reflect.get(value, 'items')
  if (Array.isArray(items)) {
    return items.flatMap((item, index) =>
      embeddedTexts(item).map((found) => ({ ...found, path: ['items', index, ...found.path] })),
    )
  }
  const data: unknown = Reflect.get(value, 'kind') === 'ConfigMap' ? Reflect.get(value, 'data') : null
  if (typeof data !== 'object' || data === null) return []
  return Object.entries(data).flatMap(([key, text]) =>
    typeof text === 'string' && /(?:^|[{,])\s*["']?kind["']?\s*:/m.test(text)
      ? [{ path: ['data', key], text, object: nameOf(value) }]
      : [],
  )
}

function ofConfigured(client: ConfiguredClient, file: string, document: SourceDocument, object: string): Unpredicted {
  const { known, limiter, qpsFrom, burstFrom, defaultsOf } = effectiveClient(client)
  return {
    component: client.component,
    use: client.use || null,
    version: defaultsOf === null ? null : versionText(client.component, defaultsOf),
    limiter,
    qpsFrom,
    burstFrom,
    settings: client.settings,
    sharing: known?.sharing ?? 'one bucket for all clients of a clientset; other kinds of clients have their own',
    file,
    line: document.locate(client.path).line,
    object: object === '' ? null : object,
    replicas: client.replicas,
    errors: client.errors,
    beware: known?.beware ?? null,
  }
}

function nameOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return ''
  const kind: unknown = Reflect.get(value, 'kind')
  const metadata: unknown = Reflect.get(value, 'metadata')
  const name: unknown = typeof metadata === 'object' && metadata !== null ? Reflect.get(metadata, 'name') : undefined
  return typeof kind === 'string' && typeof name === 'string' ? `${kind} ${name}` : ''
}

// Predictions

function predicted(client: Unpredicted, load: ClientLoad): ClientLimit {
  return { ...client, prediction: client.errors.length > 0 ? null : predict(client, load) }
}

/** Image pulls are refused instead of delayed, and are none of these calls. */
function predict({ limiter, use }: Unpredicted, load: ClientLoad): ClientPrediction | null {
  if (use === 'image pulls') return null
  const { calls, workers, latencySeconds, ratePerSecond, deadlineSeconds } = load
  const times = playCalls({
    limiter,
    calls,
    latency: latencySeconds * 1e9,
    workers,
    interval: ratePerSecond === null ? null : 1e9 / ratePerSecond,
    deadline: deadlineSeconds === null ? null : deadlineSeconds * 1e9,
  })
  return {
    seconds: times.finish / 1e9,
    lastStartSeconds: times.lastStart / 1e9,
    delayed: times.delayed,
    longestWaitSeconds: times.longestWait / 1e9,
    meanWaitSeconds: times.totalWait / 1e9 / Math.max(1, calls - times.failed),
    linesAtV3: times.over50ms,
    overOneSecond: times.over1s,
    failed: times.failed,
    firstFailed: times.firstFailed,
    failure: times.failed === 0 ? null : DEADLINE_ERROR,
    waitsAfterSeconds: ratePerSecond === null || limiter === null ? null : secondsUntilWaits(ratePerSecond, limiter),
  }
}

// What all of them ask for

interface Demand {
  levels: LevelDemand[]
  note: string | null
}

async function demandOf(
  clients: readonly ClientLimit[],
  load: ClientLoad,
  flags: ClientFlagValues,
  io: Io,
): Promise<Demand> {
  const names = ['from', 'defaults', 'context', 'kubeconfig', 'cluster', 'server'] as const
  if (!names.some((name) => flags[name] !== undefined)) {
    const note = 'no source of priority levels was given: add --defaults 1.37, or --context NAME of a cluster'
    return { levels: [], note: load.clients > 1 ? note : null }
  }
  const { client, others } = oneToCount(clients)
  const impersonation = { as: flags.as, 'as-group': flags['as-group'], 'as-uid': flags['as-uid'] }
  let levels: LevelDemand[] = []
  await withState(flags, { impersonation, readsStdin: false }, io, async (state) => {
    levels = levelDemands(client, load, state, flags)
    return EXIT.ok
  })
  const of = others ? `of ${client?.component ?? 'the client'} alone; ` : ''
  const note = `${of}as if all requests landed in one level, on one API server, with one seat each`
  return { levels, note }
}

/** Of several clients the one with the greatest burst. */
function oneToCount(clients: readonly ClientLimit[]): { client: ClientLimit | undefined; others: boolean } {
  const counted = clients.filter(({ prediction }) => prediction !== null)
  const unlimited = counted.find(({ limiter }) => limiter === null)
  const [largest] = [...counted].sort((a, b) => (b.limiter?.burst ?? 0) - (a.limiter?.burst ?? 0))
  return { client: unlimited ?? largest, others: counted.length > 1 }
}

function levelDemands(
  client: ClientLimit | undefined,
  load: ClientLoad,
  state: ClusterState,
  flags: ClientFlagValues,
): LevelDemand[] {
  if (client === undefined) return []
  const { flowSchemas, priorityLevels, rules } = state
  const seats = serverLimit(
    {
      maxRequestsInflight: flags['max-requests-inflight'] ?? DEFAULT_INFLIGHT_FLAGS.maxRequestsInflight,
      maxMutatingRequestsInflight:
        flags['max-mutating-requests-inflight'] ?? DEFAULT_INFLIGHT_FLAGS.maxMutatingRequestsInflight,
    },
    true,
    rules,
  )
  const levels = [...effectiveConfiguration(flowSchemas, priorityLevels, rules).levels.values()]
  const accounts = accountOfObjects(levels, seats.mode === 'APF' ? seats.serverSeats : null, rules)
  const demand = clientDemand(client.limiter, load.clients, load.latencySeconds)
  return accounts
    .filter(({ type }) => type !== 'Exempt')
    .map(({ name, nominal, reachable }) => ({
      level: name,
      nominal,
      reachable,
      ...demand,
      fits: fitOf(demand, { nominal, reachable }),
    }))
}

// What to do

function adviceOf(clients: readonly ClientLimit[], metrics: ClientMetrics | null, load: ClientLoad): LimitAdvice[] {
  const waits: Advice[] =
    metrics?.verdict !== 'waits'
      ? []
      : [
          {
            severity: 'warning',
            setting: null,
            message: 'the server is not involved in these waits',
            fix: 'raise QPS and burst together, or share calls: informers instead of lists, one clientset instead of many',
          },
        ]
  const [client, ...others] = clients
  if (client === undefined || others.length > 0 || client.prediction === null || client.limiter === null) {
    return adviceDocument(waits)
  }
  const { delayed, overOneSecond: over1s } = client.prediction
  return adviceDocument([...waits, ...clientAdvice(client.limiter, client.settings, load, { delayed, over1s })])
}

async function print(document: ClientLimits, flags: ClientFlagValues, io: Io): Promise<void> {
  if (flags.output === 'json' || flags.output === 'yaml') return printDocument(document, flags.output, io)
  const { clients, load, metrics, levels, levelsNote } = document
  await io.stdout.write(asText([clientVerdict(document)]))
  const [only, ...others] = clients
  const lines: string[] = []
  if (metrics !== null) lines.push(...metricsLines(metrics))
  if (only !== undefined && others.length === 0) lines.push(...clientLines(only, load))
  if (lines.length > 0) await io.stdout.write(`\n${asText(lines)}`)
  if (others.length > 0) {
    await io.stdout.write('\n')
    await printTable(clientColumns(), clients, flags, io)
    const refusals = clients.flatMap(({ component, errors }) => errors.map((error) => `! ${component}: ${error}`))
    if (refusals.length > 0) await io.stdout.write(`\n${asText(refusals)}`)
  }
  if (levels.length > 0) {
    await io.stdout.write(`\n${asText([`${load.clients} such clients at worst:`])}`)
    await printTable(demandColumns(), levels, flags, io)
  }
  const below = [
    ...(levelsNote === null ? [] : [levelsNote]),
    ...adviceLines(document.advice, symbolsFor(io.env).arrow),
  ]
  if (below.length > 0) await io.stdout.write(`\n${asText(below)}`)
}
