/** `limits cilium`: the API limiter of the agent: checked, explained, played, and measured. */
import { CliError, EXIT, type ExitCode, usageError } from '../../cli/errors.ts'
import type { Io } from '../../cli/io.ts'
import { printNotes } from '../../cli/messages.ts'
import { type OutputFlagValues, printDocument, printTable, stdoutPainter } from '../../cli/print.ts'
import { liveOptions, type SourceFlagValues } from '../../cli/source.ts'
import {
  CILIUM_CALLS,
  type CiliumParameters,
  type CiliumSettings,
  ciliumRules,
  isCiliumError,
  isCiliumGroup,
  NEWEST_CILIUM,
  OLDEST_CILIUM,
  readApiRateLimit,
} from '../../limiters/cilium.ts'
import { asJson, ciliumAdvice } from '../../limiters/cilium-advice.ts'
import { ciliumHealth, countOf, refusals, total } from '../../limiters/cilium-health.ts'
import type { CiliumCall } from '../../limiters/cilium-limiter.ts'
import { podStarts } from '../../limiters/cilium-pods.ts'
import { flagsOf } from '../../limiters/client-settings.ts'
import { textsOf } from '../../limiters/plain-data.ts'
import {
  API_VERSION,
  type CiliumGroupLimits,
  type CiliumLimits,
  type CiliumMetrics,
  type CiliumPods,
  type CiliumScenario,
} from '../../report/contract.ts'
import {
  ciliumVerdict,
  groupColumns,
  healthColumns,
  healthLines,
  podLines,
  scenarioColumns,
} from '../../report/limits-cilium-text.ts'
import { adviceLines, asText } from '../../report/limits-lines.ts'
import { isSourceFailure } from '../../sources/failure.ts'
import { symbolsFor } from '../../ui/symbols.ts'
import { adviceDocument } from './advice.ts'
import { readCiliumMetrics } from './metrics.ts'
import { durationFlag, minorFlag, readSettings, refuseStdinTwice, verdictExit } from './read.ts'

export interface CiliumFlagValues extends OutputFlagValues, SourceFlagValues {
  config?: string[] | undefined
  'api-rate-limit'?: string[] | undefined
  'cilium-version'?: string | undefined
  'pods-per-node'?: number | undefined
  processing?: string | undefined
  as?: string | undefined
  'as-group'?: string[] | undefined
  'as-uid'?: string | undefined
}

/** @returns findings (1) where the agent does not start with the settings */
export async function limitsCilium(flags: CiliumFlagValues, io: Io): Promise<ExitCode> {
  const found = await settingsOf(flags, io)
  requireLimiter(found.minor)
  if (found.minor > NEWEST_CILIUM) {
    printNotes(
      [`Cilium 1.${found.minor} is newer than known: the rules of 1.${NEWEST_CILIUM} hold here`],
      flags.quiet,
      io,
    )
  }
  const rules = ciliumRules(found.minor)
  const outcome = readApiRateLimit(found.text ?? '', rules)
  const metrics = await metricsOf(flags.metrics ?? [], io)
  const settings = isCiliumError(outcome) ? null : outcome
  const document: CiliumLimits = {
    apiVersion: API_VERSION,
    kind: 'CiliumLimits',
    release: `1.${found.minor}`,
    releaseFrom: found.minorFrom,
    source: found.source,
    given: found.text,
    valid: settings !== null,
    error: isCiliumError(outcome) ? `${outcome.panics ? 'panic: ' : ''}${outcome.error}` : null,
    groups: settings === null ? [] : [...settings.groups].map(([name, each]) => groupDocument(name, each, settings)),
    asJson: settings === null || settings.given.size === 0 ? null : asJson(settings.given),
    pods: settings === null ? null : podsOf(settings, flags),
    metrics,
    advice: settings === null ? [] : adviceDocument(ciliumAdvice(settings, rules)),
  }
  await print(document, flags, io)
  return verdictExit(document.valid)
}

function requireLimiter(minor: number): void {
  if (minor >= OLDEST_CILIUM) return
  throw new CliError({
    exitCode: EXIT.unanswered,
    what: `the defaults of Cilium 1.${minor} are not known`,
    why: 'the limiter came with 1.9; late patches of 1.7 and 1.8 have it off, unless enable-api-rate-limit is set',
    next: '--cilium-version of the agents: kubectl -n kube-system exec ds/cilium -- cilium version',
  })
}

