/**
 * Reads expositions of metrics, the Prometheus text format and OpenMetrics, as a stream in constant memory. Only lines of
 * wanted families are parsed: an API server of a large cluster answers with 50 MB, of which fairness is a few hundred kB.
 */

export interface Sample {
  name: string
  /** With escapes resolved. */
  labels: ReadonlyMap<string, string>
  /** NaN and infinities as the exposition says. */
  value: number
  /** Of the line, from 1. */
  line: number
}

/** A line of a wanted family that cannot be read. */
export interface MalformedLine {
  line: number
  why: string
}

export interface ExpositionReport {
  bytes: number
  lines: number
  /** Samples that were delivered. */
  samples: number
  /** The first of them; `malformedCount` has them all. */
  malformed: MalformedLine[]
  malformedCount: number
  /** What it is instead of an exposition; the samples are then worth nothing. */
  otherContent: OtherContent | null
  /** The last line has no end: the body was cut off, in a line of whatever family. That line is not delivered. */
  truncated: boolean
}

export type OtherContent = 'empty' | 'html' | 'json' | 'yaml' | 'gzip' | 'binary' | 'text'

/** Malformed lines that are reported with their place. */
const MAX_REPORTED = 10

/** No line of a metric comes near this. */
const MAX_LINE_BYTES = 1 << 20

const NEWLINE = 10
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf])

/**
 * Reads an exposition and delivers the samples whose name `wants` accepts, in order.
 *
 * @param wants     asked once for each name; gets the name as written, `_bucket` and the like included
 * @param onSample  gets a sample of its own each time
 */
export async function readExposition(
  chunks: AsyncIterable<Uint8Array>,
  wants: (name: string) => boolean,
  onSample: (sample: Sample) => void,
): Promise<ExpositionReport> {
  const reader = new ExpositionReader(wants, onSample)
  for await (const chunk of chunks) {
    reader.add(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength))
    if (reader.isOtherContent()) break
  }
  return reader.finish()
}

interface Name {
  bytes: Uint8Array
  wanted: boolean
}

const RECENT_NAMES = 3

class ExpositionReader {
  private readonly wants: (name: string) => boolean
  private readonly onSample: (sample: Sample) => void
  private readonly report: ExpositionReport = {
    bytes: 0,
    lines: 0,
    samples: 0,
    malformed: [],
    malformedCount: 0,
    otherContent: null,
    truncated: false,
  }
  /** The bytes of a line whose end has not come yet. */
  private rest: Buffer[] = []
  private restBytes = 0
  private readonly names = new Map<string, Name>()
  /** The names of the last lines: those of neighbours are mostly the same, or take turns as those of a histogram do. */
  private recent: Name[] = []
  private looksLikeMetrics = false

  constructor(wants: (name: string) => boolean, onSample: (sample: Sample) => void) {
    this.wants = wants
    this.onSample = onSample
  }

  isOtherContent(): boolean {
    return this.report.otherContent !== null
  }

  add(data: Buffer): void {
    if (data.length === 0) return
    if (this.report.bytes === 0) this.report.otherContent = otherContent(data)
    const chunk = this.report.bytes === 0 && BYTE_ORDER_MARK.equals(data.subarray(0, 3)) ? data.subarray(3) : data
    this.report.bytes += chunk.length
    const end = chunk.lastIndexOf(NEWLINE)
    if (end < 0) {
      this.keepRest(chunk)
      return
    }
    let start = 0
    if (this.restBytes > 0) {
      start = chunk.indexOf(NEWLINE) + 1
      this.keepRest(chunk.subarray(0, start))
      this.readLines(Buffer.concat(this.rest))
      this.rest = []
      this.restBytes = 0
    }
    this.readLines(chunk.subarray(start, end + 1))
    this.keepRest(chunk.subarray(end + 1))
  }

