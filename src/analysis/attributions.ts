/** What a log says about throttling: each finding with its words, and the account of all of them in constant memory. */
import type { Confidence, Fields, Layer } from '../limiters/attribution.ts'
import { type EvidenceOptions, EvidenceReader, type Piece } from '../limiters/evidence/evidence-reader.ts'
import { allNeedles } from '../limiters/evidence/needles.ts'
import { redact, redactFields } from '../limiters/evidence/redact.ts'
import { reasonText } from '../limiters/layers.ts'
import { parseSample } from '../metrics/exposition.ts'

/** One finding. Nothing in it holds a credential. */
export interface AttributedItem {
  /** Null for standard input and for single parts of an answer. */
  file: string | null
  /** From 1; null where the evidence is no line, as counters over a whole file. */
  line: number | null
  layer: Layer
  reason: string
  confidence: Confidence
  fields: Fields
  /** As the evidence has it. */
  time: string | null
  /** Who was throttled: the user, the program, or the pod or unit that wrote the line; null where nothing tells. */
  client: string | null
  /** The first words of the evidence. */
  evidence: string
  says: string
  proves: string
  doesNotProve: string | null
  settledBy: string | null
  advice: string
  /** Behind `kubectl apf`. */
  command: string | null
  /** Line of the finding that it says again; null: it counts. */
  repeats: number | null
}

/** Longer evidence is cut: event recorders print whole objects. */
const MAX_EVIDENCE = 400

/** What is searched for credentials before it is cut. */
const MAX_EXCERPT = 8192

/** Reads lines of logs and gives each finding; how the lines come is the caller's business. */
export class Attributor {
  private readonly needles = allNeedles()
  private readonly aggregatedApis: ReadonlySet<string> | null
  private readonly deliver: (item: AttributedItem) => void

  constructor(aggregatedApis: ReadonlySet<string> | null, deliver: (item: AttributedItem) => void) {
    this.aggregatedApis = aggregatedApis
    this.deliver = deliver
  }

  /** Offset of the next text that a fingerprint could recognise; -1 without one. */
  readonly find = (data: Uint8Array, from: number, to: number): number => this.needles.find(data, from, to)

  /** A reader for one file. */
  reader(file: string | null): EvidenceReader {
    const options: EvidenceOptions = {
      aggregatedApis: this.aggregatedApis,
      mayTell: (text) => this.needles.standIn(text),
      parseSample: (line) => {
        const sample = parseSample(line, 0)
        return 'why' in sample ? null : sample
      },
      deliver: (piece) => this.deliver(itemOf(piece, file)),
    }
    return new EvidenceReader(options)
  }
}

export function itemOf(
  { attribution, line, time, origin, excerpt, repeats }: Piece,
  file: string | null,
): AttributedItem {
  const { layer, reason, confidence, fields } = attribution
  const text = reasonText(layer, reason)
  const { says, proves, doesNotProve = null, settledBy = null, advice, command = null } = text
  const isProved = confidence === 'certain' && text.provedWhenCertain === true
  return {
    file,
    line: line === 0 ? null : line,
    layer,
    reason,
    confidence,
    fields: redactFields(fields),
    time,
    client: clientOf(fields) ?? origin,
    evidence: cut(redact(excerpt.slice(0, MAX_EXCERPT).trim())),
    says,
    proves,
    doesNotProve: isProved ? null : doesNotProve,
    settledBy: confidence === 'certain' ? null : settledBy,
    advice,
    command,
    repeats,
  }
}

function clientOf({ user, userAgent }: Fields): string | null {
  const name = user ?? userAgent
  return typeof name === 'string' && name !== '' ? redact(name) : null
}

function cut(text: string): string {
  return text.length > MAX_EVIDENCE ? `${text.slice(0, MAX_EVIDENCE)}…` : text
}

export interface Group {
  layer: Layer
  reason: string
  /** Of the surest finding. */
  confidence: Confidence
  count: number
  first: string | null
  last: string | null
  /** The surest finding, of several the first. */
  example: AttributedItem
}

