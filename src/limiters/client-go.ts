/**
 * The limiter inside of every client that is built on client-go: a token bucket in front of its requests, in its own
 * process. The server never sees what it holds back.
 * Source: kubernetes/client-go rest/config.go, rest/request.go, rest/with_retry.go, util/flowcontrol/throttle.go
 */
import { NEVER_NS, TokenBucket } from './token-bucket.ts'

const DEFAULT_QPS = 5
const DEFAULT_BURST = 10

/** Fields of a `rest.Config`, and what is built from it. */
export interface ClientConfig {
  qps: number
  burst: number
  /** The program brought a limiter of its own. */
  rateLimiterSet?: boolean
  /** `clientset`: kubernetes.NewForConfig and its generated relatives; `restclient`: rest.RESTClientFor. */
  builtBy: 'restclient' | 'clientset'
}

export type ResolvedLimiter =
  /** `limiter` null: nothing is held back. */
  { limiter: { qps: number; burst: number } | 'caller-provided' | null; sharing: string } | { error: string }

export const BURST_REQUIRED =
  'burst is required to be greater than 0 when RateLimiter is not set and QPS is set to greater than 0'

/** Of every call through a limiter whose burst is below 0. */
export function burstError(burst: number): string {
  return `client rate limiter Wait returned an error: rate: Wait(n=1) exceeds limiter's burst ${burst}`
}

/** Which limiter a configuration produces, and how many clients share it. */
export function resolveLimiter({ qps, burst, rateLimiterSet = false, builtBy }: ClientConfig): ResolvedLimiter {
  if (rateLimiterSet) return { limiter: 'caller-provided', sharing: 'all group clients' }
  const isShared = builtBy === 'clientset' && qps > 0
  if (isShared && burst <= 0) return { error: BURST_REQUIRED }
  const sharing = isShared
    ? 'one limiter for the whole clientset'
    : builtBy === 'clientset'
      ? 'one limiter per group-version client'
      : 'one limiter per REST client'
  if (qps < 0) return { limiter: null, sharing }
  return { limiter: { qps: qps || DEFAULT_QPS, burst: burst || DEFAULT_BURST }, sharing }
}

/** QPS is a float32 before it becomes a rate. */
export function clientBucket(qps: number, burst: number): TokenBucket {
  return new TokenBucket(Math.fround(qps), burst)
}

/** Nanoseconds that each of the calls waits; they arrive at times that never decrease. */
export function bucketWaits(qps: number, burst: number, arrivals: readonly number[]): number[] {
  const bucket = clientBucket(qps, burst)
  return arrivals.map((arrival) => bucket.reserve(arrival).delay)
}

// Many calls

export interface CallLoad {
  /** Null: without a limiter. */
  limiter: { qps: number; burst: number } | null
  calls: number
  /** Nanoseconds that a call takes once it is let through. */
  latency: number
  /** Callers at the same time, each with one call after the other; as many as calls: all at once. */
  workers: number
  /** Nanoseconds between calls that arrive evenly, whoever makes them; null: each worker as soon as it can. */
  interval?: number | null
  /** Nanoseconds that the context of a call leaves for its wait; null: forever. */
  deadline?: number | null
}

/** Times in nanoseconds from the first call on. */
export interface CallTimes {
  lastStart: number
  finish: number
  delayed: number
  longestWait: number
  totalWait: number
  /** client-go writes a line at -v=3 for each of these. */
  over50ms: number
  /** Of these a line comes at any verbosity, one in ten seconds at most. */
  over1s: number
  /** Calls that were never sent: their wait would have exceeded the deadline. */
  failed: number
  /** Number of the first of them, from 1. */
  firstFailed: number | null
}

const LOGGED_WAIT_NS = 50e6
const LOUD_WAIT_NS = 1e9

/** Text of the error of a call that is never sent. */
export const DEADLINE_ERROR =
  'client rate limiter Wait returned an error: rate: Wait(n=1) would exceed context deadline'

