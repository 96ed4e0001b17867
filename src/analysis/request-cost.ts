/** What one request costs in its level, as far as it can be told. */
import { type ListOptions, NO_LIST_OPTIONS, readListOptions } from '../apf/list-options.ts'
import type { RequestAttributes } from '../apf/request.ts'
import { requestSeatCaps } from '../apf/seats.ts'
import type { VersionRules } from '../apf/versions.ts'
import {
  ASSUMED_OBJECT_BYTES,
  defaultListFeatures,
  readsStorage,
  requestWork,
  type SeatCaps,
  type ServerCounts,
  type StoredObjects,
  sendsInitialEvents,
  type WorkEstimate,
} from '../apf/work-estimate.ts'

/** Seats of one request. */
export interface Work {
  initialSeats: number
  finalSeats: number
  additionalLatencySeconds: number
  /** What the numbers rest on. */
  basis: string
}

export interface CostQuestion {
  request: RequestAttributes
  /** Without its `?`; null where the request was given in words, which leave the options of a list open. */
  query: string | null
  /** It lands in the exempt level. */
  exempt: boolean
  /** Of the level; null where they are not known. */
  caps: SeatCaps | null
  /** Of the resource; null where nobody told. */
  stored: StoredObjects | null
}

/** The work, or one sentence on what it depends on. */
export type Cost = { work: Work } | { dependsOn: string }

export function requestCost(question: CostQuestion, rules: VersionRules): Cost {
  const { request, query, exempt, caps, stored } = question
  if (exempt && !rules.exemptLevelHasShares) {
    return { work: workOf(NO_SEATS, 'exempt requests take none before Kubernetes 1.28') }
  }
  const options = query === null ? NO_LIST_OPTIONS : readListOptions(query)
  const bounds = caps ?? requestSeatCaps(null, rules)
  const estimate = (counts: ServerCounts, of: ListOptions | null): WorkEstimate =>
    requestWork(request, of, counts, bounds, defaultListFeatures(rules), rules)

  const least = estimate(EMPTY, options)
  const most = estimate(request.isResourceRequest ? FULL : EMPTY, query === null ? COSTLIEST_OPTIONS : options)
  if (most.finalSeats > 0) return { dependsOn: writesInWords(most.finalSeats) }
  // A request that no object makes wider costs the same on any server, unless it costs all that the level admits.
  if (least.initialSeats === most.initialSeats && (caps !== null || most.initialSeats === 1)) {
    return { work: workOf(least, basisOfAll(request, options, rules)) }
  }
  if (stored === null) return { dependsOn: listsInWords(request.verb, caps === null ? null : most.initialSeats) }
  const reckoned = estimate({ stored, watches: 0 }, options)
  if (caps === null && reckoned.initialSeats > 1) {
    const seats = seatsInWords(reckoned.initialSeats)
    return { dependsOn: `${seats} unless the level caps it lower (→ --server-seats N)` }
  }
  return { work: workOf(reckoned, basisOfList(question, stored, options ?? NO_LIST_OPTIONS, rules)) }
}

/**
 * What the server reckons for a request that is known by its attributes alone: a list without options, a write that nobody
 * watches.
 * @param caps  of the level; null: nothing caps the request but the server's own bound
 */
export function plainWork(
  request: Pick<RequestAttributes, 'verb' | 'name' | 'resource' | 'subresource'>,
  stored: StoredObjects,
  caps: SeatCaps | null,
  rules: VersionRules,
): WorkEstimate {
  const counts: ServerCounts = { stored, watches: 0 }
  const bounds = caps ?? requestSeatCaps(null, rules)
  return requestWork(request, NO_LIST_OPTIONS, counts, bounds, defaultListFeatures(rules), rules)
}

const NO_SEATS: WorkEstimate = { initialSeats: 0, finalSeats: 0, additionalLatencyNanoseconds: 0 }
const EMPTY: ServerCounts = { stored: { count: 0, averageBytes: 0 }, watches: 0 }
const FULL: ServerCounts = { stored: { count: 1e9, averageBytes: null }, watches: 1e6 }

