/**
 * How many seats a level wanted during a period: what its requests hold and what those that wait would hold.
 * Source: kubernetes/apiserver pkg/util/flowcontrol/fairqueuing/integrator.go and apf_controller.go (updateBorrowingLocked)
 */

/** Of one period between two borrowing rounds, in seats, over time. */
export interface SeatDemand {
  average: number
  /** Standard deviation. */
  deviation: number
  /** The highest demand, that at the start of the period included. */
  highWatermark: number
}

/** A level's demand over time, with the same unit of time in all calls. */
export class SeatDemandIntegrator {
  #since: number
  #seats: number
  #highest: number
  #time = 0
  #seatTime = 0
  #squareTime = 0

  constructor(now: number, seats = 0) {
    this.#since = now
    this.#seats = seats
    this.#highest = seats
  }

  /** From now on so many seats are wanted. */
  set(now: number, seats: number): void {
    this.#advance(now)
    this.#seats = seats
    this.#highest = Math.max(this.#highest, seats)
  }

  /** The demand since the last call. */
  finishPeriod(now: number): SeatDemand | EmptyPeriod {
    this.#advance(now)
    const highWatermark = this.#highest
    const [time, seatTime, squareTime] = [this.#time, this.#seatTime, this.#squareTime]
    this.#highest = this.#seats
    this.#time = this.#seatTime = this.#squareTime = 0
    if (time <= 0) return { average: null, deviation: null, highWatermark }
    const average = seatTime / time
    // Cancellation can make the variance of a nearly constant demand negative.
    const variance = Math.max(0, squareTime / time - average * average)
    return { average, deviation: Math.sqrt(variance), highWatermark }
  }

  #advance(now: number): void {
    const elapsed = now - this.#since
    this.#time += elapsed
    this.#seatTime += elapsed * this.#seats
    this.#squareTime += elapsed * this.#seats * this.#seats
    this.#since = now
  }
}

/** A period without length, as when two changes of the configuration follow each other at once. */
export interface EmptyPeriod {
  average: null
  deviation: null
  highWatermark: number
}

/** Part of the smoothed demand that stays from round to round: half of it after about five minutes of rounds of 10 s. */
const SMOOTHING = 0.977

/**
 * The demand that a level is given seats for. It rises at once and falls slowly; a new level starts at 0.
 *
 * @param previous  smoothed demand of the round before, in seats
 */
export function smoothedDemand(previous: number, demand: SeatDemand | EmptyPeriod): number {
  if (demand.average === null) return previous
  const envelope = demand.average + demand.deviation
  return Math.max(envelope, SMOOTHING * previous + (1 - SMOOTHING) * envelope)
}
