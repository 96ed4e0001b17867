/** Findings of the engine as the contract has them. */
import { formatFieldPath } from '../../apf/problem.ts'
import type { LintFinding } from '../../lint/engine.ts'
import type { LintFinding as FindingDocument } from '../../report/contract.ts'
import type { SourceText } from '../../sources/source-text.ts'

export function findingDocument(finding: LintFinding, _texts: ReadonlyMap<string, SourceText>): FindingDocument {
  const { rule, severity, message, about, at, path, fix, note, targets, maintainedBy } = finding
  const field = at.path ?? formatFieldPath(path)
  return {
    rule: rule.id,
    name: rule.name,
    severity,
    message,
    object: about,
    file: at.file ?? null,
    line: at.line ?? null,
    column: at.column ?? null,
    field: field === '' ? null : field,
    fix: fix && { text: fix.text, edits: [] },
    note,
    targets,
    maintainedBy,
  }
}
