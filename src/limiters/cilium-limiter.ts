/**
 * One limiter of the Cilium agent at work: auto-adjustment, and what becomes of a series of calls, in time that is made up.
 * Source: cilium/cilium pkg/rate/api_limiter.go
 */
import { type CiliumParameters, secondsOf } from './cilium.ts'
import { formatGoDuration } from './go-values.ts'
import { NEVER_NS, type Reservation, TokenBucket } from './token-bucket.ts'

const SECOND = 1e9

/** Units of the semaphore: a call takes as many as there are for each of the calls that may run at once. */
const SEMAPHORE_UNITS = 10_000_000

/** What a limiter has learned. */
export interface Adjustment {
  /** Mean of the last processing times in seconds; 0 before the first. */
  meanProcessing: number
  /** Estimated by mean time, within bounds; 0 without auto-adjustment. */
  factor: number
  /** Calls at once; 0: no limit. */
  parallelRequests: number
  /** Null: without a limit of the rate. */
  rate: { perSecond: number; burst: number } | null
}

/** A limiter that has not learned anything. */
function untrained({ parallelRequests, rateLimit, rateBurst }: CiliumParameters): Adjustment {
  return {
    meanProcessing: 0,
    factor: 0,
    parallelRequests,
    rate: rateLimit === 0 ? null : { perSecond: rateLimit, burst: rateBurst },
  }
}

/**
 * What a limiter makes of the processing times that it remembers. Everything is computed from the configured values:
 * nothing compounds.
 *
 * @param processing  nanoseconds of the last `meanOver` calls that succeeded, one at least
 */
export function adjust(parameters: CiliumParameters, processing: readonly number[]): Adjustment {
  const meanProcessing = meanSeconds(processing)
  const { autoAdjust, estimatedProcessingDuration: estimated, maxAdjustmentFactor: most } = parameters
  if (!autoAdjust || estimated === 0) return { ...untrained(parameters), meanProcessing }
  // In this order: below 1, `most` turns the bounds around.
  const factor = Math.max(Math.min(secondsOf(estimated) / meanProcessing, most), 1 / most)
  const { parallelRequests, minParallelRequests, maxParallelRequests, rateLimit, rateBurst } = parameters
  const delayed = (base: number, least: number, greatest: number) => {
    const value = base + (base * factor - base) * parameters.delayedAdjustmentFactor
    const raised = least > 0 ? Math.max(least, value) : value
    return greatest > 0 ? Math.min(greatest, raised) : raised
  }
  const within = (value: number, base: number) => Math.max(base / most, Math.min(base * most, value))
  return {
    meanProcessing,
    factor,
    parallelRequests: Math.trunc(
      within(delayed(parallelRequests, minParallelRequests, maxParallelRequests), parallelRequests),
    ),
    rate:
      rateLimit === 0
        ? null
        : {
            perSecond: within(rateLimit * factor, rateLimit),
            burst: roundHalfAway(within(delayed(rateBurst, minParallelRequests, 0), rateBurst)),
          },
  }
}

function meanSeconds(durations: readonly number[]): number {
  let total = 0
  for (const duration of durations) total += secondsOf(duration)
  return total / durations.length
}

function roundHalfAway(value: number): number {
  return Math.sign(value) * Math.round(Math.abs(value))
}

/** @returns units of the semaphore that one call takes; 0: none */
export function semaphoreWeight(parallelRequests: number): number {
  return parallelRequests > 0 ? Math.floor(SEMAPHORE_UNITS / parallelRequests) : 0
}

// A series of calls

/** Times in nanoseconds. */
export interface CiliumRequest {
  at: number
  /** How long the agent works on it. */
  processing: number
  /** After so long the caller gives up waiting; null: never. */
  patience: number | null
  /** The caller has given up before. */
  cancelledOnArrival?: boolean
  /** Code with which the agent's handler fails; null: it succeeds. */
  handlerCode: number | null
}

export type CiliumResult = 'success' | 'fail' | 'fail-parallel-wait' | 'fail-limit-wait' | 'request-cancelled'

