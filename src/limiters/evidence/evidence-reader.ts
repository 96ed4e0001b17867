/**
 * Puts lines together to pieces of evidence: an answer over HTTP with its headers and body, as `curl -i`, `curl -v` and
 * `kubectl -v=8` print it, a document over many lines, or a line by itself.
 */
import type { Attribution } from '../attribution.ts'
import { parseJson } from '../plain-data.ts'
import { attributeAnswer } from './answer.ts'
import { attributeDocument, attributeText, attributeTruncated, type Found } from './document.ts'
import { HttpAnswer } from './http-answer.ts'
import { attributeHttpLog } from './http-log.ts'
import { JsonBlock, opensJson } from './json-block.ts'
import { type LogRecord, readRecord, unwrapped } from './log-record.ts'
import { type CounterSample, Counters, isCounterLine } from './metrics.ts'
import { PartialLine } from './partial-line.ts'

export interface Piece extends Found {
  /** Of its first line, from 1. */
  line: number
  /** The first line, or what tells most of it. */
  excerpt: string
  /** Line of the answer that it says again in other words: one call, and counted once. Null: it is the first word. */
  repeats: number | null
}

export interface EvidenceOptions {
  /** `GROUP/VERSION` of the aggregated APIs, where a cluster tells. */
  aggregatedApis: ReadonlySet<string> | null
  /** Whether a text has anything that a fingerprint could recognise. */
  mayTell(text: string): boolean
  /** Reads one line of an exposition; null where it is none. */
  parseSample(line: string): CounterSample | null
  deliver(piece: Piece): void
}

/** Lines behind an answer in which kubectl prints what it makes of it. */
const ECHO_REACH = 80
/** How kubectl says the end of a call. */
const LAST_WORDS = /^(?:error|Error from server)\b|server response object/
/** Where they stand in a line; a line may hold a list of megabytes, and is asked for each finding in it. */
const LAST_WORDS_REACH = 500
/** Where a line of a log was written, as klog has it. */
const SOURCE_LINE = /\w+\.go:\d+/
/** Layers of what is left of an answer without its headers. */
const WITHOUT_HEADERS: readonly string[] = ['apf-or-max-inflight', 'server-429-unattributed']

/** Processes that are going down are few. */
const MAX_TERMINATING = 64

export class EvidenceReader {
  /** Documents that end before they are complete. */
  malformed = 0
  private readonly options: EvidenceOptions
  private readonly counters = new Counters()
  private readonly terminating = new Set<string>()
  private partial: PartialLine | null = null
  private open: HttpAnswer | JsonBlock | null = null
  private lastWait: { line: number; waitSeconds: unknown; url: unknown; source: string | undefined } | null = null
  /** What kubectl may say again; of an answer without headers its next words may tell more. */
  private lastAnswer: { line: number; layer: string; hasHeaders: boolean } | null = null

  constructor(options: EvidenceOptions) {
    this.options = options
  }

  /**
   * Reads a line.
   *
   * @param before  the lines before it that are still in memory, the nearest first
   * @returns whether the next line is wanted, whatever stands in it
   */
  readLine(text: string, line: number, before: () => Iterable<string>): boolean {
    if (this.partial !== null) {
      const added = this.partial.add(text)
      if (added === 'more') return true
      if (added === 'other') {
        this.readWhole(text, line, before)
        return true
      }
      const { line: first } = this.partial
      this.partial = null
      return this.readWhole(added.whole, first, before)
    }
    this.partial = PartialLine.start(text, line, before)
    return this.partial !== null || this.readWhole(text, line, before)
  }

  private readWhole(text: string, line: number, before: () => Iterable<string>): boolean {
    const content = unwrapped(text)
    if (this.open !== null) {
      const state = this.open.add(content)
      if (state === 'more') return true
      this.close()
      if (state === 'done') return false
    }
    this.open = HttpAnswer.start(text, line, before) ?? blockAt(content, line, before)
    if (this.open !== null) return true
    this.readAlone(text, line)
    return false
  }

  /** The input has ended. */
  end(): void {
    if (this.partial !== null) this.readWhole(this.partial.whole(), this.partial.line, () => [])
    this.partial = null
    this.close()
    this.terminating.clear()
    for (const found of this.counters.attributions()) {
      this.options.deliver({ attribution: found, time: null, origin: null, line: 0, excerpt: 'metrics', repeats: null })
    }
  }

