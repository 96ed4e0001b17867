/**
 * What the metrics of the Cilium agent say of its API limiters: who waits, and whether for a limit or for the agent itself.
 * Source: cilium/cilium pkg/rate/metrics/metrics.go
 */

/** One group as cilium_api_limiter_* shows it; null where the series is not there. */
export interface CiliumSeries {
  group: string
  /** By outcome. */
  processed: ReadonlyMap<string, number>
  inFlight: number | null
  parallelLimit: number | null
  rateLimit: number | null
  rateBurst: number | null
  factor: number | null
  /** Seconds, as those below. */
  meanProcessing: number | null
  estimatedProcessing: number | null
  meanWait: number | null
  maxWait: number | null
}

export type CiliumState = 'stuck' | 'maybe-stuck' | 'slow' | 'limited' | 'waits' | 'free'

export interface CiliumHealth {
  group: string
  state: CiliumState
  /** Between the two samples, or since the agent started. */
  processed: ReadonlyMap<string, number>
  says: string[]
  fix: string | null
}

const REFUSED_FOR_PLACE = 'fail-parallel-wait'
const REFUSED_FOR_RATE = 'fail-limit-wait'

/** Processing this many times longer than estimated is no matter of limits. */
const SLOW_FACTOR = 3
const STUCK_FACTOR = 10
/** Waits above a second are worth a word. */
const NOTED_WAIT = 1

const RESTART_FIX =
  'restart the agent of this node, and keep the dump of its goroutines (cilium-bugtool); higher limits do not help'

/**
 * @param earlier  an earlier sample of the same agent; null: one sample alone
 */
export function ciliumHealth(now: CiliumSeries, earlier: CiliumSeries | null): CiliumHealth {
  const processed = earlier === null ? now.processed : difference(now.processed, earlier.processed)
  const verdict = stuck(now, earlier, processed) ?? slow(now, processed) ?? limited(now, processed)
  return { group: now.group, processed, ...verdict, says: [...verdict.says, ...asides(now, processed)] }
}

type Verdict = Pick<CiliumHealth, 'state' | 'says' | 'fix'>

function stuck(
  now: CiliumSeries,
  earlier: CiliumSeries | null,
  processed: ReadonlyMap<string, number>,
): Verdict | null {
  if (!isFull(now)) return null
  const places = `all ${now.parallelLimit} places are taken`
  if (earlier !== null && isFull(earlier) && countOf(processed, 'success') === 0) {
    return {
      state: 'stuck',
      says: [
        `${places} in both samples, and none has succeeded in between; that proves it if minutes lie between them`,
      ],
      fix: RESTART_FIX,
    }
  }
  const ratio = processingRatio(now)
  if (earlier === null && ratio !== null && ratio >= STUCK_FACTOR) {
    return {
      state: 'maybe-stuck',
      says: [`${places}, and calls take ${times(ratio)} the estimate`],
      fix: 'take a second sample some minutes later and give both: a stuck agent finishes no call in between',
    }
  }
  return null
}

function slow(now: CiliumSeries, processed: ReadonlyMap<string, number>): Verdict | null {
  const ratio = processingRatio(now)
  if (ratio === null || ratio < SLOW_FACTOR) return null
  const refused = refusals(processed)
  return {
    state: 'slow',
    says: [
      `the agent takes ${seconds(now.meanProcessing)} for a call, ${times(ratio)} the estimate of ` +
        `${seconds(now.estimatedProcessing)}: the limits shrink because of that` +
        (refused > 0 ? `, and ${refused} calls were refused` : ''),
    ],
    fix: 'find what keeps the agent busy (CPU, BPF compilation, etcd or identity allocation); the limiter only follows',
  }
}

function limited(now: CiliumSeries, processed: ReadonlyMap<string, number>): Verdict {
  const forPlace = countOf(processed, REFUSED_FOR_PLACE)
  const forRate = countOf(processed, REFUSED_FOR_RATE)
  if (forPlace + forRate > 0) {
    const share = Math.round((100 * (forPlace + forRate)) / total(processed))
    const parts = [
      ...(forRate > 0 ? [`${forRate} for the rate`] : []),
      ...(forPlace > 0 ? [`${forPlace} for a place among those that run at once`] : []),
    ]
    return {
      state: 'limited',
      says: [`${forPlace + forRate} calls were refused after waiting (${share} %): ${parts.join(', ')}`],
      fix:
        forRate >= forPlace
          ? `raise rate-limit and rate-burst of ${now.group}, or its max-wait-duration; a refused pod comes back by itself`
          : `raise parallel-requests of ${now.group}, or its max-wait-duration`,
    }
  }
  const { meanWait } = now
  if (meanWait !== null && meanWait >= NOTED_WAIT) {
    return {
      state: 'waits',
      says: [`calls wait ${seconds(meanWait)} on average, and are processed in ${seconds(now.meanProcessing)}`],
      fix: `nothing is refused; raise rate-limit of ${now.group} if pods should start faster`,
    }
  }
  return { state: 'free', says: [], fix: null }
}

/** What looks like a fault and is none. */
function asides({ group }: CiliumSeries, processed: ReadonlyMap<string, number>): string[] {
  const failed = countOf(processed, 'fail')
  const isUsual = group === 'endpoint-delete' && failed > 0 && failed >= total(processed) / 2
  return isUsual
    ? ['failures of half and more are normal before Cilium 1.18: kubelet deletes each endpoint at least twice']
    : []
}

function isFull({ inFlight, parallelLimit }: CiliumSeries): boolean {
  return inFlight !== null && parallelLimit !== null && parallelLimit > 0 && inFlight >= parallelLimit
}

function processingRatio({ meanProcessing, estimatedProcessing }: CiliumSeries): number | null {
  if (meanProcessing === null || estimatedProcessing === null || estimatedProcessing === 0) return null
  return meanProcessing / estimatedProcessing
}

/** Calls that were refused after waiting, for a place or for the rate. */
export function refusals(processed: ReadonlyMap<string, number>): number {
  return countOf(processed, REFUSED_FOR_PLACE) + countOf(processed, REFUSED_FOR_RATE)
}

/** Calls with that outcome. */
export function countOf(processed: ReadonlyMap<string, number>, outcome: string): number {
  return processed.get(outcome) ?? 0
}

/** Calls of all outcomes. */
export function total(processed: ReadonlyMap<string, number>): number {
  let sum = 0
  for (const count of processed.values()) sum += count
  return sum
}

/** A counter that went back began anew. */
function difference(now: ReadonlyMap<string, number>, before: ReadonlyMap<string, number>): Map<string, number> {
  const counts = new Map<string, number>()
  for (const [outcome, count] of now) {
    const earlier = before.get(outcome) ?? 0
    counts.set(outcome, count < earlier ? count : count - earlier)
  }
  return counts
}

function seconds(value: number | null): string {
  return value === null ? '?' : `${Math.round(value * 100) / 100}s`
}

function times(ratio: number): string {
  return `${Math.round(ratio)} times`
}
