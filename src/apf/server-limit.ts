/**
 * What the two in-flight limits of a server mean: with APF its seats, without it a limiter of its own, or none.
 * Source: kubernetes/apiserver pkg/server/config.go and pkg/server/options; kubernetes/kubernetes cmd/kube-apiserver
 */
import type { VersionRules } from './versions.ts'

/** The flags --max-requests-inflight and --max-mutating-requests-inflight. */
export interface InflightFlags {
  maxRequestsInflight: number
  maxMutatingRequestsInflight: number
}

/** What they are unless given. */
export const DEFAULT_INFLIGHT_FLAGS: InflightFlags = { maxRequestsInflight: 400, maxMutatingRequestsInflight: 200 }

export type ServerLimit =
  /** Seats for reads and writes together; the split between the flags does not matter. */
  | { mode: 'APF'; serverSeats: number }
  /** Requests in flight of either kind; null is unlimited. */
  | { mode: 'MaxInFlight'; readOnlyLimit: number | null; mutatingLimit: number | null }
  | { mode: 'Unlimited' }
  /** The server does not start. */
  | { mode: 'Refused'; because: 'negative-flag' | 'sum-not-positive' }

/** What a kube-apiserver with these flags does. */
export function serverLimit(
  { maxRequestsInflight, maxMutatingRequestsInflight }: InflightFlags,
  fairnessEnabled: boolean,
  rules: Pick<VersionRules, 'negativeLimitsRefused' | 'zeroSeatsRefused'>,
): ServerLimit {
  const negative = maxRequestsInflight < 0 || maxMutatingRequestsInflight < 0
  // Without APF a negative limit has always kept the server from starting, if only by a panic.
  if (negative && (rules.negativeLimitsRefused || !fairnessEnabled)) {
    return { mode: 'Refused', because: 'negative-flag' }
  }
  if (fairnessEnabled) {
    const serverSeats = maxRequestsInflight + maxMutatingRequestsInflight
    if (serverSeats <= 0 && rules.zeroSeatsRefused) return { mode: 'Refused', because: 'sum-not-positive' }
    return { mode: 'APF', serverSeats }
  }
  if (maxRequestsInflight === 0 && maxMutatingRequestsInflight === 0) return { mode: 'Unlimited' }
  return {
    mode: 'MaxInFlight',
    readOnlyLimit: maxRequestsInflight || null,
    mutatingLimit: maxMutatingRequestsInflight || null,
  }
}
