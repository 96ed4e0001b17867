/**
 * JSON manifests, one or several values in a row. `JSON.parse` makes the values; an own scan finds what it keeps to
 * itself: where a syntax error is, which keys stand twice, and, only when somebody asks, where a value is.
 */
import type { FieldPath } from '../apf/problem.ts'
import { excerpt, MAX_DEPTH, type SourceDocument, type SourceText, type SyntaxFault } from './source-text.ts'

/** Code of the fault that no other reader of the text would mend. */
export const TOO_DEEP = 'too-deep'

/** Reads `source.text` from `start` to `end` as JSON values with nothing but white space between them. */
export function readJson(
  source: SourceText,
  start: number,
  end: number,
): { documents: SourceDocument[] } | { fault: SyntaxFault } {
  const { text } = source
  const documents: SourceDocument[] = []
  for (let at = skipSpace(text, start, end); at < end; ) {
    const scan = scanValue(text, at, end)
    if ('fault' in scan) return { fault: scan.fault }
    const root = at
    let children: ChildIndex | null = null
    documents.push({
      value: JSON.parse(text.slice(root, scan.end)),
      locate(path) {
        children ??= childIndex(text)
        return source.positionAt(offsetOf(children, root, path))
      },
      duplicateKeys: scan.duplicates.map(({ path, offset, first }) => ({
        path,
        at: source.positionAt(offset),
        first: source.positionAt(first),
      })),
    })
    at = skipSpace(text, scan.end, end)
  }
  return { documents }
}

interface DuplicateOffset {
  path: FieldPath
  offset: number
  first: number
}

/** Checks one value and finds its end. */
function scanValue(
  text: string,
  start: number,
  end: number,
): { end: number; duplicates: DuplicateOffset[] } | { fault: SyntaxFault } {
  const duplicates: DuplicateOffset[] = []
  const path: (string | number)[] = []
  let fault: SyntaxFault | null = null

  /** All scanners give the offset behind what they read, or -1 after recording the fault. */
  const fail = (offset: number, expected: string): -1 => {
    fault ??= jsonFault(text, offset, end, expected)
    return -1
  }

  const failTooDeep = (offset: number): -1 => {
    fault ??= { offset, code: TOO_DEEP, message: `nested more than ${MAX_DEPTH} levels deep` }
    return -1
  }

  const value = (at: number, depth: number): number => {
    if (at >= end) return fail(at, 'a value')
    switch (text.charCodeAt(at)) {
      case 0x7b:
        return object(at, depth)
      case 0x5b:
        return array(at, depth)
      case 0x22:
        return string(at)
      case 0x74:
        return word(at, 'true')
      case 0x66:
        return word(at, 'false')
      case 0x6e:
        return word(at, 'null')
      default:
        return number(at)
    }
  }

  /** The path of its members ends at `depth`. */
  const object = (open: number, depth: number): number => {
    if (depth >= MAX_DEPTH) return failTooDeep(open)
    let at = skipSpace(text, open + 1, end)
    if (text.charCodeAt(at) === 0x7d && at < end) return at + 1
    const keys = new Map<string, number>()
    while (true) {
      if (text.charCodeAt(at) !== 0x22 || at >= end) return fail(at, 'a key in double quotes')
      const keyStart = at
      at = string(at)
      if (at < 0) return -1
      const key = stringContent(text, keyStart, at)
      path[depth] = key
      const first = keys.get(key)
      if (first === undefined) keys.set(key, keyStart)
      else duplicates.push({ path: path.slice(0, depth + 1), offset: keyStart, first })
      at = skipSpace(text, at, end)
      if (text.charCodeAt(at) !== 0x3a || at >= end) return fail(at, '":" after the key')
      at = value(skipSpace(text, at + 1, end), depth + 1)
      if (at < 0) return -1
      at = skipSpace(text, at, end)
      const next = at < end ? text.charCodeAt(at) : 0
      if (next === 0x7d) return at + 1
      if (next !== 0x2c) return fail(at, '"," or "}"')
      at = skipSpace(text, at + 1, end)
    }
  }

  const array = (open: number, depth: number): number => {
    if (depth >= MAX_DEPTH) return failTooDeep(open)
    let at = skipSpace(text, open + 1, end)
    if (text.charCodeAt(at) === 0x5d && at < end) return at + 1
    for (let index = 0; ; index++) {
      path[depth] = index
      at = value(at, depth + 1)
      if (at < 0) return -1
      at = skipSpace(text, at, end)
      const next = at < end ? text.charCodeAt(at) : 0
      if (next === 0x5d) return at + 1
      if (next !== 0x2c) return fail(at, '"," or "]"')
      at = skipSpace(text, at + 1, end)
    }
  }

  const string = (open: number): number => {
    for (let at = open + 1; at < end; at++) {
      const unit = text.charCodeAt(at)
      if (unit === 0x22) return at + 1
      if (unit < 0x20) return fail(at, 'a closing quote')
      if (unit === 0x5c) {
        const escaped = text.charAt(at + 1)
        if (escaped === 'u') {
          if (!/^[0-9a-fA-F]{4}$/.test(text.slice(at + 2, at + 6))) return fail(at, 'four hexadecimal digits after \\u')
          at += 5
        } else if ('"\\/bfnrt'.includes(escaped) && escaped !== '') at++
        else return fail(at, 'an escape of JSON')
      }
    }
    return fail(end, 'a closing quote')
  }

  const word = (at: number, expected: string): number =>
    text.startsWith(expected, at) && at + expected.length <= end ? at + expected.length : fail(at, 'a value')

  const number = (at: number): number => {
    NUMBER.lastIndex = at
    const match = NUMBER.exec(text)
    return match ? at + match[0].length : fail(at, 'a value')
  }

  const scanned = value(start, 0)
  return fault ? { fault } : { end: scanned, duplicates }
}

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?/y

