/** The answer of `test`, and the file of expectations that it reads. */
import type { Outcome, RequestLine, Source } from './contract.ts'

/** Whether requests land where a file of expectations promises. */
export interface TestReport {
  apiVersion: 'apf.kubectl/v1alpha1'
  kind: 'TestReport'
  source: Source
  cases: TestedCase[]
  summary: { passed: number; failed: number; undecided: number }
  /** Null where nobody asked for it. */
  coverage: TestCoverage | null
}

/** A request line with all keys of its form, so that nothing is implied. */
export type CompleteRequestLine =
  | {
      user: string
      groups: string[]
      verb: string
      apiGroup: string
      resource: string
      subresource: string
      namespace: string
      name: string
    }
  | { user: string; groups: string[]; verb: string; path: string }

export interface TestedCase {
  name: string
  /** Null: not known, see `problems`. */
  passed: boolean | null
  /** As written. */
  expected: ExpectedDocument
  /** Where `witness` lands; null for a proof that holds. */
  actual: ActualDocument | null
  /** The first request that fails, else the first one; of a proof the counter-example. Null where there is none. */
  witness: CompleteRequestLine | null
  /** Requests tried; null for a proof, which is about all of a set. */
  requests: number | null
  /** What fails, or could not be told. */
  problems: TestProblem[]
  file: string
  /** From 1, as the column. */
  line: number | null
  column: number | null
}

export interface TestProblem {
  message: string
  undecided: boolean
  witness: CompleteRequestLine | null
  actual: ActualDocument | null
  line: number | null
  column: number | null
}

/** One of its members, by the form of the case. */
export interface ExpectedDocument {
  expect?: ExpectDocument
  never?: LandingDocument
  always?: LandingDocument
}

export interface ActualDocument {
  outcome: Outcome
  flowSchema: string | null
  priorityLevel: string | null
  ruleIndex: number | null
  /** Null where they are not asked for or not known, as `width`. */
  nominalSeats: number | null
  width: number | null
}

/** Of the rules in force that can take any request. */
export interface TestCoverage {
  rules: CoverageShare
  schemas: CoverageShare
  /** In the order in which the server tries them. */
  unexercised: UnexercisedRule[]
  /** Rules that take nothing, so that no case can be about them. */
  unreachable: { flowSchema: string; ruleIndex: number }[]
}

export interface CoverageShare {
  total: number
  exercised: number
  /** Rounded down. */
  percent: number
}

export interface UnexercisedRule {
  flowSchema: string
  ruleIndex: number
  /** A request that it takes. */
  witness: CompleteRequestLine | null
}

// The file

/** What `test` reads. A list of cases alone will do, too. */
export interface Expectations {
  apiVersion?: 'apf.kubectl/v1alpha1'
  kind?: 'Expectations'
  cases: (RequestCaseDocument | SetCaseDocument)[]
}

/** Requests of one caller, each of which must land as expected. */
export interface RequestCaseDocument {
  /** What is promised. @minLength 1 */
  name: string
  /** The caller; needed unless every request names its own user. */
  as?: string
  /**
   * Groups of the credential; `system:authenticated` is added, as the server does. Without them the name implies its
   * groups; an empty list is a caller without any.
   */
  groups?: string[]
  requests: RequestDocument | RequestDocument[]
  expect: ExpectDocument
}

/** Everybody of a set with every request of a set: proved, or refuted by an example. */
export interface SetCaseDocument {
  /** @minLength 1 */
  name: string
  forAll: ForAllDocument
  /** No request of the set lands there. One of `never` and `always`. */
  never?: LandingDocument
  /** Every request of the set that is classified lands there. */
  always?: LandingDocument
}

export interface ForAllDocument {
  /** Names, `system:serviceaccount:NAMESPACE:*`, or `*`. */
  users?: string | string[]
  /** Whoever is in one of these. */
  groups?: string | string[]
  /** Leaves out who is in one of these. */
  notGroups?: string | string[]
  /** Without them, every request. */
  requests?: RequestDocument | RequestDocument[]
}

export interface LandingDocument {
  flowSchema?: string
  priorityLevel?: string
}

export interface ExpectDocument extends LandingDocument {
  outcome?: Outcome
  /** Of the level that the request lands in; needs the seats of the server. */
  level?: { nominalSeats: RangeDocument }
  /** Seats of the request. */
  request?: { width: RangeDocument }
}

/** Both ends included; one is enough. */
export interface RangeDocument {
  /** @minimum 0 */
  min?: number
  /** @minimum 0 */
  max?: number
}

/**
 * `list pods -n shop`, `get /healthz`, a URL; a request line, whose `user` may stand in the case; or lists, of which every
 * combination is meant.
 */
export type RequestDocument = string | RequestLine | RequestLists | UnnamedRequest

/** A request line without its user. A list in it stands for every combination. */
export interface UnnamedRequest {
  method?: string
  url?: string
  path?: string
  verb?: string | string[]
  apiGroup?: string | string[]
  resource?: string | string[]
  subresource?: string
  namespace?: string | string[]
  name?: string
}

/** In `forAll`, `*` stands for all of a list. */
export interface RequestLists {
  verbs: string | string[]
  /** Without it resources are named as kubectl does: `pods`, `deployments.apps`, `pods/log`. */
  apiGroups?: string | string[]
  resources?: string | string[]
  /** `""` is no namespace. Without them: no namespace, in `forAll` all namespaces and none. */
  namespaces?: string | string[]
  /** Instead of resources. `/healthz` is that very path; in `forAll`, `/healthz/*` is everything below it. */
  paths?: string | string[]
}
