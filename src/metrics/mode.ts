/**
 * Which limiter is active on one API server process, and how that is known.
 * Source: kubernetes/apiserver pkg/server/config.go, pkg/server/filters/{priority-and-fairness,maxinflight}.go.
 */
import { FLOWCONTROL_GROUP } from '../apf/objects.ts'
import { parseServerVersion } from '../apf/versions.ts'
import type { ProcessMetrics } from './process-metrics.ts'

/** `NotAPF`: MaxInFlight or Unlimited, the evidence cannot tell which. */
export type ServerMode = 'APF' | 'MaxInFlight' | 'Unlimited' | 'NotAPF' | 'Unknown'

/** `weak`: may be due to something else, such as a proxy that strips headers; also of what people wrongly take for evidence. */
export type Strength = 'strong' | 'weak'

export interface Evidence {
  /** What was seen, in words, with the place: `/livez lists poststarthook/max-in-flight-filter`. */
  what: string
  says: ServerMode
  strength: Strength
}

export interface ModeVerdict {
  mode: ServerMode
  /** Strongest first. */
  evidence: Evidence[]
  /** Strong evidence that cannot be true of one process, in words; then the mode is Unknown. */
  contradiction: string | null
}

/** What was seen of one process. What was not looked at, or not answered, is left out. */
export interface ModeObservations {
  /** Names of the checks that `/livez?verbose` (or readyz, healthz) lists, without their results. */
  healthChecks?: readonly string[]
  /** Such an endpoint answered 429 in plain text without APF headers. */
  healthThrottled?: boolean
  /** An answer of a handler of the server's own, such as that to GET /version; only statuses 2xx, 403 and 404 tell. */
  answer?: { path: string; status: number; hasApfHeaders: boolean }
  metrics?: ProcessMetrics
  /** Minor release, where the metrics do not give it away. */
  minor?: number
  /** Status of GET /debug/api_priority_and_fairness/dump_priority_levels. */
  debugStatus?: number
  /** The group flowcontrol.apiserver.k8s.io is in discovery. */
  apiGroupServed?: boolean
  flowSchemasExist?: boolean
  /** Some FlowSchema has a condition Dangling. */
  danglingConditions?: boolean
  /** Flags of the process. */
  flags?: InflightFlags
}

/** The flags that choose and size the limiter; null: not given, so the default. */
export interface InflightFlags {
  apfEnabled: boolean
  maxRequestsInflight: number | null
  maxMutatingRequestsInflight: number | null
}

const DEFAULT_READ_LIMIT = 400
const DEFAULT_MUTATING_LIMIT = 200

/** Both limits as they hold: flags that are not given have their defaults. */
export function limitsOfFlags(flags: InflightFlags): { read: number; mutating: number } {
  return {
    read: flags.maxRequestsInflight ?? DEFAULT_READ_LIMIT,
    mutating: flags.maxMutatingRequestsInflight ?? DEFAULT_MUTATING_LIMIT,
  }
}

/** Weighs everything that was seen. Any two pieces of strong evidence that exclude each other make the mode unknown. */
export function decideMode(observations: ModeObservations): ModeVerdict {
  const fromServer = [...healthEvidence(observations), ...flagEvidence(observations), ...metricsEvidence(observations)]
  const absences = [...debugEvidence(observations), ...discoveryEvidence(observations)]
  const fromAnswer = answerEvidence(observations)
  const isProved = [...fromServer, ...fromAnswer].some(({ says, strength }) => says === 'APF' && strength === 'strong')
  const evidence = [
    ...fromServer,
    ...(isProved ? absences.map(hiddenByProxy) : absences),
    ...fromAnswer,
    ...objectEvidence(observations),
  ]
  const strong = evidence.filter(({ strength }) => strength === 'strong')
  const weak = evidence.filter(({ strength }) => strength === 'weak')
  const sorted = [...strong, ...weak]
  const contradiction = contradictionIn(strong)
  if (contradiction !== null) return { mode: 'Unknown', evidence: sorted, contradiction }
  const byStrong = mostSpecific(strong)
  if (byStrong === 'APF' || byStrong === 'MaxInFlight' || byStrong === 'Unlimited') {
    return { mode: byStrong, evidence: sorted, contradiction: null }
  }
  const compatible = byStrong === 'NotAPF' ? weak.filter(({ says }) => says !== 'APF') : weak
  const mode = contradictionIn(compatible) === null ? mostSpecific([...strong, ...compatible]) : byStrong
  return { mode, evidence: sorted, contradiction: null }
}