/** Plays calls through one limiter. */
export function playCalls({ limiter, calls, latency, workers, interval = null, deadline = null }: CallLoad): CallTimes {
  const bucket = limiter === null ? null : clientBucket(limiter.qps, limiter.burst)
  const free = new FreeWorkers(Math.min(workers, calls))
  const times: CallTimes = {
    lastStart: 0,
    finish: 0,
    delayed: 0,
    longestWait: 0,
    totalWait: 0,
    over50ms: 0,
    over1s: 0,
    failed: 0,
    firstFailed: null,
  }
  for (let call = 0; call < calls; call++) {
    const arrival = Math.max(free.take(), interval === null ? 0 : call * interval)
    const reservation = bucket?.reserve(arrival, deadline ?? NEVER_NS)
    if (reservation?.ok === false) {
      times.failed += 1
      times.firstFailed ??= call + 1
      free.putBack(arrival)
      continue
    }
    const wait = reservation?.delay ?? 0
    const start = arrival + wait
    times.lastStart = start
    times.finish = start + latency
    times.totalWait += wait
    times.longestWait = Math.max(times.longestWait, wait)
    if (wait > 0) times.delayed += 1
    if (wait > LOGGED_WAIT_NS) times.over50ms += 1
    if (wait > LOUD_WAIT_NS) times.over1s += 1
    free.add(start + latency)
  }
  return times
}

/** When workers are free. Calls start in order and take equally long, so the first that started is the first to be free. */
class FreeWorkers {
  readonly #times: Float64Array
  #next = 0

  constructor(workers: number) {
    this.#times = new Float64Array(workers)
  }

  take(): number {
    return this.#times[this.#next] ?? 0
  }

  /** The worker just taken is free then. */
  add(time: number): void {
    this.#times[this.#next] = time
    this.#next = (this.#next + 1) % this.#times.length
  }

  /** The worker just taken is free at once, before all others. */
  putBack(time: number): void {
    this.#times[this.#next] = time
  }
}

// What a client writes about its waits

export interface ObservedWait {
  /** When it was over. */
  at: number
  wait: number
}

/** Verbosities at which a line may come at most so often in the whole process, by the first that is enabled. */
const THROTTLED_LOGGERS = [
  { level: 2, interval: 1e9 },
  { level: 0, interval: 10e9 },
] as const

/**
 * Lines that a process writes of its waits: for each wait the levels of its lines.
 *
 * @param verbosity  of klog, the flag -v
 */
export function throttledLines(verbosity: number, waits: readonly ObservedWait[]): number[][] {
  const logger = THROTTLED_LOGGERS.find(({ level }) => verbosity >= level)
  let lastLine = Number.NEGATIVE_INFINITY
  return waits.map(({ at, wait }) => {
    const levels: number[] = []
    if (wait > LOGGED_WAIT_NS && verbosity >= 3) levels.push(3)
    if (wait > LOUD_WAIT_NS && logger !== undefined && at - lastLine >= logger.interval) {
      lastLine = at
      levels.push(logger.level)
    }
    return levels
  })
}

// Retries

export interface RetriedCall {
  responses: readonly { code: number; retryAfter: string | null }[]
  /** A body that can be read only once is never sent again. */
  body: 'bytes' | 'opaque-reader'
  maxRetries: number
}

export interface RetryResult {
  attempts: number
  /** Seconds before each further attempt. */
  sleeps: number[]
  finalCode: number
}

/** What becomes of one call; the last response repeats. */
export function playRetries({ responses, body, maxRetries }: RetriedCall): RetryResult {
  const sleeps: number[] = []
  for (let attempt = 1; ; attempt++) {
    const response = responses[Math.min(attempt, responses.length) - 1]
    if (response === undefined) return { attempts: 0, sleeps, finalCode: 0 }
    const seconds = retrySeconds(response.code, response.retryAfter)
    if (seconds === null || body === 'opaque-reader' || sleeps.length >= maxRetries) {
      return { attempts: attempt, sleeps, finalCode: response.code }
    }
    sleeps.push(Math.max(0, seconds))
  }
}

/** Null: the answer is final. Only whole seconds are understood, no dates. */
function retrySeconds(code: number, retryAfter: string | null): number | null {
  if (code !== 429 && code < 500) return null
  return retryAfter !== null && /^[-+]?[0-9]+$/.test(retryAfter) ? Number(retryAfter) : null
}
