/** What `lint` does: opens the source, judges its objects, fixes what is asked for, reports. */
import type { Severity } from '../../apf/problem.ts'
import { EXIT, type ExitCode, usageError, worstExit } from '../../cli/errors.ts'
import type { Io } from '../../cli/io.ts'
import { printNotes, printProblems } from '../../cli/messages.ts'
import { announce, isLive } from '../../cli/source.ts'
import type { LintConfiguration } from '../../lint/configuration.ts'
import { RULES } from '../../lint/rules/index.ts'
import type { Findings } from '../../report/contract.ts'
import { readConfigurationFile } from './configuration-file.ts'
import { findingsDocument, withoutKnown } from './document.ts'
import type { Fixed } from './fix.ts'
import { isOfObject, type Judging, judge } from './judge.ts'
import { type LintSource, type OpenFlags, type OpenOptions, openLintSource, parseTargets } from './open.ts'
import { parseReports, printReport, writeReports } from './report.ts'

export interface LintFlags extends OpenFlags {
  output?: string | undefined
  report?: string[] | undefined
  target?: string | undefined
  config?: string | undefined
  complete: boolean
  fix: boolean
  write: boolean
  'diff-base'?: string | undefined
  'fail-on'?: 'error' | 'warning' | 'info' | 'never' | undefined
  'server-seats'?: number | undefined
}

export async function lintCommand(flags: LintFlags, io: Io): Promise<ExitCode> {
  const reports = parseReports(flags.report ?? [])
  const { configuration, problems } = await readConfigurationFile(
    flags.config,
    RULES.map(({ id }) => id),
  )
  printProblems(problems, io)
  if (problems.some(({ severity }) => severity === 'error')) return EXIT.usage

  const options: OpenOptions = { targets: targetsOf(flags, configuration) }
  const judging = judgingOf(flags, configuration)
  const source = await openLintSource(flags, options, io)
  try {
    tellOfInput(source, flags, io)
    const fixed = flags.fix || flags.write ? await fix(source, flags, options, judging, io) : null
    const judged = fixed ?? { source, judgement: judge(source, judging) }
    const all = findingsDocument(judged.source, judged.judgement)
    const findings =
      flags['diff-base'] === undefined ? all : await newAgainst(flags['diff-base'], all, flags, options, judging, io)

    const failOn = flags['fail-on'] ?? configuration.failOn ?? 'error'
    const printsFiles = flags.fix && !flags.write
    const reportIo = printsFiles ? { ...io, stdout: io.stderr } : io
    const reporting = { fails: (severity: Severity) => RANK[severity] >= RANK[failOn] }
    await printReport(findings, flags, judged.source, reporting, reportIo)
    await writeReports(findings, reports, judged.source, reporting, io)
    const found = findings.findings.some(({ severity }) => reporting.fails(severity))
    return worstExit(exitOfInput(source), found ? EXIT.findings : EXIT.ok)
  } finally {
    source.close()
  }
}

/** The flags say it, else the configuration, which is about files. @throws CliError */
function targetsOf({ target, defaults, from, ...flags }: LintFlags, configuration: LintConfiguration): string[] {
  if (target !== undefined && defaults !== undefined) {
    throw usageError('--target with --defaults', 'both name the version to judge for', 'leave one of them out')
  }
  if (target !== undefined) return parseTargets(target)
  const isSaid = defaults !== undefined || flags['server-version'] !== undefined
  return isSaid || from.length === 0 ? [] : configuration.targets
}

function judgingOf(flags: LintFlags, { severities, options, serverSeats }: LintConfiguration): Judging {
  return {
    severities,
    options,
    complete: flags.complete,
    serverSeats: flags['server-seats'] ?? serverSeats,
    today: new Date().toISOString().slice(0, 'YYYY-MM-DD'.length),
  }
}

async function fix(
  source: LintSource,
  flags: LintFlags,
  options: OpenOptions,
  judging: Judging,
  io: Io,
): Promise<Fixed> {
  const { fixAll, fixedText, requireFiles, writeFixed } = await import('./fix.ts')
  requireFiles(flags, flags.write)
  const fixed = await fixAll(source, flags, options, judging, io)
  if (flags.write) writeFixed(fixed)
  else await io.stdout.write(fixedText(fixed))
  const files = `${fixed.changed.size} ${fixed.changed.size === 1 ? 'file' : 'files'}`
  const note = fixed.changed.size === 0 ? 'nothing to fix' : `${fixed.count} fixed in ${files}`
  printNotes([note], flags.quiet, io)
  return fixed
}

/** The findings that the base does not have; what is wrong with the input of the base does not matter. */
async function newAgainst(
  reference: string,
  findings: Findings,
  flags: LintFlags,
  options: OpenOptions,
  judging: Judging,
  io: Io,
): Promise<Findings> {
  const { openBase } = await import('./base.ts')
  const base = openBase(reference, flags.from)
  try {
    if (base.paths.length === 0) return withoutKnown(findings, { ...findings, findings: [] })
    const source = await openLintSource({ ...flags, from: base.paths }, options, io)
    return withoutKnown(findings, findingsDocument(source, judge(source, judging)))
  } finally {
    base.close()
  }
}

/** What there is to say about the input, but for what is a finding. */
function tellOfInput({ states, notes }: LintSource, flags: LintFlags, io: Io): void {
  const [state] = states
  const problems = state.problems.filter((problem) => !isOfObject(problem))
  const ofStates = new Set(states.flatMap((each) => each.notes))
  announce({ ...state, problems, notes: [...notes, ...ofStates] }, flags, io)
}

/** Input that could not be used, and levels that could not be read, make the answer doubtful. */
function exitOfInput({ states }: LintSource): ExitCode {
  return worstExit(
    ...states.map((state) => {
      const unusable = state.problems.some((problem) => problem.severity === 'error' && !isOfObject(problem))
      const levels = isLive(state) ? (state.live.levelsUnknown?.exitCode ?? EXIT.ok) : EXIT.ok
      return worstExit(levels, unusable ? EXIT.usage : EXIT.ok)
    }),
  )
}

const RANK = { info: 0, warning: 1, error: 2, never: 3 } as const
