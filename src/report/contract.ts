/**
 * What other programs rely on: the documents of `-o json`, `-o yaml` and `-o jsonl`, and the request lines that we read.
 * The JSON Schemas in schemas/ are generated from these types. Keys are always present; null means not known or not
 * applicable.
 */

export type * from './attributions-contract.ts'
export type * from './exempt-audit-contract.ts'
export type * from './explain-contract.ts'
export type * from './findings-contract.ts'
export type * from './isolation-contract.ts'
export type * from './limits-contract.ts'
export type * from './simulation-contract.ts'
export type * from './test-contract.ts'

export const API_VERSION = 'apf.kubectl/v1alpha1'

/** The envelope of every single answer. */
interface Envelope<Kind extends string> {
  apiVersion: 'apf.kubectl/v1alpha1'
  kind: Kind
}

/** Where one request lands. */
export interface Whereis extends Envelope<'Whereis'> {
  source: Source
  request: AnsweredRequest
  outcome: Outcome
  /** Present with outcome `error` alone: why the server refuses the target. */
  error?: string
  /** Null for requests that APF does not see. */
  flowSchema: LandingSchema | null
  priorityLevel: LandingLevel | null
  /** Null without queues. */
  flow: Flow | null
  /** In the order tried; dangling schemas stand at their would-be place. */
  trace: TraceStep[]
  /** What the request costs; null with a reason in `unknowns`. */
  work: Work | null
  unknowns: Unknown[]
  /** Empty unless asked for with --verify. */
  verified: Verification[]
  /** Present where the subject is the caller on a live cluster: where the server put our own reads. */
  ownRequests?: OwnRequest[]
  /** Present where the words mean more than one request: those that kubectl sends besides. */
  alsoSent?: Whereis[]
}

export interface Source {
  kind: 'live' | 'files' | 'snapshot' | 'defaults'
  serverVersion: string | null
  /** Which limiter is active, or was when the server was recorded; null where nothing of a server was read. */
  mode: Mode | null
}

export interface AnsweredRequest {
  user: string
  groups: string[]
  verb: string
  isResourceRequest: boolean
  apiGroup: string
  resource: string
  subresource: string
  namespace: string
  name: string
  path: string
}

/** `bypass`: long-running, APF does not see it; `error`: the server cannot parse the target. */
export type Outcome = 'classified' | 'bypass' | 'error'

export interface LandingSchema {
  name: string
  /** Null offline; "" for a stand-in that the server invents. */
  uid: string | null
  matchingPrecedence: number
  /** Which of the rules matched, from 0; null when catch-all answers without matching. */
  ruleIndex: number | null
}

export interface LandingLevel {
  name: string
  uid: string | null
  /** Null where the levels of a live cluster could not be read. */
  type: string | null
  /** `Queue` or `Reject`; null for an exempt level. */
  response: string | null
}

export interface Flow {
  distinguisherMethod: string | null
  distinguisher: string
  /** Decimal; null unless there is more than one queue. */
  hash: string | null
  queues: number
  handSize: number
  /** Queue numbers in dealing order; null unless there is more than one queue. */
  hand: number[] | null
}

export interface TraceStep {
  flowSchema: string
  matchingPrecedence: number
  result: 'matched' | 'no-match' | 'dangling' | 'not-reached'
  /** The nearest reason; null where nothing has to be said. */
  because: Because | null
}

export interface Because {
  code:
    | 'subject'
    | 'verb'
    | 'apiGroup'
    | 'resource'
    | 'scope'
    | 'namespace'
    | 'nonResourceURL'
    | 'kind'
    | 'no-rules'
    | 'dangling'
  /** Field path in the FlowSchema. */
  field: string
  message: string
}

export interface Work {
  initialSeats: number
  finalSeats: number
  additionalLatencySeconds: number
  basis: string
}

export interface Unknown {
  code: string
  message: string
}

export interface Verification {
  server: string
  /** Null when it could not be told. */
  agrees: boolean | null
  flowSchemaUID: string | null
  priorityLevelUID: string | null
  httpStatus: number | null
  note: string | null
}

/** The server's word on one of our own GETs. */
export interface OwnRequest {
  path: string
  httpStatus: number
  /** Null where none of the objects that were read has the UID. */
  flowSchema: string | null
  priorityLevel: string | null
  /** Null without such a header; "" for a stand-in that has no object. */
  flowSchemaUID: string | null
  priorityLevelUID: string | null
}

/** Everything that one subject can reach. */
export interface WhereisMap extends Envelope<'WhereisMap'> {
  source: Source
  subject: { user: string; groups: string[] }
  /** Disjoint, and together every possible request. */
  regions: Region[]
  unknowns: Unknown[]
  /** As in `Whereis`. */
  ownRequests?: OwnRequest[]
}