  private readAlone(text: string, line: number): void {
    if (isCounterLine(text)) {
      const sample = this.options.parseSample(text)
      if (sample) this.counters.add(sample)
      return
    }
    const found = attributeText(text, (record) => this.attributeHttpLine(record))
    for (const each of found) this.deliver(each, line, text, text)
    if (found.length === 0) this.noteTermination(text)
    if (/^\s*(?:\{"|\[\{)/.test(text) && parseJson(text) === undefined) this.malformed++
  }

  private close(): void {
    const { open } = this
    this.open = null
    if (open instanceof HttpAnswer) this.readAnswer(open)
    else if (open instanceof JsonBlock) this.readBlock(open)
  }

  private readAnswer(open: HttpAnswer): void {
    const found = attributeAnswer({ ...open.answer(), aggregatedApis: this.options.aggregatedApis })
    if (found === null) return
    this.lastAnswer = { line: open.line, layer: found.layer, hasHeaders: open.hasHeaders() }
    this.options.deliver({
      attribution: found,
      time: open.time,
      origin: null,
      line: open.line,
      excerpt: open.excerpt(),
      repeats: null,
    })
  }

  private readBlock(open: JsonBlock): void {
    const text = open.text()
    if (text === null) {
      // It only looked like one: its lines stand for themselves.
      for (const [index, each] of open.lines.entries()) this.readAlone(each, open.line + index)
      return
    }
    if (!this.options.mayTell(text)) return
    const value = parseJson(text)
    if (value === undefined) this.malformed++
    const found = value === undefined ? byTruncated(text) : attributeDocument(value)
    for (const each of found) this.deliver(each, open.line, condensed(text), open.first)
  }

  /** @param whole  the line that shows whether kubectl says again what it has shown before */
  private deliver(found: Found, line: number, excerpt: string, whole: string): void {
    const said = whole.slice(0, LAST_WORDS_REACH)
    const repeats = this.repeatedWait(found, line, said) ?? this.repeatedAnswer(found, line, said)
    if (repeats === null) this.noteAnswer(found.attribution, line, said)
    this.options.deliver({ ...found, line, excerpt: found.excerpt ?? excerpt, repeats })
  }

  /** From -v=3 on two loggers of client-go write the same wait, one after the other, each from a line of its own. */
  private repeatedWait({ attribution: { layer, reason, fields } }: Found, line: number, said: string): number | null {
    if (layer !== 'client-rate-limiter' || reason !== 'wait') return null
    const { waitSeconds, url } = fields
    const source = SOURCE_LINE.exec(said)?.[0]
    const { lastWait } = this
    const isOther = source === undefined || source !== lastWait?.source
    const isSame = isOther && waitSeconds === lastWait?.waitSeconds && url === lastWait?.url
    this.lastWait = isSame ? null : { line, waitSeconds, url, source }
    return isSame && lastWait !== null ? lastWait.line : null
  }

  private repeatedAnswer({ attribution: { layer } }: Found, line: number, said: string): number | null {
    const { lastAnswer } = this
    if (lastAnswer === null || line - lastAnswer.line > ECHO_REACH || !LAST_WORDS.test(said)) return null
    if (layer !== lastAnswer.layer && !(lastAnswer.hasHeaders && WITHOUT_HEADERS.includes(layer))) return null
    // The error is the last word of a call.
    if (/^(?:error|Error)/.test(said)) this.lastAnswer = null
    return lastAnswer.line
  }

  /** An answer that kubectl shows by its status, or by what it has made of it; its last words are still to come. */
  private noteAnswer({ layer, fields }: Attribution, line: number, said: string): void {
    const isStatus = layer === 'server-429-unattributed' && fields['code'] === 429 && fields['url'] !== undefined
    const isObject = said.includes('server response object')
    if (isStatus || isObject) this.lastAnswer = { line, layer, hasHeaders: isObject }
  }

  private attributeHttpLine(record: LogRecord): Attribution | null {
    const isTerminating = record.process !== null && this.terminating.has(record.process)
    return attributeHttpLog(record, isTerminating, this.options.aggregatedApis)
  }

  /** From then on a server that runs with --shutdown-send-retry-after answers 429 to everything. */
  private noteTermination(text: string): void {
    if (!text.includes('[graceful-termination] shutdown event')) return
    const { process, fields } = readRecord(text)
    if (process === null || fields.get('name') !== 'AfterShutdownDelayDuration') return
    if (this.terminating.size < MAX_TERMINATING) this.terminating.add(process)
  }
}

/** The document over many lines that a line opens, or stands in. */
function blockAt(content: string, line: number, before: () => Iterable<string>): JsonBlock | null {
  return opensJson(content) ? new JsonBlock(content, line) : JsonBlock.around(content, line, unwrappedLines(before()))
}

function* unwrappedLines(lines: Iterable<string>): Generator<string> {
  for (const line of lines) yield unwrapped(line)
}

function byTruncated(text: string): Found[] {
  const found = attributeTruncated(text)
  return found ? [{ attribution: found, time: null, origin: null }] : []
}

/** On one line, without the indentation. */
function condensed(text: string): string {
  return text.replace(/\s*\n\s*/g, ' ')
}
