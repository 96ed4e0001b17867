/**
 * JSON manifests, one or several values in a row. `JSON.parse` makes the values; an own scan finds what it keeps to
 * itself: where a syntax error is, which keys stand twice, and, only when somebody asks, where a value is.
 */
import type { FieldPath, TextRange, WrittenField } from '../apf/problem.ts'
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
    let index: ChildIndex | null = null
    const children = (): ChildIndex => {
      index ??= childIndex(text)
      return index
    }
    documents.push({
      value: JSON.parse(text.slice(root, scan.end)),
      locate: (path) => source.positionAt(nearestChild(children(), root, path).start),
      writtenAt: (path) => writtenAt(text, children(), root, path),
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

/** Where a member or an item stands. */
interface Child {
  key: TextRange | null
  /** Offset of its value. */
  start: number
}

type Children = ReadonlyMap<string | number, Child>

/** Children of containers by their offset, each container scanned once when it is first asked for. */
type ChildIndex = (offset: number) => Children | null

function childIndex(text: string): ChildIndex {
  const known = new Map<number, Children>()
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

/** The child at a path, or the nearest one on the way; `depth` is how many steps of the path lead to it. */
function nearestChild(childrenOf: ChildIndex, root: number, path: FieldPath): Child & { depth: number } {
  let child: Child = { key: null, start: root }
  for (const [depth, step] of path.entries()) {
    const next = childrenOf(child.start)?.get(step)
    if (next === undefined) return { ...child, depth }
    child = next
  }
  return { ...child, depth: path.length }
}

function writtenAt(text: string, childrenOf: ChildIndex, root: number, path: FieldPath): WrittenField | undefined {
  const { key, start, depth } = nearestChild(childrenOf, root, path)
  if (depth < path.length) return undefined
  const end = valueEnd(text, start)
  return { key, value: { start, end }, text: text.slice(start, end) }
}

/** The values of an object in valid JSON; of a key that stands twice the last one. */
function members(text: string, open: number): Children {
  const children = new Map<string, Child>()
  let at = skipSpace(text, open + 1, text.length)
  while (text.charCodeAt(at) === 0x22) {
    const key = { start: at, end: skipString(text, at) }
    const start = skipSpace(text, skipSpace(text, key.end, text.length) + 1, text.length)
    children.set(stringContent(text, key.start, key.end), { key, start })
    at = nextSibling(text, start)
  }
  return children
}

function items(text: string, open: number): Children {
  const children = new Map<number, Child>()
  let at = skipSpace(text, open + 1, text.length)
  while (at < text.length && text.charCodeAt(at) !== 0x5d) {
    children.set(children.size, { key: null, start: at })
    at = nextSibling(text, at)
  }
  return children
}

/** The end of the value that starts at an offset. */
function valueEnd(text: string, start: number): number {
  let depth = 0
  for (let at = start; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === 0x22) {
      at = skipString(text, at) - 1
      if (depth === 0) return at + 1
    } else if (unit === 0x7b || unit === 0x5b) depth++
    else if (unit === 0x7d || unit === 0x5d) {
      if (depth === 0) return at
      if (--depth === 0) return at + 1
    } else if (depth === 0 && (unit === 0x2c || skipSpace(text, at, at + 1) > at)) return at
  }
  return text.length
}

/** From the start of a value to the next one behind its comma, or to the closing bracket. */
function nextSibling(text: string, start: number): number {
  const at = skipSpace(text, valueEnd(text, start), text.length)
  return text.charCodeAt(at) === 0x2c ? skipSpace(text, at + 1, text.length) : at
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
