/** Random loads of the limiters around API Priority and Fairness, played by upstream's code and by us. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import {
  type CiliumParameters,
  ciliumRules,
  isCiliumError,
  NEWEST_CILIUM,
  readApiRateLimit,
} from '../../src/limiters/cilium.ts'
import { type CiliumCall, type CiliumRequest, playCilium } from '../../src/limiters/cilium-limiter.ts'
import { clientBucket, DEADLINE_ERROR, playRetries } from '../../src/limiters/client-go.ts'
import {
  configurationRules,
  EventRateLimiter,
  type EventWrite,
  limitsInForce,
  startError,
} from '../../src/limiters/event-rate-limit.ts'
import { readConfiguration } from '../../src/limiters/event-rate-limit-file.ts'
import { NEVER_NS, type Reservation, TokenBucket } from '../../src/limiters/token-bucket.ts'
import { buildFlags, cacheFolder, go, repositoryRoot } from '../support/go-programs.ts'
import { LineOracle } from './line-oracle.ts'
import { Random } from './random.ts'

/** Releases that the committed go.mod of the program has. */
export const LIMITER_UPSTREAM = 'client-go and EventRateLimit 1.37.2, Cilium 1.20.2'

export type LimiterTopic = 'clients' | 'events' | 'cilium'

export interface LimiterCampaign {
  topic: LimiterTopic
  cases: number
  /** Single results compared: operations, calls, events. */
  compared: number
  /** How often each kind of result came. */
  outcomes: Record<string, number>
  /** Cases in which several things happen at the same instant, whose order is chance: not compared. */
  ties: number
  disagreements: string[]
}

const SOURCES = join(repositoryRoot(), 'test', 'oracle', 'limiters')

/** Builds the program that answers with upstream's code and returns its path. */
export async function buildLimiters(): Promise<string> {
  const folder = cacheFolder('limiters')
  mkdirSync(folder, { recursive: true })
  const program = join(folder, 'limiters')
  await go(SOURCES, ['build', ...buildFlags(), '-o', program, '.'])
  return program
}

const MOST_DISAGREEMENTS = 5
const QUESTIONS_IN_FLIGHT = 16

/** Case i depends on `seed + i` alone. */
export async function runLimitersCampaign(
  program: string,
  topic: LimiterTopic,
  count: number,
  seed: number,
): Promise<LimiterCampaign> {
  const result: LimiterCampaign = { topic, cases: 0, compared: 0, outcomes: {}, ties: 0, disagreements: [] }
  const oracle = new LineOracle(program)
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < count && result.disagreements.length < MOST_DISAGREEMENTS) {
      const caseSeed = seed + next++
      const random = new Random(caseSeed)
      const problem = random.pick(PROBLEMS[topic])(random)
      let faults = problem.compare(await oracle.ask(problem.question), result)
      if (faults.length > 0) {
        // Now and then the scheduler of Go lets a caller in before the one that makes room has told its numbers.
        faults = problem.compare(await oracle.ask(problem.question), { ...result, outcomes: {} })
        if (faults.length === 0) result.ties += 1
      }
      result.cases += 1
      if (faults.length > 0) {
        result.disagreements.push(
          `seed ${caseSeed}: ${JSON.stringify(problem.question)}\n  ${faults.slice(0, 4).join('\n  ')}`,
        )
      }
    }
  }
  try {
    await Promise.all(Array.from({ length: QUESTIONS_IN_FLIGHT }, worker))
  } finally {
    oracle.close()
  }
  return result
}

export function limitersSummary({ topic, cases, compared, outcomes, ties }: LimiterCampaign): string {
  const parts = Object.entries(outcomes).sort(([, a], [, b]) => b - a)
  return [
    `${cases} cases of ${topic}, ${compared} results compared, ${ties} cases left to chance by upstream;`,
    parts.map(([outcome, times]) => `${outcome} ${times}`).join(', '),
  ].join(' ')
}

interface Problem {
  question: object
  /** @returns in what we differ from upstream */
  compare(upstream: Record<string, unknown>, result: LimiterCampaign): string[]
}

const PROBLEMS: Record<LimiterTopic, readonly ((random: Random) => Problem)[]> = {
  clients: [bucketProblem, bucketProblem, callsProblem, retryProblem],
  events: [eventsProblem],
  cilium: [optionProblem, waitProblem],
}

