/** Puts what was read of one API server together. */
import type { Problem } from '../apf/problem.ts'
import { compareBytes } from '../apf/text.ts'
import { minorText, NEWEST_MINOR, parseServerVersion } from '../apf/versions.ts'
import type { LevelDump } from './dumps.ts'
import { addHistograms, type Histogram, mean } from './histogram.ts'
import { METRICS_PROBLEM } from './metrics-problems.ts'
import { decideMode, limitsOfFlags, type ModeObservations, type ServerMode } from './mode.ts'
import type { FlowSeries, LevelSeries, ProcessMetrics } from './process-metrics.ts'
import { inflightLimitOf, serverSeatsDisagree, serverSeatsOfLimits } from './server-seats.ts'
import type {
  FlowSchemaState,
  InflightLimit,
  LevelState,
  Rejection,
  ServerState,
  StoredObjects,
  Unknown,
} from './server-state.ts'
import { whyAbsent } from './visibility.ts'

/** What was read of one process, or why it was not. */
export interface Observations {
  name: string
  address: string | null
  /** Answer of /version, without `v`; the release in the metrics counts where it is null. */
  version: string | null
  metrics: ProcessMetrics | { unavailable: string }
  levelDump: readonly LevelDump[] | { unavailable: string }
  /** Everything about the mode but the metrics, which are taken from here. */
  mode: Omit<ModeObservations, 'metrics' | 'minor'>
  problems: readonly Problem[]
}

const EXEMPT = 'exempt'

export function observe(observations: Observations): ServerState {
  const { name, address } = observations
  const metrics = 'unavailable' in observations.metrics ? null : observations.metrics
  const version = observations.version ?? metrics?.version ?? null
  const minor = version === null ? null : (parseServerVersion(version)?.minor ?? null)
  const mode = decideMode({
    ...observations.mode,
    ...(metrics !== null && { metrics }),
    ...(minor !== null && { minor }),
  })
  const notes: Notes = { unknown: [], problems: [...observations.problems] }
  if (minor !== null && minor > NEWEST_MINOR) notes.problems.push(newerThanKnown(name, version ?? ''))
  if (metrics?.component === 'other-api-server') notes.problems.push(notKubeApiServer(name))
  if ('unavailable' in observations.metrics) {
    notes.unknown.push({ field: 'metrics', why: observations.metrics.unavailable })
  }
  const hasLevels = mode.mode === 'APF' || (mode.mode === 'Unknown' && tellsOfLevels(observations))
  const levels = hasLevels ? levelStates(observations, metrics, minor, notes) : []
  const limits = inflightLimits(observations, metrics, mode.mode)
  return {
    name,
    address,
    component: metrics?.component ?? 'unknown',
    version,
    startedAt: metrics?.startedAt ?? null,
    mode,
    serverSeats: hasLevels ? serverSeats(observations, metrics, minor, notes) : null,
    ...limits,
    levels,
    flowSchemas: metrics === null || !hasLevels ? [] : flowSchemaStates(metrics, minor),
    seatFairFrac: hasLevels ? (metrics?.seatFairFrac ?? null) : null,
    rejections: { byLimiter: metrics?.terminations429 ?? (metrics ? 0 : null), answered: metrics?.answered429 ?? null },
    storedObjects: storedObjects(metrics),
    featureGates: metrics?.featureGates ?? new Map(),
    unknown: notes.unknown,
    problems: notes.problems,
  }
}

/** What contradicts itself as to the mode still has the numbers that only APF gives. */
function tellsOfLevels({ metrics, levelDump }: Observations): boolean {
  const measured = 'unavailable' in metrics ? 0 : metrics.levels.size
  return measured > 0 || (!('unavailable' in levelDump) && levelDump.length > 0)
}

function newerThanKnown(server: string, version: string): Problem {
  return {
    code: METRICS_PROBLEM.newerVersion,
    severity: 'info',
    message: `${server} is of release ${version}, newer than ${minorText(NEWEST_MINOR)}, the newest known here: metrics may have other names and meanings`,
  }
}

function notKubeApiServer(server: string): Problem {
  return {
    code: METRICS_PROBLEM.otherApiServer,
    severity: 'info',
    message: `${server} is an aggregated API server: its seats are its own, beside those that kube-apiserver gives the same requests`,
  }
}

interface Notes {
  unknown: Unknown[]
  problems: Problem[]
}

