/**
 * Finds which parts of a log are worth reading: one pass over its bytes for all texts at once (Wu and Manber's search with
 * blocks of three bytes), which skips several bytes for each that it looks at.
 */
import { NEEDLE_BYTES } from '../layer-row.ts'
import { LAYER_ROWS } from '../layers.ts'
import { METRIC_NEEDLES } from './metrics.ts'

/** What stands in documents and answers, whatever layer they are of. */
const DOCUMENT_NEEDLES: readonly string[] = [
  ...['"code":429', '"code": 429', 'code\\":429', 'code\\": 429', 'resp=429', '"resp":429'],
  ...['"status":429', '"status": 429', '"statusCode":429', '"statusCode": 429'],
  ...['"reason":"Expired"', '"reason": "Expired"', 'TooManyRequests', 'Error from server'],
  ...['HTTP/1.1 4', 'HTTP/1.1 5', 'HTTP/1.0 4', 'HTTP/1.0 5', 'HTTP/2 4', 'HTTP/2 5', 'HTTP/2.0 4', 'HTTP/2.0 5'],
  ...['Response Status: 4', 'Response Status: 5', 'status="4', 'status="5'],
  // The journal writes a message that is not UTF-8, or has colours, as numbers.
  ...['"MESSAGE":[', '"MESSAGE" : [', '[graceful-termination] shutdown event'],
]

/** Blocks of three bytes share the places of a table of this size. */
const PLACES = 1 << 16

function place(first: number, second: number, third: number): number {
  return ((first << 11) ^ (second << 6) ^ third) & (PLACES - 1)
}

export class Needles {
  /** How far the search may move on behind a block: no needle's head has it nearer to its end. */
  private readonly shifts = new Uint8Array(PLACES).fill(NEEDLE_BYTES - 2)
  /** Needles by the last block of their heads. */
  private readonly buckets = new Map<number, Uint8Array[]>()

  constructor(texts: readonly string[]) {
    for (const text of new Set(texts)) this.addNeedle(new TextEncoder().encode(text))
  }

  /** Offset of the first needle that starts at or behind `from` and ends before `to`; -1 without one. */
  find(data: Uint8Array, from: number, to: number): number {
    const { shifts } = this
    for (let end = from + NEEDLE_BYTES - 1; end < to; ) {
      const at = place(data[end - 2] ?? 0, data[end - 1] ?? 0, data[end] ?? 0)
      const shift = shifts[at] ?? 0
      if (shift > 0) {
        end += shift
        continue
      }
      const start = end - NEEDLE_BYTES + 1
      for (const needle of this.buckets.get(at) ?? []) {
        if (start + needle.length <= to && standsAt(data, start, needle)) return start
      }
      end++
    }
    return -1
  }

  standIn(text: string): boolean {
    const bytes = new TextEncoder().encode(text)
    return this.find(bytes, 0, bytes.length) >= 0
  }

  private addNeedle(needle: Uint8Array): void {
    if (needle.length < NEEDLE_BYTES) throw new Error(`needle of ${needle.length} bytes`)
    for (let end = 2; end < NEEDLE_BYTES; end++) {
      const at = place(needle[end - 2] ?? 0, needle[end - 1] ?? 0, needle[end] ?? 0)
      this.shifts[at] = Math.min(this.shifts[at] ?? 0, NEEDLE_BYTES - 1 - end)
      if (end === NEEDLE_BYTES - 1) this.buckets.set(at, [...(this.buckets.get(at) ?? []), needle])
    }
  }
}

function standsAt(data: Uint8Array, start: number, needle: Uint8Array): boolean {
  for (let at = 0; at < needle.length; at++) if (data[start + at] !== needle[at]) return false
  return true
}

/** Those of all layers. */
export function allNeedles(): Needles {
  return new Needles([...LAYER_ROWS.flatMap(({ needles }) => needles), ...DOCUMENT_NEEDLES, ...METRIC_NEEDLES])
}
