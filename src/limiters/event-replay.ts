/** A series of events, played through EventRateLimit, with what each limit did. */
import {
  type EventLimit,
  EventRateLimiter,
  type EventWrite,
  type LimitVerdict,
  type WriteVerdict,
} from './event-rate-limit.ts'

export interface Replay<Write> {
  charged: number
  accepted: number
  /** The first of those that were refused. */
  refused: { write: Write; verdict: WriteVerdict }[]
  /** Writes that touch no bucket, by reason. */
  notCharged: Map<string, number>
  /** In the order of the limits. */
  tallies: LimitTally[]
}

export interface LimitTally {
  refused: number
  /** Buckets that made room for others. */
  evictions: number
  /** Refusals by key, the most first. */
  keys: { key: string; refused: number }[]
}

/**
 * @param writes       in the order of time
 * @param mostRefused  of how many refusals the verdict is kept; all are counted
 */
export function replayEvents<Write extends { write: EventWrite }>(
  limits: readonly EventLimit[],
  writes: Iterable<Write>,
  mostRefused: number,
): Replay<Write> {
  const limiter = new EventRateLimiter(limits)
  const counters = limits.map(() => new Counter())
  const replay: Replay<Write> = { charged: 0, accepted: 0, refused: [], notCharged: new Map(), tallies: [] }
  for (const each of writes) {
    const verdict = limiter.admit(each.write)
    if (!verdict.charged) {
      const why = reasonNotCharged(each.write)
      replay.notCharged.set(why, (replay.notCharged.get(why) ?? 0) + 1)
      continue
    }
    replay.charged += 1
    for (const perLimit of verdict.perLimit) counters[perLimit.limit]?.add(perLimit)
    if (verdict.accepted) replay.accepted += 1
    else if (replay.refused.length < mostRefused) replay.refused.push({ write: each, verdict })
  }
  replay.tallies = counters.map((counter) => counter.tally())
  return replay
}

function reasonNotCharged({ group, dryRun, kind }: EventWrite): string {
  if (group !== '') return `written through ${group}`
  if (kind !== 'Event') return `of kind ${kind}`
  return dryRun ? 'a dry run' : 'neither created nor changed'
}

class Counter {
  readonly #refused = new Map<string, number>()
  #evictions = 0

  add({ key, allowed, evicted }: LimitVerdict): void {
    if (evicted !== null) this.#evictions += 1
    if (!allowed) this.#refused.set(key, (this.#refused.get(key) ?? 0) + 1)
  }

  tally(): LimitTally {
    const keys = [...this.#refused].map(([key, refused]) => ({ key, refused })).sort((a, b) => b.refused - a.refused)
    return { refused: keys.reduce((sum, { refused }) => sum + refused, 0), evictions: this.#evictions, keys }
  }
}
