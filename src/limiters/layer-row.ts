/** The shape of one row of the table of layers: how a layer is recognised, and what there is to say about it. */
import type { Attribution, Layer } from './attribution.ts'
import type { LogRecord } from './evidence/log-record.ts'
import type { StatusView } from './evidence/status-view.ts'

export interface LayerRow {
  layer: Layer
  /**
   * Texts of which one stands in whatever the fingerprints can recognise; at least `NEEDLE_BYTES` bytes of ASCII each. A
   * log is searched for them before any line of it is read.
   */
  needles: readonly string[]
  /** By reason. */
  reasons: Readonly<Record<string, ReasonText>>
  /** How the layer's own Status messages read. */
  messages?: readonly MessageFingerprint[]
  /** How the layer's own log records read. */
  lines?: readonly LineFingerprint[]
  /** Texts that tell wherever they stand in a line; asked after the lines of all layers. */
  sentences?: readonly LineFingerprint[]
}

/** Shorter needles would find too much, and slow the search down. */
export const NEEDLE_BYTES = 8

/** What there is to say about one reason of a layer. */
export interface ReasonText {
  /** What happened; a sentence without its full stop. */
  says: string
  /** What the evidence proves. */
  proves: string
  /** What it does not prove, though it looks so. */
  doesNotProve?: string
  /** True: a certain finding does prove it. */
  provedWhenCertain?: true
  /** What would settle a finding that is not certain. */
  settledBy?: string
  /** What to do, with exact flags and fields. */
  advice: string
  /** False: it looks like throttling, and is none. */
  throttles?: false
  /** A command line of ours that helps on, behind `kubectl apf`. */
  command?: string
}

export type MessageFingerprint = (message: string, status: StatusView) => Attribution | null

export type LineFingerprint = (record: LogRecord, messages: MessageReader) => Attribution | null

/** Attributes the message of a Status by the messages of all layers. */
export type MessageReader = (message: string, status?: Partial<StatusView>) => Attribution | null
