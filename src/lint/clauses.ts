/** The parts of FlowSchemas that rules look at, with their places. */
import type { FlowSchema, NonResourceRule, PolicyRule, ResourceRule, Subject } from '../apf/objects.ts'
import type { FieldPath } from '../apf/problem.ts'
import type { FieldEdit } from './rule.ts'

export interface ResourceClause {
  schema: FlowSchema
  rule: PolicyRule
  clause: ResourceRule
  path: FieldPath
}

export interface PathClause {
  schema: FlowSchema
  rule: PolicyRule
  clause: NonResourceRule
  path: FieldPath
}

export interface SubjectClause {
  schema: FlowSchema
  rule: PolicyRule
  subject: Subject
  path: FieldPath
}

/** Every resource rule, in the order of the objects. */
export function resourceClauses(schemas: readonly FlowSchema[]): ResourceClause[] {
  return rulesOf(schemas).flatMap(({ schema, rule, path }) =>
    rule.resourceRules.map((clause, index) => ({ schema, rule, clause, path: [...path, 'resourceRules', index] })),
  )
}

/** Every non-resource rule, in the order of the objects. */
export function pathClauses(schemas: readonly FlowSchema[]): PathClause[] {
  return rulesOf(schemas).flatMap(({ schema, rule, path }) =>
    rule.nonResourceRules.map((clause, index) => ({
      schema,
      rule,
      clause,
      path: [...path, 'nonResourceRules', index],
    })),
  )
}

/** Every subject, in the order of the objects. */
export function subjectClauses(schemas: readonly FlowSchema[]): SubjectClause[] {
  return rulesOf(schemas).flatMap(({ schema, rule, path }) =>
    rule.subjects.map((subject, index) => ({ schema, rule, subject, path: [...path, 'subjects', index] })),
  )
}

function rulesOf(schemas: readonly FlowSchema[]): { schema: FlowSchema; rule: PolicyRule; path: FieldPath }[] {
  return schemas.flatMap((schema) =>
    schema.spec.rules.map((rule, index) => ({ schema, rule, path: ['spec', 'rules', index] })),
  )
}

/** `FlowSchema shop-reports`, with which messages begin. */
export function nameOf({ kind, metadata }: { kind: string; metadata: { name: string } }): string {
  return `${kind} ${metadata.name}`
}

/** Puts a value in place of an entry of a list, or takes the entry out where the list has the value already. */
export function replaceEntry(list: readonly string[], path: FieldPath, value: string): FieldEdit {
  return list.includes(value) ? { path, remove: true } : { path, set: value }
}

/** `"a", "b" and "c"`. */
export function quotedList(words: readonly string[]): string {
  return listInWords(words.map((word) => JSON.stringify(word)))
}

/** `a, b and c`. */
export function listInWords(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
}
