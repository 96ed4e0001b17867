/** Which bypasses of fairness are allowed. */

import type { Subject } from '../apf/objects.ts'
import type { Place } from '../apf/problem.ts'
import { isAllowed, isSubjectForm } from './allowed-subjects.ts'
import { BREADTHS, type Breadth, compareBreadth } from './breadth.ts'
import { isDay } from './day.ts'
import type { TakenByRule } from './exempt-audit.ts'
import type { FieldReader, Node } from './field-reader.ts'

/** What may lead to an exempt level, as flags, files and the configuration say it. */
export interface ExemptPolicy {
  /** Null: any subject. */
  allow: readonly AllowedSubject[] | null
  /** Where `allow` is from. */
  allowedBy: string
  /** Null: as broad as it may be. */
  maxBreadth: Breadth | null
  /** Most FlowSchemas of one's own that lead to an exempt level; null: any number. */
  budget: number | null
}

/** `user:NAME`, `group:NAME`, `sa:NAMESPACE/NAME` or `sa:NAMESPACE/*`. */
export interface AllowedSubject {
  text: string
  reason: string | null
  /** Last day, as `2027-03-31`; null: for ever. */
  until: string | null
  at: Place
}

/** Limits nothing. */
export const NO_POLICY: ExemptPolicy = { allow: null, allowedBy: '--allow', maxBreadth: null, budget: null }

/** Whether a policy limits anything. */
export function isPolicy({ allow, maxBreadth, budget }: ExemptPolicy): boolean {
  return allow !== null || maxBreadth !== null || budget !== null
}

/** The strictest of both: the subjects of either are allowed, and the narrower limits hold. */
export function joinPolicies(a: ExemptPolicy, b: ExemptPolicy): ExemptPolicy {
  const allow = a.allow === null && b.allow === null ? null : [...(a.allow ?? []), ...(b.allow ?? [])]
  const budgets = [a.budget, b.budget].filter((budget) => budget !== null)
  const breadths = [a.maxBreadth, b.maxBreadth].filter((breadth) => breadth !== null)
  const [narrowest = null] = breadths.toSorted(compareBreadth)
  const { allowedBy } = a.allow === null ? b : a
  return { allow, allowedBy, maxBreadth: narrowest, budget: budgets.length === 0 ? null : Math.min(...budgets) }
}

export type Verdict = { allowed: true } | { allowed: false; why: string }

/**
 * Whether a rule of one's own may lead to an exempt level: whoever it takes is allowed, and not broader than allowed. Of a
 * subject all of which earlier FlowSchemas take, nothing has to be allowed.
 * @param today  as `2027-03-31`
 */
export function judge({ extent, subjects, breadth }: TakenByRule, policy: ExemptPolicy, today: string): Verdict {
  if (extent === 'nothing') return { allowed: true }
  const reasons: string[] = []
  const { allow, allowedBy, maxBreadth } = policy
  if (allow !== null) {
    const inForce = allow.filter(({ until }) => until === null || until >= today)
    const outside = subjects.filter(
      ({ subject, takes }) => takes && !inForce.some((allowed) => covers(allowed, subject)),
    )
    if (outside.length > 0) {
      const ended = allow.find(
        (entry) => !inForce.includes(entry) && outside.some(({ subject }) => covers(entry, subject)),
      )
      const names = outside.map(({ subject }) => wordOf(subject)).join(', ')
      reasons.push(ended ? `${ended.text} was allowed until ${ended.until}` : `${names} not in ${allowedBy}`)
    }
  }
  if (maxBreadth !== null && breadth !== null && compareBreadth(breadth, maxBreadth) > 0) {
    reasons.push(`max-breadth is ${maxBreadth}`)
  }
  return reasons.length === 0 ? { allowed: true } : { allowed: false, why: reasons.join('; ') }
}

/** Subjects that were allowed and that no rule takes. */
export function unusedAllowances(policy: ExemptPolicy, rules: readonly TakenByRule[]): AllowedSubject[] {
  const subjects = rules.flatMap((rule) => rule.subjects.map(({ subject }) => subject))
  return (policy.allow ?? []).filter((allowed) => !subjects.some((subject) => covers(allowed, subject)))
}

function covers({ text }: AllowedSubject, subject: Subject): boolean {
  return isAllowed(subject, [text])
}

/** A subject in the form in which it is allowed. */
function wordOf({ kind, user, group, serviceAccount }: Subject): string {
  if (kind === 'ServiceAccount' && serviceAccount) return `sa:${serviceAccount.namespace}/${serviceAccount.name}`
  return kind === 'Group' ? `group:${group?.name ?? ''}` : `user:${user?.name ?? ''}`
}

/** Reads `user:NAME` and the like; null for a text of another form. */
export function allowedSubject(text: string, at: Place): AllowedSubject | null {
  return isSubjectForm(text) ? { text, reason: null, until: null, at } : null
}

const POLICY_FIELDS = ['allow', 'maxBreadth', 'budget'] as const
const ALLOW_FIELDS = ['subject', 'reason', 'until'] as const
/** For messages: how a subject is written. */
export const SUBJECT_FORMS = 'user:NAME, group:NAME, sa:NAMESPACE/NAME or sa:NAMESPACE/*'

/** Reads a file of `--allow`: an object with `allow`, `maxBreadth` and `budget`, or the list of what is allowed. */
export function decodePolicy(value: unknown, reader: FieldReader): ExemptPolicy {
  const root: Node = { value, path: [] }
  if (Array.isArray(value)) return { ...NO_POLICY, allow: allowedIn(root, reader) }
  const members = reader.members(root, POLICY_FIELDS, 'an object with allow, or a list of subjects')
  if (members === null) return NO_POLICY
  const [allow, maxBreadth, budget] = POLICY_FIELDS.map((field) => members.get(field))
  return {
    ...NO_POLICY,
    allow: allow === undefined ? null : allowedIn(allow, reader),
    maxBreadth: maxBreadth === undefined ? null : reader.oneOf(maxBreadth, BREADTHS),
    budget: budget === undefined ? null : reader.count(budget),
  }
}

function allowedIn(node: Node, reader: FieldReader): AllowedSubject[] {
  return reader.items(node).flatMap((item) => allowedEntry(item, reader) ?? [])
}

function allowedEntry(node: Node, reader: FieldReader): AllowedSubject | null {
  if (typeof node.value === 'string') return subjectIn(node, reader)
  const members = reader.members(node, ALLOW_FIELDS, `${SUBJECT_FORMS}, or an object with it as subject`)
  if (members === null) return null
  const subject = members.get('subject')
  if (subject === undefined) return reader.wrong(node, 'no subject', `add subject: ${SUBJECT_FORMS}`)
  const [reason, until] = [members.get('reason'), members.get('until')]
  const read = subjectIn(subject, reader)
  const day = until === undefined ? null : dayIn(until, reader)
  if (read === null) return null
  return { ...read, reason: reason === undefined ? null : reader.text(reason), until: day }
}

function subjectIn(node: Node, reader: FieldReader): AllowedSubject | null {
  const text = reader.text(node)
  if (text === null) return null
  return (
    allowedSubject(text, reader.placeOf(node)) ??
    reader.wrong(node, `${text} names no subject`, `write ${SUBJECT_FORMS}`)
  )
}

function dayIn(node: Node, reader: FieldReader): string | null {
  const { value } = node
  if (typeof value === 'string' && isDay(value)) return value
  return reader.wrong(node, 'no day', 'write it as 2027-03-31')
}
