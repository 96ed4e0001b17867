/** Documents of `limits`. Keys are always present; null means not known or not applicable; times are seconds. */

interface LimitsEnvelope<Kind extends string> {
  apiVersion: 'apf.kubectl/v1alpha1'
  kind: Kind
}

/** Something to know or to change about settings that the component accepts. */
export interface LimitAdvice {
  severity: 'warning' | 'info'
  /** The setting meant; null for all of them together. */
  setting: string | null
  message: string
  /** What to do; null where nothing has to be done. */
  fix: string | null
}

// limits client

/** The limiters inside of clients that are built on client-go. */
export interface ClientLimits extends LimitsEnvelope<'ClientLimits'> {
  clients: ClientLimit[]
  /** What the predictions are made for. */
  load: ClientLoad
  /** Read with --from-metrics. */
  metrics: ClientMetrics | null
  /** Empty unless a source of priority levels was given. */
  levels: LevelDemand[]
  /** Why `levels` is empty, or what it assumes. */
  levelsNote: string | null
  advice: LimitAdvice[]
}

export interface ClientLoad {
  /** Calls of one client. */
  calls: number
  /** Callers at the same time within one client. */
  workers: number
  /** What a call takes once it is sent. */
  latencySeconds: number
  /** Calls each second, evenly; null: each caller as soon as it can. */
  ratePerSecond: number | null
  /** What the context of a call leaves for its wait; null: forever. */
  deadlineSeconds: number | null
  /** Clients of this kind. */
  clients: number
}

export interface ClientLimit {
  component: string
  /** Which of its clients; null where there is one. */
  use: string | null
  /** Minor that the defaults are those of; null where nothing is a default. */
  version: string | null
  /** Null: nothing is held back, or `errors` says why there is none. */
  limiter: { qps: number; burst: number } | null
  /** Where each number comes from. */
  qpsFrom: 'given' | 'default'
  burstFrom: 'given' | 'default'
  /** What sets them; null where nothing does. */
  settings: { qps: string; burst: string } | null
  /** What one bucket serves. */
  sharing: string
  /** Where it was read: file and place within the object; null where it was not read. */
  file: string | null
  line: number | null
  object: string | null
  /** Copies that run; null where it is not said. */
  replicas: number | null
  /** With these the program does not start, as it says; then there is no prediction. */
  errors: string[]
  prediction: ClientPrediction | null
  beware: string | null
}

export interface ClientPrediction {
  /** Until the last call is answered. */
  seconds: number
  lastStartSeconds: number
  delayed: number
  longestWaitSeconds: number
  meanWaitSeconds: number
  /** Calls of which client-go writes a line at -v=3. */
  linesAtV3: number
  /** Calls whose wait is above a second: of these a line appears at any verbosity, one in ten seconds at most. */
  overOneSecond: number
  /** Calls that are never sent, for their deadline is too near. */
  failed: number
  firstFailed: number | null
  /** What each of those returns. */
  failure: string | null
  /** Where calls come evenly: seconds until the first one waits; null: none ever does. */
  waitsAfterSeconds: number | null
}

/** From rest_client_* metrics of one process. */
export interface ClientMetrics {
  file: string
  verdict: 'waits' | 'partly-waits' | 'does-not-wait' | 'not-exposed'
  attempts: number | null
  attempts429: number | null
  calls: number | null
  meanWaitSeconds: number | null
  /** Of the whole time of its calls, what it spent waiting for its own limiter: 0 to 1. */
  limiterShare: number | null
  delayedShare: number | null
  retries: number | null
  says: string[]
}

/** What all clients together can ask of one priority level at worst. */
export interface LevelDemand {
  level: string
  nominal: number | null
  reachable: number | null
  /** Requests that arrive at once while all buckets are full. */
  burstRequests: number | null
  /** Seats that are held as long as all clients send as fast as they may; null: nothing bounds it. */
  sustainedSeats: number | null
  fits: 'within-nominal' | 'by-borrowing' | 'no' | 'unknown'
}

// limits events

/** The admission plugin EventRateLimit. */
export interface EventLimits extends LimitsEnvelope<'EventLimits'> {
  file: string
  /** Minor of Kubernetes whose texts are used. */
  serverVersion: string
  valid: boolean
  /** `field` is "" where the file could not be decoded. */
  errors: { field: string; text: string; line: number | null }[]
  /** What the server prints as it refuses to start; null: it starts. */
  startError: string | null
  limits: EventLimitEntry[]
  notCovered: string[]
  simulation: EventSimulation | null
  advice: LimitAdvice[]
}

