/**
 * Decoders of plain JSON data as Go's JSON decoder fills a struct: names are case-sensitive, null and absence give the
 * zero value, nothing is converted. What does not fit is reported and decoded as zero; nothing throws.
 */
import type { FieldPath } from './problem.ts'

export type Decoder<T> = (value: unknown, path: FieldPath, report: DecodeReport) => T

export interface DecodeReport {
  /** A field that the struct does not have. `known` are the names of those it has. */
  unknownField(path: FieldPath, known: readonly string[]): void
  wrongType(path: FieldPath, value: unknown, expected: ExpectedType): void
}

export type ExpectedType = 'string' | 'int32' | 'int64' | 'boolean' | 'list' | 'object' | 'time'

export const string: Decoder<string> = (value, path, report) => {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return value
  report.wrongType(path, value, 'string')
  return ''
}

export const boolean: Decoder<boolean> = (value, path, report) => {
  if (value === undefined || value === null) return false
  if (typeof value === 'boolean') return value
  report.wrongType(path, value, 'boolean')
  return false
}

export const int32: Decoder<number> = integer('int32', 2 ** 31)
export const int64: Decoder<number> = integer('int64', 2 ** 63)

/** A point in time, kept as written. */
export const time: Decoder<string> = (value, path, report) => {
  const text = string(value, path, report)
  if (text === '' && value !== '') return text
  if (!RFC3339.test(text)) report.wrongType(path, value, 'time')
  return text
}

const RFC3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:\d\d)$/

/** Anything, not looked at. */
export const raw: Decoder<null> = () => null

/** A Go pointer: null where the value is absent or null. */
export function optional<T>(decode: Decoder<T>): Decoder<T | null> {
  return (value, path, report) => (value === undefined || value === null ? null : decode(value, path, report))
}

/** A list; a null item is a zero item. */
export function listOf<T>(decode: Decoder<T>): Decoder<T[]> {
  return (value, path, report) => {
    if (value === undefined || value === null) return []
    if (Array.isArray(value)) return value.map((item, index) => decode(item, [...path, index], report))
    report.wrongType(path, value, 'list')
    return []
  }
}

/** A map of strings; a null value is the empty string. */
export const stringMap: Decoder<Record<string, string>> = (value, path, report) => {
  const entries = members(value, path, report)
  return Object.fromEntries(entries.map(([key, content]) => [key, string(content, [...path, key], report)]))
}

/** How the fields of one version of a struct differ from the names used here. */
export interface StructVariant<T> {
  /** Other spellings, such as assuredConcurrencyShares. */
  renamed?: { readonly [K in keyof T]?: string }
  /** Fields that this version does not have. */
  missing?: readonly (keyof T)[]
}

/** An object with the given fields. */
export function struct<T extends object>(
  fields: { readonly [K in keyof T]: Decoder<T[K]> },
  { renamed = {}, missing = [] }: StructVariant<T> = {},
): Decoder<T> {
  const keys = Object.keys(fields) as (keyof T & string)[]
  const keyOf = new Map(keys.filter((key) => !missing.includes(key)).map((key) => [renamed[key] ?? key, key]))
  const names = [...keyOf.keys()]
  return (value, path, report) => {
    const decoded: Partial<T> = {}
    for (const [name, content] of members(value, path, report)) {
      const key = keyOf.get(name)
      if (key === undefined) report.unknownField([...path, name], names)
      else decoded[key] = fields[key](content, [...path, name], report)
    }
    for (const key of keys) {
      if (!Object.hasOwn(decoded, key)) decoded[key] = fields[key](undefined, path, report)
    }
    return decoded as T
  }
}

function members(value: unknown, path: FieldPath, report: DecodeReport): [string, unknown][] {
  if (value === undefined || value === null) return []
  if (typeof value === 'object' && !Array.isArray(value)) return Object.entries(value)
  report.wrongType(path, value, 'object')
  return []
}

/**
 * A whole number in [-bound, bound). A JSON text may spell it 5.0, which the server refuses; that spelling is gone here, and
 * kubectl normalizes it before it sends anything.
 */
function integer(expected: 'int32' | 'int64', bound: number): Decoder<number> {
  return (value, path, report) => {
    if (value === undefined || value === null) return 0
    const number = typeof value === 'bigint' ? Number(value) : value
    if (typeof number === 'number' && Number.isInteger(number) && number >= -bound && number < bound) {
      return number === 0 ? 0 : number
    }
    report.wrongType(path, value, expected)
    return 0
  }
}
