/** What the formats of findings share. */
import { escapeForTerminal } from '../ui/escape.ts'
import type { Findings, LintFinding } from './contract.ts'

/** What is said of a rule in reports that carry their own help. */
export interface RuleHelp {
  id: string
  name: string
  severity: LintFinding['severity']
  summary: string
  /** The whole page, as Markdown. */
  page: string
}

export interface FindingsContext {
  /** The command whose findings they are. */
  command: string
  /** Of this program. */
  version: string
  /** The rules that have findings. */
  rules: readonly RuleHelp[]
  /** Whether findings of a severity make the exit code 1. */
  fails(severity: LintFinding['severity']): boolean
  /** Names of all files that were looked at, in reading order. */
  files: readonly string[]
}

/** Findings as the text of one format. */
export type FindingsFormat = (report: Findings, context: FindingsContext) => string

/** Message, note and fix in one text, the versions where there are several; hostile characters spelt out. */
export function wholeMessage({ message, note, fix, targets }: LintFinding, report: Findings): string {
  const versions = report.summary.targets.length > 1 ? ` (Kubernetes ${targets.join(', ')})` : ''
  const parts = [
    `${message}${versions}`,
    ...(note === null ? [] : [note]),
    ...(fix === null ? [] : [`fix: ${fix.text}`]),
  ]
  return escapeForTerminal(parts.join('; '))
}

/** The file of a finding, or the object as a path where it is in none. */
export function pathOf({ file, object }: LintFinding): string {
  if (file !== null) return escapeForTerminal(repositoryPath(file))
  return escapeForTerminal(object === null ? '-' : `${object.kind}/${object.name}`)
}

/** A path as services match it with those of a repository: without a leading `./`, with slashes. */
export function repositoryPath(file: string): string {
  return file.replaceAll('\\', '/').replace(/^(?:\.\/+)+/, '')
}

/** Text for element content and attributes of XML. */
export function xmlText(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' }
  return escapeForTerminal(text).replace(/[&<>"']/g, (found) => entities[found] ?? found)
}

/** Findings by the path of their file, the given files first, those without a finding included. */
export function byFile(report: Findings, files: readonly string[]): Map<string, LintFinding[]> {
  const groups = new Map<string, LintFinding[]>(files.map((file) => [escapeForTerminal(repositoryPath(file)), []]))
  for (const finding of report.findings) {
    const path = pathOf(finding)
    groups.set(path, [...(groups.get(path) ?? []), finding])
  }
  return groups
}