function serverSeats(
  { mode: { flags } }: Observations,
  metrics: ProcessMetrics | null,
  minor: number | null,
  notes: Notes,
): ServerState['serverSeats'] {
  const inferred = metrics === null ? null : serverSeatsOfLimits(metrics.levels)
  if (inferred !== null) return { value: inferred, source: 'metrics' }
  if (flags !== undefined) {
    const { read, mutating } = limitsOfFlags(flags)
    return { value: read + mutating, source: 'inflight-flags' }
  }
  if (metrics !== null && serverSeatsDisagree(metrics.levels)) {
    notes.unknown.push({ field: 'serverSeats', why: 'the scrape fell into a change of the limits; scrape again' })
  } else if (metrics !== null) {
    const why = minor === null ? null : whyAbsent('apiserver_flowcontrol_upper_limit_seats', minor)
    notes.unknown.push({
      field: 'serverSeats',
      why:
        why ?? 'there are no upper limits of exempt or catch-all: the metrics were reset, or no configuration arrived',
    })
  }
  return null
}

function inflightLimits(
  { mode: { flags } }: Observations,
  metrics: ProcessMetrics | null,
  mode: ServerMode,
): { readLimit: InflightLimit | null; mutatingLimit: InflightLimit | null } {
  if (mode !== 'MaxInFlight' && mode !== 'Unlimited') return { readLimit: null, mutatingLimit: null }
  if (flags !== undefined) {
    const { read, mutating } = limitsOfFlags(flags)
    return { readLimit: limitOfFlag(read), mutatingLimit: limitOfFlag(mutating) }
  }
  if (mode === 'Unlimited') {
    const unlimited: InflightLimit = { unlimited: true, source: 'metrics' }
    return { readLimit: unlimited, mutatingLimit: unlimited }
  }
  return {
    readLimit: metrics && inflightLimitOf(metrics.readVsWrite, 'readOnly'),
    mutatingLimit: metrics && inflightLimitOf(metrics.readVsWrite, 'mutating'),
  }
}

function limitOfFlag(limit: number): InflightLimit {
  return limit === 0 ? { unlimited: true, source: 'inflight-flags' } : { limit, source: 'inflight-flags' }
}

/** All levels that metrics or the dump know of; of a level that has no series, only what is surely zero is zero. */
function levelStates(
  { levelDump }: Observations,
  metrics: ProcessMetrics | null,
  minor: number | null,
  notes: Notes,
): LevelState[] {
  const dumps = 'unavailable' in levelDump ? null : new Map(levelDump.map((dump) => [dump.name, dump]))
  const flowsByLevel = new Map<string, FlowSeries[]>()
  for (const flow of metrics?.flows.values() ?? []) {
    const flows = flowsByLevel.get(flow.priorityLevel)
    if (flows === undefined) flowsByLevel.set(flow.priorityLevel, [flow])
    else flows.push(flow)
  }
  const names = new Set([...(metrics?.levels.keys() ?? []), ...flowsByLevel.keys(), ...(dumps?.keys() ?? [])])
  const facts = metrics === null ? null : familyFacts(metrics, minor)
  const levels = [...names].sort(compareBytes).map((name): LevelState => {
    const dump = dumps?.get(name)
    const fromDump = {
      name,
      inForce: dumps === null ? null : dump !== undefined,
      quiescing: dump?.quiescing ?? null,
    }
    if (facts === null) return { ...levelOfDump(dump), ...fromDump }
    return {
      ...levelOfSeries(name, metrics?.levels.get(name) ?? {}, flowsByLevel.get(name) ?? [], facts, notes),
      ...fromDump,
    }
  })
  if (facts !== null && levels.length > 0) noteAbsentFamilies(facts, minor, notes)
  if (metrics !== null && levels.length === 0) notes.unknown.push({ field: 'levels', why: NO_LEVELS })
  for (const level of levels) notes.problems.push(...inconsistencies(level))
  return levels
}

const NO_LEVELS =
  'APF is on, but no priority level has a series: no configuration has arrived, as on an aggregated API server that may not read it'

/** A scrape is not atomic: one that falls into an adjustment has old and new values. */
function inconsistencies({ name, lower, nominal, upper }: LevelState): Problem[] {
  if (lower === null || nominal === null || upper === null || (lower <= nominal && nominal <= upper)) return []
  return [
    {
      code: METRICS_PROBLEM.inconsistentScrape,
      severity: 'warning',
      message: `priority level ${name} has lower ${lower}, nominal ${nominal} and upper ${upper} seats, which cannot be at one time: the scrape fell into a change of the limits`,
      fix: 'scrape again',
      object: { kind: 'PriorityLevelConfiguration', name },
    },
  ]
}

/** Where metrics may not be read, the dump of levels still counts requests. */
function levelOfDump(dump: LevelDump | undefined): Omit<LevelState, 'name' | 'inForce' | 'quiescing'> {
  return {
    nominal: null,
    lower: null,
    upper: null,
    current: null,
    executingRequests: dump?.executingRequests ?? null,
    executingSeats: null,
    waitingRequests: dump?.waitingRequests ?? null,
    waitingSeats: null,
    demand: null,
    target: null,
    dispatched: dump?.dispatched ?? null,
    rejected: dump?.rejected ?? null,
    rejectedBy: [],
    waitSeconds: null,
    executionSeconds: null,
    meanUtilization: null,
  }
}