export interface Account {
  /** Largest group first. */
  groups: Group[]
  findings: number
  /** Findings that are throttling, or a refusal that looks so. */
  throttled: number
  /** What is said again: an answer that kubectl reports, a wait that two loggers of a client write. In no count. */
  repeated: number
  /** Most first. */
  clients: Counted[]
  levels: Counted[]
  /** By minute, or by hour where there are too many minutes. */
  overTime: { from: string; count: number }[]
}

export interface Counted {
  name: string
  count: number
}

/** Different names that are counted; what comes beyond is counted together. */
const MAX_NAMES = 1000
const MAX_MINUTES = 1440
export const OTHERS = '(others)'

const SURENESS: Readonly<Record<Confidence, number>> = { certain: 2, high: 1, low: 0 }

/** Counts findings, and keeps one of each kind. */
export class Accountant {
  private readonly groups = new Map<string, Group>()
  private readonly clients = new Map<string, number>()
  private readonly levels = new Map<string, number>()
  private times = new Map<string, number>()
  private timeUnit: 'minute' | 'hour' = 'minute'
  private findings = 0
  private throttled = 0
  private repeated = 0

  add(item: AttributedItem): void {
    const { layer, reason, confidence, fields, time } = item
    if (item.repeats !== null) {
      this.repeated++
      return
    }
    const count = typeof fields['count'] === 'number' && layer !== 'unknown' && item.line === null ? fields['count'] : 1
    this.findings++
    if (isThrottling(item)) this.throttled += count
    const key = `${layer}/${reason}`
    const group = this.groups.get(key)
    if (group === undefined) {
      this.groups.set(key, { layer, reason, confidence, count, first: time, last: time, example: item })
    } else {
      group.count += count
      group.first ??= time
      group.last = time ?? group.last
      if (SURENESS[confidence] > SURENESS[group.confidence]) Object.assign(group, { confidence, example: item })
    }
    if (item.client !== null) bump(this.clients, item.client, count)
    const level = fields['priorityLevel']
    if (typeof level === 'string') bump(this.levels, level, count)
    if (time !== null) this.countTime(time, count)
  }

  account(): Account {
    return {
      groups: [...this.groups.values()].sort((a, b) => b.count - a.count),
      findings: this.findings,
      throttled: this.throttled,
      repeated: this.repeated,
      clients: sorted(this.clients),
      levels: sorted(this.levels),
      overTime: [...this.times].sort(([a], [b]) => (a < b ? -1 : 1)).map(([from, count]) => ({ from, count })),
    }
  }

  private countTime(time: string, count: number): void {
    const bucket = bucketOf(time, this.timeUnit)
    if (bucket === null) return
    this.times.set(bucket, (this.times.get(bucket) ?? 0) + count)
    if (this.times.size <= MAX_MINUTES) return
    if (this.timeUnit === 'hour') {
      this.times.delete(bucket)
      return
    }
    this.timeUnit = 'hour'
    const hours = new Map<string, number>()
    for (const [minute, found] of this.times) {
      const hour = bucketOf(minute, 'hour') ?? minute
      hours.set(hour, (hours.get(hour) ?? 0) + found)
    }
    this.times = hours
  }
}

function isThrottling({ layer, reason }: AttributedItem): boolean {
  return reasonText(layer, reason).throttles !== false
}

/** `2026-11-30T14:47` of an RFC 3339 time, `11-30 14:47` of klog's. */
function bucketOf(time: string, unit: 'minute' | 'hour'): string | null {
  const match = /^((?:\d{4}-\d\d-\d\d[T ]|\d\d-\d\d )\d\d)(:\d\d)/.exec(time)
  if (!match) return null
  return unit === 'minute' ? `${match[1]}${match[2]}` : `${match[1]}:00`
}

function bump(counts: Map<string, number>, name: string, by: number): void {
  const key = counts.has(name) || counts.size < MAX_NAMES ? name : OTHERS
  counts.set(key, (counts.get(key) ?? 0) + by)
}

function sorted(counts: ReadonlyMap<string, number>): Counted[] {
  return [...counts].map(([name, count]) => ({ name, count })).sort((a, b) => b.count - a.count)
}