// Where the setting comes from

interface Found {
  source: string
  /** Null: none is set. */
  text: string | null
  minor: number
  minorFrom: CiliumLimits['releaseFrom']
}

async function settingsOf(flags: CiliumFlagValues, io: Io): Promise<Found> {
  const version = flags['cilium-version']
  const given = version === undefined ? null : minorFlag('cilium-version', version)
  const release = (minor: number | null): Pick<Found, 'minor' | 'minorFrom'> =>
    given !== null
      ? { minor: given, minorFrom: 'given' }
      : minor === null
        ? { minor: NEWEST_CILIUM, minorFrom: 'assumed' }
        : { minor, minorFrom: 'image' }
  const texts = flags['api-rate-limit'] ?? []
  if (texts.length > 0 && flags.config !== undefined) {
    throw usageError('--api-rate-limit with --config', 'each says by itself what is set', 'leave one of them out')
  }
  if (texts.length > 0) return { source: '--api-rate-limit', text: joined(texts), ...release(null) }
  if (flags.config !== undefined) {
    const { minor, ...setting } = await fromFiles(flags.config, io)
    return { ...setting, ...release(minor) }
  }
  const isOffline = given !== null || flags.metrics !== undefined
  if (isOffline) return { source: `defaults of Cilium 1.${release(null).minor}`, text: null, ...release(null) }
  return fromCluster(flags, release, io)
}

/** Several flags are several groups; a JSON object stands alone. */
function joined(texts: readonly string[]): string {
  return texts.length === 1 ? (texts[0] ?? '') : texts.map((text) => text.replace(/,$/, '')).join(',')
}

async function fromCluster(
  flags: CiliumFlagValues,
  release: (minor: number | null) => Pick<Found, 'minor' | 'minorFrom'>,
  io: Io,
): Promise<Found> {
  const { readCiliumConfig } = await import('../../sources/live/cilium-config.ts')
  const impersonation = { as: flags.as, 'as-group': flags['as-group'], 'as-uid': flags['as-uid'] }
  const options = await liveOptions({ ...flags, metrics: undefined }, { impersonation, readsStdin: false }, io)
  if (options === null) throw new TypeError('a live source has options')
  const config = await readCiliumConfig(options)
  if (!isSourceFailure(config)) return { source: config.source, text: config.apiRateLimit, ...release(config.minor) }
  if (config.what !== NO_CLUSTER) throw new CliError(config)
  if (flags['pods-per-node'] === undefined) {
    throw new CliError({
      ...config,
      next: 'the defaults of a release: kubectl apf limits cilium --cilium-version 1.18',
    })
  }
  printNotes([`no cluster to ask: as if Cilium 1.${NEWEST_CILIUM} ran with its defaults`], flags.quiet, io)
  return { source: `defaults of Cilium 1.${NEWEST_CILIUM}`, text: null, ...release(null) }
}

/** What connecting says where nothing is configured. */
const NO_CLUSTER = 'no cluster to ask'

interface FoundInFiles extends Pick<Found, 'source' | 'text'> {
  /** Of the image of an agent; null where none is named. */
  minor: number | null
}

/** The setting in a ConfigMap, in the flags of an agent, or in values of its chart. */
async function fromFiles(paths: readonly string[], io: Io): Promise<FoundInFiles> {
  refuseStdinTwice('config', paths)
  const set: Pick<Found, 'source' | 'text'>[] = []
  const unset: Pick<Found, 'source' | 'text'>[] = []
  let minor: number | null = null
  for (const path of paths) {
    const { file, documents } = await readSettings(path, io)
    for (const { value } of documents) {
      const text = settingIn(value)
      if (text) set.push({ source: file, text })
      else if (text !== null || isCiliumConfig(value)) unset.push({ source: file, text: null })
      minor ??= minorOfAgent(value)
    }
  }
  const other = set.find(({ text }) => text !== set[0]?.text)
  if (set[0] && other) {
    throw usageError(
      `${set[0].source} and ${other.source} set api-rate-limit differently`,
      'an agent has one setting',
      'give one of them',
    )
  }
  const found = set[0] ?? unset[0]
  if (found !== undefined) return { ...found, minor }
  throw usageError(
    `${paths.join(', ')} has no setting api-rate-limit`,
    'ConfigMap cilium-config, a DaemonSet with the flag, or values with apiRateLimit were expected',
    'kubectl -n kube-system get configmap cilium-config -o yaml',
  )
}