export interface EventLimitEntry {
  index: number
  type: string
  qps: number
  burst: number
  /** Buckets that are kept; null for the one of Server. */
  cacheSize: number | null
  /** What a bucket is kept for. */
  key: string
}

export interface EventSimulation {
  file: string
  /** Writes that were read. */
  writes: number
  charged: number
  accepted: number
  refused: number
  /** Writes that touch no bucket, by reason. */
  notCharged: { why: string; count: number }[]
  refusedBy: EventRefusals[]
  /** The first of them, in the order of time. */
  refusals: EventRefusal[]
  /** What was assumed where the input does not say. */
  assumptions: string[]
}

export interface EventRefusals {
  /** Which entry of `limits`, from 0. */
  limit: number
  type: string
  refused: number
  /** Buckets that were dropped to make room: they come back full. */
  evictions: number
  /** The keys refused most often. */
  keys: { key: string; refused: number }[]
}

export interface EventRefusal {
  /** RFC 3339. */
  at: string
  namespace: string
  user: string | null
  object: string
  /** Limits that had no token. */
  limits: { limit: number; type: string; key: string }[]
  message: string
}

// limits cilium

/** The API limiter of the Cilium agent. */
export interface CiliumLimits extends LimitsEnvelope<'CiliumLimits'> {
  /** Release whose defaults and texts are used. */
  release: string
  releaseFrom: 'given' | 'image' | 'assumed'
  /** Where the setting was read. */
  source: string
  /** Value of api-rate-limit; null: none is set. */
  given: string | null
  valid: boolean
  /** What the agent prints as it refuses to start. */
  error: string | null
  groups: CiliumGroupLimits[]
  /** The same settings as JSON, which every release understands; null where nothing is set. */
  asJson: string | null
  pods: CiliumPods | null
  metrics: CiliumMetrics | null
  advice: LimitAdvice[]
}

export interface CiliumGroupLimits {
  group: string
  /** Calls of the agent's API; null: no call belongs to a group of this name, the setting has no effect. */
  calls: string | null
  /** Options as written; null: the defaults of the release. */
  given: string | null
  /** Calls each second; null: no limit; +Inf never waits. */
  rateLimit: number | '+Inf' | null
  rateBurst: number | null
  /** Null: no limit. */
  parallelRequests: number | null
  minParallelRequests: number
  maxParallelRequests: number | null
  meanOver: number
  skipInitial: number
  minWaitSeconds: number
  /** Null: as long as it takes. */
  maxWaitSeconds: number | null
  estimatedProcessingSeconds: number
  autoAdjust: boolean
  log: boolean
  delayedAdjustmentFactor: number
  maxAdjustmentFactor: number
}

/** What becomes of pods that start on one node at once. */
export interface CiliumPods {
  perNode: number
  processingSeconds: number
  scenarios: CiliumScenario[]
}

export interface CiliumScenario {
  name: 'running' | 'started'
  says: string
  served: number
  refused: number
  firstSeconds: number | null
  medianSeconds: number | null
  lastSeconds: number | null
  /** How callers were refused, and how often. */
  refusals: { outcome: string; count: number; error: string }[]
}

export interface CiliumMetrics {
  files: string[]
  /** Between two samples; false: since the agent started. */
  isDelta: boolean
  groups: CiliumGroupMetrics[]
}

export interface CiliumGroupMetrics {
  group: string
  /** `stuck`: the agent does not finish calls; `slow`: it takes far longer than estimated. */
  state: 'stuck' | 'maybe-stuck' | 'slow' | 'limited' | 'waits' | 'free'
  processed: number | null
  succeeded: number | null
  refused: number | null
  cancelled: number | null
  failed: number | null
  inFlight: number | null
  parallelLimit: number | null
  rateLimit: number | null
  rateBurst: number | null
  factor: number | null
  meanProcessingSeconds: number | null
  estimatedProcessingSeconds: number | null
  meanWaitSeconds: number | null
  maxWaitSeconds: number | null
  says: string[]
  fix: string | null
}

// limits inflight

/** The in-flight limits of an API server. */
export interface InflightLimits extends LimitsEnvelope<'InflightLimits'> {
  /** Where the flags were read. */
  source: string
  serverVersion: string
  valid: boolean
  /** What the server prints as it refuses to start. */
  errors: string[]
  mode: 'APF' | 'MaxInFlight' | 'Unlimited' | 'Refused'
  maxRequestsInflight: number | null
  maxMutatingRequestsInflight: number | null
  fairness: boolean | null
  pools: { pool: 'all' | 'reads' | 'writes'; limit: number | null; unit: 'seats' | 'requests'; measured: boolean }[]
  facts: string[]
  advice: LimitAdvice[]
}
