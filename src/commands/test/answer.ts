/** `test FILE...`: tries and proves what the files promise. */
import { type CaseResult, type CheckContext, checkRequestCase } from '../../analysis/expectations/check.ts'
import { type Coverage, coverageOf, percentOf } from '../../analysis/expectations/coverage.ts'
import type { Expectation } from '../../analysis/expectations/model.ts'
import { proveSetCase } from '../../analysis/expectations/prove.ts'
import { reachOf } from '../../analysis/reach.ts'
import { EXIT, type ExitCode, worstExit } from '../../cli/errors.ts'
import type { Io } from '../../cli/io.ts'
import { printProblems } from '../../cli/messages.ts'
import { type OutputFlagValues, printTable, stdoutPainter } from '../../cli/print.ts'
import { parseReports, writeReports } from '../../cli/report-files.ts'
import { describeSource } from '../../cli/source.ts'
import { toJson, toYaml } from '../../report/document.ts'
import type { TestReport } from '../../report/test-contract.ts'
import { testReport } from '../../report/test-document.ts'
import { brokenLines, CASE_COLUMNS, coverageLines, testVerdict } from '../../report/test-text.ts'
import type { ClusterState } from '../../sources/cluster-state.ts'
import { escapeForTerminal } from '../../ui/escape.ts'
import { symbolsFor } from '../../ui/symbols.ts'
import { contextOf } from './context.ts'
import { readExpectations } from './read.ts'

export interface TestFlagValues extends OutputFlagValues {
  coverage: boolean
  'min-coverage'?: number | undefined
  'server-seats'?: number | undefined
  report?: string[] | undefined
}

/** Holds every case of the files against the state, and reports how that went. @throws CliError */
export async function testFiles(
  paths: readonly string[],
  state: ClusterState,
  flags: TestFlagValues,
  io: Io,
): Promise<ExitCode> {
  const reports = parseReports(flags.report ?? [], REPORT_FORMATS)
  const { cases, problems } = await readExpectations(paths, io)
  printProblems(problems, io)
  const ofInput = problems.some(({ severity }) => severity === 'error') ? EXIT.usage : EXIT.ok
  if (cases.length === 0) return worstExit(ofInput, EXIT.usage)
  const context = await contextOf(cases, state, flags['server-seats'], io)
  const results = cases.map((each) => resultOf(each, context))
  const coverage = wantsCoverage(flags) ? coverageBy(results, context) : null
  const report = testReport(results, coverage, describeSource(state))
  await print(report, flags, io)
  await writeReports(reports, (format) => reportIn(format, report))
  const least = flags['min-coverage'] ?? 0
  return worstExit(
    ofInput,
    ...results.map(({ passed }) => (passed === null ? EXIT.unanswered : passed ? EXIT.ok : EXIT.findings)),
    coverage !== null && percentOf(coverage.rules) < least ? EXIT.findings : EXIT.ok,
  )
}

/** What every rule in force takes is costly to tell of hundreds of them: only where somebody reads it. */
function wantsCoverage({ coverage, 'min-coverage': least, output }: TestFlagValues): boolean {
  return coverage || least !== undefined || output === 'json' || output === 'yaml'
}

function coverageBy(results: readonly CaseResult[], { configuration, rules }: CheckContext): Coverage {
  const reaches = reachOf(configuration, { identities: 'authenticated', rules })
  return coverageOf(
    reaches,
    results.flatMap(({ exercised }) => exercised),
  )
}

function resultOf(each: Expectation, context: CheckContext): CaseResult {
  return each.kind === 'set' ? proveSetCase(each, context) : checkRequestCase(each, context)
}

const REPORT_FORMATS = ['json', 'yaml', 'junit', 'github', 'markdown'] as const

async function reportIn(format: (typeof REPORT_FORMATS)[number], report: TestReport): Promise<string> {
  if (format === 'json') return toJson(report)
  if (format === 'yaml') return toYaml(report)
  const { testReportAs } = await import('../../report/test-formats.ts')
  return testReportAs(format, report)
}

async function print(report: TestReport, flags: TestFlagValues, io: Io): Promise<void> {
  const format = REPORT_FORMATS.find((each) => each === flags.output)
  if (format === undefined) return printText(report, flags, io)
  await io.stdout.write(await reportIn(format, report))
}

async function printText(report: TestReport, flags: TestFlagValues, io: Io): Promise<void> {
  const paint = stdoutPainter(io)
  const { arrow } = symbolsFor(io.env)
  const write = (text: string) => io.stdout.write(`${text}\n`)
  await write(`${testVerdict(report)}\n`)
  const columns = CASE_COLUMNS.map((column) =>
    column.header === 'RESULT'
      ? {
          ...column,
          paint: ({ passed }: { passed: boolean | null }) =>
            passed ? paint.green : passed === null ? paint.yellow : paint.red,
        }
      : column,
  )
  await printTable(columns, report.cases, flags, io)
  const shown = flags.output === 'wide' ? Number.POSITIVE_INFINITY : undefined
  for (const tested of report.cases.filter(({ passed }) => passed !== true)) {
    await write(`\n${brokenLines(tested, arrow, shown).map(escapeForTerminal).join('\n')}`)
  }
  const { coverage } = report
  if (coverage === null) return
  await write(`\n${coverageLines(coverage).map(escapeForTerminal).join('\n')}`)
  const { 'min-coverage': least } = flags
  if (least !== undefined && coverage.rules.percent < least) await write(`below --min-coverage ${least}`)
}
