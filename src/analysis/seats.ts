/** What each priority level of one API server owns, may reach, uses and refuses. */
import type { BorrowingRound } from '../apf/allocation.ts'
import type { PriorityLevelConfiguration, QueuingConfiguration } from '../apf/objects.ts'
import { type LevelSeats, levelSeats, sharesOf } from '../apf/seats.ts'
import type { VersionRules } from '../apf/versions.ts'
import { DEFAULT_REQUEST_TIMEOUT_SECONDS, waitLimit } from '../apf/wait-limit.ts'
import type { ServerMode } from '../metrics/mode.ts'

/** Seats of one API server process; null where nothing tells them. */
export interface ServerSeatsLimit {
  value: number | null
  source: 'metrics' | 'inflight-flags' | 'given' | 'assumed-default' | null
}

export interface ServerAccount {
  /** Address, file or source of the server. */
  name: string
  /** Null where no server was asked. */
  mode: ServerMode | null
  limit: ServerSeatsLimit
  levels: LevelAccount[]
  /** The next borrowing round if the demand stays; null where that is not known. */
  round: BorrowingRound | null
  unknown: UnknownValue[]
}

/** Values that are null though the level and the version have them, and why. */
export interface UnknownValue {
  /** `levels[].current` is the value of every level, `levels[NAME].nominal` one. */
  field: string
  why: string
}

/** One level. Limits are in seats; null is not known or not applicable. */
export interface LevelAccount {
  name: string
  type: string | null
  response: string | null
  shares: number | null
  /** Part of all shares, 0…1. */
  part: number | null
  nominal: number | null
  lendable: number | null
  lower: number | null
  upper: number | null
  reachable: number | null
  current: number | null
  maxSeatsPerRequest: number | null
  maxFinalSeats: number | null
  queuing: QueuingConfiguration | null
  /** Longest wait of a request without a time-out of its own, on a server with default flags; null without queues. */
  waitLimitSeconds: number | null
  /** Nominal limit without the levels that are added on trial; null where none are. */
  nominalBefore: number | null
  executingSeats: number | null
  executingRequests: number | null
  waitingRequests: number | null
  demandHighWatermark: number | null
  demandSmoothed: number | null
  nextTarget: number | null
  rejected: number | null
  rejectedBy: RejectionCount[]
  /** Of all requests since the process started, in seconds; null where nothing was observed. */
  waited: Quantiles | null
  executed: Quantiles | null
}

export interface Quantiles {
  half: Quantile
  most: Quantile
}

/** `exceeded`: it is more than that, the largest bound that the server keeps. */
export interface Quantile {
  value: number
  exceeded: boolean
}

export interface RejectionCount {
  flowSchema: string
  reason: string
  count: number
  perSecond: number | null
}

export const NOT_READ = {
  current: null,
  executingSeats: null,
  executingRequests: null,
  waitingRequests: null,
  demandHighWatermark: null,
  demandSmoothed: null,
  nextTarget: null,
  rejected: null,
  rejectedBy: [],
  waited: null,
  executed: null,
}

/** Values that only a running server has. */
export const LIVE_FIELDS = [
  ...(['current', 'executingSeats', 'executingRequests', 'waitingRequests'] as const),
  ...(['demandHighWatermark', 'demandSmoothed', 'nextTarget', 'rejected'] as const),
]

/** Values that follow from the seats of the server. */
export const COMPUTED_FIELDS = [
  ...(['nominal', 'lendable', 'lower', 'upper', 'reachable'] as const),
  ...(['maxSeatsPerRequest', 'maxFinalSeats'] as const),
]

/**
 * The account of levels as their objects alone tell it.
 *
 * @param levels  levels in force, stand-ins of mandatory ones included
 * @param serverSeats  null: not known, so that only shares are told
 */
export function accountOfObjects(
  levels: readonly PriorityLevelConfiguration[],
  serverSeats: number | null,
  rules: VersionRules,
): LevelAccount[] {
  const limits = new Map(levelSeats(levels, serverSeats ?? 0, rules).map((limit) => [limit.name, limit]))
  const totalShares = levels.reduce(
    (sum, level) => (limits.has(level.metadata.name) ? sum + sharesOf(level).nominalConcurrencyShares : sum),
    0,
  )
  const defaultWait = waitLimit({ timeoutSeconds: null, isWatch: false }, DEFAULT_REQUEST_TIMEOUT_SECONDS, rules)
  return levels.map((level) => {
    const limit = limits.get(level.metadata.name)
    const shares = limit === undefined ? null : sharesOf(level).nominalConcurrencyShares
    const { type, limited } = level.spec
    return {
      name: level.metadata.name,
      type,
      response: limited?.limitResponse.type ?? null,
      shares,
      part: shares === null || totalShares === 0 ? null : shares / totalShares,
      ...limitsOf(serverSeats === null ? undefined : limit),
      queuing: limited?.limitResponse.queuing ?? null,
      waitLimitSeconds: limited?.limitResponse.queuing ? defaultWait.seconds : null,
      nominalBefore: null,
      ...NOT_READ,
    }
  })
}

