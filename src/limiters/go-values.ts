/**
 * Numbers, durations and quotes as Go's standard library reads and writes them, with its error texts: settings of
 * components are read by it, and people compare our texts with what a component printed.
 * Source: Go strconv and time.
 */

/** A value, or why there is none. */
export type Parsed<T> = { value: T } | { error: string }

/** Whether there is a value. */
export function isParsed<T>(parsed: Parsed<T>): parsed is { value: T } {
  return 'value' in parsed
}

/** Longest duration of Go, in nanoseconds, which stands for "never"; as a number it is 1 more. */
export const LONGEST_DURATION_NS = 2 ** 63

const LONGEST = 2n ** 63n

const UNIT_NS: ReadonlyMap<string, bigint> = new Map([
  ['ns', 1n],
  ['us', 1_000n],
  ['µs', 1_000n],
  ['μs', 1_000n],
  ['ms', 1_000_000n],
  ['s', 1_000_000_000n],
  ['m', 60_000_000_000n],
  ['h', 3_600_000_000_000n],
])

/** `time.ParseDuration`: nanoseconds, exact up to 104 days. */
export function parseGoDuration(text: string): Parsed<number> {
  const invalid = { error: `time: invalid duration ${quoteOfTime(text)}` }
  const [, sign = '', amounts = ''] = /^([-+]?)(.*)$/s.exec(text) ?? []
  if (amounts === '0') return { value: 0 }
  if (amounts === '') return invalid
  let total = 0n
  for (let rest = amounts; rest !== ''; ) {
    const [number, whole = '', fraction = ''] = /^([0-9]*)(?:\.([0-9]*))?/.exec(rest) ?? ['']
    if ((whole === '' && fraction === '') || BigInt(whole || '0') > LONGEST) return invalid
    rest = rest.slice(number.length)
    const [unit = ''] = /^[^.0-9]*/.exec(rest) ?? []
    if (unit === '') return { error: `time: missing unit in duration ${quoteOfTime(text)}` }
    rest = rest.slice(unit.length)
    const nanoseconds = UNIT_NS.get(unit)
    if (nanoseconds === undefined) {
      return { error: `time: unknown unit ${quoteOfTime(unit)} in duration ${quoteOfTime(text)}` }
    }
    total += BigInt(whole || '0') * nanoseconds + fractionOf(fraction, nanoseconds)
    if (total > LONGEST) return invalid
  }
  if (sign === '-') return { value: -Number(total) }
  return total > LONGEST - 1n ? invalid : { value: Number(total) }
}

/** Of more digits than fit 63 bits the rest does not count. */
function fractionOf(digits: string, unit: bigint): bigint {
  let value = 0n
  let scale = 1
  for (const digit of digits) {
    const next = value * 10n + BigInt(digit)
    if (next > LONGEST - 1n) break
    value = next
    scale *= 10
  }
  return BigInt(Math.trunc(Number(value) * (Number(unit) / scale)))
}

/** `time.Duration.String`: `1m0s`, `1.5s`, `16.444µs`. */
export function formatGoDuration(nanoseconds: number): string {
  if (nanoseconds === 0) return '0s'
  const sign = nanoseconds < 0 ? '-' : ''
  const magnitude = Math.abs(nanoseconds)
  const total = magnitude >= LONGEST_DURATION_NS ? LONGEST - 1n : BigInt(Math.trunc(magnitude))
  if (total < 1_000n) return `${sign}${total}ns`
  if (total < 1_000_000n) return `${sign}${decimal(total, 3)}µs`
  if (total < 1_000_000_000n) return `${sign}${decimal(total, 6)}ms`
  const seconds = `${decimal(total % 60_000_000_000n, 9)}s`
  const minutes = total / 60_000_000_000n
  if (minutes === 0n) return `${sign}${seconds}`
  return minutes < 60n ? `${sign}${minutes}m${seconds}` : `${sign}${minutes / 60n}h${minutes % 60n}m${seconds}`
}

function decimal(value: bigint, places: number): string {
  const digits = String(value).padStart(places + 1, '0')
  const fraction = digits.slice(-places).replace(/0+$/, '')
  const whole = digits.slice(0, -places)
  return fraction === '' ? whole : `${whole}.${fraction}`
}

/** `strconv.ParseInt` of base 10 and 64 bits; exact up to 2^53. */
export function parseGoInteger(text: string): Parsed<number> {
  const fault = (why: string) => ({ error: `strconv.ParseInt: parsing ${goQuote(text)}: ${why}` })
  if (!/^[-+]?[0-9]+$/.test(text)) return fault('invalid syntax')
  const value = BigInt(text.replace(/^\+/, ''))
  return value >= LONGEST || value < -LONGEST ? fault('value out of range') : { value: Number(value) }
}

