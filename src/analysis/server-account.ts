/** The account of one running API server: its own metrics first, its objects for what they do not tell. */
import { type BorrowingLevel, type BorrowingRound, borrowingRound } from '../apf/allocation.ts'
import type { PriorityLevelConfiguration } from '../apf/objects.ts'
import { smoothedDemand } from '../apf/seat-demand.ts'
import { reachableSeats, requestCaps, type SharingLimits } from '../apf/seats.ts'
import type { VersionRules } from '../apf/versions.ts'
import { type Histogram, quantile } from '../metrics/histogram.ts'
import { serverSeatsRange } from '../metrics/server-seats.ts'
import type { LevelState, ServerState } from '../metrics/server-state.ts'
import {
  accountOfObjects,
  COMPUTED_FIELDS,
  fairnessIsOff,
  type LevelAccount,
  LIVE_FIELDS,
  NOT_READ,
  type Quantiles,
  type RejectionCount,
  type ServerAccount,
  type ServerSeatsLimit,
  type UnknownValue,
  unknownLimits,
  unknownOfAll,
} from './seats.ts'

/** The levels in force as the objects have them; null where no objects were read. */
export type LevelObjects = readonly PriorityLevelConfiguration[] | null

/**
 * @param limit  seats of the process; of source `metrics` or null the server's own limits are taken where it tells them
 * @param onTrial  the objects are not those in force, so that the limits follow from them
 * @param rates  refusals per second by level, schema and reason; null without a second sample
 */
export function accountOfServer(
  server: ServerState,
  objects: LevelObjects,
  limit: ServerSeatsLimit,
  rules: VersionRules,
  onTrial: boolean,
  rates: RejectionRates | null,
): ServerAccount {
  const computed = accountOfObjects(objects ?? [], limit.value, rules)
  const own =
    limit.source === 'given' || onTrial ? new Map() : new Map(server.levels.map((level) => [level.name, level]))
  const names = new Set([...computed.map(({ name }) => name), ...server.levels.filter(isAlive).map(({ name }) => name)])
  const byName = new Map(computed.map((level) => [level.name, level]))
  const merged = [...names].map((name) => withOwnLimits(byName.get(name) ?? bareLevel(name), own.get(name), rules))
  const states = new Map(server.levels.map((level) => [level.name, level]))
  const complete = withReachable(merged, rules).map((level) =>
    withCaps(level, objects?.find(({ metadata }) => metadata.name === level.name) ?? null, rules),
  )
  const read = complete.map((level) => withReadings(level, states.get(level.name), rates))
  const round = onTrial ? null : nextRound(read, states, rules)
  const next = new Map(round?.levels.map(({ name, current }) => [name, current]))
  const levels = read.map((level) => ({ ...level, nextTarget: next.get(level.name) ?? null }))
  const told = unknownsOf(levels, server, objects, rules, onTrial).filter(({ field }) => isOpen(field, levels, rules))
  const unknown = [...told, ...otherUnknowns(levels, told, limit, rules)]
  return { name: server.name, mode: server.mode.mode, limit, levels, round, unknown }
}

/**
 * The seats that a server tells, directly or by limits that only one total gives to its levels.
 * @param levels  its objects; null where they were not read
 */
export function seatsTold(server: ServerState, levels: LevelObjects): ServerSeatsLimit {
  if (server.serverSeats !== null) return server.serverSeats
  const nominal = new Map(server.levels.flatMap(({ name, nominal }) => (nominal === null ? [] : [[name, nominal]])))
  const range = levels === null ? null : serverSeatsRange(nominal, levels)
  return range !== null && range.atLeast === range.atMost
    ? { value: range.atLeast, source: 'metrics' }
    : { value: null, source: null }
}

/** Refusals per second, by `rateKey`. */
export type RejectionRates = ReadonlyMap<string, number>

export function rateKey(level: string, flowSchema: string, reason: string): string {
  return JSON.stringify([level, flowSchema, reason])
}

/** False: only the series of a deleted level remain. */
function isAlive({ inForce, nominal, executingSeats, waitingRequests, dispatched }: LevelState): boolean {
  if (inForce !== null) return inForce
  return [nominal, executingSeats, waitingRequests, dispatched].some((value) => value !== null)
}

/** A level of which no object was read. Servers hold `exempt` alone as Exempt; how `catch-all` responds is fixed. */
function bareLevel(name: string): LevelAccount {
  return {
    name,
    type: name === 'exempt' ? 'Exempt' : 'Limited',
    response: name === 'catch-all' ? 'Reject' : null,
    shares: null,
    part: null,
    nominal: null,
    lendable: null,
    lower: null,
    upper: null,
    reachable: null,
    maxSeatsPerRequest: null,
    maxFinalSeats: null,
    queuing: null,
    waitLimitSeconds: null,
    nominalBefore: null,
    ...NOT_READ,
  }
}