function limitsOf(limit: LevelSeats | undefined): Pick<LevelAccount, (typeof COMPUTED_FIELDS)[number]> {
  if (limit === undefined) {
    return {
      nominal: null,
      lendable: null,
      lower: null,
      upper: null,
      reachable: null,
      maxSeatsPerRequest: null,
      maxFinalSeats: null,
    }
  }
  const { nominal, lendable, lower, upper, reachable, maxSeatsPerRequest, maxFinalSeats } = limit
  return { nominal, lendable, lower, upper, reachable, maxSeatsPerRequest, maxFinalSeats }
}

/** What is null for a whole server, with one reason each. */
export function unknownOfAll(fields: readonly string[], why: string): UnknownValue[] {
  return fields.map((field) => ({ field: `levels[].${field}`, why }))
}

export function unknownLimits(why: string): UnknownValue[] {
  return [{ field: 'serverConcurrencyLimit', why }, ...unknownOfAll(COMPUTED_FIELDS, why)]
}

/** Orders of the levels of one server. */
export type Sort = 'pressure' | 'shares' | 'nominal' | 'name'

/** Levels under pressure first: those that refuse, then those that wait, then by how full they are; ties by nominal limit. */
export function sortedLevels(levels: readonly LevelAccount[], sort: Sort): LevelAccount[] {
  const keys: Record<Sort, (level: LevelAccount) => number[]> = {
    pressure: (level) => [refusedPerSecond(level), level.waitingRequests ?? 0, fullness(level) ?? 0],
    shares: ({ shares }) => [shares ?? -1],
    nominal: ({ nominal }) => [nominal ?? -1],
    name: () => [],
  }
  const ties = (level: LevelAccount) => (sort === 'name' ? [] : [level.nominal ?? -1, level.shares ?? -1])
  const key = (level: LevelAccount) => [...keys[sort](level), ...ties(level)]
  return [...levels].sort((a, b) => descending(key(a), key(b)) || (a.name < b.name ? -1 : 1))
}

function descending(a: readonly number[], b: readonly number[]): number {
  for (const [index, value] of a.entries()) {
    const difference = (b[index] ?? 0) - value
    if (difference !== 0) return difference
  }
  return 0
}

/** Of all reasons together; without rates 0. */
export function refusedPerSecond({ rejectedBy }: LevelAccount): number {
  return rejectedBy.reduce((sum, { perSecond }) => sum + (perSecond ?? 0), 0)
}

/** Seats in use for each seat of the limit in force; null where one of them is not known, or nothing limits. */
export function fullness({ type, current, executingSeats, executingRequests }: LevelAccount): number | null {
  const used = executingSeats ?? executingRequests
  return type === 'Exempt' || !current || used === null ? null : used / current
}

/** All nominal limits together; each is rounded up, so that the sum may exceed the seats of the server. */
export function nominalSum(levels: readonly LevelAccount[]): number {
  return levels.reduce((sum, { nominal }) => sum + (nominal ?? 0), 0)
}

/** Another limiter than APF is active, so that levels have no seats. */
export function fairnessIsOff({ mode }: { mode: ServerMode | null }): boolean {
  return mode === 'MaxInFlight' || mode === 'Unlimited' || mode === 'NotAPF'
}

/**
 * Of an account, the limits of these levels are an answer: APF is off, or those of some level are known. The exempt level
 * is never limited, so that it answers for none of the others, and for itself as soon as the seats of the server are known.
 */
export function isAnswered(account: ServerAccount, levels: readonly LevelAccount[]): boolean {
  if (fairnessIsOff(account)) return true
  const limited = levels.filter(({ type }) => type !== 'Exempt')
  if (limited.length > 0) return limited.some(({ nominal }) => nominal !== null)
  return account.limit.value !== null || levels.some(({ nominal }) => nominal !== null)
}

/** The same levels with what they had before others were added on trial. */
export function besideBefore(levels: readonly LevelAccount[], before: readonly LevelAccount[]): LevelAccount[] {
  const nominal = new Map(before.map((level) => [level.name, level.nominal]))
  return levels.map((level) => ({ ...level, nominalBefore: nominal.get(level.name) ?? 0 }))
}