export interface Region {
  outcome: 'classified' | 'bypass'
  /** Null for the region of bypassing requests. */
  flowSchema: string | null
  priorityLevel: string | null
  requests: RequestSet[]
  /** A request that lands here, as a request line. */
  witness: RequestLine
  /** Present with --verify: the server's word on `witness`, or on a harmless read of this region where that is none. */
  verified?: RegionVerification
}

export interface RegionVerification extends Verification {
  /** What was sent; null where nothing could be. */
  request: RequestLine | null
}

export type RequestSet = ResourceRequestSet | NonResourceRequestSet

export interface ResourceRequestSet {
  verbs: StringSet
  apiGroups: StringSet
  /** A subresource belongs to its resource's entry: `pods/log`. */
  resources: StringSet
  /** Only where `resources` alone cannot say it: the subresource must also be one of these; "" is none. */
  subresources?: StringSet
  scope: 'cluster' | 'namespaced'
  /** Says something for `namespaced` alone. */
  namespaces: StringSet
}

export interface NonResourceRequestSet {
  verbs: StringSet
  nonResourceURLs: StringSet
}

/**
 * Everything is `{"notIn":[]}`. `except` takes entries out again: literals, and in a set of paths also a folder that lies
 * in another one.
 */
export type StringSet = { in: SetEntry[]; except?: SetEntry[] } | { notIn: SetEntry[] }

/** In path sets `/prefix/*` and `*` are patterns; a literal of that form is written `{"exact":…}`. */
export type SetEntry = string | { exact: string }

/** The FlowSchemas in the order in which the server tries them. */
export interface FlowSchemas extends Envelope<'FlowSchemas'> {
  source: Source
  flowSchemas: FlowSchemaEntry[]
}

export interface FlowSchemaEntry {
  /** Place in the list, from 1; dangling schemas stand at their would-be place. */
  order: number
  name: string
  uid: string | null
  matchingPrecedence: number
  priorityLevel: { name: string; type: string | null; response: string | null }
  distinguisherMethod: string | null
  /** Who, over all rules, each once, in the order written. */
  subjects: SchemaSubject[]
  /** False: it takes no request, see `because`. */
  inForce: boolean
  because: string | null
  /**
   * `mandatory`: exempt and catch-all; `default`: a schema of the server's own set; `custom`: any other.
   * A stand-in has `uid` "".
   */
  origin: 'mandatory' | 'default' | 'custom'
  /** Where it was read; null for what the server invents. */
  file: string | null
  line: number | null
}

export interface SchemaSubject {
  kind: string
  /** Of a ServiceAccount its namespace, else null. */
  namespace: string | null
  name: string
}

/** Which limiter is active on each API server. */
export interface Status extends Envelope<'Status'> {
  servers: ServerStatus[]
  coverage: Coverage
  /** Contradictions between servers, and what is missing or has no effect. */
  findings: Finding[]
}

/** `NotAPF`: `MaxInFlight` or `Unlimited`, the evidence cannot tell which. */
export type Mode = 'APF' | 'MaxInFlight' | 'Unlimited' | 'NotAPF' | 'Unknown'

export interface ServerStatus {
  name: string
  /** Null where no server was asked. */
  address: string | null
  version: string | null
  mode: Mode
  /** Strongest first. */
  evidence: Evidence[]
  serverConcurrencyLimit: ServerConcurrencyLimit
  /** Limits of the other limiter; null under APF, where they are not known, and where a class has none. */
  readLimit: number | null
  mutatingLimit: number | null
  /** Versions of the flow control API, the preferred one first; empty: the group is not served. */
  apfVersionsServed: string[] | null
  /** RFC 3339. */
  startedAt: string | null
  /** What this version does that changes answers; null where the version is not known. */
  features: ServerFeatures | null
}

export interface ServerFeatures {
  /** Levels borrow seats that others do not use. */
  borrowing: boolean
  /** The exempt level has shares and may lend. */
  exemptSeats: boolean
  /** A Limited level may have 0 shares. */
  zeroShares: boolean
  /** Watches may begin with a list, and cost as much. */
  watchList: boolean
  /** A LIST costs seats for what it returns; false in releases in which each costs 1 by a regression. */
  listsCostByObjects: boolean
}

export interface Evidence {
  what: string
  says: Mode
  strength: 'strong' | 'weak'
}

/** Seats of one API server process. Both null where nothing tells them. */
export interface ServerConcurrencyLimit {
  value: number | null
  source: 'metrics' | 'inflight-flags' | 'given' | 'assumed-default' | null
}

/** For how many of the API servers the answer holds. */
export interface Coverage {
  reached: number
  /** Null where nothing tells how many there are. */
  total: number | null
  unreachable: { name: string; why: string }[]
}

