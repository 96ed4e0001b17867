/**
 * Decoders of plain JSON data as Go's JSON decoder fills a struct: names are case-sensitive, null and absence give the
 * zero value, nothing is converted. What does not fit is reported and decoded as zero; nothing throws.
 */
import type { FieldPath } from './problem.ts'

export interface Decoder<T> {
  (value: unknown, trail: Trail | null, report: DecodeReport): T
  /** As in messages of the server; of a struct of the API group only its name: `[]Subject`, `v1.ObjectMeta`. */
  goType: string
}

/** How a value was reached, last step first; null at the top. A path is made of it only where something is reported. */
export interface Trail {
  from: Trail | null
  step: string | number
  /** Of a field: the struct that has it. Absent for items of lists and members of maps. */
  struct?: string
}

function pathOf(trail: Trail | null): FieldPath {
  const steps: (string | number)[] = []
  for (let at = trail; at !== null; at = at.from) steps.unshift(at.step)
  return steps
}

/** A field in Go's words: the struct that has it, and the fields that lead to it, without the items of lists. */
export interface GoField {
  struct: string
  path: readonly string[]
}

function goFieldOf(trail: Trail | null): GoField | null {
  const field: { struct: string; path: string[] } = { struct: '', path: [] }
  for (let at = trail; at !== null; at = at.from) {
    if (at.struct === undefined) continue
    if (field.path.length === 0) field.struct = at.struct
    field.path.unshift(String(at.step))
  }
  return field.path.length === 0 ? null : field
}

/** A value of another type than its place has. */
export interface Mistyped {
  path: FieldPath
  value: unknown
  expected: ExpectedType
  goType: string
  /** Null for the object itself. */
  goField: GoField | null
}

export interface DecodeReport {
  /** A field that the struct does not have. `known` are the names of those it has. */
  unknownField(path: FieldPath, known: readonly string[]): void
  wrongType(mistyped: Mistyped): void
}

export type ExpectedType = 'string' | 'int32' | 'int64' | 'boolean' | 'list' | 'object' | 'time'

function decoder<T>(
  goType: string,
  decode: (value: unknown, trail: Trail | null, report: DecodeReport) => T,
): Decoder<T> {
  return Object.assign(decode, { goType })
}

/** A decoder of values that are nothing but of one type; absent ones are `zero`. */
function plain<T>(
  { expected, goType = expected }: { expected: ExpectedType; goType?: string },
  zero: T,
  read: (value: unknown) => T | undefined,
): Decoder<T> {
  return decoder(goType, (value, trail, report) => {
    if (value === undefined || value === null) return zero
    const content = read(value)
    if (content !== undefined) return content
    reportMistyped(value, trail, report, expected, goType)
    return zero
  })
}

function reportMistyped(
  value: unknown,
  trail: Trail | null,
  report: DecodeReport,
  expected: ExpectedType,
  goType: string,
): void {
  report.wrongType({ path: pathOf(trail), value, expected, goType, goField: goFieldOf(trail) })
}

/** A string, or a type of Go that is one. */
export function stringAs(goType: string): Decoder<string> {
  return plain({ expected: 'string', goType }, '', (value) => (typeof value === 'string' ? value : undefined))
}

export const string: Decoder<string> = stringAs('string')

export const boolean: Decoder<boolean> = plain({ expected: 'boolean', goType: 'bool' }, false, (value) =>
  typeof value === 'boolean' ? value : undefined,
)

export const int32: Decoder<number> = integer('int32', 2 ** 31)
export const int64: Decoder<number> = integer('int64', 2 ** 63)

/** A point in time, kept as written. */
export const time: Decoder<string> = plain({ expected: 'time', goType: 'v1.Time' }, '', (value) =>
  typeof value === 'string' && RFC3339.test(value) ? value : undefined,
)

const RFC3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:\d\d)$/

/** Anything, not looked at. */
export const raw: Decoder<null> = decoder('v1.FieldsV1', () => null)

/** A Go pointer: null where the value is absent or null. */
export function optional<T>(decode: Decoder<T>): Decoder<T | null> {
  return decoder(decode.goType, (value, trail, report) =>
    value === undefined || value === null ? null : decode(value, trail, report),
  )
}

/** A list; a null item is a zero item. */
export function listOf<T>(decode: Decoder<T>): Decoder<T[]> {
  const goType = `[]${decode.goType}`
  return decoder(goType, (value, trail, report) => {
    if (value === undefined || value === null) return []
    if (Array.isArray(value)) return value.map((item, step) => decode(item, { from: trail, step }, report))
    reportMistyped(value, trail, report, 'list', goType)
    return []
  })
}

/** A map of strings; a null value is the empty string. */
export const stringMap: Decoder<Record<string, string>> = decoder('map[string]string', (value, trail, report) => {
  const decoded: [string, string][] = []
  const members = membersOf(value, trail, report, 'map[string]string')
  for (const step of Object.keys(members)) decoded.push([step, string(members[step], { from: trail, step }, report)])
  return Object.fromEntries(decoded)
})

/** How the fields of one version of a struct differ from the names used here. */
export interface StructVariant<T> {
  /** Other spellings, such as assuredConcurrencyShares. */
  renamed?: { readonly [K in keyof T]?: string }
  /** Fields that this version does not have. */
  missing?: readonly (keyof T)[]
}

/** An object with the given fields, of a struct of the API group unless the name has a package. */
export function struct<T extends object>(
  goType: string,
  fields: { readonly [K in keyof T]: Decoder<T[K]> },
  { renamed = {}, missing = [] }: StructVariant<T> = {},
): Decoder<T> {
  const keys = Object.keys(fields) as (keyof T & string)[]
  const keyOf = new Map(keys.filter((key) => !missing.includes(key)).map((key) => [renamed[key] ?? key, key]))
  const names = [...keyOf.keys()]
  // Copied for each object: one that has all its members from the start is cheaper to fill than one that grows.
  const empty = Object.fromEntries(keys.map((key) => [key, undefined])) as Partial<T>
  const name = goType.slice(goType.indexOf('.') + 1)
  return decoder(goType, (value, trail, report) => {
    const decoded: Partial<T> = { ...empty }
    const members = membersOf(value, trail, report, goType)
    for (const step of Object.keys(members)) {
      const key = keyOf.get(step)
      if (key === undefined) report.unknownField(pathOf({ from: trail, step }), names)
      else decoded[key] = fields[key](members[step], { from: trail, step, struct: name }, report)
    }
    for (const key of keys) decoded[key] ??= fields[key](undefined, trail, report)
    return decoded as T
  })
}

function membersOf(
  value: unknown,
  trail: Trail | null,
  report: DecodeReport,
  goType: string,
): Readonly<Record<string, unknown>> {
  if (value === undefined || value === null) return {}
  if (typeof value === 'object' && !Array.isArray(value)) return value as Record<string, unknown>
  reportMistyped(value, trail, report, 'object', goType)
  return {}
}

/**
 * A whole number in [-bound, bound). A JSON text may spell it 5.0, which the server refuses; that spelling is gone here, and
 * kubectl normalizes it before it sends anything.
 */
function integer(expected: 'int32' | 'int64', bound: number): Decoder<number> {
  return plain({ expected }, 0, (value) => {
    const number = typeof value === 'bigint' ? Number(value) : value
    if (typeof number !== 'number' || !Number.isInteger(number) || number < -bound || number >= bound) return undefined
    return number === 0 ? 0 : number
  })
}
