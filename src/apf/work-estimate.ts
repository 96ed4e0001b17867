/**
 * What one request costs: seats while it runs, and seats that it holds on for a while after a write.
 * Source: kubernetes/apiserver pkg/util/flowcontrol/request (width.go, list_work_estimator.go, mutating_work_estimator.go)
 */

import type { ListOptions } from './list-options.ts'
import type { RequestAttributes } from './request.ts'
import { nanosecondsPerSeat, seatSeconds } from './seat-seconds.ts'
import type { LevelSeats } from './seats.ts'
import type { VersionRules } from './versions.ts'

export interface WorkEstimate {
  /** Seats while the request runs. A request that also has final seats holds the greater number all the time. */
  initialSeats: number
  /** Seats for telling the watchers of a write; 0 for all else. */
  finalSeats: number
  /** How long the seats are held after the answer, in nanoseconds. */
  additionalLatencyNanoseconds: number
}

/** Most seats of one request in its level. */
export type SeatCaps = Pick<LevelSeats, 'maxSeatsPerRequest' | 'maxFinalSeats'>

/**
 * What the server knows of the stored objects of a resource.
 * - `unknown`: of an aggregated API, of a resource that does not exist, or not yet counted
 * - `stale`: counted more than three minutes ago
 */
export type StoredObjects = { count: number; averageBytes: number | null } | 'unknown' | 'stale'

/** Feature gates of the server, and what its etcd can do. */
export interface ListFeatures {
  /** The gate is on and etcd supports progress requests. */
  consistentListFromCache: boolean
  watchList: boolean
  /** Counts only from the version on in which lists are costed by bytes. */
  sizeBasedListCostEstimate: boolean
}

/** The gates as they are without flags, with an etcd of the same age. */
export function defaultListFeatures(rules: VersionRules): ListFeatures {
  const { consistentListFromCache, watchList } = rules
  return { consistentListFromCache, watchList, sizeBasedListCostEstimate: true }
}

const ONE_SEAT: WorkEstimate = { initialSeats: 1, finalSeats: 0, additionalLatencyNanoseconds: 0 }

/** Most seats of any list by the number of its objects. */
const MOST_SEATS_BY_COUNT = 10
const OBJECTS_PER_SEAT = 100
const BYTES_PER_SEAT = 100_000
/** A read of the watch cache is streamed, so it never holds more at once. */
const MOST_BYTES_FROM_CACHE = 1_000_000
/** Of an object whose size is not known: the largest that etcd accepts. */
export const ASSUMED_OBJECT_BYTES = 1_500_000
/** Where the numbers are stale. */
const ASSUMED_OBJECT_COUNT = 1_000_000_000

/** What the server counts, as far as a request's cost depends on it. */
export interface ServerCounts {
  stored: StoredObjects
  /** Watches open on this server for what the request writes: of its resource, of its namespace there, and of its name. */
  watches: number
}

/**
 * What a request costs that is not exempt, or that is in a version in which the exempt level has seats.
 *
 * @param options  as `readListOptions` reads them; they matter for lists and watches
 */
export function requestWork(
  request: Pick<RequestAttributes, 'verb' | 'name' | 'resource' | 'subresource'>,
  options: ListOptions | null,
  { stored, watches }: ServerCounts,
  caps: SeatCaps,
  features: ListFeatures,
  rules: VersionRules,
): WorkEstimate {
  const { verb, name, resource, subresource } = request
  switch (verb) {
    case 'list':
    case 'watch':
      return listWork({ verb, single: name !== '', options }, stored, caps, features, rules)
    case 'create':
    case 'update':
    case 'patch':
    case 'delete':
      return writeWork(watches, resource === 'serviceaccounts' && subresource === 'token', caps, rules)
    default:
      return ONE_SEAT
  }
}

export interface ListRequest {
  verb: 'list' | 'watch'
  /** The request names its object, as by a field selector that admits a single name. */
  single: boolean
  /** Null: the query does not decode, and the request will fail. */
  options: ListOptions | null
}

/** What a list, or a watch until its initial events are sent, costs. */
export function listWork(
  request: ListRequest,
  stored: StoredObjects,
  { maxSeatsPerRequest }: Pick<SeatCaps, 'maxSeatsPerRequest'>,
  features: ListFeatures,
  rules: VersionRules,
): WorkEstimate {
  const { verb, single, options } = request
  if (verb === 'list' ? rules.listCost === 'nothing' : !costsAsList(features, rules)) return ONE_SEAT
  const bySize = rules.listCost === 'bytes' && features.sizeBasedListCostEstimate
  const most = bySize ? maxSeatsPerRequest : Math.min(MOST_SEATS_BY_COUNT, maxSeatsPerRequest)
  const seats = (wanted: number): WorkEstimate => ({
    ...ONE_SEAT,
    initialSeats: Math.min(Math.max(1, wanted), most),
  })

  if (single && rules.namedListCostsOne) return ONE_SEAT
  if (options === null) return seats(most)
  if (verb === 'watch' && !sendsInitialEvents(options, rules)) return ONE_SEAT
  if (stored === 'unknown' || !rules.objectCountsReachEstimator) {
    return rules.uncountedListCost === 'one' ? ONE_SEAT : seats(most)
  }
  if (stored === 'stale' && rules.listCost !== 'bytes') return seats(most)
  const { count, averageBytes } =
    stored === 'stale' ? { count: ASSUMED_OBJECT_COUNT, averageBytes: ASSUMED_OBJECT_BYTES } : stored
  const fromStorage = verb === 'list' && readsStorage(options, features, rules)
  const onlyOne = single && rules.listCost === 'bytes'
  return seats(
    bySize
      ? seatsBySize(count, averageBytes ?? 0, options, fromStorage, onlyOne)
      : seatsByCount(count, options, fromStorage, onlyOne),
  )
}

