/** The answer of `audit-exempt`: from the objects to what is printed. */
import { type ExemptAudit as Audit, auditExempt, type ExemptRule } from '../../analysis/exempt-audit.ts'
import { type ExemptPolicy, isPolicy, judge, NO_POLICY, unusedAllowances } from '../../analysis/exempt-policy.ts'
import { effectiveConfiguration } from '../../apf/order.ts'
import type { Identity } from '../../apf/request.ts'
import { compareBytes } from '../../apf/text.ts'
import { EXIT, type ExitCode, usageError, worstExit } from '../../cli/errors.ts'
import type { Io } from '../../cli/io.ts'
import { printNotes, printProblems } from '../../cli/messages.ts'
import { type OutputFlagValues, printTable, stdoutPainter } from '../../cli/print.ts'
import { parseReports, writeReports } from '../../cli/report-files.ts'
import { describeSource } from '../../cli/source.ts'
import { type SubjectFlagValues, subjectInQuestion } from '../../cli/subject.ts'
import { maintainerOf } from '../../lint/engine.ts'
import type { IdentityCube } from '../../regions/identity.ts'
import { USERS } from '../../regions/spaces.ts'
import { only as onlyValues } from '../../regions/string-set.ts'
import { API_VERSION, type ExemptAudit, type Finding } from '../../report/contract.ts'
import { toJson, toYaml } from '../../report/document.ts'
import { danglingEntry, exemptEntry } from '../../report/exempt-audit-document.ts'
import {
  type AuditedPart,
  auditVerdict,
  danglingColumns,
  exemptColumns,
  mastersLines,
  observedLines,
  runningLines,
} from '../../report/exempt-audit-text.ts'
import { flowSchemaName } from '../../report/names.ts'
import type { ClusterState } from '../../sources/cluster-state.ts'
import { escapeForTerminal } from '../../ui/escape.ts'
import { type Evidence, evidenceOf } from './evidence.ts'
import { type PolicyFlagValues, readPolicy } from './policy.ts'

export interface AuditFlagValues extends OutputFlagValues, SubjectFlagValues, PolicyFlagValues {
  only?: 'exempt' | 'dangling' | undefined
  report?: string[] | undefined
}

/** Audits the state, holds it against the policy, and reports both. @throws CliError */
export async function answerAudit(state: ClusterState, flags: AuditFlagValues, io: Io): Promise<ExitCode> {
  const reports = parseReports(flags.report ?? [], REPORT_FORMATS)
  const asked = askedOf(state, flags)
  if (asked.part === 'dangling') refusePolicy(flags)
  const { policy, problems } = asked.part === 'dangling' ? { policy: NO_POLICY, problems: [] } : await readPolicy(flags)
  printProblems(problems, io)
  if (problems.some(({ severity }) => severity === 'error')) return EXIT.usage
  const audit = auditFor(asked, state)
  const evidence = await evidenceOf(
    audit.entries.filter(({ entry }) => maintainerOf(entry.schema, state.rules) === null),
    state,
    { exempt: asked.part !== 'dangling', everybody: asked.subject === null },
  )
  const document = documentOf(audit, policy, evidence, state)
  if (asked.subject === null && asked.part !== 'dangling') printNotes(notesOf(policy, audit.entries), flags.quiet, io)
  const answer = { document, audit, asked, state }
  await print(answer, flags, io)
  await writeReports(reports, (format) => reportIn(format, answer))
  return worstExit(
    document.findings.length > 0 ? EXIT.findings : EXIT.ok,
    isPolicy(policy) && document.entries.some(({ extent }) => extent === 'undecided') ? EXIT.unanswered : EXIT.ok,
  )
}

/** A gate that can never close would be taken for one that is open. @throws CliError */
function refusePolicy(flags: AuditFlagValues): void {
  const gate = (['allow', 'max-breadth', 'budget'] as const).find((flag) => flags[flag] !== undefined)
  if (gate === undefined) return
  throw usageError(`--${gate} with --only dangling`, 'it is about exempt rules, which are left out', 'leave one out')
}

interface AskedAbout {
  part: AuditedPart
  /** Null: everybody. */
  subject: Identity | null
}