class Comparison {
  readonly faults: string[] = []
  readonly #result: LimiterCampaign

  constructor(result: LimiterCampaign) {
    this.#result = result
  }

  /** Numbers are the same up to the last digits of a double. */
  same(what: string, ours: unknown, upstream: unknown): void {
    this.#result.compared += 1
    const close =
      typeof ours === 'number' && typeof upstream === 'number'
        ? ours === upstream || Math.abs(ours - upstream) <= 1e-9 * Math.max(1, Math.abs(upstream))
        : JSON.stringify(ours) === JSON.stringify(upstream)
    if (!close) this.faults.push(`${what}: ours ${JSON.stringify(ours)}, upstream ${JSON.stringify(upstream)}`)
  }

  count(outcome: string): void {
    this.#result.outcomes[outcome] = (this.#result.outcomes[outcome] ?? 0) + 1
  }
}

// Clients

/** Waits that never end come back as the longest duration there is. */
function longest(delay: number): number {
  return Math.min(NEVER_NS, delay)
}

function randomRate(random: Random): number {
  return random.pick([0.1, 0.5, 1, 2, 5, 20, 50, random.next() * 100, random.next(), 1000, 0, -1])
}

interface BucketOperation {
  what: 'reserve' | 'allow' | 'cancel' | 'setLimit' | 'setBurst'
  nanoseconds: number
  value: number
}

function bucketProblem(random: Random): Problem {
  const limit = randomRate(random)
  const burst = random.integer(0, 12)
  const operations: BucketOperation[] = []
  const reserved: number[] = []
  let now = 0
  for (let index = 0; index < 30; index++) {
    if (random.chance(0.6)) now += random.integer(0, random.pick([1000, 1e6, 3e8, 2e9, 60e9]))
    const what = random.pick([
      'reserve',
      'reserve',
      'reserve',
      'allow',
      'allow',
      'cancel',
      'setLimit',
      'setBurst',
    ] as const)
    if (what === 'cancel' && reserved.length === 0) continue
    const value =
      what === 'cancel'
        ? (reserved.splice(random.integer(0, reserved.length - 1), 1)[0] ?? 0)
        : what === 'setLimit'
          ? randomRate(random)
          : random.integer(0, 12)
    if (what === 'reserve') reserved.push(operations.length)
    operations.push({ what, nanoseconds: now, value })
  }
  return {
    question: { kind: 'bucket', bucket: { limit, burst, operations } },
    compare(upstream, result) {
      const comparison = new Comparison(result)
      const steps = upstream['steps'] as { result: number; tokens: number }[]
      const bucket = new TokenBucket(limit, burst)
      const reservations = new Map<number, Reservation>()
      for (const [index, { what, nanoseconds, value }] of operations.entries()) {
        let outcome = 0
        if (what === 'reserve') {
          const reservation = bucket.reserve(nanoseconds)
          reservations.set(index, reservation)
          outcome = longest(reservation.delay)
        } else if (what === 'allow') outcome = bucket.allow(nanoseconds) ? 1 : 0
        else if (what === 'setLimit') bucket.setRate(value, nanoseconds)
        else if (what === 'setBurst') bucket.setBurst(value, nanoseconds)
        else {
          const reservation = reservations.get(value)
          if (reservation !== undefined) bucket.cancel(reservation, nanoseconds)
        }
        comparison.count(what)
        comparison.same(`${index} ${what}`, outcome, steps[index]?.result)
        comparison.same(`${index} tokens`, bucket.tokensAt(nanoseconds), steps[index]?.tokens)
      }
      return comparison.faults
    },
  }
}

