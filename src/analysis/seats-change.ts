/** What a change of the objects does to the seats of each priority level of one API server, and who pays for it. */
import type { PriorityLevelConfiguration } from '../apf/objects.ts'
import type { VersionRules } from '../apf/versions.ts'
import { accountOfObjects, type LevelAccount, type ServerSeatsLimit } from './seats.ts'

/** The seats of one API server before and after. */
export interface ServerSeatsChange {
  /** Address, file or source of the server. */
  server: string
  limit: { before: ServerSeatsLimit; after: ServerSeatsLimit }
  /** New levels first, then those that lose, those that win, and the rest; by how much. */
  levels: LevelSeatsChange[]
}

export interface LevelSeatsChange {
  name: string
  /** Null: the level is not in force. */
  before: LevelAccount | null
  after: LevelAccount | null
  /** Nominal seats that it wins; negative: that it pays. Null where one of them is not known. */
  gain: number | null
  warnings: SeatsWarning[]
}

export type SeatsWarning =
  /** One LIST may take more seats than the level has of its own, which was not so before. */
  | { kind: 'one-list'; nominal: number; oneList: number }
  /** What one LIST may take falls below what one needs, or by a fifth and more: wider ones are charged less than they cost. */
  | { kind: 'narrower-lists'; before: number; after: number; need: ListNeed | null }
  /** What is in use or asked for now does not fit into the new nominal limit. */
  | { kind: 'demand'; demand: number; nominalBefore: number; nominal: number; fits: 'by-borrowing' | 'not' }

/** What the most expensive LIST that is known costs where nothing caps it. */
export interface ListNeed {
  /** As in `pods` or `deployments.apps`. */
  resource: string
  seats: number
}

/**
 * The seats of the levels in force before and after.
 * @param before  accounts of the levels in force, with what a running server tells of them where one was asked
 * @param levels  those in force after, stand-ins of mandatory ones included
 * @param serverSeats  after; null: not known
 * @param need  null: nobody told how many objects there are
 */
export function levelSeatsChanges(
  before: readonly LevelAccount[],
  levels: readonly PriorityLevelConfiguration[],
  serverSeats: number | null,
  rules: VersionRules,
  need: ListNeed | null = null,
): LevelSeatsChange[] {
  const after = new Map(accountOfObjects(levels, serverSeats, rules).map((level) => [level.name, level]))
  const names = new Set([...before.map(({ name }) => name), ...after.keys()])
  const known = new Map(before.map((level) => [level.name, level]))
  return [...names]
    .map((name) => levelChange(name, known.get(name) ?? null, after.get(name) ?? null, need))
    .sort(byWhatChanges)
}

function levelChange(
  name: string,
  before: LevelAccount | null,
  after: LevelAccount | null,
  need: ListNeed | null,
): LevelSeatsChange {
  const had = nominalOf(before)
  const has = nominalOf(after)
  const gain = had === null || has === null ? null : has - had
  return { name, before, after, gain, warnings: warningsOf(before, after, need) }
}

function nominalOf(level: LevelAccount | null): number | null {
  return level === null || takesNoPart(level) ? 0 : level.nominal
}

/** The exempt level of versions in which it has no shares: its seats are not unknown, there are none. */
export function takesNoPart({ type, shares, nominal }: LevelAccount): boolean {
  return type === 'Exempt' && shares === null && nominal === null
}

/** The percentage of its nominal seats that a level loses, 0 where it loses none; null where it is not known. */
export function lossPercent({ before, gain }: LevelSeatsChange): number | null {
  if (before === null) return 0
  if (gain === null || before.nominal === null) return before.type === 'Exempt' ? 0 : null
  return gain >= 0 || before.nominal === 0 ? 0 : (-gain / before.nominal) * 100
}

/** A LIST that may take so much less than before is worth a word where nobody told what one costs. */
const MUCH_NARROWER = 0.8

function warningsOf(before: LevelAccount | null, after: LevelAccount | null, need: ListNeed | null): SeatsWarning[] {
  if (after === null || after.type === 'Exempt' || after.nominal === null) return []
  const warnings: SeatsWarning[] = []
  const { nominal, maxSeatsPerRequest: oneList } = after
  const overfull = (level: LevelAccount | null) =>
    level !== null && level.nominal !== null && (level.maxSeatsPerRequest ?? 0) > level.nominal
  if (oneList !== null && overfull(after) && !overfull(before) && after.queuing !== null) {
    warnings.push({ kind: 'one-list', nominal, oneList })
  }
  const listBefore = before?.maxSeatsPerRequest ?? null
  if (oneList !== null && listBefore !== null && oneList < listBefore) {
    const falls = need === null ? oneList <= listBefore * MUCH_NARROWER : oneList < need.seats
    if (falls) warnings.push({ kind: 'narrower-lists', before: listBefore, after: oneList, need })
  }
  const demand = demandOf(before)
  const nominalBefore = before?.nominal ?? null
  if (demand !== null && nominalBefore !== null && nominal < nominalBefore && demand > nominal) {
    const fits = demand <= (after.reachable ?? nominal) ? 'by-borrowing' : 'not'
    warnings.push({ kind: 'demand', demand, nominalBefore, nominal, fits })
  }
  return warnings
}

/** Seats in use and asked for; null where no server told them. */
function demandOf(level: LevelAccount | null): number | null {
  if (level === null) return null
  const known = [level.executingSeats, level.demandHighWatermark].filter((value) => value !== null)
  return known.length === 0 ? null : Math.max(...known)
}

function byWhatChanges(a: LevelSeatsChange, b: LevelSeatsChange): number {
  return (
    rankOf(a) - rankOf(b) ||
    (a.gain ?? 0) - (b.gain ?? 0) ||
    (b.after?.nominal ?? 0) - (a.after?.nominal ?? 0) ||
    (a.name < b.name ? -1 : 1)
  )
}

function rankOf({ before, after, gain }: LevelSeatsChange): number {
  if (before === null) return 0
  if (after === null) return 1
  return (gain ?? 0) < 0 ? 2 : (gain ?? 0) > 0 ? 3 : 4
}
