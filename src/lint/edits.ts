/**
 * Fixes as changes to the text of a file. Only the characters in question change, so that comments and layout survive: what
 * cannot be changed in place (a field behind an alias, a list item of an odd layout) is left to a person.
 */
import type { ApfObject } from '../apf/objects.ts'
import type { FieldPath, Origin, TextRange, WrittenField } from '../apf/problem.ts'
import type { LintFinding } from './engine.ts'
import type { FieldEdit } from './rule.ts'
import type { LintText, TextEdit } from './text.ts'

/** The edits of a finding's fix in its file; empty where there are none, or where one of them cannot be made. */
export function editsOf({ object, fix }: LintFinding, texts: ReadonlyMap<string, LintText>): readonly TextEdit[] {
  const text = texts.get(object?.origin?.file ?? '')
  if (object === null || text === undefined || fix?.edits === undefined) return []
  const edits = fix.edits.map((edit) => textEdit(object, edit, text))
  return edits.every((edit) => edit !== null) ? edits : []
}

/**
 * The edits of as many fixes as do not touch each other, each fix whole or not at all; the first of two that do counts.
 * @returns edits by file, in the order of the text, and how many fixes they make
 */
export function compatibleEdits(fixes: Iterable<readonly TextEdit[]>): {
  edits: Map<string, TextEdit[]>
  fixes: number
} {
  const accepted = new Map<string, TextEdit[]>()
  let count = 0
  for (const fix of fixes) {
    if (fix.length === 0) continue
    const fresh = fix.filter((edit) => !accepted.get(edit.file)?.some((other) => isSame(edit, other)))
    if (fresh.some((edit) => accepted.get(edit.file)?.some((other) => touch(edit, other)))) continue
    count++
    for (const edit of fresh) accepted.set(edit.file, [...(accepted.get(edit.file) ?? []), edit])
  }
  for (const edits of accepted.values()) edits.sort((a, b) => a.start - b.start)
  return { edits: accepted, fixes: count }
}

/** The text after edits that do not overlap, in the order of the text. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  let result = ''
  let at = 0
  for (const { start, end, newText } of edits) {
    result += text.slice(at, start) + newText
    at = end
  }
  return result + text.slice(at)
}

function isSame(a: TextEdit, b: TextEdit): boolean {
  return a.start === b.start && a.end === b.end && a.newText === b.newText
}

/** Insertions at one place touch too: their order would be left to chance. */
function touch(a: TextEdit, b: TextEdit): boolean {
  return a.start <= b.end && b.start <= a.end
}

// One edit

/** A container in a text, with what is needed to write into it. */
interface Container {
  path: FieldPath
  field: WrittenField
  /** Between braces or brackets. */
  flow: boolean
  /** Written as JSON: everything is in double quotes. */
  json: boolean
  lineEnd: string
  source: LintText
}

function textEdit(object: ApfObject, edit: FieldEdit, source: LintText): TextEdit | null {
  const { origin } = object
  if (origin?.writtenAt === undefined || edit.path.length === 0) return null
  const range = 'rename' in edit ? renaming(origin, edit, source) : change(origin, edit, source)
  return range === null ? null : { file: source.file, ...range }
}

type Change = TextRange & { newText: string }

function change(origin: Origin, edit: Exclude<FieldEdit, { rename: string }>, source: LintText): Change | null {
  const field = origin.writtenAt?.(edit.path)
  if (field?.shared) return null
  if ('remove' in edit) return field === undefined ? null : removal(origin, edit.path, source)
  return field === undefined
    ? insertion(origin, edit.path, edit.set, source)
    : replacement(field, edit.set, origin, source)
}

function renaming(
  origin: Origin,
  { path, rename }: { path: FieldPath; rename: string },
  { text }: LintText,
): Change | null {
  const field = origin.writtenAt?.(path)
  if (!field?.key || field.shared) return null
  const quote = text.charAt(field.key.start)
  const newText = quote === '"' || quote === "'" ? `${quote}${rename}${quote}` : rename
  return { ...field.key, newText }
}