/** From the least to the most that a mode says. */
const SPECIFICITY: readonly ServerMode[] = ['Unknown', 'NotAPF', 'Unlimited', 'MaxInFlight', 'APF']

function mostSpecific(evidence: readonly Evidence[]): ServerMode {
  let mode: ServerMode = 'Unknown'
  for (const { says } of evidence) {
    if (SPECIFICITY.indexOf(says) > SPECIFICITY.indexOf(mode)) mode = says
  }
  return mode
}

function contradictionIn(evidence: readonly Evidence[]): string | null {
  for (const one of evidence) {
    const other = evidence.find(({ says }) => exclude(one.says, says))
    if (other) return `${one.what} (${one.says}), but ${other.what} (${other.says}): not the same process`
  }
  return null
}

function exclude(one: ServerMode, other: ServerMode): boolean {
  if (one === other || one === 'Unknown' || other === 'Unknown') return false
  return one === 'APF' || other === 'APF' || (one !== 'NotAPF' && other !== 'NotAPF')
}

const APF_HOOKS: readonly string[] = [
  'poststarthook/priority-and-fairness-filter',
  'poststarthook/priority-and-fairness-config-consumer',
]
const MAX_IN_FLIGHT_HOOK = 'poststarthook/max-in-flight-filter'

/** Names of the checks in the body of `/livez?verbose`, whatever became of them. */
export function healthChecksIn(body: string): string[] {
  return [...body.matchAll(/^\[[+-]\](\S+)/gm)].map(([, name]) => name ?? '')
}

function healthEvidence({ healthChecks, healthThrottled }: ModeObservations): Evidence[] {
  const evidence: Evidence[] = []
  if (healthChecks !== undefined) {
    const apf = APF_HOOKS.find((hook) => healthChecks.includes(hook))
    const plain = healthChecks.includes(MAX_IN_FLIGHT_HOOK)
    if (apf !== undefined) evidence.push(strong(`the health report lists ${apf}`, 'APF'))
    // The hook is there with both limits 0 as well.
    if (plain) evidence.push(strong(`the health report lists ${MAX_IN_FLIGHT_HOOK}`, 'NotAPF'))
    if (apf === undefined && !plain) evidence.push(weak('the health report lists the hook of no limiter', 'Unknown'))
  }
  if (healthThrottled) {
    evidence.push(strong('the health endpoint itself answered 429 without APF headers', 'MaxInFlight'))
  }
  return evidence
}

function flagEvidence({ flags }: ModeObservations): Evidence[] {
  if (flags === undefined) return []
  if (flags.apfEnabled) return [strong('its flags leave priority and fairness on', 'APF')]
  const { read, mutating } = limitsOfFlags(flags)
  const what = 'its flags switch priority and fairness off'
  return read === 0 && mutating === 0
    ? [strong(`${what}, and both limits are 0`, 'Unlimited')]
    : [strong(what, 'MaxInFlight')]
}

/** From 1.25 the series of a limiter that is not there is not there. */
const EXECUTING_SERIES_SINCE = 25

function metricsEvidence({ metrics, minor }: ModeObservations): Evidence[] {
  if (metrics === undefined) return []
  const apf = apfSeries(metrics)
  if (apf.length > 0) return [strong(`/metrics has ${apf.join(', ')}`, 'APF')]
  if (metrics.inflightKinds.size + metrics.filters.size === 0) {
    return [weak('/metrics has none of the series that every API server has', 'Unknown')]
  }
  const executing = [...metrics.readVsWrite.keys()].filter((key) => key.startsWith('executing/'))
  if (executing.length > 0) {
    return [
      strong('/metrics has no series of APF, but read_vs_write_current_requests{phase="executing"}', 'MaxInFlight'),
    ]
  }
  const release = minor ?? minorOf(metrics)
  if (release !== null && release >= EXECUTING_SERIES_SINCE) {
    return [strong('/metrics has neither a series of APF nor read_vs_write_current_requests', 'Unlimited')]
  }
  const evidence = [strong('/metrics has no series of APF', 'NotAPF')]
  const refused = (metrics.terminations429 ?? 0) + (metrics.droppedRequests ?? 0)
  if (refused > 0)
    evidence.push(strong('/metrics counts requests that a limiter refused, and APF is off', 'MaxInFlight'))
  return evidence
}