/** Lines that the agent writes, most of them at level debug unless the option log is on. */
const CILIUM_MESSAGES = {
  begin: 'Processing API request with rate limiter',
  released: 'API request released by rate limiter',
  processed: 'API call has been processed',
  cancelled: 'Not processing API request due to cancelled context',
  parallelWait: 'Not processing API request. Wait duration for maximum parallel requests exceeds maximum',
  limitWait: 'Not processing API request. Wait duration exceeds maximum',
  cancelledWaiting: 'Not processing API request due to cancelled context while waiting',
} as const

const REFUSED_CODE = 429
const SUCCESS_CODE = 200
const CANCELLED = 'request cancelled while waiting for rate limiting slot: context canceled'

export interface CiliumCall {
  result: CiliumResult
  returnCode: number
  /** Of a refused call what it waited for a place. */
  wait: number
  /** For one of the places that run at once. */
  waitForPlace: number
  /** Null: it never ran. */
  started: number | null
  finished: number
  /** It was one of the first after the start of the agent. */
  skipped: boolean
  /** What the refusal takes so that callers do not ask again at once; null: nothing was refused for its wait. */
  pacing: number | null
  messages: string[]
  /** Null where it was served. */
  error: string | null
  /** As the metrics show it after this call. */
  after: Adjustment & { inFlight: number }
}

export interface CiliumStart {
  /** Calls that the agent has seen before: the first `skipInitial` of all pass freely. */
  callsBefore: number
  /** Nanoseconds of the last calls, for a limiter that has learned. */
  processing: readonly number[]
}

const FRESH: CiliumStart = { callsBefore: 0, processing: [] }

/** Plays calls, which arrive at times that never decrease, through a limiter with those normalised parameters. */
export function playCilium(
  parameters: CiliumParameters,
  requests: readonly CiliumRequest[],
  start: CiliumStart = FRESH,
): CiliumCall[] {
  return new CiliumPlay(parameters, start).play(requests)
}

/** A call on its way. */
interface Pending {
  request: CiliumRequest
  /** Seen when it arrived, and kept. */
  parallelRequests: number
  meanProcessing: number
  weight: number
  wait: number
  waitForPlace: number
  skipped: boolean
  messages: string[]
  pacing: number | null
  reservation: Reservation | null
  /** Ends an appointment that has become void: the patience of a caller who is served. */
  stage: 'arriving' | 'queued' | 'delayed' | 'running' | 'done'
  started: number | null
  result: CiliumCall | null
}

class CiliumPlay {
  readonly #parameters: CiliumParameters
  readonly #agenda = new Agenda()
  readonly #bucket: TokenBucket | null
  readonly #semaphore: Semaphore
  #processing: number[]
  #state: Adjustment
  #scheduled: number
  #inFlight = 0

  constructor(parameters: CiliumParameters, start: CiliumStart) {
    this.#parameters = parameters
    this.#scheduled = start.callsBefore
    this.#processing = start.processing.slice(-parameters.meanOver)
    this.#state = this.#processing.length === 0 ? untrained(parameters) : adjust(parameters, this.#processing)
    const { rate } = this.#state
    this.#bucket = rate === null ? null : new TokenBucket(rate.perSecond, rate.burst)
    this.#semaphore = new Semaphore(SEMAPHORE_UNITS, (proceed) => this.#agenda.at(this.#agenda.now, proceed))
  }

  play(requests: readonly CiliumRequest[]): CiliumCall[] {
    const all = requests.map((request) => this.#pending(request))
    for (const pending of all) this.#agenda.at(pending.request.at, () => this.#arrive(pending))
    this.#agenda.run()
    return all.map(({ result }) => {
      if (result === null) throw new TypeError('a call of the Cilium limiter did not end')
      return result
    })
  }

  #pending(request: CiliumRequest): Pending {
    return {
      request,
      parallelRequests: 0,
      meanProcessing: 0,
      weight: 0,
      wait: 0,
      waitForPlace: 0,
      skipped: false,
      messages: [],
      pacing: null,
      reservation: null,
      stage: 'arriving',
      started: null,
      result: null,
    }
  }