  finish(): ExpositionReport {
    const { report } = this
    if (report.bytes === 0) report.otherContent = 'empty'
    if (this.restBytes > 0 && report.otherContent === null) {
      // OpenMetrics may end without a line feed, but then surely with its mark.
      report.lines++
      report.truncated = Buffer.concat(this.rest).toString('latin1') !== '# EOF'
    }
    if (report.otherContent === null && !this.looksLikeMetrics) report.otherContent = 'text'
    return report
  }

  private keepRest(part: Buffer): void {
    if (part.length === 0) return
    this.restBytes += part.length
    // A view would keep the memory of the whole chunk.
    if (this.restBytes <= MAX_LINE_BYTES) this.rest.push(Buffer.from(part))
  }

  /** Reads lines that all have their ends. On bytes: only wanted lines are worth the making of a string. */
  private readLines(data: Buffer): void {
    for (let start = 0; start < data.length; ) {
      const stop = data.indexOf(NEWLINE, start)
      this.report.lines++
      if (this.isWanted(data, start, stop)) this.readSample(data.toString('utf8', start, stop))
      start = stop + 1
    }
  }

  private isWanted(data: Buffer, start: number, stop: number): boolean {
    for (const name of this.recent) {
      if (startsWith(data, start, name.bytes)) return name.wanted
    }
    let begin = start
    while (isBlank(data[begin] ?? 0)) begin++
    let end = begin
    while (end < stop && isNameCharacter(data[end] ?? 0)) end++
    if (end === begin) {
      this.looksLikeMetrics ||= data.toString('latin1', begin, begin + TYPE_COMMENT.length) === TYPE_COMMENT
      return false
    }
    const text = data.toString('latin1', begin, end)
    let name = this.names.get(text)
    if (name === undefined) {
      name = { bytes: Buffer.from(text), wanted: this.wants(text) }
      this.names.set(text, name)
      // Of unwanted names the first line is looked at: enough to notice that it is no exposition at all.
      if (!name.wanted) this.check(data.toString('utf8', begin, stop))
    }
    this.recent = [name, ...this.recent.slice(0, RECENT_NAMES - 1)]
    return name.wanted
  }

  private check(line: string): void {
    const sample = parseSample(line, this.report.lines)
    if ('why' in sample) this.count(sample)
    else this.looksLikeMetrics = true
  }

  private readSample(line: string): void {
    const { report } = this
    const sample = parseSample(line, report.lines)
    if ('why' in sample) {
      this.count(sample)
      return
    }
    this.looksLikeMetrics = true
    report.samples++
    this.onSample(sample)
  }

  private count(malformed: MalformedLine): void {
    this.report.malformedCount++
    if (this.report.malformed.length < MAX_REPORTED) this.report.malformed.push(malformed)
  }
}

const TYPE_COMMENT = '# TYPE '

/** Whether a line begins with that name, and not with a longer one. From behind, since names differ at their ends. */
function startsWith(data: Uint8Array, start: number, name: Uint8Array): boolean {
  if (isNameCharacter(data[start + name.length] ?? 0)) return false
  for (let at = name.length - 1; at >= 0; at--) {
    if (data[start + at] !== name[at]) return false
  }
  return true
}

/**
 * Reads one line that is a sample, of either format; what stands behind the value, a time stamp or an exemplar, is checked
 * as far as it could hide a damaged line, and not kept.
 */
export function parseSample(text: string, line: number): Sample | MalformedLine {
  const fault = (why: string): MalformedLine => ({ line, why })
  let at = skipBlanks(text, 0)
  const nameStart = at
  while (isNameCharacter(text.charCodeAt(at))) at++
  const name = text.slice(nameStart, at)
  if (name === '' || isDigit(name.charCodeAt(0))) return fault('does not begin with the name of a metric')
  at = skipBlanks(text, at)
  let labels = NO_LABELS
  if (text.charCodeAt(at) === BRACE_OPEN) {
    const read = readLabels(text, at + 1)
    if ('why' in read) return fault(read.why)
    labels = read.labels
    at = skipBlanks(text, read.end)
  }
  const [valueText, ...others] = text
    .slice(at)
    .trimEnd()
    .split(/[ \t]+/)
  const value = parseValue(valueText ?? '')
  if (value === null) return fault(valueText ? `${excerpt(valueText)} is not a number` : 'has no value')
  const [timestamp, hash] = others
  if (timestamp !== undefined && timestamp !== '#' && (parseValue(timestamp) === null || (hash ?? '#') !== '#')) {
    return fault(`has ${excerpt(others.join(' '))} behind its value`)
  }
  return { name, labels, value, line }
}

