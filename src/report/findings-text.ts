/** Findings for a person: each with the line of its file, a caret, and what to do. */
import type { Painter } from '../ui/colour.ts'
import { escapeForTerminal } from '../ui/escape.ts'
import type { Symbols } from '../ui/symbols.ts'
import { displayWidth } from '../ui/width.ts'
import type { Findings, LintFinding } from './contract.ts'

export interface FindingsTextOptions {
  paint: Painter
  symbols: Symbols
  /** Infos on objects that are as the server or a provider makes them, too. */
  wide: boolean
  /** A line of a file, without its line end; undefined where it is not known. */
  sourceLine(file: string, line: number): string | undefined
}

/** The findings, and a last line that counts them. */
export function findingsText(report: Findings, options: FindingsTextOptions): string {
  const shown = report.findings.filter((finding) => options.wide || !isQuiet(finding))
  const severalTargets = report.summary.targets.length > 1
  const blocks = shown.map((finding) => `${findingText(finding, options, severalTargets)}\n`)
  return `${blocks.join('')}${summaryLine(report, shown.length, options)}\n`
}

function isQuiet({ severity, maintainedBy }: LintFinding): boolean {
  return severity === 'info' && maintainedBy !== null
}

function findingText(finding: LintFinding, options: FindingsTextOptions, severalTargets: boolean): string {
  const { severity, message, rule, targets, note } = finding
  const { paint } = options
  const colour = { error: paint.red, warning: paint.yellow, info: paint.dim }[severity]
  const where = placeText(finding)
  const versions = severalTargets ? ` (${targets.join(', ')})` : ''
  const head = `${where === '' ? '' : `${where}: `}${colour(`${severity}:`)} ${escapeForTerminal(message)}${versions}  [${rule}]\n`
  const excerpt = excerptText(finding, options)
  const fix =
    excerpt === null && finding.fix !== null
      ? `     ${options.symbols.arrow} ${escapeForTerminal(finding.fix.text)}\n`
      : ''
  return `${head}${excerpt ?? ''}${fix}${note === null ? '' : `     ${escapeForTerminal(note)}\n`}`
}

function placeText({ file, line, column, object }: LintFinding): string {
  if (file !== null && line !== null)
    return escapeForTerminal([file, line, column].filter((part) => part !== null).join(':'))
  return object === null ? escapeForTerminal(file ?? '') : escapeForTerminal(`${object.kind}/${object.name}`)
}

/** Longer lines of files are not shown. */
const LONGEST_LINE = 160

/** The line that a finding points at, with the fix behind the caret; null where the line is not known. */
function excerptText(finding: LintFinding, { sourceLine, paint }: FindingsTextOptions): string | null {
  const { file, line, column, endColumn, fix } = finding
  const text = file === null || line === null ? undefined : sourceLine(file, line)
  if (text === undefined || text.length > LONGEST_LINE || column === null) return null
  const before = escapeForTerminal(text.slice(0, column - 1).replaceAll('\t', ' '))
  const after = escapeForTerminal(text.slice(column - 1).replaceAll('\t', ' '))
  const length = endColumn === null ? 1 : endColumn - column
  const caret = '^'.repeat(displayWidth(escapeForTerminal(text.slice(column - 1, column - 1 + length))) || 1)
  const number = String(line).padStart(4)
  const pointer = `${' '.repeat(displayWidth(before))}${caret}${fix === null ? '' : ` ${escapeForTerminal(fix.text)}`}`
  return `${paint.dim(`${number} |`)} ${before}${after}\n${paint.dim('     |')} ${pointer}\n`
}

function summaryLine({ findings, summary }: Findings, shown: number, { symbols }: FindingsTextOptions): string {
  const { errors, warnings, infos, files, objects, suppressed, known, targets, newestCommonApiVersion } = summary
  const counts = [counted(errors, 'error'), counted(warnings, 'warning'), counted(infos, 'info')].filter(isSaid)
  const judged = counted(objects, 'object') ?? 'no objects'
  const where = files === 0 ? judged : `${judged} of ${counted(files, 'file')}`
  const lines = [`${counts.join(', ') || 'no findings'} in ${where} for Kubernetes ${targets.join(', ')}`]
  const worst = ['error', 'warning', 'info'].flatMap(
    (wanted) => findings.find(({ severity }) => severity === wanted) ?? [],
  )[0]
  const hint = shown === 0 || worst === undefined ? '' : ` ${symbols.arrow} kubectl apf explain ${worst.rule}`
  const hidden = findings.length - shown
  if (hidden > 0) lines.push(hiddenLine(hidden))
  if (suppressed > 0) lines.push(`${suppressed} suppressed`)
  if (known !== null) lines.push(`${known} known from the base`)
  if (targets.length > 1) {
    lines.push(
      newestCommonApiVersion === null
        ? 'no version of the API is served by all targets'
        : `newest version of the API that all targets serve: ${newestCommonApiVersion}`,
    )
  }
  return `${lines[0]}${hint}${lines
    .slice(1)
    .map((line) => `\n${line}`)
    .join('')}`
}

function hiddenLine(hidden: number): string {
  const [are, them] = hidden === 1 ? ['is', 'it'] : ['are', 'them']
  return `${counted(hidden, 'info')} on objects that are as their maker makes them ${are} not shown (-o wide shows ${them})`
}

function counted(count: number, noun: string): string | null {
  if (count === 0) return null
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

function isSaid(text: string | null): text is string {
  return text !== null
}