function replacement(field: WrittenField, value: unknown, origin: Origin, source: LintText): Change {
  const json = isJson(origin)
  const newText = inline(value, json, field.text.charAt(0))
  const { key, value: range } = field
  if (field.text === '') return { ...range, newText: spaced(newText, source.text, range.start) }
  const between = key === null ? '' : source.text.slice(key.end, range.start)
  // A block starts on a line of its own, where a scalar would look out of place.
  return key !== null && between.includes('\n')
    ? { start: key.end, end: range.end, newText: `: ${newText}` }
    : { ...range, newText }
}

/** A text with a space on each side where nothing else parts it from its neighbour. */
function spaced(newText: string, text: string, offset: number): string {
  const before = /\s/.test(text.charAt(offset - 1)) ? '' : ' '
  const after = /^(?:\s|$)/.test(text.charAt(offset)) ? '' : ' '
  return before + newText + after
}

/** Writes a field that is not there into the nearest container around it that is. */
function insertion(origin: Origin, path: FieldPath, value: unknown, source: LintText): Change | null {
  let depth = path.length - 1
  while (depth > 0 && origin.writtenAt?.(path.slice(0, depth)) === undefined) depth--
  const container = containerAt(origin, path.slice(0, depth), source)
  if (container === null || container.field.shared) return null
  const content = nested(path.slice(depth + 1), value)
  const step = path[depth]
  if (step === undefined) return null
  const { field } = container
  if (field.text === '' || field.text === 'null' || field.text === '~') {
    return replacement(field, typeof step === 'number' ? [content] : { [step]: content }, origin, source)
  }
  return container.flow ? intoFlow(container, step, content, origin) : intoBlock(container, step, content)
}

