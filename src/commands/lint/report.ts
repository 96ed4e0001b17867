/** From findings to reports in the formats asked for; each format is loaded when it is needed. */
import { writeFileSync } from 'node:fs'
import packageJson from '../../../package.json' with { type: 'json' }
import { CliError, EXIT, usageError } from '../../cli/errors.ts'
import type { Io } from '../../cli/io.ts'
import { RULES } from '../../lint/rules/index.ts'
import type { Findings, LintFinding } from '../../report/contract.ts'
import { toJson, toJsonLine, toYaml } from '../../report/document.ts'
import type { FindingsContext, FindingsFormat, RuleHelp } from '../../report/findings-format.ts'
import { painter } from '../../ui/colour.ts'
import { symbolsFor } from '../../ui/symbols.ts'
import { FORMATS, type Format, isFormat } from './formats.ts'
import type { LintSource } from './open.ts'

export interface ReportFile {
  format: Format
  file: string
}

export interface ReportOptions {
  fails: FindingsContext['fails']
}

/** The values of `--report FORMAT=FILE`. @throws CliError */
export function parseReports(values: readonly string[]): ReportFile[] {
  return values.map((value) => {
    const [format = '', ...file] = value.split('=')
    if (isFormat(format) && file.join('=') !== '') return { format, file: file.join('=') }
    const why = isFormat(format) ? 'the file is missing' : `the formats are ${FORMATS.join(', ')}`
    throw usageError(`--report ${value} is not FORMAT=FILE`, why, '--report sarif=apf.sarif')
  })
}

/** Where a report goes, and what it may look like there. */
export type ReportIo = Pick<Io, 'stdout' | 'env' | 'colour'>

export async function printReport(
  findings: Findings,
  { output }: { output?: string | undefined },
  source: LintSource,
  options: ReportOptions,
  io: ReportIo,
): Promise<void> {
  const format = isFormat(output ?? '') ? (output as Format) : 'table'
  await io.stdout.write(await reportText(findings, format, source, options, io))
}

/** @throws CliError for a file that cannot be written */
export async function writeReports(
  findings: Findings,
  reports: readonly ReportFile[],
  source: LintSource,
  options: ReportOptions,
  { stdout, env }: ReportIo,
): Promise<void> {
  for (const { format, file } of reports) {
    const text = await reportText(findings, format, source, options, { stdout, env, colour: 'never' })
    try {
      writeFileSync(file, text)
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      throw new CliError({ exitCode: EXIT.unanswered, what: `the report ${file} cannot be written`, why })
    }
  }
}

const FORMATTERS: Partial<Record<Format, () => Promise<FindingsFormat>>> = {
  sarif: async () => (await import('../../report/findings-sarif.ts')).sarif,
  junit: async () => (await import('../../report/findings-junit.ts')).junit,
  github: async () => (await import('../../report/findings-github.ts')).github,
  gitlab: async () => (await import('../../report/findings-gitlab.ts')).gitlab,
  markdown: async () => (await import('../../report/findings-markdown.ts')).markdown,
  checkstyle: async () => (await import('../../report/findings-checkstyle.ts')).checkstyle,
}

async function reportText(
  findings: Findings,
  format: Format,
  source: LintSource,
  { fails }: ReportOptions,
  io: ReportIo,
): Promise<string> {
  if (format === 'json') return toJson(findings)
  if (format === 'yaml') return await toYaml(findings)
  if (format === 'jsonl') return findings.findings.map(toJsonLine).join('')
  const load = FORMATTERS[format]
  if (load === undefined) return await tableText(findings, format === 'wide', source, io)
  const formatter = await load()
  const rules = await rulesOf(findings.findings)
  return formatter(findings, { version: packageJson.version, rules, fails, files: [...source.texts.keys()] })
}

async function tableText(findings: Findings, wide: boolean, source: LintSource, io: ReportIo): Promise<string> {
  const { findingsText } = await import('../../report/findings-text.ts')
  return findingsText(findings, {
    paint: painter(io.stdout, io.env, io.colour),
    symbols: symbolsFor(io.env),
    wide,
    sourceLine: linesOf(source),
  })
}

async function rulesOf(findings: readonly LintFinding[]): Promise<RuleHelp[]> {
  const { ruleText } = await import('../../lint/catalogue.ts')
  const found = new Set(findings.map(({ rule }) => rule))
  return RULES.filter(({ id }) => found.has(id)).map((rule) => {
    const { id, name, severity, summary } = rule
    return { id, name, severity, summary, page: `# ${ruleText(rule)}` }
  })
}

/** Lines of the texts, without their ends; a text is split when the first of its lines is asked for. */
function linesOf({ texts }: LintSource): (file: string, line: number) => string | undefined {
  const split = new Map<string, string[]>()
  return (file, line) => {
    const lines = split.get(file) ?? texts.get(file)?.text.split(/\r?\n/)
    if (lines !== undefined) split.set(file, lines)
    return lines?.[line - 1]
  }
}