function askedOf(state: ClusterState, flags: AuditFlagValues): AskedAbout {
  const isNamed = [flags.as, flags['as-group'], flags['as-uid'], flags['as-user-extra']].some(
    (flag) => flag !== undefined,
  )
  return { part: flags.only ?? null, subject: isNamed ? subjectInQuestion(flags, state).identity : null }
}

/** Of one subject only the rules that take something. */
function auditFor({ part, subject }: AskedAbout, state: ClusterState): Audit {
  const options = { rules: state.rules, ...(subject === null ? {} : { identities: [cubeOf(subject, state)] }) }
  const { entries, dangling, bypass } = auditExempt(state, options)
  const isAbout = ({ extent }: { extent: string }) => subject === null || extent !== 'nothing'
  return {
    entries: part === 'dangling' ? [] : entries.filter(isAbout),
    dangling: part === 'exempt' ? [] : dangling.filter(({ rules }) => subject === null || rules.some(isAbout)),
    bypass,
  }
}

/** This very identity: in no other group that any FlowSchema names. */
function cubeOf({ name, groups }: Identity, { flowSchemas }: ClusterState): IdentityCube {
  const named = flowSchemas.flatMap(({ spec }) =>
    spec.rules.flatMap(({ subjects }) => subjects.flatMap(({ group }) => (group === null ? [] : [group.name]))),
  )
  const lacks = ['system:masters', ...named].filter((group) => group !== '*' && !groups.includes(group))
  return {
    users: onlyValues(USERS, [name]),
    has: [...new Set(groups)].sort(compareBytes),
    lacks: [...new Set(lacks)].sort(compareBytes),
  }
}

function documentOf(audit: Audit, policy: ExemptPolicy, evidence: Evidence, state: ClusterState): ExemptAudit {
  const { rules } = state
  const today = new Date().toISOString().slice(0, 10)
  const { levels: inForce } = effectiveConfiguration(state.flowSchemas, state.priorityLevels, rules)
  const levels = { names: [...inForce.keys()], isComplete: state.source.complete }
  const entries = audit.entries.map((audited) => {
    const maintainedBy = maintainerOf(audited.entry.schema, rules)
    const verdict = judge(audited, policy, today)
    const allowed = maintainedBy !== null ? true : isPolicy(policy) ? verdict.allowed : null
    const why = allowed === false && !verdict.allowed ? verdict.why : null
    return exemptEntry(audited, maintainedBy, { allowed, why }, evidence.running.get(audited) ?? null, rules)
  })
  return {
    apiVersion: API_VERSION,
    kind: 'ExemptAudit',
    source: describeSource(state),
    entries,
    dangling: audit.dangling.map((dangling) =>
      danglingEntry(dangling, maintainerOf(dangling.dangling.schema, rules), levels, rules),
    ),
    findings: findingsOf(entries, policy),
    policy: isPolicy(policy) ? policyDocument(policy) : null,
    masters: evidence.masters,
    observed: evidence.observed,
    unknowns: evidence.unknowns,
  }
}

function policyDocument({ allow, maxBreadth, budget }: ExemptPolicy): ExemptAudit['policy'] {
  return { allow: allow?.map(({ text }) => text) ?? null, maxBreadth, budget }
}

const OUTSIDE = 'APF202'

function findingsOf(entries: ExemptAudit['entries'], { budget }: ExemptPolicy): Finding[] {
  const outside = entries.flatMap((entry): Finding[] => {
    if (entry.allowed !== false) return []
    const { flowSchema, ruleIndex, file, line, column } = entry
    return [
      {
        rule: OUTSIDE,
        severity: 'error',
        message: `FlowSchema ${flowSchema} rules[${ruleIndex}] bypasses fairness against the policy: ${entry.why}`,
        object: { kind: 'FlowSchema', name: flowSchema },
        file,
        line,
        column,
        field: `spec.rules[${ruleIndex}]`,
        fix: { text: 'send its requests to a level of their own, or allow them', edits: [] },
      },
    ]
  })
  return [...outside, ...overBudget(entries, budget)]
}