  #arrive(call: Pending): void {
    const { skipInitial, maxWaitDuration } = this.#parameters
    this.#scheduled += 1
    if (call.request.cancelledOnArrival) {
      call.messages.push(CILIUM_MESSAGES.cancelled)
      this.#refuse(call, 'request-cancelled', CANCELLED)
      return
    }
    call.messages.push(CILIUM_MESSAGES.begin)
    if (this.#scheduled <= skipInitial) {
      call.skipped = true
      this.#run(call)
      return
    }
    call.parallelRequests = this.#state.parallelRequests
    call.meanProcessing = this.#state.meanProcessing
    const { patience } = call.request
    if (patience !== null) this.#agenda.at(call.request.at + patience, () => this.#giveUp(call))
    const weight = semaphoreWeight(call.parallelRequests)
    if (call.parallelRequests <= 0 || this.#semaphore.tryAcquire(weight)) {
      call.weight = weight
      this.#reserve(call)
      return
    }
    call.stage = 'queued'
    if (maxWaitDuration > 0) {
      this.#agenda.at(call.request.at + maxWaitDuration, () => this.#leaveQueue(call, 'context deadline exceeded'))
    }
    this.#semaphore.queue(call, weight, () => {
      call.weight = weight
      this.#reserve(call)
    })
  }

  /** The caller loses patience. */
  #giveUp(call: Pending): void {
    if (call.stage === 'queued') this.#leaveQueue(call, 'context canceled')
    if (call.stage !== 'delayed') return
    if (call.reservation !== null) this.#bucket?.cancel(call.reservation, this.#agenda.now)
    call.messages.push(CILIUM_MESSAGES.cancelledWaiting)
    this.#refuse(call, 'request-cancelled', CANCELLED)
  }

  #leaveQueue(call: Pending, cause: string): void {
    if (call.stage !== 'queued' || !this.#semaphore.leave(call)) return
    call.messages.push(CILIUM_MESSAGES.parallelWait)
    const error = `timed out while waiting to be served with ${call.parallelRequests} parallel requests: ${cause}`
    this.#refuse(call, 'fail-parallel-wait', error)
  }

  /** It has its place; now the rate. */
  #reserve(call: Pending): void {
    const { now } = this.#agenda
    const { minWaitDuration, maxWaitDuration } = this.#parameters
    call.stage = 'delayed'
    call.wait = now - call.request.at
    call.waitForPlace = call.wait
    call.reservation = this.#bucket?.reserve(now) ?? null
    const delay = Math.max(call.reservation?.delay ?? 0, minWaitDuration)
    if ((maxWaitDuration > 0 && delay + call.wait > maxWaitDuration) || delay >= NEVER_NS) {
      if (call.reservation !== null) this.#bucket?.cancel(call.reservation, now)
      call.messages.push(CILIUM_MESSAGES.limitWait)
      call.pacing = Math.trunc(call.meanProcessing * SECOND)
      call.stage = 'done'
      const left = formatGoDuration(maxWaitDuration - call.wait)
      const error = `request would have to wait ${formatGoDuration(delay)} to be served (maximum wait duration: ${left})`
      this.#agenda.at(now + call.pacing, () => this.#refuse(call, 'fail-limit-wait', error))
    } else if (delay === 0) this.#run(call)
    else {
      this.#agenda.at(now + delay, () => {
        if (call.stage === 'delayed') this.#run(call)
      })
    }
  }

  #run(call: Pending): void {
    const { now } = this.#agenda
    call.stage = 'running'
    call.wait = now - call.request.at
    call.started = now
    this.#inFlight += 1
    call.messages.push(CILIUM_MESSAGES.released)
    this.#agenda.at(now + call.request.processing, () => {
      this.#inFlight -= 1
      this.#semaphore.release(call.weight)
      const { handlerCode, processing } = call.request
      if (handlerCode === null) this.#learn(processing)
      this.#finish(call, handlerCode === null ? 'success' : 'fail', handlerCode ?? SUCCESS_CODE, null)
    })
  }

  #refuse(call: Pending, result: CiliumResult, error: string): void {
    this.#semaphore.release(call.weight)
    this.#finish(call, result, REFUSED_CODE, error)
  }

  #learn(processing: number): void {
    const { now } = this.#agenda
    this.#processing = [...this.#processing, processing].slice(-this.#parameters.meanOver)
    this.#state = adjust(this.#parameters, this.#processing)
    const { rate } = this.#state
    if (rate === null || this.#state.factor === 0) return
    this.#bucket?.setRate(rate.perSecond, now)
    this.#bucket?.setBurst(rate.burst, now)
  }

  #finish(call: Pending, result: CiliumResult, returnCode: number, error: string | null): void {
    call.stage = 'done'
    call.messages.push(CILIUM_MESSAGES.processed)
    const { wait, waitForPlace, started, skipped, pacing, messages } = call
    const finished = this.#agenda.now
    const after = { ...this.#state, inFlight: this.#inFlight }
    call.result = { result, returnCode, wait, waitForPlace, started, finished, skipped, pacing, messages, error, after }
  }
}

