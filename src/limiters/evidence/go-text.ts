/** Texts as Go programs print them: durations, quoted strings, key=value pairs. */

const UNIT_SECONDS: Readonly<Record<string, number>> = {
  h: 3600,
  m: 60,
  s: 1,
  ms: 1e-3,
  µs: 1e-6,
  μs: 1e-6,
  us: 1e-6,
  ns: 1e-9,
}
const DURATION = /^-?(?:\d+(?:\.\d+)?(?:h|ms|m|s|µs|μs|us|ns))+$|^-?0$/
const PART = /(\d+(?:\.\d+)?)(h|ms|m|s|µs|μs|us|ns)/g

/** Seconds of a duration such as `1m2.5s`; undefined where the text is none. */
export function durationSeconds(text: string | undefined): number | undefined {
  if (text === undefined || !DURATION.test(text)) return undefined
  let seconds = 0
  for (const [, amount, unit] of text.matchAll(PART)) seconds += Number(amount) * (UNIT_SECONDS[unit ?? ''] ?? 0)
  // Sums of decimal fractions: nine places are all that Go prints.
  const rounded = Number(seconds.toFixed(9))
  return text.startsWith('-') ? -rounded : rounded
}

/** Nothing that waits does so for 11 days, nor for less than a millisecond. */
const NANOSECONDS_FROM = 1e6

/** Seconds of a duration in a record: Go's text, or the number that encoders of JSON make of it, seconds or nanoseconds. */
export function recordedSeconds(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d+(?:\.\d+)?$/.test(text)) return durationSeconds(text)
  const number = Number(text)
  return number < NANOSECONDS_FROM ? number : number / 1e9
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', a: '\x07', b: '\b', f: '\f', v: '\v' }

/** The text that a Go string literal, or a JSON string, holds; `quoted` comes with its quotes or without. */
export function unquote(quoted: string): string {
  const inner = quoted.startsWith('"')
    ? quoted.slice(1, quoted.endsWith('"') && quoted.length > 1 ? -1 : undefined)
    : quoted
  if (!inner.includes('\\')) return inner
  return inner.replace(/\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))/gs, (_, unicode, hex, single) => {
    if (unicode !== undefined) return String.fromCharCode(Number.parseInt(unicode, 16))
    if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16))
    return ESCAPES[single] ?? single
  })
}

const QUOTED = String.raw`"(?:[^"\\]|\\.)*"`
const PAIR = new RegExp(String.raw`([A-Za-z_][\w.\-/]*)=(${QUOTED}|[^\s"]*)`, 'g')

/** The pairs of `key=value key="quoted value"`, unquoted; the first of several equal keys counts. */
export function keyValues(text: string): Map<string, string> {
  const pairs = new Map<string, string>()
  for (const [, key, value] of text.matchAll(PAIR)) {
    if (key !== undefined && value !== undefined && !pairs.has(key)) pairs.set(key, unquote(value))
  }
  return pairs
}

export const GO_STRING = new RegExp(`^${QUOTED}`)