const DECIMAL_FLOAT = /^[-+]?(?:[0-9_]+(?:\.[0-9_]*)?|\.[0-9_]+)(?:[eE][-+]?[0-9_]+)?$/
const HEXADECIMAL_FLOAT = /^([-+]?)0[xX]([0-9a-fA-F_]*)(?:\.([0-9a-fA-F_]*))?[pP]([-+]?[0-9_]+)$/
const SPECIAL_FLOATS: ReadonlyMap<string, number> = new Map([
  ['nan', Number.NaN],
  ['inf', Number.POSITIVE_INFINITY],
  ['infinity', Number.POSITIVE_INFINITY],
])

/** `strconv.ParseFloat` of 64 bits: `inf` and `nan` in any case are numbers to it, and so are hexadecimal ones. */
export function parseGoFloat(text: string): Parsed<number> {
  const fault = (why: string) => ({ error: `strconv.ParseFloat: parsing ${goQuote(text)}: ${why}` })
  const special = SPECIAL_FLOATS.get(text.toLowerCase().replace(/^[-+](?=inf)/, ''))
  if (special !== undefined) return { value: text.startsWith('-') ? -special : special }
  if (!hasWellPlacedUnderscores(text)) return fault('invalid syntax')
  const value = hexadecimalFloat(text) ?? decimalFloat(text)
  if (value === null) return fault('invalid syntax')
  return Number.isFinite(value) ? { value } : fault('value out of range')
}

function decimalFloat(text: string): number | null {
  return DECIMAL_FLOAT.test(text) && /[0-9]/.test(text) ? Number(text.replaceAll('_', '')) : null
}

function hexadecimalFloat(text: string): number | null {
  const match = HEXADECIMAL_FLOAT.exec(text.replaceAll('_', ''))
  if (match === null) return null
  const [, sign, whole = '', fraction = '', exponent] = match
  if (whole === '' && fraction === '') return null
  const mantissa = Number(BigInt(`0x${whole}${fraction}`))
  const value = mantissa * 2 ** (Number(exponent) - 4 * fraction.length)
  return sign === '-' ? -value : value
}

/** An underscore must stand between digits; the prefix of a hexadecimal number counts as one. */
function hasWellPlacedUnderscores(text: string): boolean {
  if (!text.includes('_')) return true
  const digits = text.replace(/^[-+]/, '').replace(/^0[xX]/, '0')
  return /^0[xX]/.test(text.replace(/^[-+]/, ''))
    ? !/(^|[^0-9a-fA-F])_|_($|[^0-9a-fA-F])/.test(digits)
    : !/(^|[^0-9])_|_($|[^0-9])/.test(digits)
}

const TRUE: ReadonlySet<string> = new Set(['1', 't', 'T', 'TRUE', 'true', 'True'])
const FALSE: ReadonlySet<string> = new Set(['0', 'f', 'F', 'FALSE', 'false', 'False'])

/** `strconv.ParseBool`. */
export function parseGoBool(text: string): Parsed<boolean> {
  if (TRUE.has(text)) return { value: true }
  if (FALSE.has(text)) return { value: false }
  return { error: `strconv.ParseBool: parsing ${goQuote(text)}: invalid syntax` }
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\x07', '\\a'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\v', '\\v'],
  ['\\', '\\\\'],
  ['"', '\\"'],
])

/** `strconv.Quote`, also known as `%q`. */
export function goQuote(text: string): string {
  return `"${text.replace(/[^ !#-[\]-~\p{L}\p{M}\p{N}\p{P}\p{S}]|["\\]/gu, goEscape)}"`
}

function goEscape(character: string): string {
  const known = ESCAPES.get(character)
  if (known !== undefined) return known
  const point = character.codePointAt(0) ?? 0
  if (point < 0x80) return `\\x${point.toString(16).padStart(2, '0')}`
  return point > 0xffff ? `\\U${point.toString(16).padStart(8, '0')}` : `\\u${point.toString(16).padStart(4, '0')}`
}

/** The quotes of package time: what is not plain ASCII appears byte by byte. */
function quoteOfTime(text: string): string {
  let quoted = ''
  for (const character of text) {
    if (character === '"' || character === '\\') quoted += `\\${character}`
    else if (/^[ -~]$/.test(character) || character === '\x7f') quoted += character
    else for (const byte of new TextEncoder().encode(character)) quoted += `\\x${byte.toString(16).padStart(2, '0')}`
  }
  return `"${quoted}"`
}
