/** The text of one input with its name, and the documents that readers make of it. */
import type { FieldPath, Place, Problem, WrittenField } from '../apf/problem.ts'

/** Lines and columns count from 1; columns are UTF-16 units. */
export interface Position {
  line: number
  column: number
}

export interface SourceText {
  /** As given by the user; `<stdin>` for standard input. */
  file: string
  text: string
  positionAt(offset: number): Position
}

/** One document of an input, as the JSON value that kubectl would send. */
export interface SourceDocument {
  value: unknown
  /** Place of the value at a path, or of the nearest enclosing value that exists. */
  locate(path: FieldPath): Position
  /** Where the value at a path is written, undefined if there is none. */
  writtenAt(path: FieldPath): WrittenField | undefined
  /** In reading order. */
  duplicateKeys: DuplicateKey[]
}

/** A key that its object has already: as in kubectl, the last value counts. */
export interface DuplicateKey {
  /** Of the field, its key included. */
  path: FieldPath
  at: Position
  first: Position
}

export interface DocumentsRead {
  documents: SourceDocument[]
  problems: Problem[]
}

/** Why a document cannot be read, at an offset into the text. */
export interface SyntaxFault {
  offset: number
  code: string
  message: string
  fix?: string
}

/** Deepest nesting that is read: more than any manifest has, and few enough for the stacks of the parsers. */
export const MAX_DEPTH = 500

/** Wraps a text; the table of its lines is built when the first position is asked for. */
export function sourceText(file: string, text: string): SourceText {
  let lineStarts: number[] | null = null
  return {
    file,
    text,
    positionAt(offset) {
      lineStarts ??= startsOfLines(text)
      const line = countUpTo(lineStarts, offset)
      return { line, column: offset - (lineStarts[line - 1] ?? 0) + 1 }
    },
  }
}

/** A fault as a problem that ends the reading of its document. */
export function syntaxProblem(source: SourceText, fault: SyntaxFault): Problem {
  const at: Place = { file: source.file, ...source.positionAt(fault.offset) }
  const problem: Problem = { code: fault.code, severity: 'error', message: fault.message, at }
  if (fault.fix !== undefined) problem.fix = fault.fix
  return problem
}

/** The first characters of a text up to the end of its line, for messages; '' at the end of a line. */
export function excerpt(text: string, length = 40): string {
  const line = text.replace(/^[ \t]+/, '').split(/[\r\n]/, 1)[0] ?? ''
  return line.length > length ? `${line.slice(0, length)}…` : line
}

function startsOfLines(text: string): number[] {
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}

/** How many of the ascending numbers are ≤ limit. */
function countUpTo(ascending: readonly number[], limit: number): number {
  let low = 0
  let high = ascending.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((ascending[middle] ?? 0) <= limit) low = middle + 1
    else high = middle
  }
  return low
}

/** What to do about a chart template that was not rendered. */
export const HELM_FIRST = 'render it first, as in: helm template CHART | kubectl apf … --from -'