/** What the presence of families says of the release, whether or not it says its name. */
interface FamilyFacts {
  /** `nominal_limit_seats` and the others, from 1.26 on. */
  hasLimitSeats: boolean
  /** Exempt has limits and its requests are counted, from 1.28 on. */
  countsExempt: boolean
  /** Exempt borrows apart from the others, from 1.31 on; null: the release is not known. */
  exemptBorrowsApart: boolean | null
  /** The family that has the seats in use; up to 1.21 each request has one. Null: none has them. */
  seats: 'executingSeats' | 'concurrencyInUse' | 'executingRequests' | null
  hasWaitingSeats: boolean
}

const EXEMPT_BORROWS_APART_SINCE = 31
const SEATS_SINCE = 22
const WAITING_SEATS_SINCE = 29

function familyFacts({ levels, flows }: ProcessMetrics, minor: number | null): FamilyFacts {
  const limits = [...levels.values()]
  const used = [...flows.values()]
  const hasLimitSeats = limits.some(({ nominal, current }) => nominal !== undefined || current !== undefined)
  const hasSeats = used.some(({ executingSeats }) => executingSeats !== undefined)
  const hasInUse = used.some(({ concurrencyInUse }) => concurrencyInUse !== undefined)
  // Without any executing request so far, there is no series of their seats either.
  const isOneSeatEach = (minor !== null && minor < SEATS_SINCE) || !used.some((flow) => flow.executingRequests)
  return {
    hasLimitSeats,
    countsExempt: levels.get(EXEMPT)?.current !== undefined || levels.get(EXEMPT)?.nominal !== undefined,
    exemptBorrowsApart: minor === null ? null : minor >= EXEMPT_BORROWS_APART_SINCE,
    seats: hasSeats ? 'executingSeats' : hasInUse ? 'concurrencyInUse' : isOneSeatEach ? 'executingRequests' : null,
    hasWaitingSeats: used.some(({ waitingSeats }) => waitingSeats !== undefined) || (minor ?? 0) >= WAITING_SEATS_SINCE,
  }
}

/** Said once for all levels. */
function noteAbsentFamilies(facts: FamilyFacts, minor: number | null, notes: Notes): void {
  const note = (field: string, metric: string, otherwise: string) => {
    const why = minor === null ? null : whyAbsent(metric, minor)
    notes.unknown.push({ field, why: why ?? otherwise })
  }
  const { unknown } = notes
  if (!facts.hasLimitSeats) {
    note('levels[].lower', 'apiserver_flowcontrol_lower_limit_seats', 'the metrics have no limits of borrowing')
    note('levels[].upper', 'apiserver_flowcontrol_upper_limit_seats', 'the metrics have no limits of borrowing')
    note('levels[].demand', 'apiserver_flowcontrol_demand_seats_smoothed', 'the metrics have no demand')
  }
  if (facts.seats === null) {
    unknown.push({ field: 'levels[].executingSeats', why: 'the metrics have no current_executing_seats' })
  }
  if (!facts.hasWaitingSeats) {
    unknown.push({ field: 'levels[].waitingSeats', why: 'current_inqueue_seats exists since 1.28.5' })
  }
  if (!facts.countsExempt) {
    unknown.push({
      field: `levels[${EXEMPT}]`,
      why: 'before 1.28 exempt has no limits, and what it executes is not counted',
    })
  }
  if (facts.exemptBorrowsApart !== false && facts.countsExempt) {
    unknown.push({ field: `levels[${EXEMPT}].target`, why: 'from 1.31 on the server reports that of another level' })
  }
}

