/** From findings to reports in the formats asked for. */
import { findingsAs, isFindingsFormat } from '../../cli/findings-formats.ts'
import type { Io } from '../../cli/io.ts'
import { type ReportFile, writeReports } from '../../cli/report-files.ts'
import type { Findings } from '../../report/contract.ts'
import { toJson, toJsonLine, toYaml } from '../../report/document.ts'
import type { FindingsContext } from '../../report/findings-format.ts'
import { painter } from '../../ui/colour.ts'
import { symbolsFor } from '../../ui/symbols.ts'
import { type Format, isFormat } from './formats.ts'
import type { LintSource } from './open.ts'

export interface ReportOptions {
  fails: FindingsContext['fails']
}

/** Where a report goes, and what it may look like there. */
export type ReportIo = Pick<Io, 'stdout' | 'env' | 'colour'>

/** Writes the report to stdout in the format of `--output`. */
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
export async function writeReportFiles(
  findings: Findings,
  reports: readonly ReportFile<Format>[],
  source: LintSource,
  options: ReportOptions,
  { stdout, env }: ReportIo,
): Promise<void> {
  await writeReports(reports, (format) =>
    reportText(findings, format, source, options, { stdout, env, colour: 'never' }),
  )
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
  if (!isFindingsFormat(format)) return await tableText(findings, format === 'wide', source, io)
  return await findingsAs(format, findings, { command: 'lint', fails, files: [...source.texts.keys()] })
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

/** Lines of the texts, without their ends; a text is split when the first of its lines is asked for. */
function linesOf({ texts }: LintSource): (file: string, line: number) => string | undefined {
  const split = new Map<string, string[]>()
  return (file, line) => {
    const lines = split.get(file) ?? texts.get(file)?.text.split(/\r?\n/)
    if (lines !== undefined) split.set(file, lines)
    return lines?.[line - 1]
  }
}