/** Before 1.26 a server tells its nominal limits alone, and there are no others. */
function withOwnLimits(level: LevelAccount, own: LevelState | undefined, rules: VersionRules): LevelAccount {
  if (own === undefined || own.nominal === null) return level
  const { nominal } = own
  const lower = own.lower ?? (rules.lendingFields ? level.lower : nominal)
  const upper = own.upper ?? (rules.lendingFields ? level.upper : nominal)
  return { ...level, nominal, lower, upper, lendable: lower === null ? null : nominal - lower }
}

function withReachable(levels: readonly LevelAccount[], rules: VersionRules): LevelAccount[] {
  const limits = levels.map(sharingLimits)
  const sharing = limits.filter((limit) => limit !== null)
  // A level whose limits are not known may lend or hold any number of seats.
  const isOpen = levels.some((level, index) => limits[index] === null && sharesSeats(level, rules))
  const reachable = isOpen ? null : reachableSeats(sharing, rules)
  return levels.map((level, index) => {
    const limit = limits[index]
    const at = limit ? sharing.indexOf(limit) : -1
    return { ...level, reachable: reachable?.[at] ?? null }
  })
}

function sharingLimits({ type, nominal, lower, upper }: LevelAccount): SharingLimits | null {
  if (nominal === null || lower === null || upper === null) return null
  return { isExempt: type === 'Exempt', nominal, lower, upper }
}

function sharesSeats({ type }: LevelAccount, rules: VersionRules): boolean {
  return type !== 'Exempt' || rules.exemptLevelHasShares
}

function withCaps(level: LevelAccount, object: PriorityLevelConfiguration | null, rules: VersionRules): LevelAccount {
  return level.nominal === null || object === null ? level : { ...level, ...requestCaps(object, level.nominal, rules) }
}

function withReadings(level: LevelAccount, state: LevelState | undefined, rates: RejectionRates | null): LevelAccount {
  if (state === undefined) return level
  return {
    ...level,
    current: state.current,
    executingSeats: state.executingSeats,
    executingRequests: state.executingRequests,
    waitingRequests: state.waitingRequests,
    demandHighWatermark: state.demand?.highWatermark ?? null,
    demandSmoothed: state.demand?.smoothed ?? null,
    rejected: state.rejected,
    waited: quantilesOf(state.waitSeconds),
    executed: quantilesOf(state.executionSeconds),
    rejectedBy: state.rejectedBy.map((rejection): RejectionCount => {
      const key = rateKey(level.name, rejection.flowSchema, rejection.reason)
      return { ...rejection, perSecond: rates === null ? null : (rates.get(key) ?? 0) }
    }),
  }
}

function quantilesOf(histogram: Histogram | null): Quantiles | null {
  if (histogram === null) return null
  const [half, most] = [quantile(histogram, 0.5), quantile(histogram, 0.99)]
  return half === null || most === null ? null : { half, most }
}

/** The next borrowing round if the demand stays what it is now; null where too little is known of a level. */
function nextRound(
  levels: readonly LevelAccount[],
  states: ReadonlyMap<string, LevelState>,
  rules: VersionRules,
): BorrowingRound | null {
  if (!rules.lendingFields) return null
  const round = levels
    .filter((level) => sharesSeats(level, rules))
    .map((level) => asBorrowing(level, states.get(level.name)))
  const known = round.filter((level) => level !== null)
  return known.length < round.length || known.length === 0 ? null : borrowingRound(known, rules)
}

function asBorrowing(level: LevelAccount, state: LevelState | undefined): BorrowingLevel | null {
  const { name, type, nominal, lower, upper, current, demandSmoothed } = level
  const executing = level.executingSeats ?? level.executingRequests ?? 0
  if (nominal === null || lower === null || upper === null || current === null || demandSmoothed === null) return null
  const wanted = executing + (state?.waitingSeats ?? level.waitingRequests ?? 0)
  const demand = { average: wanted, deviation: 0, highWatermark: wanted }
  return {
    name,
    exempt: type === 'Exempt',
    nominal,
    lower,
    upper,
    highWatermark: wanted,
    smoothedDemand: smoothedDemand(demandSmoothed, demand),
    current,
  }
}

// What is not known