/** Of `image: quay.io/cilium/cilium:v1.16.3`, wherever in the object it stands. */
function minorOfAgent(value: unknown): number | null {
  if (typeof value !== 'object' || value === null) return null
  const image = Array.isArray(value) ? undefined : member(value, 'image')
  const [, minor] = (typeof image === 'string' && /\/cilium:v?1\.(\d{1,3})/.exec(image)) || []
  if (minor !== undefined) return Number(minor)
  for (const each of Object.values(value)) {
    const found = minorOfAgent(each)
    if (found !== null) return found
  }
  return null
}

function isCiliumConfig(value: unknown): boolean {
  const metadata = member(value, 'metadata')
  return member(value, 'kind') === 'ConfigMap' && /cilium/.test(String(member(metadata, 'name')))
}

/** '': it is named, and left empty; null: it is not named here. */
function settingIn(value: unknown): string | null {
  if (Array.isArray(value)) return firstOf(value)
  if (typeof value !== 'object' || value === null) return null
  for (const key of ['api-rate-limit', 'apiRateLimit']) {
    const text = member(value, key)
    if (text === null) return ''
    if (typeof text === 'object') return JSON.stringify(text)
    if (text !== undefined) return String(text)
  }
  for (const key of ['command', 'args']) {
    const text = flagsOf(textsOf(member(value, key))).get('api-rate-limit')
    if (text !== undefined) return text
  }
  return firstOf(Object.values(value))
}

