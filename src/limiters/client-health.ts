/** What the metrics of a client say of its own limiter. Source: kubernetes/client-go tools/metrics, and component-base. */

/** Sums over all series of a process; null where the family is not there. */
export interface ClientSeries {
  /** Waits of the limiter, observed for every attempt. */
  limiter: { sum: number; count: number; upTo5ms: number | null } | null
  /** Whole calls, with their waits and sleeps. */
  request: { sum: number; count: number } | null
  attempts: number | null
  attempts429: number | null
  retries: number | null
}

export interface ClientHealth {
  verdict: 'waits' | 'partly-waits' | 'does-not-wait' | 'not-exposed'
  meanWait: number | null
  limiterShare: number | null
  delayedShare: number | null
  says: string[]
}

/** Above half of the time the limiter is what a client waits for. */
const MOSTLY = 0.5
const PARTLY = 0.01
/** Calls that wait no longer are in the first bucket of the histogram. */
const SHORT_SECONDS = 0.005

/** Judges by the part of the time that calls wait, else by the part of the attempts that wait at all. */
export function clientHealth({ limiter, request, attempts, attempts429, retries }: ClientSeries): ClientHealth {
  const says: string[] = []
  if (attempts429) says.push('429: a server refused; eleven attempts may be one call with its ten repetitions')
  if (retries) says.push(`${retries} attempts were repetitions`)
  if (limiter === null || limiter.count === 0) {
    const why =
      attempts === null
        ? 'there is no rest_client_requests_total either'
        : 'rest_client_rate_limiter_duration_seconds is not exposed: controller-runtime never does, and a client without a limiter has nothing to observe'
    return { verdict: 'not-exposed', meanWait: null, limiterShare: null, delayedShare: null, says: [why, ...says] }
  }
  const meanWait = limiter.sum / limiter.count
  const limiterShare = request === null || request.sum === 0 ? null : Math.min(1, limiter.sum / request.sum)
  const delayedShare = limiter.upTo5ms === null ? null : 1 - limiter.upTo5ms / limiter.count
  if (limiterShare === null && delayedShare === null) {
    says.unshift('which part of their time calls wait cannot be told without rest_client_request_duration_seconds')
    return {
      verdict: meanWait > SHORT_SECONDS ? 'partly-waits' : 'does-not-wait',
      meanWait,
      limiterShare,
      delayedShare,
      says,
    }
  }
  const share = limiterShare ?? delayedShare ?? 0
  const verdict = share > MOSTLY ? 'waits' : share > PARTLY ? 'partly-waits' : 'does-not-wait'
  return { verdict, meanWait, limiterShare, delayedShare, says }
}