function costsAsList({ watchList }: ListFeatures, { watchesCostedAsLists }: VersionRules): boolean {
  return watchList && watchesCostedAsLists !== 'none'
}

/** Whether a watch begins with all objects, for which it costs as much as their list. */
export function sendsInitialEvents(
  { sendInitialEvents, resourceVersion }: Pick<ListOptions, 'sendInitialEvents' | 'resourceVersion'>,
  rules: VersionRules,
): boolean {
  const legacy = resourceVersion === '' || resourceVersion === '0'
  return sendInitialEvents || (legacy && rules.watchesCostedAsLists === 'initial-events-and-legacy')
}

/** Whether a list counts as a read of etcd. What the watch cache really can serve is not looked at. */
export function readsStorage(
  options: Omit<ListOptions, 'hasSelector' | 'sendInitialEvents'>,
  { consistentListFromCache }: Pick<ListFeatures, 'consistentListFromCache'>,
  { listsFromStorage }: Pick<VersionRules, 'listsFromStorage'>,
): boolean {
  const { limit, resourceVersion, resourceVersionMatch: match } = options
  const continues = options.continue !== ''
  const pageOfAny = limit > 0 && resourceVersion !== '0'
  const pageOfVersion = pageOfAny && resourceVersion !== ''
  const newest = resourceVersion === '' && !consistentListFromCache
  const unsupportedMatch = match !== '' && match !== 'NotOlderThan'
  switch (listsFromStorage) {
    case 'match-exact':
      return resourceVersion === '' || continues || pageOfAny || match === 'Exact'
    case 'unsupported-match':
      return newest || continues || pageOfAny || unsupportedMatch
    case 'legacy-exact':
      return newest || continues || unsupportedMatch || (pageOfVersion && match === '')
    case 'by-match':
      return match === '' ? continues || pageOfVersion || newest : unsupportedMatch
  }
}

/** By the objects that go through the server's hands. */
function seatsByCount(count: number, options: ListOptions, fromStorage: boolean, onlyOne: boolean): number {
  const page = pageOf(count, options)
  const objects = fromStorage ? (options.hasSelector ? count + page : 2 * page) : count
  return Math.ceil((onlyOne ? 1 : objects) / OBJECTS_PER_SEAT)
}

/** By the bytes that are held in memory at once. */
function seatsBySize(
  count: number,
  averageBytes: number,
  options: ListOptions,
  fromStorage: boolean,
  onlyOne: boolean,
): number {
  const page = pageOf(count, options)
  const objects = fromStorage && options.hasSelector ? Math.max(page, Math.floor(count / 2)) : page
  const each = averageBytes <= 0 && count !== 0 ? ASSUMED_OBJECT_BYTES : averageBytes
  const bytes = (onlyOne ? 1 : objects) * each
  return Math.ceil((fromStorage ? bytes : Math.min(bytes, MOST_BYTES_FROM_CACHE)) / BYTES_PER_SEAT)
}

function pageOf(count: number, { limit }: ListOptions): number {
  return limit > 0 && limit < count ? limit : count
}

const WATCHES_PER_SEAT = 10
const NANOSECONDS_PER_EVENT = 5_000_000

/**
 * What a create, update, patch or delete costs.
 *
 * @param watches  see `ServerCounts`
 * @param forToken  it creates a token of a service account
 */
export function writeWork(
  watches: number,
  forToken: boolean,
  { maxFinalSeats }: Pick<SeatCaps, 'maxFinalSeats'>,
  rules: Pick<VersionRules, 'writesCostWatchers' | 'tokenRequestsCostOne'>,
): WorkEstimate {
  const unwatched = watches < WATCHES_PER_SEAT || (forToken && rules.tokenRequestsCostOne)
  if (unwatched || !rules.writesCostWatchers) return ONE_SEAT
  const seats = Math.ceil(watches / WATCHES_PER_SEAT)
  const finalSeats = Math.min(seats, maxFinalSeats)
  // The same work, narrower and longer.
  const work = seatSeconds(seats, NANOSECONDS_PER_EVENT)
  return { initialSeats: 1, finalSeats, additionalLatencyNanoseconds: nanosecondsPerSeat(work, finalSeats) }
}
