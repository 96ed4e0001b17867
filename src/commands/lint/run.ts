/** What `lint` does: opens the source, runs the rules, reports. */
import { API_VERSIONS, minorText, type VersionRules } from '../../apf/versions.ts'
import { EXIT, type ExitCode, worstExit } from '../../cli/errors.ts'
import type { Io } from '../../cli/io.ts'
import { printNotes, printProblems } from '../../cli/messages.ts'
import { describeSource, isLive } from '../../cli/source.ts'
import { lintContext } from '../../lint/context.ts'
import { lint } from '../../lint/engine.ts'
import { RULES } from '../../lint/rules/index.ts'
import { API_VERSION, type Findings } from '../../report/contract.ts'
import type { ClusterState } from '../../sources/cluster-state.ts'
import { findingDocument } from './document.ts'
import { type LintSource, type OpenFlags, openLintSource, parseTargets } from './open.ts'
import { placeTexts } from './positions.ts'
import { writeReport } from './report.ts'

export interface LintFlags extends OpenFlags {
  output?: string | undefined
  target?: string | undefined
  complete: boolean
  'fail-on'?: 'error' | 'warning' | 'info' | 'never' | undefined
  'server-seats'?: number | undefined
}

export async function lintCommand(flags: LintFlags, io: Io): Promise<ExitCode> {
  const source = await openLintSource(flags, flags.target === undefined ? [] : parseTargets(flags.target), io)
  try {
    announce(source, flags.quiet, io)
    const findings = findingsOf(source, flags)
    await writeReport(findings, flags, placeTexts(source.texts), io)
    return worstExit(exitOfInput(source), exitOfFindings(findings, flags['fail-on'] ?? 'error'))
  } finally {
    source.close()
  }
}

/** Seats of a server with default flags. */
const ASSUMED_SEATS = 600

function findingsOf({ states, texts }: LintSource, flags: LintFlags): Findings {
  const contexts = states.map((state) => {
    const { rules, problems, source } = state
    const seats = flags['server-seats']
    const serverSeats = { value: seats ?? ASSUMED_SEATS, assumed: seats === undefined }
    const complete = flags.complete || source.complete
    const own = state.own ?? state
    return lintContext({ own, all: state, rules, complete, serverSeats, reading: problems.filter(isOfObject) })
  })
  const findings = lint(contexts, RULES).map((finding) => findingDocument(finding, texts))
  const [state] = states
  const count = (severity: string) => findings.filter((finding) => finding.severity === severity).length
  const own = state?.own ?? state
  return {
    apiVersion: API_VERSION,
    kind: 'Findings',
    source: describeSource(state as ClusterState),
    findings,
    summary: {
      errors: count('error'),
      warnings: count('warning'),
      infos: count('info'),
      suppressed: 0,
      known: null,
      files: texts.size,
      objects: (own?.flowSchemas.length ?? 0) + (own?.priorityLevels.length ?? 0),
      targets: contexts.map(({ rules }) => minorText(rules.minor)),
      newestCommonApiVersion: newestCommon(contexts.map(({ rules }) => rules)),
    },
  }
}

function newestCommon(targets: readonly VersionRules[]): string | null {
  const versions = Object.keys(API_VERSIONS).toReversed()
  return (
    versions.find((version) => targets.every(({ servedVersions }) => servedVersions.some((v) => v === version))) ?? null
  )
}

/** Problems of objects are findings; those of inputs are told on stderr. */
function isOfObject({ code }: { code: string }): boolean {
  return code.startsWith('APF')
}

function announce({ states }: LintSource, quiet: boolean, io: Io): void {
  const [state] = states
  if (state === undefined) return
  printProblems(
    state.problems.filter((problem) => !isOfObject(problem)),
    io,
  )
  printNotes([...new Set(states.flatMap(({ notes }) => notes))], quiet, io)
}

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

function exitOfFindings({ findings }: Findings, failOn: keyof typeof RANK): ExitCode {
  return findings.some(({ severity }) => RANK[severity] >= RANK[failOn]) ? EXIT.findings : EXIT.ok
}
