/** Go's durations as kubectl's `--request-timeout` takes them. */

const UNITS: Readonly<Record<string, number>> = {
  h: 3_600_000,
  m: 60_000,
  s: 1000,
  ms: 1,
  us: 0.001,
  µs: 0.001,
  ns: 0.000001,
}
const PART = /(\d+(?:\.\d*)?|\.\d+)(h|ms|m|s|us|µs|ns)/g

/** Milliseconds of `30`, `30s`, `1m30s`; 0 of `0`; null where the text is none of these. */
export function parseDuration(text: string): number | null {
  if (/^\d+$/.test(text)) return Number(text) * 1000
  if (!/^(?:(?:\d+(?:\.\d*)?|\.\d+)(?:h|ms|m|s|us|µs|ns))+$/.test(text)) return null
  return [...text.matchAll(PART)].reduce((sum, [, amount, unit]) => sum + Number(amount) * (UNITS[unit ?? ''] ?? 0), 0)
}