/** Series that only the filter of APF moves. `seat_fair_frac` is not one of them: it is there in every mode. */
function apfSeries(metrics: ProcessMetrics): string[] {
  const series: string[] = []
  if (metrics.filters.has('priorityandfairness')) {
    series.push('apiserver_request_filter_duration_seconds{filter="priorityandfairness"}')
  }
  const limits = [...metrics.levels.values()]
  if (limits.some(({ nominal }) => nominal !== undefined)) series.push('apiserver_flowcontrol_nominal_limit_seats')
  else if (limits.some(({ concurrencyLimit }) => concurrencyLimit !== undefined)) {
    series.push('apiserver_flowcontrol_request_concurrency_limit')
  }
  if (metrics.inqueueKinds.size > 0) series.push('apiserver_current_inqueue_requests')
  if ([...metrics.readVsWrite.keys()].some((key) => key.startsWith('waiting/'))) {
    series.push('read_vs_write_current_requests{phase="waiting"}')
  }
  return series
}

/** As far as the families tell: seat_fair_frac came in 1.26, and is always there. */
function minorOf({ version, seatFairFrac }: ProcessMetrics): number | null {
  const minor = version === null ? null : (parseServerVersion(version)?.minor ?? null)
  return minor ?? (seatFairFrac === null ? null : 26)
}

function debugEvidence({ debugStatus }: ModeObservations): Evidence[] {
  const path = '/debug/api_priority_and_fairness'
  if (debugStatus === undefined) return []
  if (debugStatus === 200) return [strong(`${path} answers`, 'APF')]
  if (debugStatus === 404) return [strong(`${path} does not exist`, 'NotAPF')]
  // Authorization comes before routing.
  return [weak(`${path} answers ${debugStatus}, whether or not it exists`, 'Unknown')]
}

/** What is absent although only APF can have made what is there was hidden on the way. */
function hiddenByProxy(evidence: Evidence): Evidence {
  return evidence.says === 'NotAPF' ? weak(`${evidence.what}, or a proxy hides it`, 'NotAPF') : evidence
}

function discoveryEvidence({ apiGroupServed }: ModeObservations): Evidence[] {
  if (apiGroupServed === undefined) return []
  if (!apiGroupServed) return [strong(`the group ${FLOWCONTROL_GROUP} is not served`, 'NotAPF')]
  return [weak(`the group ${FLOWCONTROL_GROUP} is served, as it is with APF off`, 'Unknown')]
}

function answerEvidence({ answer }: ModeObservations): Evidence[] {
  if (answer === undefined) return []
  const { path, status, hasApfHeaders } = answer
  if (hasApfHeaders) return [strong(`the answer to GET ${path} has APF headers`, 'APF')]
  const reachedHandler = (status >= 200 && status < 300) || status === 403 || status === 404
  return reachedHandler
    ? [weak(`the answer to GET ${path} has no APF headers, or a proxy removed them`, 'NotAPF')]
    : [weak(`the answer to GET ${path} has status ${status} and no APF headers`, 'Unknown')]
}

/** Neither proves anything: the server makes the default objects in every mode, and any consumer may have set conditions. */
function objectEvidence({ flowSchemasExist, danglingConditions }: ModeObservations): Evidence[] {
  const evidence: Evidence[] = []
  if (flowSchemasExist) evidence.push(weak('FlowSchemas exist, as they do with APF off', 'Unknown'))
  if (danglingConditions) evidence.push(weak('FlowSchemas have Dangling conditions, of whichever server', 'Unknown'))
  if (danglingConditions === false) evidence.push(weak('no FlowSchema has a Dangling condition', 'Unknown'))
  return evidence
}

function strong(what: string, says: ServerMode): Evidence {
  return { what, says, strength: 'strong' }
}

function weak(what: string, says: ServerMode): Evidence {
  return { what, says, strength: 'weak' }
}
