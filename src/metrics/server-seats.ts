/**
 * How many seats a process has, from its own limits.
 * Source: kubernetes/apiserver pkg/util/flowcontrol/apf_controller.go.
 */
import type { PriorityLevelConfiguration } from '../apf/objects.ts'
import type { ProcessMetrics } from './process-metrics.ts'
import type { InflightLimit } from './server-state.ts'

/** Levels that may borrow without limit in every configuration: nobody can change that of the mandatory ones. */
const UNLIMITED_BORROWERS = ['exempt', 'catch-all'] as const

/**
 * Total seats of the process. A level without a borrowing limit may borrow as many seats as there are, so its upper less
 * its nominal limit is the total, exactly; exempt has these series from 1.28 on, catch-all from 1.26 on. Null where there
 * are none, and where the two disagree (`serverSeatsDisagree`).
 */
export function serverSeatsOfLimits(levels: ProcessMetrics['levels']): number | null {
  const [first, other] = totals(levels)
  return first === undefined || (other !== undefined && other !== first) ? null : first
}

/** The scrape fell into a change of the configuration: the two levels tell of different totals. */
export function serverSeatsDisagree(levels: ProcessMetrics['levels']): boolean {
  const [first, other] = totals(levels)
  return first !== undefined && other !== undefined && first !== other
}

function totals(levels: ProcessMetrics['levels']): number[] {
  return UNLIMITED_BORROWERS.flatMap((name) => {
    const { upper, nominal } = levels.get(name) ?? {}
    const total = (upper ?? Number.NaN) - (nominal ?? Number.NaN)
    return Number.isInteger(total) && total > 0 ? [total] : []
  })
}

/**
 * Totals that give every level the nominal limit that it has, for releases without upper limits (up to 1.25) where shares
 * are known from the objects. Each total of the range gives the same limits, so it may matter to nobody which one it is.
 *
 * @returns both ends included; null without a level to go by, or if no total fits: the objects are not those in force
 */
export function serverSeatsRange(
  nominal: ReadonlyMap<string, number>,
  levels: Iterable<PriorityLevelConfiguration>,
): { atLeast: number; atMost: number } | null {
  const limited = [...levels].flatMap(({ metadata, spec }) =>
    spec.limited === null ? [] : [{ name: metadata.name, shares: spec.limited.nominalConcurrencyShares }],
  )
  const totalShares = limited.reduce((total, { shares }) => total + shares, 0)
  let atLeast = 0
  let atMost = Number.POSITIVE_INFINITY
  for (const { name, shares } of limited) {
    const limit = nominal.get(name)
    if (limit === undefined || shares === 0) continue
    // limit − 1 < total · shares / totalShares ≤ limit
    atLeast = Math.max(atLeast, Math.floor(((limit - 1) * totalShares) / shares) + 1)
    atMost = Math.min(atMost, Math.floor((limit * totalShares) / shares))
  }
  return atMost === Number.POSITIVE_INFINITY || atLeast > atMost ? null : { atLeast, atMost }
}

/**
 * Limit of one kind of requests in mode MaxInFlight, from the time spent at each ratio of requests to limit (from 1.25).
 * Between nothing and any number of requests there was one, at a ratio of 1/limit: the first bucket above 0 bounds it. A
 * kind without the series has no limit, if the other kind has one.
 */
export function inflightLimitOf(readVsWrite: ProcessMetrics['readVsWrite'], kind: InflightKind): InflightLimit | null {
  const series = readVsWrite.get(`executing/${kind}`)
  if (series === undefined) {
    const isMeasured = [...readVsWrite.keys()].some((key) => key.startsWith('executing/'))
    return isMeasured ? { unlimited: true, source: 'metrics' } : null
  }
  const [idle, ...busy] = series.buckets
  if (idle === undefined || idle.le !== 0 || idle.count === 0) return null
  let below = idle
  for (const bucket of busy) {
    if (bucket.count > below.count) {
      if (below.le === 0) return null
      const atLeast = Math.max(1, Math.ceil(1 / bucket.le - ROUNDING))
      const atMost = Math.ceil(1 / below.le - ROUNDING) - 1
      if (atLeast > atMost) return null
      return atLeast === atMost ? { limit: atLeast, source: 'metrics' } : { atLeast, atMost, source: 'metrics' }
    }
    below = bucket
  }
  return null
}

export type InflightKind = 'readOnly' | 'mutating'

/** Of bounds such as 0.1, whose inverse is not exact. */
const ROUNDING = 1e-9
