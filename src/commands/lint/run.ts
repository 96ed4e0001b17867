/** What `lint` does: opens the source, judges its objects, fixes what is asked for, reports. */
import type { Severity } from '../../apf/problem.ts'
import { minorText } from '../../apf/versions.ts'
import { readConfigurationFile } from '../../cli/configuration-file.ts'
import { EXIT, type ExitCode, usageError, worstExit } from '../../cli/errors.ts'
import type { Io } from '../../cli/io.ts'
import { printNotes, printProblems } from '../../cli/messages.ts'
import { parseReports } from '../../cli/report-files.ts'
import { announce, isLive } from '../../cli/source.ts'
import type { LintConfiguration } from '../../lint/configuration.ts'
import type { LintOptions } from '../../lint/rule.ts'
import type { Findings } from '../../report/contract.ts'
import { findingsDocument, withoutKnown } from './document.ts'
import type { Fixed } from './fix.ts'
import { FORMATS } from './formats.ts'
import { isOfObject, type Judging, judge } from './judge.ts'
import { type LintSource, type OpenFlags, type OpenOptions, openLintSource, parseMinor, parseTargets } from './open.ts'
import { printReport, writeReportFiles } from './report.ts'

export interface LintFlags extends OpenFlags {
  output?: string | undefined
  report?: string[] | undefined
  target?: string | undefined
  'upgrade-from'?: string | undefined
  'upgrade-to'?: string | undefined
  config?: string | undefined
  complete: boolean
  fix: boolean
  write: boolean
  'diff-base'?: string | undefined
  'fail-on'?: 'error' | 'warning' | 'info' | 'never' | undefined
  'server-seats'?: number | undefined
}

/** Opens, judges and, if asked to, fixes what the flags name, and reports what is left. @throws CliError */
export async function lintCommand(flags: LintFlags, io: Io): Promise<ExitCode> {
  const reports = parseReports(flags.report ?? [], FORMATS)
  const { configuration, problems } = await readConfigurationFile(flags.config)
  printProblems(problems, io)
  if (problems.some(({ severity }) => severity === 'error')) return EXIT.usage

  const options: OpenOptions = { targets: targetsOf(flags, configuration) }
  const source = await openLintSource(flags, options, io)
  try {
    const judging = judgingOf(flags, configuration, source)
    tellOfInput(source, flags, io)
    const fixed = flags.fix || flags.write ? await fix(source, flags, options, judging, io) : null
    const judged = fixed ?? { source, judgement: judge(source, judging) }
    const all = findingsDocument(judged.source, judged.judgement)
    const findings =
      flags['diff-base'] === undefined ? all : await newAgainst(flags['diff-base'], all, flags, options, judging, io)

    const failOn = flags['fail-on'] ?? configuration.failOn ?? 'error'
    // Stdout is for the fixed files then.
    const stdout = flags.fix && !flags.write ? io.stderr : io.stdout
    const reporting = { fails: (severity: Severity) => RANK[severity] >= RANK[failOn] }
    await printReport(findings, flags, judged.source, reporting, { stdout, env: io.env, colour: io.colour })
    await writeReportFiles(findings, reports, judged.source, reporting, io)
    const found = findings.findings.some(({ severity }) => reporting.fails(severity))
    return worstExit(exitOfInput(source), found ? EXIT.findings : EXIT.ok)
  } finally {
    source.close()
  }
}

/** The flags say it, else the configuration, which is about files. @throws CliError */
function targetsOf({ target, defaults, from, ...flags }: LintFlags, configuration: LintConfiguration): string[] {
  const named = { '--target': target, '--defaults': defaults, '--upgrade-to': flags['upgrade-to'] }
  const [first, second] = Object.entries(named).flatMap(([flag, value]) => (value === undefined ? [] : [flag]))
  if (first !== undefined && second !== undefined) {
    throw usageError(`${first} with ${second}`, 'both name the version to judge for', 'leave one of them out')
  }
  if (target !== undefined) return parseTargets(target)
  const upgraded = flags['upgrade-to']
  if (upgraded !== undefined) return [minorText(parseMinor('--upgrade-to', upgraded).minor)]
  const isSaid = defaults !== undefined || flags['server-version'] !== undefined
  return isSaid || from.length === 0 ? [] : configuration.targets
}

function judgingOf(
  flags: LintFlags,
  { severities, options, serverSeats }: LintConfiguration,
  source: LintSource,
): Judging {
  return {
    severities,
    options: { ...options, upgrade: upgradeOf(flags, source) },
    complete: flags.complete,
    serverSeats: flags['server-seats'] ?? serverSeats,
    today: new Date().toISOString().slice(0, 'YYYY-MM-DD'.length),
  }
}

/** @throws CliError where nothing tells the version before the upgrade */
function upgradeOf(flags: LintFlags, { version }: LintSource): LintOptions['upgrade'] {
  const { 'upgrade-from': from, 'upgrade-to': to } = flags
  if (to === undefined && from === undefined) return null
  if (to === undefined) throw usageError('--upgrade-from without --upgrade-to', undefined, 'add --upgrade-to MINOR')
  const before = from === undefined ? version : parseMinor('--upgrade-from', from)
  if (before === null) throw usageError('--upgrade-to without --upgrade-from', undefined, 'add --upgrade-from MINOR')
  const after = parseMinor('--upgrade-to', to)
  if (after.minor < before.minor) {
    const why = `it is older than ${minorText(before.minor)}, from which the upgrade starts`
    throw usageError(`--upgrade-to ${to} is no upgrade`, why, 'name a later minor')
  }
  return { from: before, to: after }
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