function levelOfSeries(
  name: string,
  series: LevelSeries,
  flows: readonly FlowSeries[],
  facts: FamilyFacts,
  notes: Notes,
): Omit<LevelState, 'inForce' | 'quiescing'> {
  const seats = (key: SeatsField) => possible(name, key, series[key], notes)
  const isUncounted = name === EXEMPT && !facts.countsExempt
  const requests = (field: FlowField, family: FlowField = field) =>
    possible(name, field, total(flows.map((flow) => flow[family])), notes)
  const executingRequests = isUncounted ? null : requests('executingRequests')
  const executingSeats =
    facts.seats === 'executingRequests'
      ? executingRequests
      : facts.seats === null || isUncounted
        ? null
        : requests('executingSeats', facts.seats)
  // Up to 1.25 the one limit there is; later it is but another name of nominal.
  const only = facts.hasLimitSeats ? undefined : possible(name, 'concurrencyLimit', series.concurrencyLimit, notes)
  const rejectedBy = flows.flatMap(rejectionsOf)
  return {
    name,
    nominal: seats('nominal') ?? possible(name, 'concurrencyLimit', series.concurrencyLimit, notes),
    lower: seats('lower'),
    upper: seats('upper'),
    current: seats('current') ?? only ?? null,
    executingRequests,
    executingSeats,
    waitingRequests: requests('waitingRequests'),
    waitingSeats: facts.hasWaitingSeats ? requests('waitingSeats') : null,
    demand: facts.hasLimitSeats
      ? {
          highWatermark: seats('highWatermark'),
          average: seats('average'),
          stdev: seats('stdev'),
          smoothed: seats('smoothed'),
        }
      : null,
    target: name === EXEMPT && facts.exemptBorrowsApart !== false ? null : seats('target'),
    dispatched: requests('dispatched'),
    rejected: possible(name, 'rejected', total(rejectedBy.map(({ count }) => count)), notes),
    rejectedBy,
    waitSeconds: addHistograms(flows.flatMap(({ wait }) => [...wait.values()])),
    executionSeconds: addHistograms(flows.flatMap(executionsOf)),
    meanUtilization: mean({
      buckets: [],
      sum: series.utilizationSum ?? Number.NaN,
      count: series.utilizationCount ?? 0,
    }),
  }
}

type SeatsField = Exclude<keyof LevelSeries, 'utilizationSum' | 'utilizationCount'>
type FlowField =
  | 'executingRequests'
  | 'executingSeats'
  | 'concurrencyInUse'
  | 'waitingRequests'
  | 'waitingSeats'
  | 'dispatched'

/** The sum; or the first number that cannot be, which a sum would hide. */
function total(values: readonly (number | undefined)[]): number {
  const impossible = values.find((value) => value !== undefined && !(value >= 0))
  return impossible ?? values.reduce<number>((sum, value) => sum + (value ?? 0), 0)
}

/** A number that can be; of any other one the reader is told instead. */
function possible(level: string, field: string, value: number | undefined, notes: Notes): number | null {
  if (value === undefined) return null
  if (Number.isFinite(value) && value >= 0) return value
  notes.unknown.push({ field: `levels[${level}].${field}`, why: `the server says ${value}` })
  notes.problems.push({
    code: METRICS_PROBLEM.impossibleValue,
    severity: 'warning',
    message: `priority level ${level} has ${field} ${value}${field === 'smoothed' ? BROKEN_SMOOTHING : ''}`,
    object: { kind: 'PriorityLevelConfiguration', name: level },
  })
  return null
}

const BROKEN_SMOOTHING =
  ': NaN in the smoothed demand stays until the server restarts, and the current limits mean nothing (fixed in 1.26.13, 1.27.10, 1.28.6 and 1.29.0)'

function rejectionsOf({ flowSchema, rejected }: FlowSeries): Rejection[] {
  return [...rejected].map(([reason, count]) => ({ flowSchema, reason, count }))
}

/** Without watches, whose execution ends when they are initialised. */
function executionsOf({ execution }: FlowSeries): Histogram[] {
  return [...execution].flatMap(([type, histogram]) => (type === 'watch' ? [] : [histogram]))
}

function flowSchemaStates(metrics: ProcessMetrics, minor: number | null): FlowSchemaState[] {
  const facts = familyFacts(metrics, minor)
  return [...metrics.flows.values()]
    .sort((a, b) => compareBytes(a.priorityLevel, b.priorityLevel) || compareBytes(a.flowSchema, b.flowSchema))
    .map((flow) => {
      const isUncounted = flow.priorityLevel === EXEMPT && !facts.countsExempt
      return {
        name: flow.flowSchema,
        priorityLevel: flow.priorityLevel,
        executingRequests: isUncounted ? null : (flow.executingRequests ?? 0),
        executingSeats: isUncounted || facts.seats === null ? null : (flow[facts.seats] ?? 0),
        waitingRequests: flow.waitingRequests ?? 0,
        waitingSeats: facts.hasWaitingSeats ? (flow.waitingSeats ?? 0) : null,
        dispatched: flow.dispatched ?? 0,
        rejected: [...flow.rejected.values()].reduce((sum, count) => sum + count, 0),
        waitSeconds: addHistograms([...flow.wait.values()]),
        executionSeconds: addHistograms(executionsOf(flow)),
      }
    })
}

/** The server says -1 where counting failed. */
function storedObjects(metrics: ProcessMetrics | null): Map<string, StoredObjects> {
  const objects = new Map<string, StoredObjects>()
  for (const [resource, count] of metrics?.objectCounts ?? []) {
    const bytes = metrics?.objectBytes.get(resource) ?? -1
    objects.set(resource, { count: count < 0 ? null : count, bytes: bytes < 0 ? null : bytes })
  }
  return objects
}