function callsProblem(random: Random): Problem {
  const qps = random.pick([0.5, 1, 2, 5, 20, 50, Math.fround(random.next() * 30 + 0.1)])
  const burst = random.integer(1, 20)
  const calls = random.integer(1, 40)
  // One caller: of several that wake at the same instant, who is first would be chance.
  const latencies = Array.from({ length: calls }, () => random.integer(0, random.pick([1, 1e6, 1e8, 2e9])))
  const deadlines = Array.from({ length: calls }, () => (random.chance(0.3) ? random.integer(1, 1e9) : 0))
  return {
    question: { kind: 'calls', calls: { qps, burst, workers: 1, latencies, deadlines } },
    compare(upstream, result) {
      const comparison = new Comparison(result)
      const answers = upstream['calls'] as { arrived: number; waited: number; error?: string }[]
      const bucket = clientBucket(qps, burst)
      let now = 0
      for (const [index, latency] of latencies.entries()) {
        const { ok, delay } = bucket.reserve(now, deadlines[index] || NEVER_NS)
        // What the limiter says; a request adds where that comes from.
        const error = ok ? undefined : DEADLINE_ERROR.replace(/^.*?error: /, '')
        comparison.count(ok ? (delay > 0 ? 'wait' : 'pass') : 'deadline')
        comparison.same(`call ${index} arrives`, now, answers[index]?.arrived)
        comparison.same(`call ${index} waits`, ok ? delay : 0, answers[index]?.waited)
        comparison.same(`call ${index} fails`, error, answers[index]?.error)
        if (ok) now += delay + latency
      }
      return comparison.faults
    },
  }
}

function retryProblem(random: Random): Problem {
  const responses = Array.from({ length: random.integer(1, 6) }, () => ({
    code: random.pick([429, 429, 503, 500, 200, 404]),
    retryAfter: random.pick([
      null,
      '1',
      '2',
      '0',
      '10',
      '-3',
      '+2',
      ' 1',
      '1.5',
      'soon',
      'Wed, 21 Oct 2026 07:28:00 GMT',
    ]),
  }))
  const opaque = random.chance(0.2)
  const maxRetries = random.integer(0, 12)
  return {
    question: { kind: 'retry', retry: { responses, opaque, maxRetries } },
    compare(upstream, result) {
      const comparison = new Comparison(result)
      const answer = upstream['retry'] as { sleeps: number[]; code: number }
      const ours = playRetries({ responses, body: opaque ? 'opaque-reader' : 'bytes', maxRetries })
      comparison.count(`retried ${ours.sleeps.length > 0 ? 'yes' : 'no'}`)
      comparison.same(
        'sleeps',
        ours.sleeps.map((seconds) => seconds * 1e9),
        answer.sleeps,
      )
      comparison.same('code', ours.finalCode, answer.code)
      return comparison.faults
    },
  }
}

// Events

const NAMES = ['', 'a', 'b', 'c', 'shop', 'kube-system', 'jane', 'system:node:n1', 'x-1', '"q"']

function eventsProblem(random: Random): Problem {
  const isOdd = random.chance(0.25)
  const value = (usual: () => unknown) =>
    isOdd && random.chance(0.3)
      ? random.pick<unknown>([0, -1, 0.5, '5', null, true, [], {}, 3_000_000_000, -3_000_000_000, 2_147_483_647])
      : usual()
  const types = ['Server', 'Namespace', 'User', 'SourceAndObject']
  const limits = Array.from({ length: isOdd && random.chance(0.1) ? 0 : random.integer(1, 4) }, () => ({
    type: value(() =>
      isOdd && random.chance(0.2) ? random.pick(['server', '', 'Foo', 'user', 'a"b']) : random.pick(types),
    ),
    qps: value(() => random.pick([1, 2, 3, 10, 50])),
    burst: value(() => random.integer(1, 6)),
    ...(random.chance(0.6) ? { cacheSize: value(() => random.pick([0, 1, 2, 3, 2000])) } : {}),
    ...(random.chance(0.05) ? { extra: 1 } : {}),
  }))
  const configuration = {
    apiVersion:
      isOdd && random.chance(0.05) ? 'eventratelimit.admission.k8s.io/v1' : 'eventratelimit.admission.k8s.io/v1alpha1',
    kind: isOdd && random.chance(0.05) ? 'Config' : 'Configuration',
    ...(isOdd && random.chance(0.05) ? {} : { limits: value(() => limits) }),
  }
  const name = () => random.pick(NAMES)
  let at = 0
  const events = Array.from({ length: random.integer(1, 60) }, (): EventWrite => {
    if (random.chance(0.5)) at += random.integer(0, random.pick([1e6, 3.4e8, 1e9]))
    return {
      at,
      group: random.chance(0.05) ? 'events.k8s.io' : '',
      kind: random.chance(0.03) ? 'ConfigMap' : 'Event',
      operation: random.pick(['CREATE', 'CREATE', 'CREATE', 'UPDATE', 'DELETE']),
      dryRun: random.chance(0.03),
      namespace: name(),
      user: name(),
      source: { component: name(), host: name() },
      involvedObject: { kind: 'Pod', namespace: name(), name: name(), uid: random.pick(['', '1']), apiVersion: 'v1' },
    }
  })
  const text = JSON.stringify(configuration)
  return {
    question: {
      kind: 'events',
      events: {
        configuration: text,
        events: events.map(({ at: nanoseconds, ...event }) => ({ nanoseconds, ...event })),
      },
    },
    compare(upstream, result) {
      const comparison = new Comparison(result)
      const answer = upstream['events'] as { refused?: string; messages: string[] | null }
      const decoded = readConfiguration(configuration, text, configurationRules(37))
      if (decoded.errors.length > 0 || answer.refused !== undefined) {
        comparison.count('refused configuration')
        const ours = decoded.errors.length === 0 ? '' : startError(decoded.errors)
        comparison.same('start', inOneOrder(ours), inOneOrder(answer.refused ?? ''))
        return comparison.faults
      }
      const limiter = new EventRateLimiter(limitsInForce(decoded.limits ?? []))
      for (const [index, event] of events.entries()) {
        const { message, charged } = limiter.admit(event)
        comparison.count(message !== null ? 'refused event' : charged ? 'accepted event' : 'event not charged')
        comparison.same(`event ${index}`, message ?? '', answer.messages?.[index] ?? '')
      }
      return comparison.faults
    },
  }
}

