/**
 * The seats of each priority level on one API server process: what its shares give it, lend, and let it borrow.
 * Source: kubernetes/apiserver pkg/util/flowcontrol/apf_controller.go, pkg/util/flowcontrol/max_seats.go,
 * pkg/util/flowcontrol/request/config.go
 */
import type { PriorityLevelConfiguration } from './objects.ts'
import { sum } from './sum.ts'
import type { VersionRules } from './versions.ts'

/** Seats of a server whose flags are the defaults: 400 read-only and 200 mutating requests in flight. */
export const DEFAULT_SERVER_SEATS = 600

/** All in seats. Null where the version or the kind of level has no such limit. */
export interface LevelSeats {
  name: string
  nominal: number
  lendable: number
  /** Always the level's own. */
  lower: number
  /** As far as its borrowing limit goes, whether or not anybody can lend so much. */
  upper: number
  /** What borrowing can ever give, with exempt idle and the others at their lower limits. */
  reachable: number
  /** Effective cap of one LIST or WATCH. */
  maxSeatsPerRequest: number
  /** Effective cap of the final seats of one mutating request. */
  maxFinalSeats: number
}

/** Part of a level's nominal limit that one request may take, in percent of it. */
export const SEATS_PERCENT_OF_LEVEL = 15
const MAX_FINAL_SEATS = 10

/**
 * The limits of all levels that take part in seat sharing, in the order given. Before 1.28 the exempt level takes no part.
 *
 * @param levels       levels in force, stand-ins of mandatory ones included; their shares must not all be 0
 * @param serverSeats  seats of the process, ≥ 0
 */
export function levelSeats(
  levels: Iterable<PriorityLevelConfiguration>,
  serverSeats: number,
  rules: VersionRules,
): LevelSeats[] {
  const sharing = [...levels].filter((level) => rules.exemptLevelHasShares || level.spec.limited !== null)
  const totalShares = sum(sharing.map((level) => sharesOf(level).nominalConcurrencyShares))
  const limits = sharing.map((level) => {
    const { nominalConcurrencyShares, lendablePercent, borrowingLimitPercent } = sharesOf(level)
    const nominal = nominalLimit(serverSeats, nominalConcurrencyShares, totalShares)
    const lendable = rules.lendingFields ? percentOf(nominal, lendablePercent) : 0
    const borrowable = rules.lendingFields ? percentOrAll(nominal, borrowingLimitPercent, serverSeats) : 0
    return { level, nominal, lendable, lower: nominal - lendable, upper: nominal + borrowable }
  })
  const within = reachableSeats(
    limits.map((limit) => ({ ...limit, isExempt: limit.level.spec.limited === null })),
    rules,
  )
  return limits.map(({ level, nominal, lendable, lower, upper }, index) => ({
    name: level.metadata.name,
    nominal,
    lendable,
    lower,
    upper,
    reachable: within[index] ?? nominal,
    ...requestCaps(level, nominal, rules),
  }))
}

/** Limits of one level that takes part in seat sharing, in seats. */
export interface SharingLimits {
  isExempt: boolean
  nominal: number
  lower: number
  upper: number
}

/** What borrowing can ever give to each level, in the order given: with exempt idle and the others at their lower limits. */
export function reachableSeats(limits: readonly SharingLimits[], rules: VersionRules): number[] {
  if (!rules.lendingFields) return limits.map(({ nominal }) => nominal)
  const nominalSum = sum(limits.map(({ nominal }) => nominal))
  const lendableSum = sum(limits.map(({ nominal, lower }) => nominal - lower))
  const guaranteedTo = ({ isExempt, lower }: SharingLimits) => (isExempt ? 0 : lower)
  const lowerSum = sum(limits.map(guaranteedTo))
  return limits.map((limit) => {
    const { nominal, lower, upper } = limit
    const fromOthers = rules.exemptBorrowsApart
      ? nominalSum - (lowerSum - guaranteedTo(limit))
      : nominal + lendableSum - (nominal - lower)
    return Math.min(upper, fromOthers)
  })
}

/** Effective caps of one request in a level with this nominal limit, in seats. */
export function requestCaps(
  level: PriorityLevelConfiguration,
  nominal: number,
  rules: VersionRules,
): Pick<LevelSeats, 'maxSeatsPerRequest' | 'maxFinalSeats'> {
  const handSize = level.spec.limited?.limitResponse.queuing?.handSize ?? null
  return requestSeatCaps(maxSeatsOfLevel(nominal, handSize), rules)
}

/**
 * Nominal concurrency limit of one level: its part of the server's seats, rounded up, so that the sum over all levels may
 * exceed the server's seats.
 */
export function nominalLimit(serverSeats: number, shares: number, totalShares: number): number {
  return totalShares === 0 ? 0 : Math.ceil((serverSeats * shares) / totalShares)
}

/**
 * Most seats of one request in a queuing level, ≥ 1: 15 % of the nominal limit, and one queue's part of it.
 * Null without a hand: exempt and Reject levels have no such limit.
 */
export function maxSeatsOfLevel(nominal: number, handSize: number | null): number | null {
  if (handSize === null) return null
  const partOfLevel = Math.ceil(nominal * (SEATS_PERCENT_OF_LEVEL / 100))
  return Math.max(1, Math.min(partOfLevel, Math.floor(nominal / handSize)))
}

/**
 * The caps that hold for one request in a level.
 * @param ofLevel  its `maxSeatsOfLevel`, null for none
 */
export function requestSeatCaps(
  ofLevel: number | null,
  rules: Pick<VersionRules, 'seatCapPerLevel' | 'maxListSeats'>,
): Pick<LevelSeats, 'maxSeatsPerRequest' | 'maxFinalSeats'> {
  const cap = (rules.seatCapPerLevel ? ofLevel : null) ?? Number.POSITIVE_INFINITY
  return { maxSeatsPerRequest: Math.min(rules.maxListSeats, cap), maxFinalSeats: Math.min(MAX_FINAL_SEATS, cap) }
}

export interface Shares {
  nominalConcurrencyShares: number
  lendablePercent: number
  borrowingLimitPercent: number | null
}

/** What a level claims; an exempt one has no borrowing limit. */
export function sharesOf(level: PriorityLevelConfiguration): Shares {
  const { limited, exempt } = level.spec
  if (limited !== null) return limited
  return { nominalConcurrencyShares: 0, lendablePercent: 0, ...exempt, borrowingLimitPercent: null }
}

function percentOrAll(nominal: number, percent: number | null, serverSeats: number): number {
  return percent === null ? serverSeats : percentOf(nominal, percent)
}

function percentOf(nominal: number, percent: number): number {
  return Math.round((nominal * percent) / 100)
}
