/** Words that the texts of `limits` share. */
import { escapeForTerminal } from '../ui/escape.ts'
import { age, rounded } from '../ui/numbers.ts'
import { wrapped } from '../ui/wrap.ts'
import type { LimitAdvice } from './limits-contract.ts'

/** `200ms`, `1.5s`, `3m18s`: as exact as people need it. */
export function span(seconds: number): string {
  if (seconds <= 0) return '0s'
  if (seconds < 0.001) return `${rounded(seconds * 1e6)}µs`
  if (seconds < 1) return `${Math.round(seconds * 1000)}ms`
  if (seconds < 60) return `${rounded(seconds)}s`
  const whole = Math.round(seconds)
  return whole < 3600 && whole % 60 !== 0 ? `${Math.floor(whole / 60)}m${whole % 60}s` : age(whole)
}

/** `14 %` for 0.14. */
export function percent(part: number): string {
  return `${Math.round(part * 100)} %`
}

/** Warnings first; each with what to do on a line of its own. */
export function adviceLines(advice: readonly LimitAdvice[], arrow: string): string[] {
  const sorted = [...advice].sort((a, b) => Number(a.severity === 'info') - Number(b.severity === 'info'))
  return sorted.flatMap(({ severity, setting, message, fix }) => {
    const mark = severity === 'warning' ? '!' : ' '
    const subject = setting === null ? '' : `${setting}: `
    return [
      ...wrapped(`${mark} ${subject}${message}`, '  '),
      ...(fix === null ? [] : wrapped(`  ${arrow} ${fix}`, '    ')),
    ]
  })
}

/** Lines as one text, foreign characters escaped. */
export function asText(lines: readonly string[]): string {
  return lines.map((line) => `${escapeForTerminal(line)}\n`).join('')
}
