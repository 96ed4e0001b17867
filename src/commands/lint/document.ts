/** Findings as the contract has them. */
import { formatFieldPath } from '../../apf/problem.ts'
import { API_VERSIONS, type VersionRules } from '../../apf/versions.ts'
import { describeSource } from '../../cli/source.ts'
import { editsOf } from '../../lint/edits.ts'
import { type LintFinding, targetsOf } from '../../lint/engine.ts'
import type { LintText, TextEdit } from '../../lint/text.ts'
import { API_VERSION, type Edit, type Findings } from '../../report/contract.ts'
import { fingerprints, type ReportedFinding } from '../../report/fingerprint.ts'
import { type Judgement, ownObjects } from './judge.ts'
import type { LintSource } from './open.ts'

/** The report of a judgement, with the edits of its fixes and a fingerprint for each finding. */
export function findingsDocument(
  { states, texts }: LintSource,
  { findings, suppressed, contexts }: Judgement,
): Findings {
  const [state] = states
  const documents = findings.map((finding) => findingDocument(finding, texts))
  const marks = fingerprints(documents)
  const own = ownObjects(state)
  const listed = documents.map((finding, index) => ({ ...finding, fingerprint: marks[index] ?? '' }))
  return withCounts({
    apiVersion: API_VERSION,
    kind: 'Findings',
    source: describeSource(state),
    findings: listed,
    summary: {
      errors: 0,
      warnings: 0,
      infos: 0,
      suppressed: suppressed.length,
      known: null,
      files: texts.size,
      objects: own.flowSchemas.length + own.priorityLevels.length,
      targets: targetsOf(contexts),
      newestCommonApiVersion: newestCommonVersion(states.map(({ rules }) => rules)),
    },
  })
}

/** Without the findings that the base has too. A fingerprint counts as often as the base has it. */
export function withoutKnown(report: Findings, base: Findings): Findings {
  const left = new Map<string, number>()
  for (const { fingerprint } of base.findings) left.set(fingerprint, (left.get(fingerprint) ?? 0) + 1)
  const findings = report.findings.filter(({ fingerprint }) => {
    const count = left.get(fingerprint) ?? 0
    left.set(fingerprint, count - 1)
    return count <= 0
  })
  const known = report.findings.length - findings.length
  return withCounts({ ...report, findings, summary: { ...report.summary, known } })
}

function withCounts(report: Findings): Findings {
  const count = (wanted: string) => report.findings.filter(({ severity }) => severity === wanted).length
  const counts = { errors: count('error'), warnings: count('warning'), infos: count('info') }
  return { ...report, summary: { ...report.summary, ...counts } }
}

function findingDocument(finding: LintFinding, texts: ReadonlyMap<string, LintText>): ReportedFinding {
  const { rule, severity, message, about, at, path, fix, note, targets, maintainedBy } = finding
  const field = at.path ?? formatFieldPath(path)
  const edits = editsOf(finding, texts).flatMap((edit) => editDocument(edit, texts))
  return {
    rule: rule.id,
    name: rule.name,
    severity,
    message,
    object: about,
    // Default and live objects are in no file.
    file: at.file !== undefined && texts.has(at.file) ? at.file : null,
    line: at.line ?? null,
    column: at.column ?? null,
    endColumn: endColumn(finding, texts),
    field: field === '' ? null : field,
    fix: fix && { text: fix.text, edits },
    note,
    targets,
    maintainedBy,
  }
}

/** Of the value that the place of a finding is the start of, if it ends in the same line. */
function endColumn({ object, path, at }: LintFinding, texts: ReadonlyMap<string, LintText>): number | null {
  const text = texts.get(at.file ?? '')
  const written = object?.origin?.writtenAt?.(path)
  if (text === undefined || written === undefined || written.text === '') return null
  const start = text.positionAt(written.value.start)
  const end = text.positionAt(written.value.end)
  return start.line === at.line && start.column === at.column && end.line === at.line ? end.column : null
}

function editDocument({ file, start, end, newText }: TextEdit, texts: ReadonlyMap<string, LintText>): Edit[] {
  const text = texts.get(file)
  if (text === undefined) return []
  return [{ file, range: { start: text.positionAt(start), end: text.positionAt(end) }, newText }]
}

/** The newest version of the API that every target serves; null where they have none in common. */
function newestCommonVersion(targets: readonly VersionRules[]): string | null {
  const newestFirst = Object.keys(API_VERSIONS).toReversed()
  const isServed = (version: string) =>
    targets.every(({ servedVersions }) => servedVersions.some((served) => served === version))
  return newestFirst.find(isServed) ?? null
}
