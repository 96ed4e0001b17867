/**
 * Seat-seconds, the unit of a request's work and of a queue's progress, in steps of 1e-8, unsigned and with wrap-around.
 * Source: kubernetes/apiserver pkg/util/flowcontrol/request/seat_seconds.go (SeatSeconds)
 */

/** In steps of 1e-8 seat-seconds. */
export type SeatSeconds = bigint

const STEPS_PER_SECOND = 100_000_000n
const NANOSECONDS_PER_STEP = 10

/** @param nanoseconds  may be negative, and so is the result then, still signed */
export function seatSeconds(seats: number, nanoseconds: number): SeatSeconds {
  return BigInt(roundHalfAway((seats * nanoseconds) / NANOSECONDS_PER_STEP))
}

/** How long the work takes on so many seats, in whole nanoseconds, rounded down. */
export function nanosecondsPerSeat(work: SeatSeconds, seats: number): number {
  return Math.trunc((Number(work) / seats) * NANOSECONDS_PER_STEP)
}

/** As the debug dumps write it: `0.00300000ss`. */
export function formatSeatSeconds(work: SeatSeconds): string {
  return `${work / STEPS_PER_SECOND}.${(work % STEPS_PER_SECOND).toString().padStart(8, '0')}ss`
}

function roundHalfAway(value: number): number {
  return value < 0 ? -Math.round(-value) : Math.round(value)
}
