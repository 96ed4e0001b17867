/**
 * Searches a stream for the lines that matter. All others are counted and never become strings, so that a log of any size
 * is read in constant memory at the speed of the search.
 */

/** Offset of the next thing worth reading between two offsets; -1 without one. */
export type Find = (data: Uint8Array, from: number, to: number) => number

/**
 * Gets a line that is worth reading, or that was wanted.
 *
 * @param before  lines before it that are still in memory, the nearest first
 * @returns whether the next line is wanted, whatever stands in it
 */
export type OnLine = (text: string, line: number, before: () => Iterable<string>) => boolean

export interface ScanReport {
  bytes: number
  lines: number
  /** Lines too long to be kept; they were not searched. */
  tooLong: number
  /** NUL bytes were found: no text, or not of an encoding that we know. */
  isBinary: boolean
}

/** Longer lines are left out: a list of some ten thousand audit events on one line is shorter. */
export const MAX_LINE_BYTES = 16 << 20

/** What stays in memory of the lines that have been read, for `before`. */
const KEPT_BYTES = 16 << 10

const NEWLINE = 10

/** Reads a stream to its end; each line that matters goes to `onLine` in its order. */
export async function scanLines(chunks: AsyncIterable<Uint8Array>, find: Find, onLine: OnLine): Promise<ScanReport> {
  const scanner = new Scanner(find, onLine)
  for await (const chunk of chunks) scanner.add(chunk)
  return scanner.finish()
}

class Scanner {
  private readonly report: ScanReport = { bytes: 0, lines: 0, tooLong: 0, isBinary: false }
  private readonly find: Find
  private readonly onLine: OnLine
  private buffer = Buffer.allocUnsafe(1 << 18)
  /** Lines before this offset have been read, bytes behind `filled` are none. */
  private start = 0
  private filled = 0
  /** The rest of a line that is too long is passed over. */
  private skipsLine = false
  private wantsNext = false

  constructor(find: Find, onLine: OnLine) {
    this.find = find
    this.onLine = onLine
  }

  add(chunk: Uint8Array): void {
    if (chunk.length === 0) return
    this.report.isBinary ||= this.report.bytes === 0 && chunk.subarray(0, PROBE_BYTES).includes(0)
    this.report.bytes += chunk.length
    let data = chunk
    if (this.skipsLine) {
      const end = data.indexOf(NEWLINE)
      if (end < 0) return
      this.skipsLine = false
      this.report.lines++
      data = data.subarray(end + 1)
    }
    this.append(data)
    const end = this.buffer.subarray(this.start, this.filled).lastIndexOf(NEWLINE)
    if (end >= 0) this.readTo(this.start + end + 1)
    if (this.filled - this.start > MAX_LINE_BYTES) {
      this.report.tooLong++
      this.skipsLine = true
      this.filled = this.start
      this.wantsNext = false
    }
  }

  finish(): ScanReport {
    if (this.filled > this.start) {
      this.append(Uint8Array.of(NEWLINE))
      this.readTo(this.filled)
    } else if (this.skipsLine) this.report.lines++
    return this.report
  }

  private append(data: Uint8Array): void {
    const kept = Math.max(0, this.start - KEPT_BYTES)
    if (this.filled + data.length > this.buffer.length) {
      const needed = this.filled - kept + data.length
      const target =
        needed > this.buffer.length ? Buffer.allocUnsafe(Math.max(needed, 2 * this.buffer.length)) : this.buffer
      this.buffer.copy(target, 0, kept, this.filled)
      this.buffer = target
      this.start -= kept
      this.filled -= kept
    }
    this.buffer.set(data, this.filled)
    this.filled += data.length
  }

  /** Reads the lines up to an offset, which is that behind a line end. */
  private readTo(end: number): void {
    const { buffer } = this
    let at = this.start
    let nextNeedle = -1
    let nextOpening = -1
    while (at < end) {
      if (!this.wantsNext) {
        if (nextNeedle < at) nextNeedle = orEnd(this.find(buffer, at, end), end)
        if (nextOpening < at) nextOpening = openingIn(buffer, at, end)
        const hit = Math.min(nextNeedle, nextOpening)
        if (hit >= end) break
        const lineStart = buffer.lastIndexOf(NEWLINE, hit) + 1
        if (lineStart > at) {
          this.report.lines += countLines(buffer, at, lineStart)
          at = lineStart
        }
      }
      const stop = buffer.indexOf(NEWLINE, at)
      this.report.lines++
      const lineStart = at
      this.wantsNext = this.onLine(buffer.toString('utf8', at, stop), this.report.lines, () =>
        before(buffer, lineStart),
      )
      at = stop + 1
    }
    if (at < end) this.report.lines += countLines(buffer, at, end)
    this.start = end
  }
}

const PROBE_BYTES = 4096

function orEnd(offset: number, end: number): number {
  return offset < 0 ? end : offset
}

/** A line that ends with a brace may be the beginning of a document over many lines. */
const OPENING = Buffer.from('{\n')

function openingIn(buffer: Buffer, from: number, end: number): number {
  const found = buffer.subarray(0, end).indexOf(OPENING, from)
  return orEnd(found, end)
}

function countLines(buffer: Buffer, from: number, to: number): number {
  let count = 0
  for (let at = buffer.indexOf(NEWLINE, from); at >= 0 && at < to; at = buffer.indexOf(NEWLINE, at + 1)) count++
  return count
}

function* before(buffer: Buffer, lineStart: number): Generator<string> {
  for (let stop = lineStart - 1; stop > 0; ) {
    const start = buffer.lastIndexOf(NEWLINE, stop - 1) + 1
    yield buffer.toString('utf8', start, stop)
    stop = start - 1
  }
}