/** Something wrong or risky, and how to mend it. */
export interface Finding {
  /** Stable for ever, such as `APF501`. */
  rule: string
  severity: 'error' | 'warning' | 'info'
  message: string
  /** Null where no single object is meant. */
  object: { kind: string; name: string } | null
  file: string | null
  /** From 1, as the column. */
  line: number | null
  column: number | null
  /** Path in the object. */
  field: string | null
  fix: Fix | null
}

export interface Fix {
  text: string
  /** Empty where no edit of a file can do it. */
  edits: Edit[]
}

export interface Edit {
  file: string
  /** The end excluded. */
  range: { start: TextPosition; end: TextPosition }
  newText: string
}

/** From 1; columns count UTF-16 units. */
export interface TextPosition {
  line: number
  column: number
}

/** The seats of each priority level on each API server. */
export interface Seats extends Envelope<'Seats'> {
  servers: SeatsServer[]
  coverage: Coverage
}

export interface SeatsServer {
  name: string
  serverConcurrencyLimit: ServerConcurrencyLimit
  levels: SeatsLevel[]
  /** Why values are null; `levels[NAME].nominal` is one value, `levels[].current` that of every level. */
  unknown: UnknownField[]
}

export interface UnknownField {
  field: string
  why: string
}

/** Limits are in seats. Null: not known, see `unknown`, or not applicable to the level or version. */
export interface SeatsLevel {
  name: string
  type: string | null
  /** `Queue` or `Reject`; null for an exempt level. */
  response: string | null
  shares: number | null
  nominal: number | null
  lendable: number | null
  /** Always its own. */
  lower: number | null
  /** As far as its borrowing limit goes. */
  upper: number | null
  /** What borrowing can ever give. */
  reachable: number | null
  /** In force now. */
  current: number | null
  /** Effective cap of one LIST or WATCH. */
  maxSeatsPerRequest: number | null
  /** Effective cap of the final seats of one mutating request. */
  maxFinalSeats: number | null
  executingSeats: number | null
  executingRequests: number | null
  waitingRequests: number | null
  /** Seats asked for at most in the last adjustment period. */
  demandHighWatermark: number | null
  demandSmoothed: number | null
  /** What the next borrowing round will set if the demand stays. */
  nextTarget: number | null
  /** Requests refused since the process started. */
  rejected: number | null
  rejectedBy: Rejections[]
}

export interface Rejections {
  flowSchema: string
  reason: string
  /** Since the process started. */
  count: number
  /** Null without two samples of one process. */
  perSecond: number | null
}

/**
 * One request of a batch: `user` and exactly one of three forms. `groups`, when given, are exactly the groups that the
 * server sees; absent or null they are implied. Other keys are ignored; the schema refuses them, so that an editor finds
 * mistyped ones.
 */
export type RequestLine = UrlRequestLine | ResourceRequestLine | PathRequestLine

interface RequestLineBase {
  /** Echoed in the answer. */
  id?: unknown
  /** @minLength 1 */
  user: string
  groups?: string[] | null
}

/** Parsed as the server parses it. */
export interface UrlRequestLine extends RequestLineBase {
  /** GET when absent. */
  method?: string
  url: string
}

/** Taken as it is. */
export interface ResourceRequestLine extends RequestLineBase {
  verb: string
  apiGroup?: string
  /** A slash divides the subresource when `subresource` is absent. */
  resource: string
  subresource?: string
  namespace?: string
  name?: string
}

/** Always a non-resource request, never parsed. */
export interface PathRequestLine extends RequestLineBase {
  verb: string
  path: string
}

/** One line of `whereis --requests … -o jsonl`. */
export type AnswerLine = ClassifiedLine | BypassLine | ErrorLine | MalformedLine

export interface ClassifiedLine {
  id: unknown
  outcome: 'classified'
  flowSchema: string
  priorityLevel: string
  /** What the server computes, "" where it computes none. */
  distinguisher: string
  /** Decimal; null unless the level has more than one queue. */
  hash: string | null
  /** Queue numbers in dealing order; null unless the level has more than one queue. */
  hand: number[] | null
}

/** A long-running request. */
export interface BypassLine {
  id: unknown
  outcome: 'bypass'
  flowSchema: null
  priorityLevel: null
  distinguisher: ''
  hash: null
  hand: null
}

/** A target that the server cannot parse. */
export interface ErrorLine {
  id: unknown
  outcome: 'error'
  flowSchema: null
  priorityLevel: null
  distinguisher: ''
  hash: null
  hand: null
  error: string
}

/** A line that is no request line. */
export interface MalformedLine {
  /** Null where it could not be read. */
  id: unknown
  /** From 1. */
  line: number
  error: string
}