/** A list of everything as of one version, which only storage has; a watch that begins with all objects. */
const COSTLIEST_OPTIONS: ListOptions = {
  ...NO_LIST_OPTIONS,
  resourceVersion: '1',
  resourceVersionMatch: 'Exact',
  sendInitialEvents: true,
}

function workOf({ initialSeats, finalSeats, additionalLatencyNanoseconds }: WorkEstimate, basis: string): Work {
  return { initialSeats, finalSeats, additionalLatencySeconds: additionalLatencyNanoseconds / 1e9, basis }
}

const NO_INITIAL_EVENTS = 'a WATCH that brings no objects at its start'

/** Why the request costs the same whatever is stored. */
function basisOfAll({ verb, name }: RequestAttributes, options: ListOptions | null, rules: VersionRules): string {
  if (verb !== 'list' && verb !== 'watch') return 'this kind of request never costs more'
  if (verb === 'list' && rules.listCost === 'nothing') return 'no LIST costs more before Kubernetes 1.23'
  if (name !== '' && rules.namedListCostsOne) return `a ${verb.toUpperCase()} of one name`
  if (verb === 'watch' && (!rules.watchList || rules.watchesCostedAsLists === 'none')) {
    return 'no WATCH costs more in this version'
  }
  if (options === null) return 'the query does not decode, for which the server charges all that the level admits'
  if (!rules.objectCountsReachEstimator) {
    // Object counts do not reach the estimate: https://github.com/kubernetes/kubernetes/issues/124223
    return `in Kubernetes 1.${rules.minor}.${rules.patch} no LIST costs more, by a regression that 1.29.14, 1.30.10 and 1.31 end`
  }
  return verb === 'watch' ? NO_INITIAL_EVENTS : 'the level admits no more'
}

function basisOfList(
  { request, caps }: CostQuestion,
  stored: StoredObjects,
  options: ListOptions,
  rules: VersionRules,
): string {
  if (request.verb === 'watch' && !sendsInitialEvents(options, rules)) return NO_INITIAL_EVENTS
  const fromStorage = request.verb === 'list' && readsStorage(options, defaultListFeatures(rules), rules)
  const read = fromStorage ? 'storage read' : 'cache read'
  const cap = caps === null ? '' : `; the level caps at ${caps.maxSeatsPerRequest}`
  return `${storedInWords(stored, rules)}, ${read}${cap}`
}

function storedInWords(stored: StoredObjects, rules: VersionRules): string {
  if (stored === 'unknown') return 'objects that this server does not count'
  if (stored === 'stale') return 'a stale number of objects, for which the server assumes the worst'
  const { count, averageBytes } = stored
  const objects = `${count.toLocaleString('en-US')} object${count === 1 ? '' : 's'}`
  if (rules.listCost !== 'bytes' || count === 0) return objects
  if (averageBytes !== null && averageBytes > 0) return `${objects} of ${bytesInWords(averageBytes)}`
  return `${objects} taken for ${bytesInWords(ASSUMED_OBJECT_BYTES)} each (→ --object-bytes N)`
}

function bytesInWords(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  const [value, unit] = bytes < 1e6 ? [bytes / 1e3, 'kB'] : [bytes / 1e6, 'MB']
  return `${Math.round(value * 10) / 10} ${unit}`
}

/** @param most  null where the caps of the level are not known */
function listsInWords(verb: string, most: number | null): string {
  const grows =
    verb === 'watch'
      ? 'a WATCH that begins with all objects costs as much as their LIST'
      : 'a LIST grows with what it returns'
  return most === null
    ? `1 seat at least; ${grows} (→ --objects N and --server-seats N)`
    : `1 seat at least; ${grows}, ${most} at most here (→ --objects N)`
}

function writesInWords(most: number): string {
  return `1 seat; after its answer up to ${most} for a moment, one for every 10 watches of what it writes`
}

function seatsInWords(seats: number): string {
  return seats === 1 ? '1 seat' : `${seats} seats`
}