/** The four types stand in random order, and the line of a source file differs between builds. */
function inOneOrder(text: string): string {
  return text
    .replaceAll(
      /supported values: ("\w+"(?:, "\w+")*)/g,
      (_, names: string) => `supported values: ${names.split(', ').sort().join(', ')}`,
    )
    .replaceAll(/ in scheme "[^"]*"/g, '')
    .replace(/^(?:couldn't init admission plugin "EventRateLimit": )/, '')
}

// Cilium

const RULES = ciliumRules(NEWEST_CILIUM)
const GROUPS = ['endpoint-create', 'endpoint-delete', 'endpoint-get', 'endpoint-patch', 'endpoint-list']
const OPTION_NAMES = [
  ...['rate-limit', 'rate-burst', 'parallel-requests', 'min-parallel-requests', 'max-parallel-requests', 'mean-over'],
  ...['skip-initial', 'min-wait-duration', 'max-wait-duration', 'estimated-processing-duration', 'auto-adjust', 'log'],
  ...['delayed-adjustment-factor', 'max-adjustment-factor', 'Rate-Burst', 'burst', 'rate_limit', ''],
]
const OPTION_VALUES = [
  ...[
    '10/m',
    '5/s',
    '0/s',
    '1/0.5s',
    '1/.5s',
    '3.5/h',
    '1e3/s',
    '-5/s',
    '1/',
    '/s',
    'foo/1s',
    '1/foo',
    '1/1',
    '1/1h30m',
  ],
  ...[
    '0x10/s',
    '1_0/s',
    'inf/s',
    'nan/s',
    '1/0s',
    '1e400/s',
    '1/1us',
    '1/1µs',
    '1/-1s',
    '2/+1s',
    '1/1.5',
    '0x1p4/s',
    '1/1h-',
  ],
  ...['4', '0', '-1', '007', '+3', '0x10', '1_000', '99999999999999999999', '9223372036854775807', '', ' 4', '4 ', 'x'],
  ...[
    '1s',
    '1m30s',
    '-2s',
    '0',
    '1',
    '1.5h',
    '.5s',
    '1s1',
    's',
    '100000000000h',
    '1.0000000000000000001s',
    '1d',
    '+5ms',
    '1.s',
    '--1s',
  ],
  ...[
    'true',
    'T',
    'yes',
    '1',
    'f',
    'FALSE',
    'tRUE',
    '0.5',
    '1e2',
    'Inf',
    'NaN',
    '1.5.2',
    '1e',
    '0x1p-2',
    '_1',
    '1__2',
    'infinity',
  ],
]

function optionProblem(random: Random): Problem {
  const option = () => `${random.pick(OPTION_NAMES)}${random.chance(0.95) ? ':' : ''}${random.pick(OPTION_VALUES)}`
  const likely = () => `${random.pick(OPTION_NAMES.slice(0, 14))}:${random.pick(OPTION_VALUES)}`
  const options = () =>
    Array.from({ length: random.integer(0, 3) }, () => (random.chance(0.8) ? likely() : option())).join(',')
  const group = () => random.pick([...GROUPS, 'g', 'endponit-patch', 'a b', 'ü', ''])
  // Faults in one group alone: of several upstream reports one by chance.
  let text = `${group()}=${options()}`
  const form = random.next()
  const isDamaged = form > 0.55 && form < 0.7
  if (form < 0.25) text = jsonText(random, group, options)
  else if (form < 0.55) text += `,${random.pick(GROUPS)}=log:true`
  else if (isDamaged) text = damaged(random, text)
  return {
    question: { kind: 'option', apiRateLimit: text },
    compare(upstream, result) {
      const comparison = new Comparison(result)
      const ours = readApiRateLimit(text, RULES)
      const error = typeof upstream['error'] === 'string' ? upstream['error'] : ''
      if (isCiliumError(ours) || error !== '') {
        comparison.count(
          `error ${error
            .replace(/['"].*$/s, '')
            .slice(0, 30)
            .trim()}`,
        )
        // An equals sign more makes two groups, and of errors in two groups upstream reports one by chance.
        if (isDamaged && isCiliumError(ours) && error !== '' && text.split('=').length > 2) {
          result.ties += 1
          return comparison.faults
        }
        comparison.same('error', isCiliumError(ours) ? `${ours.panics ? 'panic: ' : ''}${ours.error}` : '', error)
        return comparison.faults
      }
      const groups = upstream['groups'] as Record<string, Record<string, number | boolean>> | undefined
      comparison.count('accepted')
      comparison.same('groups', [...ours.given.keys()].sort(), Object.keys(groups ?? {}).sort())
      for (const [name, parameters] of Object.entries(groups ?? {})) {
        const own = ours.groups.get(name)
        if (own === undefined) continue
        for (const [key, value] of Object.entries(asUpstream(own)))
          comparison.same(`${name} ${key}`, value, parameters[key])
      }
      return comparison.faults
    },
  }
}

function asUpstream(own: CiliumParameters): Record<string, number | boolean> {
  return {
    rateLimit: finite(own.rateLimit),
    rateBurst: own.rateBurst,
    parallelRequests: own.parallelRequests,
    minParallelRequests: own.minParallelRequests,
    maxParallelRequests: own.maxParallelRequests,
    meanOver: own.meanOver,
    skipInitial: own.skipInitial,
    minWait: own.minWaitDuration,
    maxWait: own.maxWaitDuration,
    estimated: own.estimatedProcessingDuration,
    autoAdjust: own.autoAdjust,
    log: own.log,
    delayedAdjustment: finite(own.delayedAdjustmentFactor),
    maxAdjustment: finite(own.maxAdjustmentFactor),
  }
}

/** As cilium.go writes what JSON cannot. */
function finite(value: number): number {
  if (Number.isNaN(value)) return Number.MIN_VALUE
  if (value === Number.POSITIVE_INFINITY) return Number.MAX_VALUE
  return value === Number.NEGATIVE_INFINITY ? -Number.MAX_VALUE : value
}

function jsonText(random: Random, group: () => string, options: () => string): string {
  const value = random.pick<unknown>([options(), options(), options(), 1, true, null, [], {}])
  const text = JSON.stringify(random.chance(0.9) ? { [group()]: value } : value)
  return random.chance(0.3) ? damaged(random, text) : text
}

const STRAY = [
  '{',
  '}',
  '[',
  ']',
  ',',
  '=',
  ':',
  '"',
  ' ',
  '\\',
  'x',
  '0',
  '-',
  'é',
  '\t',
  '.',
  '/',
  "'",
  '\u0001',
  'true',
  'nul',
]

/** One character more or less, somewhere. */
function damaged(random: Random, text: string): string {
  const at = random.integer(0, text.length)
  return random.chance(0.5)
    ? text.slice(0, at) + random.pick(STRAY) + text.slice(at)
    : text.slice(0, at) + text.slice(at + 1)
}

function waitProblem(random: Random): Problem {
  const group = random.pick([...GROUPS, 'g'])
  const maybe = (chance: number, text: string) => (random.chance(chance) ? [text] : [])
  const ms = (most: number) => `${random.integer(1, most)}ms`
  const options = [
    ...maybe(0.5, `rate-limit:${random.pick(['1/s', '2/s', '10/s', '0.5/s', '1/m', '0/s', '-5/s', '1/0s'])}`),
    ...maybe(0.5, `rate-burst:${random.integer(0, 6)}`),
    ...maybe(0.6, `parallel-requests:${random.integer(0, 5)}`),
    ...maybe(0.3, `min-parallel-requests:${random.integer(0, 4)}`),
    ...maybe(0.3, `max-parallel-requests:${random.integer(0, 8)}`),
    ...maybe(0.6, `skip-initial:${random.integer(0, 3)}`),
    ...maybe(0.5, `max-wait-duration:${ms(random.pick([300, 2000, 20_000]))}`),
    ...maybe(0.2, `min-wait-duration:${ms(500)}`),
    ...maybe(0.6, `auto-adjust:${random.chance(0.7)}`),
    ...maybe(0.6, `estimated-processing-duration:${ms(2000)}`),
    ...maybe(0.3, `mean-over:${random.integer(0, 5)}`),
    ...maybe(0.2, `delayed-adjustment-factor:${random.pick(['0', '0.25', '1'])}`),
    ...maybe(0.2, `max-adjustment-factor:${random.pick(['0', '2', '0.5', '10'])}`),
  ].join(',')
  const apiRateLimit = options === '' ? '' : `${group}=${options}`
  const most = random.pick([100, 1000, 5000])
  // Odd nanoseconds keep what happens apart.
  const moment = (milliseconds: number) => random.integer(0, milliseconds) * 1_000_000 + random.integer(1, 999_999)
  const requests: CiliumRequest[] = []
  for (let at = 0; requests.length < 25; at += random.chance(0.6) ? moment(most / 5) : random.integer(1, 999)) {
    requests.push({
      at,
      processing: moment(most),
      patience: random.chance(0.15) ? moment(2 * most) : null,
      handlerCode: random.chance(0.1) ? random.pick([404, 500]) : null,
    })
  }
  return {
    question: {
      kind: 'cilium',
      cilium: {
        apiRateLimit,
        group,
        requests: requests.map(({ at, processing, patience, handlerCode }) => ({
          at,
          processing,
          patience: patience ?? 0,
          handlerCode: handlerCode ?? 0,
        })),
      },
    },
    compare(upstream, result) {
      const comparison = new Comparison(result)
      const outcome = readApiRateLimit(apiRateLimit, RULES)
      const parameters = isCiliumError(outcome) ? undefined : outcome.groups.get(group)
      // A group without a limiter lets everything pass.
      if (parameters === undefined) return comparison.faults
      const calls = playCilium(parameters, requests)
      if (hasTies(calls, requests)) {
        result.ties += 1
        return comparison.faults
      }
      const answers = upstream['requests'] as Record<string, unknown>[]
      for (const [index, call] of calls.entries()) {
        comparison.count(call.result)
        for (const [key, value] of Object.entries(callAsUpstream(call))) {
          comparison.same(`request ${index} ${key}`, value, answers[index]?.[key])
        }
      }
      return comparison.faults
    },
  }
}

/** Two calls that get their places at the same instant, or end together: upstream leaves their order to the scheduler. */
function hasTies(calls: readonly CiliumCall[], requests: readonly CiliumRequest[]): boolean {
  const placed = calls.flatMap(({ skipped, result, waitForPlace }, index) =>
    skipped || result === 'fail-parallel-wait' || waitForPlace === 0 ? [] : [(requests[index]?.at ?? 0) + waitForPlace],
  )
  const ended = calls.map(({ finished }) => finished)
  return new Set(placed).size < placed.length || new Set(ended).size < ended.length
}

function callAsUpstream({ result, returnCode, wait, finished, error, after }: CiliumCall): Record<string, unknown> {
  return {
    outcome: result,
    returnCode,
    wait,
    finished,
    error: error ?? '',
    factor: finite(after.factor),
    parallel: after.parallelRequests,
    rateLimit: finite(after.rate?.perSecond ?? 0),
    burst: after.rate?.burst ?? 0,
    inFlight: after.inFlight,
    mean: finite(after.meanProcessing),
  }
}
