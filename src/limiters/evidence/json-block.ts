/** A JSON document over many lines, as `kubectl -o json` and `kubectl -v=8` print it. */

/** Longer ones are no Status, no audit event and no Event. */
const MAX_CHARACTERS = 1 << 20

/** Whether a line opens an object that goes on in the next one. */
export function opensJson(line: string): boolean {
  return /(?:^|[\s[:])\{\s*$/.test(line) && !/["\]]\s*:\s*\{\s*$/.test(line)
}

/** The list of a List: each of its items is a document of its own, so that long lists need no memory. */
const ITEMS = /^\s*"items"\s*:\s*\[\s*$/

const MEMBER = /^\s*"(?:[^"\\]|\\.)*"\s*:/
const PART = /^\s*(?:["{}[\]]|-?\d|true|false|null)/

export class JsonBlock {
  readonly line: number
  /** The line that opens it, with what stands in front. */
  readonly first: string
  readonly lines: string[]
  private readonly parts: string[]
  private depth = 0
  private characters = 0
  private isJson = true
  private isComplete = false

  constructor(first: string, line: number) {
    this.line = line
    this.first = first
    this.lines = [first]
    const start = first.search(/\[?\s*\{\s*$/)
    const part = first.slice(start)
    this.parts = [part]
    this.depth = bracketsIn(part)
  }

  /**
   * The document that a line stands in the middle of: what carries it may hide its first line from a search.
   *
   * @param before  the lines before it, the nearest first
   * @returns null where it stands in none
   */
  static around(text: string, line: number, before: Iterable<string>): JsonBlock | null {
    if (!MEMBER.test(text)) return null
    const above = linesAbove(before)
    const [first, ...rest] = above
    if (first === undefined) return null
    const block = new JsonBlock(first, line - above.length)
    return [...rest, text].every((each) => block.add(each) === 'more') ? block : null
  }

  /** `more`: the line belongs to the document, which goes on; `done`: it was the last; `other`: it does not belong to it. */
  add(line: string): 'more' | 'done' | 'other' {
    if (this.depth === 1 && ITEMS.test(line)) {
      this.lines.length = 0
      this.parts.length = 0
      return 'done'
    }
    if (!PART.test(line)) {
      if (this.parts.length === 1) this.isJson = false
      return 'other'
    }
    this.characters += line.length
    if (this.characters > MAX_CHARACTERS) return 'other'
    if (this.lines.length < 2) this.lines.push(line)
    this.parts.push(line)
    this.depth += bracketsIn(line)
    if (this.depth > 0) return 'more'
    // Behind the last bracket may stand a comma, or the end of what the document was printed into.
    const last = line.search(/[}\]][^}\]]*$/)
    this.parts[this.parts.length - 1] = line.slice(0, last + 1)
    this.isComplete = true
    return 'done'
  }

  /** Null: it is no JSON after all. A document that is cut off is given as it stands. */
  text(): string | null {
    if (this.parts.length === 0) return ''
    return this.isJson || this.isComplete ? this.parts.join('\n') : null
  }
}

/** From the line that opens the outermost document around what follows, in order; empty without one. */
function linesAbove(before: Iterable<string>): string[] {
  const lines: string[] = []
  let unclosed = 0
  let outermost = 0
  let count = 0
  for (const line of before) {
    if (ITEMS.test(line) || !(PART.test(line) || opensJson(line))) break
    lines.push(line)
    unclosed += bracketsIn(line)
    if (unclosed > outermost && opensJson(line)) {
      outermost = unclosed
      count = lines.length
    }
  }
  return lines.slice(0, count).reverse()
}

/** How much deeper the line ends than it starts; brackets in strings do not count. */
function bracketsIn(line: string): number {
  let depth = 0
  for (const { step } of brackets(line)) depth += step
  return depth
}

/** Offset behind the bracket that closes the one a text starts with; its length where none does. */
export function closingOf(text: string): number {
  let depth = 0
  for (const { at, step } of brackets(text)) {
    depth += step
    if (depth === 0) return at + 1
  }
  return text.length
}

function* brackets(text: string): Generator<{ at: number; step: 1 | -1 }> {
  let isString = false
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (character === '\\') at++
    else if (character === '"') isString = !isString
    else if (!isString && (character === '{' || character === '[')) yield { at, step: 1 }
    else if (!isString && (character === '}' || character === ']')) yield { at, step: -1 }
  }
}
