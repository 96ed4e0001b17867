/**
 * What is known about fairness on one API server process, from whatever could be read of it: metrics, debug dumps, flags,
 * health checks. All numbers are those of one process; nothing here is ever summed over servers.
 *
 * Null means not known; `unknown` of the same object says why. Zero means that the server says zero.
 */
import type { Problem } from '../apf/problem.ts'
import type { Histogram } from './histogram.ts'
import type { ModeVerdict } from './mode.ts'

export interface ServerState {
  /** As people tell the server apart: `10.0.0.4:6443`, the name of a file or folder, an `instance` of a federation. */
  name: string
  /** URL or host and port that was asked; null for files. */
  address: string | null
  component: Component
  /** Release without `v`, such as `1.37.2`. */
  version: string | null
  /** Start of the process, in seconds since 1970: counters count from here. */
  startedAt: number | null
  mode: ModeVerdict
  /** Total seats of the process; only where there are levels. See serverSeatsRange where the objects are known, too. */
  serverSeats: { value: number; source: 'metrics' | 'inflight-flags' } | null
  /** Limits of mode MaxInFlight. */
  readLimit: InflightLimit | null
  mutatingLimit: InflightLimit | null
  /**
   * In mode APF, and in mode Unknown where there are some. Sorted by bytes of the name. A level that was deleted keeps its series until the process ends: compare with the
   * objects, or see `inForce`.
   */
  levels: LevelState[]
  /** Sorted by level, then schema. A schema that was moved has an entry for each level that it ever used. */
  flowSchemas: FlowSchemaState[]
  /** Common proportion of the last borrowing round; 0 if it was not the fair one. */
  seatFairFrac: number | null
  /** Answers 429 since the process started. */
  rejections: {
    /** By whichever limiter is active, APF or max-in-flight. */
    byLimiter: number | null
    /** All 429s, those of handlers (evictions, webhooks) included; from 1.24 with the limiter's. */
    answered: number | null
  }
  /** Objects in storage by resource, `pods` or `deployments.apps`. */
  storedObjects: ReadonlyMap<string, StoredObjects>
  /** Of the feature gates that change answers of ours. Empty before 1.26, which does not tell. */
  featureGates: ReadonlyMap<string, boolean>
  unknown: Unknown[]
  /** Everything wrong with what was read; see the codes of METRICS_PROBLEM. */
  problems: Problem[]
}

/** `other-api-server`: an aggregated or extension API server, which has fairness of its own. */
export type Component = 'kube-apiserver' | 'other-api-server' | 'unknown'

/**
 * Most requests in flight of one kind. `unlimited`: the flag is 0. From metrics comes a range, exact if both ends agree:
 * it rests on one request having been alone in flight at some time.
 */
export type InflightLimit =
  | { limit: number; source: 'inflight-flags' | 'metrics' }
  | { unlimited: true; source: 'inflight-flags' | 'metrics' }
  | { atLeast: number; atMost: number; source: 'metrics' }

/** One priority level. Seats and requests at the time of the scrape, totals since the process started. */
export interface LevelState {
  name: string
  /** The dump of levels lists it; null without that dump. False: the level is gone and only its series remain. */
  inForce: boolean | null
  /** Deleted, and served until its last request is done. */
  quiescing: boolean | null
  nominal: number | null
  lower: number | null
  upper: number | null
  /** What is enforced now. Of exempt from 1.31 on: its high watermark, which limits nothing. */
  current: number | null
  executingRequests: number | null
  /** With those that linger: finished, but holding their seats for some milliseconds. */
  executingSeats: number | null
  waitingRequests: number | null
  /** Drifts upward for ever on levels with small limits and watched writes: an upstream leak. */
  waitingSeats: number | null
  /** Seats that requests of the level wanted over the last adjustment period (10 s); null before 1.26. */
  demand: Demand | null
  /** Of the last borrowing round; null for exempt from 1.31 on, where the server reports that of another level. */
  target: number | null
  dispatched: number | null
  rejected: number | null
  rejectedBy: Rejection[]
  /** Seconds in the queue, executed or not, over all schemas of the level; never observed for exempt. */
  waitSeconds: Histogram | null
  /** Seconds of execution of requests that are no watches. */
  executionSeconds: Histogram | null
  /** Mean share of the limit in use since the process started; may exceed 1. */
  meanUtilization: number | null
}

export interface Demand {
  highWatermark: number | null
  average: number | null
  stdev: number | null
  smoothed: number | null
}

export interface Rejection {
  flowSchema: string
  /** `queue-full`, `concurrency-limit`, `time-out`; `cancelled` up to 1.28.4. */
  reason: string
  /** Since the process started. */
  count: number
}

export interface FlowSchemaState {
  name: string
  priorityLevel: string
  executingRequests: number | null
  executingSeats: number | null
  waitingRequests: number | null
  waitingSeats: number | null
  dispatched: number | null
  rejected: number | null
  waitSeconds: Histogram | null
  executionSeconds: Histogram | null
}

export interface StoredObjects {
  /** Null: the server could not count them. */
  count: number | null
  /** Of all of them together; null before 1.34 and where the server cannot tell. */
  bytes: number | null
}

/** `field` as in this type: `levels[exempt].nominal`, or `levels[].nominal` for all levels. */
export interface Unknown {
  field: string
  why: string
}
