/** What many clients together ask of a priority level at worst, each with a limiter of its own. */

export interface ClientDemand {
  /** Requests that arrive at once while all buckets are full; null: nothing bounds them. */
  burstRequests: number | null
  /** Seats held as long as all clients send as fast as they may, by Little's law; null: nothing bounds them. */
  sustainedSeats: number | null
}

export type Fit = 'within-nominal' | 'by-borrowing' | 'no' | 'unknown'

/**
 * @param limiter         of one client; null: it has none
 * @param latencySeconds  that a request holds its seat
 */
export function clientDemand(
  limiter: { qps: number; burst: number } | null,
  clients: number,
  latencySeconds: number,
): ClientDemand {
  if (limiter === null) return { burstRequests: null, sustainedSeats: null }
  return { burstRequests: limiter.burst * clients, sustainedSeats: limiter.qps * clients * latencySeconds }
}

/** Whether a level can hold the seats for as long as they are wanted. */
export function fitOf(
  { sustainedSeats }: ClientDemand,
  { nominal, reachable }: { nominal: number | null; reachable: number | null },
): Fit {
  if (sustainedSeats === null) return 'no'
  if (nominal === null) return 'unknown'
  if (sustainedSeats <= nominal) return 'within-nominal'
  return reachable !== null && sustainedSeats <= reachable ? 'by-borrowing' : 'no'
}
