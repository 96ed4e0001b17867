/** Promises about where requests land, as a file of expectations states them. */
import type { Place } from '../../apf/problem.ts'
import type { Identity, RequestAttributes } from '../../apf/request.ts'
import type { RefusedTarget } from '../../apf/request-info.ts'
import type { Region } from '../../regions/region.ts'

export type Expectation = RequestCase | SetCase

/** These requests of this caller land here. */
export interface RequestCase {
  kind: 'requests'
  name: string
  at: Place
  requests: readonly AskedRequest[]
  expected: ExpectedLanding
}

/** One request, after lists of verbs, resources and namespaces were expanded. */
export interface AskedRequest {
  identity: Identity
  request: RequestAttributes | RefusedTarget
  /** Of its URL, without the `?`; null where the request was given in words, which leave the options of a list open. */
  query: string | null
  at: Place
}

/** Each member is null where nothing is expected of it. */
export interface ExpectedLanding {
  flowSchema: string | null
  priorityLevel: string | null
  outcome: ExpectedOutcome | null
  /** Nominal seats of the level that the request lands in. */
  nominalSeats: Range | null
  /** Seats that the request takes while it is executed or just after. */
  width: Range | null
}

export const OUTCOMES = ['classified', 'bypass', 'error'] as const
export type ExpectedOutcome = (typeof OUTCOMES)[number]

/** Both ends included; null: no bound. */
export interface Range {
  min: number | null
  max: number | null
}

/** Requests of a set, and identities of a set: all of them, proved. */
export interface SetCase {
  kind: 'set'
  name: string
  at: Place
  who: WhoSet
  requests: Region
  quantifier: 'never' | 'always'
  landing: SetLanding
  /** Of `never` or `always`. */
  landingAt: Place
}

/** Null where anything will do; one of the two is not. */
export interface SetLanding {
  flowSchema: string | null
  priorityLevel: string | null
}

/** Null: everybody, without regard to this side. */
export interface WhoSet {
  /** Names, `system:serviceaccount:NAMESPACE:*`, or `*`. */
  users: readonly string[] | null
  /** Whoever is in one of these. */
  groups: readonly string[] | null
  /** Nobody who is in one of these. */
  notGroups: readonly string[]
}