const NO_LABELS: ReadonlyMap<string, string> = new Map()

function readLabels(text: string, start: number): { labels: Map<string, string>; end: number } | { why: string } {
  const labels = new Map<string, string>()
  for (let at = skipBlanks(text, start); ; ) {
    if (text.charCodeAt(at) === BRACE_CLOSE) return { labels, end: at + 1 }
    const nameStart = at
    while (isNameCharacter(text.charCodeAt(at))) at++
    const name = text.slice(nameStart, at)
    at = skipBlanks(text, at)
    if (name === '' || text.charCodeAt(at) !== EQUALS) return { why: 'has labels that are not name="value"' }
    at = skipBlanks(text, at + 1)
    if (text.charCodeAt(at) !== QUOTE) return { why: `has a value of label ${name} without quotes` }
    const end = endOfQuoted(text, at + 1)
    if (end < 0) return { why: `has no closing quote for label ${name}` }
    if (labels.has(name)) return { why: `has label ${name} twice` }
    labels.set(name, unescaped(text.slice(at + 1, end)))
    at = skipBlanks(text, end + 1)
    if (text.charCodeAt(at) === COMMA) at = skipBlanks(text, at + 1)
    else if (text.charCodeAt(at) !== BRACE_CLOSE) return { why: `has no comma behind label ${name}` }
  }
}

/** Offset of the closing quote, or -1. */
function endOfQuoted(text: string, start: number): number {
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) return at
    if (code === BACKSLASH) at++
  }
  return -1
}

/** An unknown escape stands for itself, as Prometheus reads it. */
function unescaped(text: string): string {
  if (!text.includes('\\')) return text
  return text.replace(/\\([\\n"])/g, (_, escaped: string) => (escaped === 'n' ? '\n' : escaped))
}

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/

function parseValue(text: string): number | null {
  if (NUMBER.test(text)) return Number(text)
  const word = text.toLowerCase()
  if (word === 'nan') return Number.NaN
  if (/^[+-]?inf(inity)?$/.test(word)) return word.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
  return null
}

/** What the first bytes say that it is, if not an exposition. */
function otherContent(start: Buffer): OtherContent | null {
  if (start[0] === 0x1f && start[1] === 0x8b) return 'gzip'
  const head = start.subarray(0, HEAD_BYTES)
  if (head.includes(0)) return 'binary'
  const text = head
    .toString('latin1')
    .replace(/^\xef\xbb\xbf/, '')
    .trimStart()
  if (text.startsWith('<')) return 'html'
  if (/^(apiVersion|kind|---)/.test(text)) return 'yaml'
  // OpenMetrics with names in UTF-8 may begin with a brace and a quoted name, but never with a key.
  if (/^(\[|\{\s*(\}|"[^"\n]*"\s*:))/.test(text)) return 'json'
  return null
}

const HEAD_BYTES = 512
const MAX_EXCERPT = 40

function excerpt(text: string): string {
  return text.length > MAX_EXCERPT ? `${text.slice(0, MAX_EXCERPT)}…` : text
}

function skipBlanks(text: string, start: number): number {
  let at = start
  while (isBlank(text.charCodeAt(at))) at++
  return at
}

const QUOTE = 34
const COMMA = 44
const EQUALS = 61
const BACKSLASH = 92
const BRACE_OPEN = 123
const BRACE_CLOSE = 125

function isBlank(code: number): boolean {
  return code === 32 || code === 9
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57
}

function isNameCharacter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95 || code === 58 || isDigit(code)
}
