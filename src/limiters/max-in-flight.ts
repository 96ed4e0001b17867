/**
 * The limiter of an API server without APF: two counters of requests in flight, and no queue.
 * Source: kubernetes/apiserver pkg/server/filters/maxinflight.go
 */
import { isLongRunning } from '../apf/long-running.ts'
import type { RequestAttributes } from '../apf/request.ts'
import { DEFAULT_INFLIGHT_FLAGS, type InflightFlags, serverLimit } from '../apf/server-limit.ts'
import { cut } from '../apf/text.ts'
import type { VersionRules } from '../apf/versions.ts'
import { goQuote, isParsed, parseGoBool, parseGoInteger } from './go-values.ts'
import type { Advice, SettingText } from './settings.ts'

export type Pool = 'readOnly' | 'mutating' | 'exempt-long-running'

const READS: ReadonlySet<string> = new Set(['get', 'list', 'watch'])

/** Which counter a request takes a place of. The verb of a path is its method: HEAD and OPTIONS are no reads. */
export function poolOf(request: RequestAttributes): Pool {
  if (isLongRunning(request)) return 'exempt-long-running'
  return READS.has(request.verb) ? 'readOnly' : 'mutating'
}

const READ_FLAG = '--max-requests-inflight'
const WRITE_FLAG = '--max-mutating-requests-inflight'
const FAIRNESS_FLAG = '--enable-priority-and-fairness'
const GATES_FLAG = '--feature-gates'

/** As the flags were given; null: not given. */
export interface GivenInflightFlags {
  maxRequestsInflight: string | null
  maxMutatingRequestsInflight: string | null
  enablePriorityAndFairness: string | null
  /** The whole value of --feature-gates. */
  featureGates: string | null
}

export interface InflightSettings extends InflightFlags {
  fairness: boolean
}

/** One place where requests are counted. */
export interface InflightPool {
  pool: 'all' | 'reads' | 'writes'
  /** Null: no limit. */
  limit: number | null
  unit: 'seats' | 'requests'
  /** Nothing limits it, so nothing counts it: the gauge of requests in flight stays empty. */
  measured: boolean
}

export interface InflightAnswer {
  /** What the server prints as it refuses to start; empty: it starts. */
  errors: string[]
  /** Null where the flags cannot be read. */
  settings: InflightSettings | null
  mode: 'APF' | 'MaxInFlight' | 'Unlimited' | 'Refused'
  pools: InflightPool[]
  advice: Advice[]
}

function sumError({ maxRequestsInflight, maxMutatingRequestsInflight }: InflightFlags): string {
  return (
    `invalid configuration: MaxRequestsInFlight=${maxRequestsInflight} and MaxMutatingRequestsInFlight=` +
    `${maxMutatingRequestsInflight}; they must add up to something positive`
  )
}

/** What an API server with these flags does. */
export function inflightAnswer(given: GivenInflightFlags, rules: InflightRules): InflightAnswer {
  const errors: string[] = []
  const number = (flag: string, text: string | null, otherwise: number) => {
    if (text === null) return otherwise
    const parsed = parseGoInteger(text)
    if (isParsed(parsed)) return parsed.value
    errors.push(`invalid argument ${goQuote(text)} for "${flag}" flag: ${parsed.error}`)
    return otherwise
  }
  const flags: InflightFlags = {
    maxRequestsInflight: number(READ_FLAG, given.maxRequestsInflight, DEFAULT_INFLIGHT_FLAGS.maxRequestsInflight),
    maxMutatingRequestsInflight: number(
      WRITE_FLAG,
      given.maxMutatingRequestsInflight,
      DEFAULT_INFLIGHT_FLAGS.maxMutatingRequestsInflight,
    ),
  }
  const fairness = fairnessOf(given, rules)
  if (typeof fairness === 'string') errors.push(fairness)
  if (errors.length > 0 || typeof fairness === 'string') {
    return { errors, settings: null, mode: 'Refused', pools: [], advice: [] }
  }
  const settings = { ...flags, fairness: fairness.enabled }
  const limit = serverLimit(flags, fairness.enabled, rules)
  if (limit.mode === 'Refused') {
    if (limit.because === 'negative-flag') {
      if (flags.maxRequestsInflight < 0) errors.push(`${READ_FLAG} can not be negative value`)
      if (flags.maxMutatingRequestsInflight < 0) errors.push(`${WRITE_FLAG} can not be negative value`)
    } else errors.push(sumError(flags))
    return { errors, settings, mode: 'Refused', pools: [], advice: [] }
  }
  return {
    errors,
    settings,
    mode: limit.mode,
    pools: poolsOf(limit),
    advice: inflightAdvice(settings, fairness.setting),
  }
}

export type InflightRules = Pick<VersionRules, 'negativeLimitsRefused' | 'zeroSeatsRefused' | 'fairnessGate'>

const GATE = 'APIPriorityAndFairness'
/** Sets all gates of beta features that are not set themselves: the one of APF was such up to 1.28. */
const ALL_BETA = 'AllBeta'

interface Fairness {
  enabled: boolean
  /** What switches it off. */
  setting: typeof FAIRNESS_FLAG | typeof GATES_FLAG
}

/** Flag and feature gate together; a text is the error at start. */
function fairnessOf(given: GivenInflightFlags, { fairnessGate }: InflightRules): Fairness | string {
  const flag = given.enablePriorityAndFairness
  const parsed = flag === null ? { value: true } : parseGoBool(flag)
  if (!isParsed(parsed)) return `invalid argument ${goQuote(flag ?? '')} for "${FAIRNESS_FLAG}" flag: ${parsed.error}`
  const gates = parseGates(given.featureGates ?? '')
  if (typeof gates === 'string') return gates
  const own = gates.get(GATE)
  if (own !== undefined && fairnessGate === 'gone') return `unrecognized feature gate: ${GATE}`
  if (own === false && fairnessGate === 'locked') {
    return `cannot set feature gate ${GATE} to false, feature is locked to true`
  }
  const gate = own ?? (fairnessGate === 'open' ? gates.get(ALL_BETA) : undefined) ?? true
  return { enabled: parsed.value && gate, setting: gate ? FAIRNESS_FLAG : GATES_FLAG }
}

