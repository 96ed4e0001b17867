/** An audit of exempt levels as the contract writes it. */
import type { AuditedSubject, DanglingAudit, ExemptRule, TakenByRule } from '../analysis/exempt-audit.ts'
import { subjectName } from '../analysis/who.ts'
import { differsFromDefault } from '../apf/maintenance.ts'
import type { FlowSchema } from '../apf/objects.ts'
import { placeOf } from '../apf/problem.ts'
import { nearest } from '../apf/suggest.ts'
import type { VersionRules } from '../apf/versions.ts'
import { regionEntries } from '../regions/entry.ts'
import { subjectsEntries } from '../regions/identity.ts'
import type {
  AuditedRule,
  DanglingEntry,
  ExemptEntry,
  RunningAccounts,
  AuditedSubject as SubjectDocument,
} from './exempt-audit-contract.ts'

export function exemptEntry(
  audited: ExemptRule,
  maintainedBy: string | null,
  verdict: { allowed: boolean | null; why: string | null },
  running: RunningAccounts | null,
  rules: VersionRules,
): ExemptEntry {
  const { schema } = audited.entry
  return {
    ...auditedRule(schema, audited),
    builtIn: isBuiltIn(schema, rules),
    maintainedBy,
    allowed: verdict.allowed,
    why: verdict.why,
    running,
  }
}

export function danglingEntry(
  { dangling, rules, landsNow }: DanglingAudit,
  maintainedBy: string | null,
  /** `isComplete` false: there may be more than these. */
  levels: { names: readonly string[]; isComplete: boolean },
  versionRules: VersionRules,
): DanglingEntry {
  const { schema, because, detail } = dangling
  const { name: priorityLevel } = schema.spec.priorityLevelConfiguration
  const isMissing = because === 'no-such-level'
  return {
    flowSchema: schema.metadata.name,
    matchingPrecedence: schema.spec.matchingPrecedence,
    priorityLevel,
    because: isMissing ? missingInWords(levels.isComplete) : `the priority level is malformed: ${detail}`,
    didYouMean: isMissing ? nearest(priorityLevel, levels.names) : null,
    builtIn: isBuiltIn(schema, versionRules),
    maintainedBy,
    wouldTake: rules.map((rule) => auditedRule(schema, rule)),
    landsNow: landsNow.map((entry) => ({
      flowSchema: entry.schema.metadata.name,
      priorityLevel: entry.level.metadata.name,
      matchingPrecedence: entry.schema.spec.matchingPrecedence,
    })),
    ...placeIn(schema, ['spec', 'priorityLevelConfiguration', 'name']),
  }
}

function missingInWords(isComplete: boolean): string {
  return isComplete ? 'the priority level does not exist' : 'the priority level is not in the given files'
}

function auditedRule(schema: FlowSchema, taken: TakenByRule): AuditedRule {
  const { ruleIndex, extent, coveredBy, breadth, subjects, shares, witness } = taken
  return {
    flowSchema: schema.metadata.name,
    matchingPrecedence: schema.spec.matchingPrecedence,
    ruleIndex,
    extent,
    coveredBy: [...coveredBy],
    breadth,
    subjects: subjects.map(subjectDocument),
    regions: shares.map(({ identities, requests }) => ({
      subjects: subjectsEntries(identities),
      requests: regionEntries(requests),
    })),
    witness,
    ...placeIn(schema, ruleIndex === null ? [] : ['spec', 'rules', ruleIndex]),
  }
}

function subjectDocument({ subject, takes }: AuditedSubject): SubjectDocument {
  return { kind: subject.kind, ...subjectName(subject), takes }
}

function placeIn({ origin }: FlowSchema, path: readonly (string | number)[]) {
  const { file = null, line = null, column = null } = placeOf(origin, path)
  return { file, line, column }
}

function isBuiltIn(schema: FlowSchema, rules: VersionRules): boolean {
  return differsFromDefault(schema, rules) === false
}
