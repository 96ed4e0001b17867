/** Histograms of the exposition format, put together again from their series. */

/**
 * Observations in cumulative buckets. Those of timing histograms are nanoseconds spent at a value: their count is the time
 * that went by.
 */
export interface Histogram {
  /** Ascending by `le`, the last is +Inf; empty where only sum and count were read. */
  buckets: readonly Bucket[]
  sum: number
  count: number
}

export interface Bucket {
  /** Upper bound, included. */
  le: number
  /** Observations up to the bound. */
  count: number
}

/** Sum and count as one number: of a timing histogram the mean over time. Null if nothing was observed. */
export function mean({ sum, count }: Histogram): number | null {
  return count > 0 ? sum / count : null
}

/**
 * The value below which a part of the observations lies, by linear interpolation within its bucket, as Prometheus does.
 * A quantile in the last bucket is only known to be more than the bound before it: that bound, with `exceeded`.
 *
 * @param part  0…1
 * @returns null if nothing was observed, or there are no buckets
 */
export function quantile({ buckets }: Histogram, part: number): { value: number; exceeded: boolean } | null {
  const total = buckets.at(-1)?.count ?? 0
  if (!(total > 0)) return null
  const rank = part * total
  let below = { le: 0, count: 0 }
  for (const bucket of buckets) {
    if (bucket.count >= rank && bucket.count > 0) {
      if (bucket.le === Number.POSITIVE_INFINITY) return { value: below.le, exceeded: true }
      if (bucket.le <= 0) return { value: bucket.le, exceeded: false }
      const within = (rank - below.count) / (bucket.count - below.count)
      return { value: below.le + (bucket.le - below.le) * within, exceeded: false }
    }
    below = bucket
  }
  return null
}

/** What was observed between two scrapes of one process; null if it restarted or the buckets differ. */
export function histogramDelta(before: Histogram, after: Histogram): Histogram | null {
  if (before.buckets.length !== after.buckets.length || after.count < before.count) return null
  const buckets: Bucket[] = []
  for (const [index, { le, count }] of after.buckets.entries()) {
    const earlier = before.buckets[index]
    if (earlier === undefined || earlier.le !== le || count < earlier.count) return null
    buckets.push({ le, count: count - earlier.count })
  }
  return { buckets, sum: after.sum - before.sum, count: after.count - before.count }
}

/** Adds up histograms of the same buckets; one of other buckets counts only in sum and count, and leaves no buckets. */
export function addHistograms(histograms: readonly Histogram[]): Histogram | null {
  const [first, ...others] = histograms
  if (first === undefined) return null
  let { sum, count } = first
  let buckets: Bucket[] = first.buckets.map((bucket) => ({ ...bucket }))
  for (const other of others) {
    sum += other.sum
    count += other.count
    const sameBounds =
      other.buckets.length === buckets.length && other.buckets.every(({ le }, index) => le === buckets[index]?.le)
    buckets = sameBounds
      ? buckets.map(({ le, count: own }, index) => ({ le, count: own + (other.buckets[index]?.count ?? 0) }))
      : []
  }
  return { buckets, sum, count }
}

/** A histogram while its series come in, in any order. */
export class GrowingHistogram implements Histogram {
  readonly buckets: Bucket[] = []
  private ownSum: number | null = null
  private ownCount: number | null = null

  get sum(): number {
    return this.ownSum ?? Number.NaN
  }

  get count(): number {
    return this.ownCount ?? this.buckets.at(-1)?.count ?? 0
  }

  /** False if that number was there already; the first one counts. */
  addSum(value: number): boolean {
    const isNew = this.ownSum === null
    this.ownSum ??= value
    return isNew
  }

  addCount(value: number): boolean {
    const isNew = this.ownCount === null
    this.ownCount ??= value
    return isNew
  }

  addBucket(le: number, count: number): boolean {
    // Series come in ascending order from a server, and in any order from a monitoring system.
    let at = this.buckets.length
    while (at > 0 && (this.buckets[at - 1]?.le ?? 0) > le) at--
    if (this.buckets[at - 1]?.le === le) return false
    this.buckets.splice(at, 0, { le, count })
    return true
  }
}
