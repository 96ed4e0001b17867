/** The document of `simulate`. */
import type {
  Finding,
  RequestLine,
  RequestSet,
  SeatsLevel,
  ServerConcurrencyLimit,
  Source,
  StringSet,
} from './contract.ts'

/** What a change of the objects does. */
export interface Simulation {
  apiVersion: 'apf.kubectl/v1alpha1'
  kind: 'Simulation'
  source: Source
  change: SimulatedChange
  /** Which identities there are: `any` that can reach APF, or those that authenticate themselves. */
  identities: 'any' | 'authenticated'
  /**
   * The riskiest first. A request moves as an entry says exactly if its identity is in one of `subjects` and it is in one of
   * `requests`; entries are disjoint, and no two of them could be merged.
   */
  moves: SimulatedMove[]
  /** Levels whose flows are dealt to other queues though no request moves. */
  redealtLevels: RedealtLevel[]
  seats: SeatsChange[]
  findings: { introduced: Finding[]; resolved: Finding[] }
  onTheWay: OnTheWay
  /** Present with --requests: how much of that traffic moves. */
  traffic?: Traffic
  /** What could not be told within the budget, a sentence each. */
  undecided: string[]
}

export interface SimulatedChange {
  /** Version of the servers after; null where it is not known. */
  serverVersion: string | null
  objects: { kind: string; name: string; effect: 'created' | 'changed' | 'unchanged' | 'deleted' }[]
  /** What the servers make of it besides. */
  rewrites: {
    kind: 'defaulted' | 'converted' | 'restored' | 'reverted' | 'removed' | 'annotated' | 'note'
    object: { kind: string; name: string }
    message: string
  }[]
}

export interface Place {
  flowSchema: string
  priorityLevel: string
}

export interface SimulatedMove {
  from: Place
  to: Place
  /** What differs. */
  changes: ('flowSchema' | 'priorityLevel' | 'distinguisher' | 'exemption')[]
  effects: (
    | 'now-exempt'
    | 'no-longer-exempt'
    | 'now-rejected'
    | 'no-longer-rejected'
    | 'now-catch-all'
    | 'same-level'
  )[]
  /** Names of the classes of system traffic among the requests. */
  system: string[]
  breadth:
    | 'one-identity'
    | 'several-identities'
    | 'namespace'
    | 'group'
    | 'all-service-accounts'
    | 'all-authenticated'
    | 'everyone'
  /** Nobody with the groups that usually go with a name moves so: it takes an impersonation that changes groups. */
  unusual: boolean
  /** Part of the flows that wait in other queues, 0…1; null where the level changes or has no queues for flows. */
  redealt: number | null
  subjects: SubjectSet[]
  requests: RequestSet[]
  /** A request that moves so. */
  witness: RequestLine
  /** Present with --requests. */
  traffic?: MovedTraffic
}

/** Identities whose name is in `users`, who are in every group of `has` and in none of `lacks`. */
export interface SubjectSet {
  /** `system:serviceaccount:NS:*` and `*` are patterns. */
  users: StringSet
  groups: { has: string[]; lacks: string[] }
}

export interface RedealtLevel {
  priorityLevel: string
  before: { queues: number; handSize: number }
  after: { queues: number; handSize: number }
  /** Part of the flows that wait in other queues, 0…1, of so many sampled ones. */
  share: number
  sampled: number
}

/** The seats of one level on one API server. */
export interface SeatsChange {
  server: string
  level: string
  /** Null: the level is not there. */
  before: SeatsLevel | null
  after: SeatsLevel | null
  serverConcurrencyLimit: { before: ServerConcurrencyLimit; after: ServerConcurrencyLimit }
  warnings: string[]
}

export interface OnTheWay {
  /**
   * `direct`: nothing lies in between; `safe`: no request takes a detour in the given order; `reorder`: none does in
   * `order`; `unavoidable`: some do in any order; `undecided`: not told within the budget.
   */
  verdict: 'direct' | 'safe' | 'reorder' | 'unavoidable' | 'undecided'
  /** States of the given order that are neither the first nor the last. */
  states: WayState[]
  /** A safe order; null where none is needed or known. */
  order: WayStep[] | null
  /** Levels that keep seats of their own after they were deleted, until their last request is done. */
  draining: Draining[]
  undecided: string[]
}

export interface WayStep {
  action: 'create' | 'change' | 'delete'
  object: { kind: string; name: string }
}

export interface WayState {
  /** What was done last; null: all of it, and the servers have not yet done their part. */
  after: WayStep | null
  /** FlowSchemas that take nothing for the time being. */
  dangling: string[]
  detours: Detour[]
}

/** Requests that land meanwhile where they neither come from nor go to. */
export interface Detour {
  from: Place
  via: Place
  to: Place
  subjects: SubjectSet[]
  requests: RequestSet[]
  witness: RequestLine
}

export interface Draining {
  server: string
  level: string
  /** Nominal seats of all levels for the time being. */
  nominal: Record<string, number>
}

export interface Traffic extends MovedTraffic {
  /** Requests that are classified before and after. */
  total: { requests: number; seatSeconds: number }
}

export interface MovedTraffic {
  requests: number
  /** By the server's own estimate: seats for 3 ms, and those that a write holds on to. */
  seatSeconds: number
}
