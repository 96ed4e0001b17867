/** The answer of `explain-429`, for other programs. */

/** Which limiter wrote what is in the input. */
export interface Attributions {
  apiVersion: 'apf.kubectl/v1alpha1'
  kind: 'Attributions'
  /** In the order of the input. A line without throttling gives no item. */
  items: AttributionItem[]
  summary: AttributionSummary
}

/** One line of `explain-429 -o jsonl`, and one item of the document. */
export interface AttributionItem {
  /** Null for standard input, and for parts of an answer that were given as flags. */
  file: string | null
  /** Of the first line of the evidence, from 1; null where it is no line, as the counters of a whole exposition. */
  line: number | null
  layer: string
  reason: string
  /** `certain`: no other layer says so; `high`: no other is plausible; `low`: there are several. */
  confidence: 'certain' | 'high' | 'low'
  /** Values read from the evidence; durations in seconds. Which there are depends on the layer and its evidence. */
  fields: { [name: string]: unknown }
  /** When it happened, as the evidence has it. */
  time: string | null
  /** Who was throttled: the user, the program, or the pod or unit that wrote the line; null where nothing tells. */
  client: string | null
  /** The evidence, cut and without credentials. */
  evidence: string
  proves: string
  /** What it does not prove, though it looks so. */
  doesNotProve: string | null
  /** What would settle a finding that is not certain. */
  settledBy: string | null
  advice: string
  /** A command that helps on, behind `kubectl apf`. */
  command: string | null
  /** Line of the answer that it says again in other words, and is counted with; null for what counts by itself. */
  repeats: number | null
  /** What a cluster or a recording adds; null without one, and where it adds nothing. */
  cluster: AttributionCluster | null
}

export interface AttributionCluster {
  /** Where the cluster's objects put the request, or put it by the UIDs in its answer. */
  flowSchema: string | null
  priorityLevel: string | null
  /** `uid`: by the headers of the answer; `name`: the evidence names them; `classified`: by the request. */
  by: 'uid' | 'name' | 'classified'
  /** The level now, on each API server that was read. */
  levels: AttributionLevel[]
  notes: string[]
}

export interface AttributionLevel {
  server: string
  nominal: number | null
  current: number | null
  executingSeats: number | null
  waitingRequests: number | null
  /** Since the process started. */
  rejected: number | null
}

export interface AttributionSummary {
  lines: number
  bytes: number
  /** Findings that are throttling, or a refusal that looks so; counters count as what they count. */
  throttled: number
  /** What is said again: an answer that kubectl reports, a wait that two loggers of a client write. In no count. */
  repeated: number
  /** Documents that could not be read. */
  malformed: number
  /** Lines too long to be read. */
  tooLong: number
  groups: AttributionGroup[]
  /** Most first. */
  clients: CountedName[]
  levels: CountedName[]
  overTime: { from: string; count: number }[]
}

export interface AttributionGroup {
  layer: string
  reason: string
  /** Of the surest finding. */
  confidence: 'certain' | 'high' | 'low'
  count: number
  first: string | null
  last: string | null
  example: AttributionItem
}

export interface CountedName {
  name: string
  count: number
}