/** What is to happen and when; of the same instant what was planned first comes first. */
class Agenda {
  now = 0
  readonly #heap: Appointment[] = []
  #planned = 0

  at(time: number, happen: () => void): void {
    this.#heap.push({ time, order: this.#planned++, happen })
    let child = this.#heap.length - 1
    while (child > 0) {
      const parent = (child - 1) >> 1
      if (!this.#isBefore(child, parent)) break
      this.#swap(child, parent)
      child = parent
    }
  }

  run(): void {
    for (;;) {
      const next = this.#take()
      if (next === undefined) return
      this.now = next.time
      next.happen()
    }
  }

  #take(): Appointment | undefined {
    const last = this.#heap.length - 1
    if (last < 0) return undefined
    this.#swap(0, last)
    const first = this.#heap.pop()
    for (let parent = 0; ; ) {
      const left = 2 * parent + 1
      if (left >= this.#heap.length) return first
      const child = left + 1 < this.#heap.length && this.#isBefore(left + 1, left) ? left + 1 : left
      if (!this.#isBefore(child, parent)) return first
      this.#swap(child, parent)
      parent = child
    }
  }

  #isBefore(a: number, b: number): boolean {
    const [one, other] = [this.#heap[a], this.#heap[b]]
    if (one === undefined || other === undefined) return false
    return one.time < other.time || (one.time === other.time && one.order < other.order)
  }

  #swap(a: number, b: number): void {
    const [one, other] = [this.#heap[a], this.#heap[b]]
    if (one === undefined || other === undefined) return
    this.#heap[a] = other
    this.#heap[b] = one
  }
}

interface Appointment {
  time: number
  order: number
  happen(): void
}

/** Strictly first come, first served: a heavy call at the head keeps light ones behind it waiting. */
class Semaphore {
  readonly #capacity: number
  readonly #wake: (proceed: () => void) => void
  readonly #waiting = new Map<Pending, { weight: number; proceed: () => void }>()
  #taken = 0

  constructor(capacity: number, wake: (proceed: () => void) => void) {
    this.#capacity = capacity
    this.#wake = wake
  }

  tryAcquire(weight: number): boolean {
    if (this.#waiting.size > 0 || this.#capacity - this.#taken < weight) return false
    this.#taken += weight
    return true
  }

  queue(call: Pending, weight: number, proceed: () => void): void {
    this.#waiting.set(call, { weight, proceed })
  }

  /** @returns false: it has been let in already */
  leave(call: Pending): boolean {
    const [head] = this.#waiting.keys()
    if (!this.#waiting.delete(call)) return false
    if (head === call && this.#capacity > this.#taken) this.#letIn()
    return true
  }

  release(weight: number): void {
    if (weight === 0) return
    this.#taken -= weight
    this.#letIn()
  }

  #letIn(): void {
    for (const [call, { weight, proceed }] of this.#waiting) {
      if (this.#capacity - this.#taken < weight) return
      this.#taken += weight
      this.#waiting.delete(call)
      this.#wake(proceed)
    }
  }
}