function firstOf(values: readonly unknown[]): string | null {
  for (const value of values) {
    const found = settingIn(value)
    if (found !== null) return found
  }
  return null
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

// What comes of it

function groupDocument(group: string, parameters: CiliumParameters, { given }: CiliumSettings): CiliumGroupLimits {
  const { rateLimit, parallelRequests, maxParallelRequests, maxWaitDuration } = parameters
  return {
    group,
    calls: isCiliumGroup(group) ? CILIUM_CALLS[group] : null,
    given: given.get(group) ?? null,
    rateLimit: rateLimit === 0 ? null : rateLimit === Number.POSITIVE_INFINITY ? '+Inf' : rateLimit,
    rateBurst: rateLimit === 0 ? null : parameters.rateBurst,
    parallelRequests: parallelRequests || null,
    minParallelRequests: parameters.minParallelRequests,
    maxParallelRequests: maxParallelRequests || null,
    meanOver: parameters.meanOver,
    skipInitial: parameters.skipInitial,
    minWaitSeconds: parameters.minWaitDuration / 1e9,
    maxWaitSeconds: maxWaitDuration > 0 ? maxWaitDuration / 1e9 : null,
    estimatedProcessingSeconds: parameters.estimatedProcessingDuration / 1e9,
    autoAdjust: parameters.autoAdjust,
    log: parameters.log,
    delayedAdjustmentFactor: parameters.delayedAdjustmentFactor,
    maxAdjustmentFactor: parameters.maxAdjustmentFactor,
  }
}

function podsOf({ groups }: CiliumSettings, flags: CiliumFlagValues): CiliumPods | null {
  const perNode = flags['pods-per-node']
  const parameters = groups.get('endpoint-create')
  if (perNode === undefined || parameters === undefined) {
    if (flags.processing === undefined) return null
    throw usageError('--processing without --pods-per-node', undefined, 'add --pods-per-node N')
  }
  const processing = durationFlag('processing', flags.processing) ?? parameters.estimatedProcessingDuration
  const { running, started } = podStarts(parameters, perNode, processing)
  return {
    perNode,
    processingSeconds: processing / 1e9,
    scenarios: [scenario('running', 'has run for a while', running), scenario('started', 'has just started', started)],
  }
}

function scenario(name: CiliumScenario['name'], says: string, calls: readonly CiliumCall[]): CiliumScenario {
  const served = calls.filter(({ result }) => result === 'success').map(({ finished }) => finished / 1e9)
  served.sort((a, b) => a - b)
  const refused = new Map<string, { count: number; error: string }>()
  for (const { result, error } of calls) {
    if (error === null) continue
    const entry = refused.get(result) ?? { count: 0, error }
    refused.set(result, { ...entry, count: entry.count + 1 })
  }
  return {
    name,
    says,
    served: served.length,
    refused: calls.length - served.length,
    firstSeconds: served[0] ?? null,
    medianSeconds: served[Math.floor((served.length - 1) / 2)] ?? null,
    lastSeconds: served.at(-1) ?? null,
    refusals: [...refused].map(([outcome, entry]) => ({ outcome, ...entry })),
  }
}

/** One file is a sample, two are an earlier and a later one of the same agent. */
async function metricsOf(files: readonly string[], io: Io): Promise<CiliumMetrics | null> {
  refuseStdinTwice('metrics', files)
  const [first, second, third] = files
  if (first === undefined) return null
  if (third !== undefined)
    throw usageError('--metrics three times', 'two samples of one agent are compared, earlier and later')
  const earlier = await readCiliumMetrics(first, io)
  const later = second === undefined ? null : await readCiliumMetrics(second, io)
  const groups = [...(later ?? earlier).values()].map((series) => {
    const health = ciliumHealth(series, later === null ? null : (earlier.get(series.group) ?? null))
    const { processed } = health
    return {
      group: series.group,
      state: health.state,
      processed: total(processed),
      succeeded: countOf(processed, 'success'),
      refused: refusals(processed),
      cancelled: countOf(processed, 'request-cancelled'),
      failed: countOf(processed, 'fail'),
      inFlight: series.inFlight,
      parallelLimit: series.parallelLimit,
      rateLimit: series.rateLimit,
      rateBurst: series.rateBurst,
      factor: series.factor,
      meanProcessingSeconds: series.meanProcessing,
      estimatedProcessingSeconds: series.estimatedProcessing,
      meanWaitSeconds: series.meanWait,
      maxWaitSeconds: series.maxWait,
      says: health.says,
      fix: health.fix,
    }
  })
  return { files: [...files], isDelta: later !== null, groups }
}

async function print(document: CiliumLimits, flags: CiliumFlagValues, io: Io): Promise<void> {
  if (flags.output === 'json' || flags.output === 'yaml') return printDocument(document, flags.output, io)
  const { arrow } = symbolsFor(io.env)
  const { groups, pods, metrics, error, advice, releaseFrom, release, asJson: json } = document
  await io.stdout.write(asText([ciliumVerdict(document)]))
  if (error !== null) {
    const hint = error.startsWith('panic: ')
      ? ['  it ends with a stack trace: the interval behind the slash is empty']
      : []
    await io.stdout.write(`\n${asText([`  ${error}`, ...hint])}`)
    return
  }
  await io.stdout.write('\n')
  if (metrics !== null) {
    await printTable(healthColumns(stdoutPainter(io)), metrics.groups, flags, io)
    const lines = healthLines(metrics, arrow)
    const basis = metrics.isDelta
      ? 'counts are those between the two samples'
      : 'counts are since the agent started; two samples tell more'
    await io.stdout.write(`\n${asText([...lines, `  ${basis}; gauges change only when a call ends`])}`)
    return
  }
  if (pods !== null) {
    await printTable(scenarioColumns(), pods.scenarios, flags, io)
    await io.stdout.write(`\n${asText(podLines(pods))}\n`)
  }
  await printTable(groupColumns(), groups, flags, io)
  const notes = [
    ...(groups.some(({ given }) => given !== null)
      ? ['  * set here; the others have the defaults of the release']
      : []),
    ...(releaseFrom === 'assumed'
      ? [`  the release is not known: Cilium ${release} assumed, see --cilium-version`]
      : []),
    ...(json === null ? [] : [`  in the form that every release reads: ${json}`]),
  ]
  const lines = [...adviceLines(advice, arrow), ...notes]
  if (lines.length > 0) await io.stdout.write(`\n${asText(lines)}`)
}