/**
 * The value of --feature-gates; a text is the error at start. Of a gate that stands twice the last counts.
 * Source: kubernetes/component-base featuregate/feature_gate.go
 */
function parseGates(text: string): Map<string, boolean> | string {
  const gates = new Map<string, boolean>()
  for (const pair of text.split(',')) {
    if (pair === '') continue
    const [name, value] = cut(pair, '=')
    if (!pair.includes('=')) return `missing bool value for ${name.trim()}`
    const on = parseGoBool(value.trim())
    if (!isParsed(on)) return `invalid value of ${name.trim()}=${value.trim()}, err: ${on.error}`
    gates.set(name.trim(), on.value)
  }
  return gates
}

function poolsOf(limit: Exclude<ReturnType<typeof serverLimit>, { mode: 'Refused' }>): InflightPool[] {
  switch (limit.mode) {
    case 'APF':
      return [{ pool: 'all', limit: limit.serverSeats, unit: 'seats', measured: true }]
    case 'Unlimited':
      return [requestPool('reads', null), requestPool('writes', null)]
    case 'MaxInFlight':
      return [requestPool('reads', limit.readOnlyLimit), requestPool('writes', limit.mutatingLimit)]
  }
}

function requestPool(pool: 'reads' | 'writes', limit: number | null): InflightPool {
  return { pool, limit, unit: 'requests', measured: limit !== null }
}

/** Beyond it the flags say "without limit" in a way that costs memory. */
const EXCESSIVE = 10_000

function inflightAdvice(settings: InflightSettings, switchedBy: Fairness['setting']): Advice[] {
  const advice: Advice[] = []
  const { maxRequestsInflight, maxMutatingRequestsInflight, fairness } = settings
  const zero = [
    ...(maxRequestsInflight === 0 ? [{ flag: READ_FLAG, what: 'reads' }] : []),
    ...(maxMutatingRequestsInflight === 0 ? [{ flag: WRITE_FLAG, what: 'writes' }] : []),
  ]
  if (!fairness) {
    for (const { flag, what } of zero) {
      advice.push({
        severity: 'warning',
        setting: flag,
        message: `0 lets any number of ${what} through, and nothing counts them`,
        fix: `set ${flag} to what the server can bear`,
      })
    }
    advice.push({
      severity: 'warning',
      setting: switchedBy,
      message: 'without APF one client can take all places: nobody queues, and who is refused is chance',
      fix: `leave ${switchedBy === FAIRNESS_FLAG ? FAIRNESS_FLAG : GATE} on`,
    })
  } else if (zero.length > 0) {
    advice.push({
      severity: 'info',
      setting: zero[0]?.flag ?? null,
      message:
        'with APF only the sum counts: 0 in one of the flags takes its part from the seats, it does not lift a limit',
    })
  }
  for (const [flag, value] of [
    [READ_FLAG, maxRequestsInflight],
    [WRITE_FLAG, maxMutatingRequestsInflight],
  ] as const) {
    if (value < EXCESSIVE) continue
    advice.push({
      severity: 'warning',
      setting: flag,
      message: `${value} is no limit in practice: memory and etcd give out before`,
      fix: 'raise it in steps, with the metrics of memory and latency in view',
    })
  }
  return advice
}

export const INFLIGHT_SETTINGS: readonly SettingText[] = [
  {
    name: READ_FLAG,
    limiter: 'MaxInFlight',
    unless: '400',
    does:
      'Without APF, the requests with verb get, list or watch that may be in flight at once. With APF it is added to ' +
      `${WRITE_FLAG}: the sum is what all priority levels share.`,
    beware: 'Each API server has its own. 0 lifts the limit only without APF.',
  },
  {
    name: WRITE_FLAG,
    limiter: 'MaxInFlight',
    unless: '200',
    does: `All other requests, among them reviews, evictions and bindings. With APF it is added to ${READ_FLAG}.`,
    beware: 'HEAD and OPTIONS of paths such as /healthz count here, for their verb is their method.',
  },
  {
    name: FAIRNESS_FLAG,
    limiter: 'MaxInFlight',
    unless: 'true',
    does: 'Priority levels and fair queues instead of two counters. MaxInFlight runs only where this is off.',
    beware: 'Up to 1.28 the feature gate APIPriorityAndFairness switches it off as well.',
  },
]

/** What holds in either mode, for people who look at a refusal. */
export const INFLIGHT_FACTS: readonly { mode: 'APF' | 'MaxInFlight'; says: string }[] = [
  {
    mode: 'MaxInFlight',
    says: 'nobody waits: with no place free the answer is 429 at once, with Retry-After 1',
  },
  {
    mode: 'MaxInFlight',
    says: 'members of group system:masters are served even then, without a place; a binding to cluster-admin is no membership',
  },
  {
    mode: 'APF',
    says: 'members of group system:masters are exempt by the schema exempt; everybody else shares the seats by level',
  },
  {
    mode: 'MaxInFlight',
    says: 'long-running requests take no place: watch, proxy, exec, attach, portforward, log, and /debug/pprof/',
  },
  {
    mode: 'APF',
    says: 'exec, attach, portforward, proxy, log and /debug/pprof/ take no seat, and a watch only while it begins',
  },
]
