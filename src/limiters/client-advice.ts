/** What to do about the waits of a client. */
import type { CallTimes } from './client-go.ts'
import type { Advice } from './settings.ts'

/** A burst of calls that takes longer than this is worth a higher QPS. */
const PATIENCE_SECONDS = 10

export interface PlayedLoad {
  calls: number
  /** Callers at the same time. */
  workers: number
  ratePerSecond: number | null
}

/** @param settings  names of what sets the two numbers; null: nothing does */
export function clientAdvice(
  limiter: { qps: number; burst: number },
  settings: { qps: string; burst: string } | null,
  { calls, workers, ratePerSecond }: PlayedLoad,
  { delayed, over1s }: Pick<CallTimes, 'delayed' | 'over1s'>,
): Advice[] {
  const { qps, burst } = limiter
  if (delayed > 0 && ratePerSecond !== null && ratePerSecond > qps) {
    const message = `${ratePerSecond} calls each second never fit through ${qps}`
    const fix = `a QPS of ${Math.ceil(ratePerSecond)} at least, or fewer calls`
    return [{ severity: 'warning', setting: settings?.qps ?? null, message, fix }]
  }
  if (over1s === 0) return []
  const atOnce = Math.min(calls, workers)
  const message = `a burst of ${atOnce} would let all of them start at once; APF on the server then decides`
  const needed = Math.max(1, Math.ceil((calls - burst) / PATIENCE_SECONDS))
  const fix = `or a QPS of ${needed}, which takes ${PATIENCE_SECONDS}s`
  return [{ severity: 'info', setting: settings?.burst ?? null, message, fix }]
}

/** Seconds until calls that come evenly begin to wait; null: they never do. */
export function secondsUntilWaits(ratePerSecond: number, limiter: { qps: number; burst: number }): number | null {
  const excess = ratePerSecond - limiter.qps
  return excess > 0 ? limiter.burst / excess : null
}
