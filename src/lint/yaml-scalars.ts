/** Scalars of YAML that mean something else than they look like, as kubectl reads them. */
import type { ApfObject } from '../apf/objects.ts'
import { type FieldPath, formatFieldPath } from '../apf/problem.ts'
import { nameOf } from './clauses.ts'
import type { Finding, Fix } from './rule.ts'

/** Findings about values and keys of one object; about none of what is in quotes. */
export function* misleadingScalars(object: ApfObject): Generator<Finding> {
  // To ask for the place of each value takes its time.
  if (!SUSPECT.test(object.origin?.writtenAt?.([])?.text ?? '')) return
  for (const { path, value } of scalarsOf(object.origin?.written, [])) {
    const written = object.origin?.writtenAt?.(path)
    if (written === undefined) continue
    const { text, key } = written
    const asKey = typeof path[path.length - 1] === 'string' && key !== null
    if (asKey && KEY_WORDS.has(String(path[path.length - 1]))) yield* misleadingKey(object, path)
    const said = value === null ? emptyText(text, path) : otherwiseRead(text, value)
    if (said !== null)
      yield { object, path, ...said, message: `${nameOf(object)}: ${formatFieldPath(path)} ${said.message}` }
  }
}

/** What may be misleading; most texts have nothing of the kind. */
const SUSPECT = /(?:^|[\s:,[{-])(?:[-+]?(?:0[\dxobXOB_]|\.\d|\d[\d_]*[._eE])|~|(?:y|n|yes|no|on|off|null)\b)/im

type Said = Pick<Finding, 'severity' | 'message' | 'note' | 'fix'>

/** Values that a text without quotes has, with their places. */
function* scalarsOf(value: unknown, path: FieldPath): Generator<{ path: FieldPath; value: unknown }> {
  if (typeof value === 'object' && value !== null) {
    for (const [key, part] of Object.entries(value)) {
      yield* scalarsOf(part, [...path, Array.isArray(value) ? Number(key) : key])
    }
  } else if (typeof value !== 'string' || KEY_WORDS.has(String(path[path.length - 1]))) yield { path, value }
}

/** What keys become that were truth values or nothing. */
const KEY_WORDS: ReadonlySet<string> = new Set(['true', 'false'])

function* misleadingKey(object: ApfObject, path: FieldPath): Generator<Finding> {
  const { key } = object.origin?.writtenAt?.(path) ?? {}
  const name = String(path[path.length - 1])
  // As long as what it was read as, it was written as that.
  if (!key || key.end - key.start >= name.length) return
  const message = `${nameOf(object)}: a key without quotes in ${formatFieldPath(path.slice(0, -1))} is read as ${name}`
  yield { object, path, message, fix: { text: 'put it in quotes' } }
}

/** Names and the like; null elsewhere is the way to leave something out. */
const TEXT_FIELD = /^(?:name|namespace|type|kind)$/

function emptyText(text: string, path: FieldPath): Said | null {
  if (text === '' || !TEXT_FIELD.test(String(path[path.length - 1]))) return null
  return { message: `${text} is read as nothing at all`, fix: { text: `write '${text}', if it is called that` } }
}

function otherwiseRead(text: string, value: unknown): Said | null {
  const shown = String(value)
  if (text === shown) return null
  if (typeof value === 'boolean') {
    if (text.toLowerCase() === shown) return null
    return { severity: 'info', message: `${text} is read as ${shown}`, note: OTHERS, fix: written(value) }
  }
  if (typeof value !== 'number') return null
  const octal = /^[-+]?0[0-7_]+$/.test(text)
  const decimal = String(Number(text.replaceAll('_', '')))
  if (octal && decimal !== shown) {
    return {
      message: `${text} is read as ${shown}, an octal number`,
      fix: { text: `write ${decimal}, if that is meant, else ${shown}` },
    }
  }
  return { severity: 'info', message: `${text} is read as ${shown}`, note: OTHERS, fix: written(value) }
}

const OTHERS = 'other readers of YAML may take it otherwise'

function written(value: number | boolean): Fix {
  return { text: `write ${value}` }
}
