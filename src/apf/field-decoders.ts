/**
 * Decoders of plain JSON data as Go's JSON decoder fills a struct: names are case-sensitive, null and absence give the
 * zero value, nothing is converted. What does not fit is reported and decoded as zero; nothing throws.
 */
import type { FieldPath } from './problem.ts'

export type Decoder<T> = (value: unknown, trail: Trail | null, report: DecodeReport) => T

/** How a value was reached, last step first; null at the top. A path is made of it only where something is reported. */
export interface Trail {
  from: Trail | null
  step: string | number
}

function pathOf(trail: Trail | null): FieldPath {
  const steps: (string | number)[] = []
  for (let at = trail; at !== null; at = at.from) steps.unshift(at.step)
  return steps
}

export interface DecodeReport {
  /** A field that the struct does not have. `known` are the names of those it has. */
  unknownField(path: FieldPath, known: readonly string[]): void
  wrongType(path: FieldPath, value: unknown, expected: ExpectedType): void
}

export type ExpectedType = 'string' | 'int32' | 'int64' | 'boolean' | 'list' | 'object' | 'time'

export const string: Decoder<string> = (value, trail, report) => {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return value
  report.wrongType(pathOf(trail), value, 'string')
  return ''
}

export const boolean: Decoder<boolean> = (value, trail, report) => {
  if (value === undefined || value === null) return false
  if (typeof value === 'boolean') return value
  report.wrongType(pathOf(trail), value, 'boolean')
  return false
}

export const int32: Decoder<number> = integer('int32', 2 ** 31)
export const int64: Decoder<number> = integer('int64', 2 ** 63)

/** A point in time, kept as written. */
export const time: Decoder<string> = (value, trail, report) => {
  const text = string(value, trail, report)
  if (text === '' && value !== '') return text
  if (!RFC3339.test(text)) report.wrongType(pathOf(trail), value, 'time')
  return text
}

const RFC3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:\d\d)$/

/** Anything, not looked at. */
export const raw: Decoder<null> = () => null

/** A Go pointer: null where the value is absent or null. */
export function optional<T>(decode: Decoder<T>): Decoder<T | null> {
  return (value, trail, report) => (value === undefined || value === null ? null : decode(value, trail, report))
}

/** A list; a null item is a zero item. */
export function listOf<T>(decode: Decoder<T>): Decoder<T[]> {
  return (value, trail, report) => {
    if (value === undefined || value === null) return []
    if (Array.isArray(value)) return value.map((item, step) => decode(item, { from: trail, step }, report))
    report.wrongType(pathOf(trail), value, 'list')
    return []
  }
}

/** A map of strings; a null value is the empty string. */
export const stringMap: Decoder<Record<string, string>> = (value, trail, report) => {
  const decoded: [string, string][] = []
  const members = membersOf(value, trail, report)
  for (const step of Object.keys(members)) decoded.push([step, string(members[step], { from: trail, step }, report)])
  return Object.fromEntries(decoded)
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
  // Copied for each object: one that has all its members from the start is cheaper to fill than one that grows.
  const empty = Object.fromEntries(keys.map((key) => [key, undefined])) as Partial<T>
  return (value, trail, report) => {
    const decoded: Partial<T> = { ...empty }
    const members = membersOf(value, trail, report)
    for (const step of Object.keys(members)) {
      const key = keyOf.get(step)
      if (key === undefined) report.unknownField(pathOf({ from: trail, step }), names)
      else decoded[key] = fields[key](members[step], { from: trail, step }, report)
    }
    for (const key of keys) decoded[key] ??= fields[key](undefined, trail, report)
    return decoded as T
  }
}

function membersOf(value: unknown, trail: Trail | null, report: DecodeReport): Readonly<Record<string, unknown>> {
  if (value === undefined || value === null) return {}
  if (typeof value === 'object' && !Array.isArray(value)) return value as Record<string, unknown>
  report.wrongType(pathOf(trail), value, 'object')
  return {}
}

/**
 * A whole number in [-bound, bound). A JSON text may spell it 5.0, which the server refuses; that spelling is gone here, and
 * kubectl normalizes it before it sends anything.
 */
function integer(expected: 'int32' | 'int64', bound: number): Decoder<number> {
  return (value, trail, report) => {
    if (value === undefined || value === null) return 0
    const number = typeof value === 'bigint' ? Number(value) : value
    if (typeof number === 'number' && Number.isInteger(number) && number >= -bound && number < bound) {
      return number === 0 ? 0 : number
    }
    report.wrongType(pathOf(trail), value, expected)
    return 0
  }
}