function unknownsOf(
  levels: readonly LevelAccount[],
  server: ServerState,
  objects: LevelObjects,
  rules: VersionRules,
  onTrial: boolean,
): UnknownValue[] {
  if (fairnessIsOff({ mode: server.mode.mode })) {
    const why = 'APF is off on this server'
    return [...unknownLimits(why), ...unknownOfAll(LIVE_FIELDS, why)]
  }
  const unknown = server.unknown.flatMap(unknownsOfReading)
  if (server.mode.mode === 'Unknown') {
    const why = server.mode.contradiction ?? 'nothing tells which limiter is active'
    if (server.mode.contradiction !== null) unknown.push({ field: 'mode', why })
    unknown.push(...unknownOfAll(LIVE_FIELDS, why))
  }
  if (objects === null) {
    unknown.push(...unknownOfAll(['shares', 'maxSeatsPerRequest', 'maxFinalSeats'], 'no objects were read'))
  }
  const named = new Set(objects?.map(({ metadata }) => metadata.name))
  for (const { name, nominal, current } of levels) {
    if (objects !== null && !named.has(name)) {
      const why = 'the server still serves this level, its object does not exist: deleted, or not among those read'
      unknown.push({ field: `levels[${name}].shares`, why })
    }
    if (
      nominal !== null &&
      current === null &&
      server.levels.length > 0 &&
      !server.levels.some((own) => own.name === name)
    ) {
      const why = onTrial
        ? 'the server does not have a level that is added on trial'
        : 'the server does not know this level: it has not taken it up yet, or has no such object'
      if (name !== 'exempt' || rules.exemptLevelHasShares) unknown.push({ field: `levels[${name}].current`, why })
    }
  }
  return unknown
}

/** False: all that is called unknown is told by something else. */
function isOpen(field: string, levels: readonly LevelAccount[], rules: VersionRules): boolean {
  const [, name, key] = /^levels\[(.*)\]\.(\w+)$/.exec(field) ?? []
  if (key === undefined) return true
  return levels
    .filter((level) => (name === '' || level.name === name) && sharesSeats(level, rules))
    .some((level) => Reflect.get(level, key) === null)
}

/** Values that exist only where levels borrow. */
const BORROWING_FIELDS: readonly string[] = ['demandHighWatermark', 'demandSmoothed', 'nextTarget']

/** Every value that is null though the level and the version have it is named; these have no other reason. */
function otherUnknowns(
  levels: readonly LevelAccount[],
  told: readonly UnknownValue[],
  limit: ServerSeatsLimit,
  rules: VersionRules,
): UnknownValue[] {
  const sharing = levels.filter((level) => sharesSeats(level, rules))
  const isTold = (field: string) => told.some((unknown) => unknown.field === field)
  const fields = [...COMPUTED_FIELDS, ...LIVE_FIELDS].filter(
    (field) => (rules.lendingFields || !BORROWING_FIELDS.includes(field)) && !isTold(`levels[].${field}`),
  )
  return fields.flatMap((field) => {
    const why = whyUnknown(field, limit)
    const missing = sharing.filter((level) => level[field] === null)
    if (missing.length === sharing.length && missing.length > 0) return unknownOfAll([field], why)
    return missing
      .map(({ name }) => `levels[${name}].${field}`)
      .filter((name) => !isTold(name))
      .map((name) => ({ field: name, why }))
  })
}

function whyUnknown(field: string, limit: ServerSeatsLimit): string {
  if (field === 'nextTarget') return 'it takes the limits and demands of all levels'
  const isComputed = COMPUTED_FIELDS.some((computed) => computed === field)
  return isComputed && limit.value === null
    ? 'the seats of the server are not known'
    : 'the metrics of the server lack it'
}

/** Fields of what was read that make one of ours. */
const OUR_FIELDS: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(LIVE_FIELDS.map((field) => [field, [field]])),
  ...Object.fromEntries(['nominal', 'lower', 'upper'].map((field) => [field, [field]])),
  demand: ['demandHighWatermark', 'demandSmoothed'],
  waitingSeats: [],
}

/** What could not be read, in the names of an account; nothing for what no account has. */
function unknownsOfReading({ field, why }: UnknownValue): UnknownValue[] {
  if (field === 'metrics') return unknownOfAll(LIVE_FIELDS, `metrics: ${why}`)
  if (field === 'serverSeats') return [{ field: 'serverConcurrencyLimit', why }]
  const [, level, name] = /^levels\[(.*)\]\.(\w+)$/.exec(field) ?? []
  return (OUR_FIELDS[name ?? ''] ?? []).map((ours) => ({ field: `levels[${level}].${ours}`, why }))
}

/**
 * Refusals per second between two samples of one process.
 * @returns null where they are not of one process, or no time lies between them
 */
export function rejectionRates(before: ServerState, after: ServerState, seconds: number): RejectionRates | null {
  if (before.startedAt === null || before.startedAt !== after.startedAt || seconds <= 0) return null
  const earlier = new Map(counts(before))
  return new Map(counts(after).map(([key, count]) => [key, Math.max(0, count - (earlier.get(key) ?? 0)) / seconds]))
}

function counts({ levels }: ServerState): [string, number][] {
  return levels.flatMap(({ name, rejectedBy }) =>
    rejectedBy.map(({ flowSchema, reason, count }): [string, number] => [rateKey(name, flowSchema, reason), count]),
  )
}