/** Said of the first FlowSchema for which there is no room. */
function overBudget(entries: ExemptAudit['entries'], budget: number | null): Finding[] {
  const own = entries.filter(({ maintainedBy }) => maintainedBy === null)
  const names = [...new Set(own.map(({ flowSchema }) => flowSchema))]
  const first = budget === null ? undefined : own.find(({ flowSchema }) => flowSchema === names[budget])
  if (first === undefined) return []
  const count = names.length === 1 ? '1 FlowSchema of yours bypasses' : `${names.length} FlowSchemas of yours bypass`
  const { flowSchema, file, line, column } = first
  return [
    {
      rule: OUTSIDE,
      severity: 'error',
      message: `${count} fairness, ${budget} may: ${names.join(', ')}`,
      object: { kind: 'FlowSchema', name: flowSchema },
      file,
      line,
      column,
      field: null,
      fix: null,
    },
  ]
}

function notesOf(policy: ExemptPolicy, entries: readonly ExemptRule[]): string[] {
  const unused = unusedAllowances(policy, entries)
  return unused.map(({ text }) => `${text} is allowed to be exempt, and no rule exempts it`)
}

/** What can be written without a terminal in mind. */
export const REPORT_FORMATS = ['json', 'yaml', 'markdown', 'sarif', 'junit', 'github', 'gitlab', 'checkstyle'] as const
type ReportFormat = (typeof REPORT_FORMATS)[number]

/** Everything that is printed. */
interface Answer {
  document: ExemptAudit
  audit: Audit
  asked: AskedAbout
  state: ClusterState
}

async function reportIn(format: ReportFormat, { document, audit, asked, state }: Answer): Promise<string> {
  switch (format) {
    case 'json':
      return toJson(document)
    case 'yaml':
      return toYaml(document)
    case 'markdown': {
      const { auditMarkdown } = await import('../../report/exempt-audit-markdown.ts')
      return auditMarkdown(document, audit, asked.part, asked.subject?.name ?? null)
    }
    default: {
      const [{ auditFindings, filesOf }, { findingsAs }] = await Promise.all([
        import('./findings.ts'),
        import('../../cli/findings-formats.ts'),
      ])
      const about = { command: 'audit-exempt', fails: () => true, files: filesOf(document.entries) }
      return findingsAs(format, auditFindings(document, state.rules), about)
    }
  }
}

async function print(answer: Answer, flags: AuditFlagValues, io: Io): Promise<void> {
  const format = REPORT_FORMATS.find((each) => each === flags.output)
  if (format !== undefined) return io.stdout.write(await reportIn(format, answer))
  const { document } = answer
  if (flags.output !== 'name') return printText(answer, flags, io)
  const names = [...document.entries, ...document.dangling].map(({ flowSchema }) => flowSchemaName(flowSchema))
  await io.stdout.write([...new Set(names)].map((name) => `${escapeForTerminal(name)}\n`).join(''))
}

async function printText({ document, audit, asked: { part, subject } }: Answer, flags: AuditFlagValues, io: Io) {
  const paint = stdoutPainter(io)
  const wide = flags.output === 'wide'
  const verdict = auditVerdict(document, part, subject?.name ?? null)
  await io.stdout.write(verdict.map((line) => `${escapeForTerminal(line)}\n`).join(''))
  const exempt = zipped(document.entries, audit.entries)
  if (exempt.length > 0) {
    await io.stdout.write('\n')
    const columns = exemptColumns(document, audit.bypass, wide).map((column) =>
      column.header === 'ALLOWED'
        ? { ...column, paint: ({ entry }: (typeof exempt)[number]) => (entry.allowed === false ? paint.red : null) }
        : column,
    )
    await printTable(columns, exempt, flags, io)
  }
  const dangling = zipped(document.dangling, audit.dangling)
  if (dangling.length > 0) {
    await io.stdout.write('\n')
    await printTable(danglingColumns(audit.bypass, wide), dangling, flags, io)
  }
  for (const lines of [
    runningLines(document.entries),
    mastersLines(document.masters),
    observedLines(document.observed),
    document.unknowns.map(({ message }) => message),
  ]) {
    if (lines.length > 0) await io.stdout.write(`\n${lines.map((line) => `  ${escapeForTerminal(line)}\n`).join('')}`)
  }
}

function zipped<Entry, Audited>(
  entries: readonly Entry[],
  audited: readonly Audited[],
): { entry: Entry; audited: Audited }[] {
  return entries.flatMap((entry, index) => {
    const of = audited[index]
    return of === undefined ? [] : [{ entry, audited: of }]
  })
}
