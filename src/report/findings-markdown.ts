/** Markdown for a comment on a change. */
import { escapeForTerminal } from '../ui/escape.ts'
import type { LintFinding } from './contract.ts'
import { type FindingsFormat, pathOf } from './findings-format.ts'

export const markdown: FindingsFormat = ({ findings, summary }) => {
  const counts = [
    count(summary.errors, 'error'),
    count(summary.warnings, 'warning'),
    count(summary.infos, 'info'),
  ].filter((text) => text !== '')
  const heading = `### API Priority and Fairness: ${counts.join(', ') || 'no findings'}`
  const scope = `${count(summary.objects, 'object') || 'no objects'} in ${count(summary.files, 'file') || 'no files'}, judged for Kubernetes ${summary.targets.join(', ')}.`
  if (findings.length === 0) return `${heading}\n\n${scope}\n`
  const severalTargets = summary.targets.length > 1
  const rows = findings.map((finding) => row(finding, severalTargets))
  return `${heading}\n\n| | where | finding | fix |\n|---|---|---|---|\n${rows.join('')}\n${scope}\n`
}

function row(finding: LintFinding, severalTargets: boolean): string {
  const { severity, rule, line, message, note, fix, targets } = finding
  const where = `${pathOf(finding)}${line === null ? '' : `:${line}`}`
  const versions = severalTargets ? ` (${targets.join(', ')})` : ''
  const what = `${message}${versions}${note === null ? '' : `; ${note}`}`
  return `| ${severity} ${rule} | ${plain(where)} | ${plain(what)} | ${plain(fix?.text ?? '')} |\n`
}

/** Text that means itself: no markup, no mention of anybody, no reference, no link. */
export function plain(text: string): string {
  return escapeForTerminal(text).replace(
    /[\\`*_{}[\]<>()#+!|~@&$^]|:(?=\/\/)|(?<=www)\./gi,
    (found) => `&#${found.charCodeAt(0)};`,
  )
}

function count(number: number, noun: string): string {
  if (number === 0) return ''
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}