function jsonFault(text: string, offset: number, end: number, expected: string): SyntaxFault {
  const found = offset >= end ? 'the end' : excerpt(text.slice(offset, Math.min(end, offset + 200)), 20)
  return { offset, code: 'syntax', message: `not valid JSON: found ${found || 'a line break'}, expected ${expected}` }
}

/** Children of containers by their offset, each container scanned once when it is first asked for. */
type ChildIndex = (offset: number) => ReadonlyMap<string | number, number> | null

function childIndex(text: string): ChildIndex {
  const known = new Map<number, ReadonlyMap<string | number, number>>()
  return (offset) => {
    const first = text.charCodeAt(offset)
    if (first !== 0x7b && first !== 0x5b) return null
    let children = known.get(offset)
    if (!children) {
      children = first === 0x7b ? members(text, offset) : items(text, offset)
      known.set(offset, children)
    }
    return children
  }
}

function offsetOf(childrenOf: ChildIndex, root: number, path: FieldPath): number {
  let offset = root
  for (const step of path) {
    const child = childrenOf(offset)?.get(step)
    if (child === undefined) break
    offset = child
  }
  return offset
}

/** Offsets of the values of an object in valid JSON; of a key that stands twice the last one. */
function members(text: string, open: number): Map<string, number> {
  const offsets = new Map<string, number>()
  let at = skipSpace(text, open + 1, text.length)
  while (text.charCodeAt(at) === 0x22) {
    const keyEnd = skipString(text, at)
    const key = stringContent(text, at, keyEnd)
    at = skipSpace(text, skipSpace(text, keyEnd, text.length) + 1, text.length)
    offsets.set(key, at)
    at = nextSibling(text, at)
  }
  return offsets
}

function items(text: string, open: number): Map<number, number> {
  const offsets = new Map<number, number>()
  let at = skipSpace(text, open + 1, text.length)
  while (at < text.length && text.charCodeAt(at) !== 0x5d) {
    offsets.set(offsets.size, at)
    at = nextSibling(text, at)
  }
  return offsets
}

/** From the start of a value to what follows its comma, or to the closing bracket. */
function nextSibling(text: string, at: number): number {
  let depth = 0
  for (let i = at; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit === 0x22) i = skipString(text, i) - 1
    else if (unit === 0x7b || unit === 0x5b) depth++
    else if (unit === 0x7d || unit === 0x5d) {
      if (depth === 0) return i
      depth--
    } else if (unit === 0x2c && depth === 0) return skipSpace(text, i + 1, text.length)
  }
  return text.length
}

function skipString(text: string, open: number): number {
  for (let at = open + 1; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === 0x22) return at + 1
    if (unit === 0x5c) at++
  }
  return text.length
}

function stringContent(text: string, open: number, end: number): string {
  const raw = text.slice(open + 1, end - 1)
  return raw.includes('\\') ? String(JSON.parse(`"${raw}"`)) : raw
}

function skipSpace(text: string, from: number, end: number): number {
  let at = from
  while (at < end) {
    const unit = text.charCodeAt(at)
    if (unit !== 0x20 && unit !== 0x0a && unit !== 0x0d && unit !== 0x09) break
    at++
  }
  return at
}
