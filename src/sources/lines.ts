/** Lines of a stream in constant memory, many at a time. */
import { isUtf8 } from 'node:buffer'

/** One line without its end. `problem` says why it cannot be read; then `text` is ''. */
export interface Line {
  /** Counts from 1, blank lines included. */
  number: number
  text: string
  problem: string | null
}

/** Longer lines are not kept: no request line comes near this. */
export const MAX_LINE_BYTES = 1 << 20

const NEWLINE = 10
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf]

/**
 * The lines of a stream, as arrays that end where a chunk ends. Lines end with LF or CRLF; blank ones are left out. A line
 * that is too long or not UTF-8 is delivered with its problem.
 */
export async function* readLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Line[]> {
  const rest = new UnfinishedLine()
  let number = 1
  let atStart = true
  for await (const chunk of chunks) {
    let data = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    if (atStart) {
      atStart = data.length === 0
      if (BYTE_ORDER_MARK.every((byte, i) => data[i] === byte)) data = data.subarray(BYTE_ORDER_MARK.length)
    }
    const end = data.lastIndexOf(NEWLINE)
    if (end < 0) {
      rest.add(data)
      continue
    }
    const lines: Line[] = []
    let start = 0
    if (!rest.isEmpty()) {
      start = data.indexOf(NEWLINE) + 1
      rest.add(data.subarray(0, start - 1))
      push(lines, rest.take(number++))
    }
    number = readWhole(data.subarray(start, end + 1), number, lines)
    rest.add(data.subarray(end + 1))
    yield lines
  }
  if (!rest.isEmpty()) {
    const lines: Line[] = []
    push(lines, rest.take(number))
    yield lines
  }
}

/** Reads lines that all have their ends; returns the number of the line behind them. */
function readWhole(data: Buffer, first: number, lines: Line[]): number {
  let number = first
  if (isUtf8(data) && data.length <= MAX_LINE_BYTES) {
    // One string for all of them: a string of its own for each line costs more than to parse it.
    const text = data.toString('utf8')
    for (let start = 0; start < text.length; number++) {
      const stop = text.indexOf('\n', start)
      push(lines, { number, text: text.slice(start, stop), problem: null })
      start = stop + 1
    }
    return number
  }
  for (let start = 0; start < data.length; number++) {
    const stop = data.indexOf(NEWLINE, start)
    push(lines, line(data.subarray(start, stop), number))
    start = stop + 1
  }
  return number
}

/** The bytes of a line whose end has not come yet; no more than the bound is kept. */
class UnfinishedLine {
  private parts: Buffer[] = []
  private length = 0

  isEmpty(): boolean {
    return this.length === 0
  }

  add(part: Buffer): void {
    if (part.length === 0) return
    // The chunk's memory is reused by streams, and a view would keep all of it.
    if (this.length <= MAX_LINE_BYTES) this.parts.push(Buffer.from(part))
    this.length += part.length
  }

  take(number: number): Line {
    const whole = this.length > MAX_LINE_BYTES ? tooLong(number, this.length) : line(Buffer.concat(this.parts), number)
    this.parts = []
    this.length = 0
    return whole
  }
}

function line(data: Buffer, number: number): Line {
  if (data.length > MAX_LINE_BYTES) return tooLong(number, data.length)
  if (!isUtf8(data)) return { number, text: '', problem: 'not UTF-8' }
  return { number, text: data.toString('utf8'), problem: null }
}

function tooLong(number: number, length: number): Line {
  return { number, text: '', problem: `${length} bytes long, more than ${MAX_LINE_BYTES}` }
}

/** JSON allows the CR of a CRLF around a value, so it stays. */
function push(lines: Line[], read: Line): void {
  if (read.problem !== null || read.text.startsWith('{') || /\S/.test(read.text)) lines.push(read)
}