function containerAt(origin: Origin, path: FieldPath, source: LintText): Container | null {
  const field = origin.writtenAt?.(path)
  if (field === undefined) return null
  const lineEnd = source.text.includes('\r\n') ? '\r\n' : '\n'
  return { path, field, flow: /^[{[]/.test(field.text), json: isJson(origin), lineEnd, source }
}

function isJson(origin: Origin): boolean {
  return origin.writtenAt?.([])?.text.startsWith('{') === true
}

function nested(path: FieldPath, value: unknown): unknown {
  return path.reduceRight<unknown>((inner, step) => (typeof step === 'number' ? [inner] : { [step]: inner }), value)
}

function intoFlow(container: Container, step: string | number, content: unknown, origin: Origin): Change | null {
  const { field, json } = container
  const { text, value } = field
  const isList = text.startsWith('[')
  if (isList !== (typeof step === 'number')) return null
  const entry = isList ? inline(content, json) : `${keyText(String(step), json)}: ${inline(content, json)}`
  const last = siblingsIn(container, origin).at(-1)
  if (last === undefined) return { ...value, newText: `${text.charAt(0)}${entry}${text.charAt(text.length - 1)}` }
  // Right behind the last item: what follows may be a comment.
  if (isList) return { start: last.end, end: last.end, newText: `, ${entry}` }
  const space = /^.(\s*)/.exec(text)?.[1] ?? ''
  const start = value.start + 1 + space.length
  return { start, end: start, newText: `${entry},${space || ' '}` }
}

function intoBlock(
  { field: { text, value }, lineEnd, source }: Container,
  step: string | number,
  content: unknown,
): Change | null {
  const isList = /^-(?:\s|$)/.test(text)
  if (isList !== (typeof step === 'number') || !(isList || /^[^\s#]/.test(text))) return null
  const indent = ' '.repeat(source.positionAt(value.start).column - 1)
  const mark = typeof step === 'number' ? '-' : `${keyText(step, false)}:`
  const lines = [`${indent}${mark}${blockText(content, `${indent}  `, lineEnd)}`]
  const found = source.text.indexOf('\n', value.end)
  const line = found === -1 ? source.text.length : found
  const end = source.text.charAt(line - 1) === '\r' ? line - 1 : line
  return { start: end, end, newText: lineEnd + lines.join(lineEnd) }
}

/** A value behind its key or dash: a mapping on lines of its own, anything else on the same line. */
function blockText(value: unknown, indent: string, lineEnd: string): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || Object.keys(value).length === 0) {
    return ` ${inline(value, false)}`
  }
  return Object.entries(value)
    .map(([key, part]) => `${lineEnd}${indent}${keyText(key, false)}:${blockText(part, `${indent}  `, lineEnd)}`)
    .join('')
}

// Removal

function removal(origin: Origin, path: FieldPath, source: LintText): Change | null {
  const container = containerAt(origin, path.slice(0, -1), source)
  if (container === null || container.field.shared) return null
  const siblings = siblingsIn(container, origin)
  const index = siblings.findIndex(({ step }) => step === path[path.length - 1])
  const [entry, before, after] = [siblings[index], siblings[index - 1], siblings[index + 1]]
  if (entry === undefined) return null
  if (siblings.length === 1) return emptied(container, typeof entry.step === 'number')
  if (container.flow) {
    if (after !== undefined) return { start: entry.start, end: after.start, newText: '' }
    return { start: before?.end ?? entry.start, end: entry.end, newText: '' }
  }
  const { text } = source
  const lineStart = text.lastIndexOf('\n', entry.start - 1) + 1
  if (text.slice(lineStart, entry.start).trim() !== '') {
    // The first field of a list item shares its line with the dash.
    return after === undefined ? null : { start: entry.start, end: after.start, newText: '' }
  }
  const lineEnd = text.indexOf('\n', entry.end)
  return { start: lineStart, end: lineEnd === -1 ? text.length : lineEnd + 1, newText: '' }
}

function emptied({ field, path }: Container, isList: boolean): Change | null {
  if (path.length === 0) return null
  const newText = isList ? '[]' : '{}'
  if (field.key === null || /^[{[]/.test(field.text)) return { ...field.value, newText }
  return { start: field.key.end, end: field.value.end, newText: `: ${newText}` }
}

interface Entry {
  step: string | number
  start: number
  end: number
}

/** Everything in a container, as it stands in the text; an item of a block with its dash. */
function siblingsIn({ path, field, flow, source }: Container, origin: Origin): Entry[] {
  const steps = stepsOf(path.reduce(member, origin.written))
  return steps
    .flatMap((step): Entry[] => {
      const written = origin.writtenAt?.([...path, step])
      if (written === undefined || written.shared) return []
      const from = written.key?.start ?? written.value.start
      const start = written.key === null && !flow ? dashBefore(source.text, from) : from
      return start === null || start < field.value.start ? [] : [{ step, start, end: written.value.end }]
    })
    .sort((a, b) => a.start - b.start)
}

function member(value: unknown, step: string | number): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, step) : undefined
}

function stepsOf(value: unknown): (string | number)[] {
  if (Array.isArray(value)) return value.map((_, index) => index)
  return typeof value === 'object' && value !== null ? Object.keys(value) : []
}

/** The dash of the item that starts at an offset; null where more than space stands between. */
function dashBefore(text: string, offset: number): number | null {
  let at = offset - 1
  while (text.charAt(at) === ' ') at--
  return text.charAt(at) === '-' ? at : null
}

// Values

/** A value on one line; `quote` is the one to prefer, as what stood there before had it. */
function inline(value: unknown, json: boolean, quote = ''): string {
  if (json) return JSON.stringify(value)
  if (typeof value === 'string') return stringText(value, quote)
  if (Array.isArray(value)) return `[${value.map((item) => inline(item, false)).join(', ')}]`
  if (typeof value !== 'object' || value === null) return String(value)
  const members = Object.entries(value).map(([key, part]) => `${keyText(key, false)}: ${inline(part, false)}`)
  return `{${members.join(', ')}}`
}

function keyText(key: string, json: boolean): string {
  return json ? JSON.stringify(key) : stringText(key, '')
}

/** Words that YAML 1.1 takes for something else, and what looks like a number. */
const NOT_TEXT = /^(?:y|n|yes|no|on|off|true|false|null|~|[-+.]?\d.*|)$/i
const PLAIN = /^[A-Za-z][A-Za-z0-9._/-]*$|^[A-Za-z][A-Za-z0-9._/:-]*[A-Za-z0-9]$/

function stringText(value: string, quote: string): string {
  if (quote === '"' || /[\0-\x1f\x7f-\uffff]/.test(value)) return JSON.stringify(value)
  if (quote !== "'" && PLAIN.test(value) && !NOT_TEXT.test(value)) return value
  return `'${value.replaceAll("'", "''")}'`
}
