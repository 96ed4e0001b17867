/**
 * The token bucket that client-go, the plugin EventRateLimit and the Cilium agent share. Times are nanoseconds of any clock
 * that does not run backwards; nobody sleeps here.
 * Source: golang.org/x/time rate/rate.go
 */
import { LONGEST_DURATION_NS } from './go-values.ts'

const SECOND_NS = 1e9

/** The delay of a reservation that can never be served. */
export const NEVER_NS = LONGEST_DURATION_NS

export interface Reservation {
  /** False: more than the burst was asked for, or a longer wait than allowed; nothing was taken. */
  ok: boolean
  at: number
  /** Nanoseconds from `at` on; `NEVER_NS` if it can never be served. */
  delay: number
  /** The rate at that time, by which it is given back. */
  perSecond: number
}

export class TokenBucket {
  #perSecond: number
  #burst: number
  /** At `#last`; below 0 where callers wait. */
  #tokens: number
  #last = Number.NEGATIVE_INFINITY
  /** When the last of those that wait may act. */
  #lastEvent = Number.NEGATIVE_INFINITY

  /** @param perSecond  tokens that come back each second; +Infinity never delays, 0 and less gives nothing back */
  constructor(perSecond: number, burst: number) {
    this.#perSecond = perSecond
    this.#burst = burst
    this.#tokens = burst
  }

  get perSecond(): number {
    return this.#perSecond
  }

  get burst(): number {
    return this.#burst
  }

  /** What could be taken at that time. */
  tokensAt(now: number): number {
    const elapsed = Math.max(0, now - this.#last)
    return Math.min(this.#burst, this.#tokens + tokensOf(elapsed, this.#perSecond))
  }

  /**
   * Takes one token, now or as soon as there will be one. Callers are served in the order in which they came.
   * @param longestWait  nanoseconds; the token is not taken if it would take longer
   */
  reserve(now: number, longestWait: number = NEVER_NS): Reservation {
    const perSecond = this.#perSecond
    if (perSecond === Number.POSITIVE_INFINITY) return { ok: true, at: now, delay: 0, perSecond }
    const tokens = this.tokensAt(now) - 1
    const delay = tokens < 0 ? durationOf(-tokens, perSecond) : 0
    const ok = this.#burst >= 1 && delay <= longestWait
    if (!ok) return { ok, at: now, delay: NEVER_NS, perSecond }
    this.#last = now
    this.#tokens = tokens
    this.#lastEvent = now + delay
    return { ok, at: now, delay, perSecond }
  }

  /** Takes one token if there is one. */
  allow(now: number): boolean {
    return this.reserve(now, 0).ok
  }

  /** Gives back what nobody who came later has been promised already. */
  cancel(reservation: Reservation, now: number): void {
    const timeToAct = reservation.at + reservation.delay
    if (!reservation.ok || this.#perSecond === Number.POSITIVE_INFINITY || timeToAct < now) return
    const restored = 1 - tokensOf(this.#lastEvent - timeToAct, reservation.perSecond)
    if (restored <= 0) return
    this.#tokens = Math.min(this.#burst, this.tokensAt(now) + restored)
    this.#last = now
    if (timeToAct !== this.#lastEvent) return
    const previous = timeToAct + durationOf(-1, reservation.perSecond)
    if (previous >= now) this.#lastEvent = previous
  }

  /** Those who wait keep the time that they were told. */
  setRate(perSecond: number, now: number): void {
    this.#settle(now)
    this.#perSecond = perSecond
  }

  setBurst(burst: number, now: number): void {
    this.#settle(now)
    this.#burst = burst
  }

  #settle(now: number): void {
    this.#tokens = this.tokensAt(now)
    this.#last = now
  }
}

/** Nanoseconds until so many tokens have come. */
function durationOf(tokens: number, perSecond: number): number {
  if (perSecond <= 0) return NEVER_NS
  const duration = (tokens / perSecond) * SECOND_NS
  return duration > NEVER_NS ? NEVER_NS : Math.trunc(duration)
}

/** Tokens that come in so many nanoseconds; whole seconds and the rest are added up as upstream does. */
function tokensOf(nanoseconds: number, perSecond: number): number {
  if (perSecond <= 0) return 0
  if (!Number.isFinite(nanoseconds)) return Number.POSITIVE_INFINITY
  return (Math.trunc(nanoseconds / SECOND_NS) + (nanoseconds % SECOND_NS) / SECOND_NS) * perSecond
}
