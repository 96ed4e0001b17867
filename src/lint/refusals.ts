/** What validation refuses, told apart by topic: each topic is a rule. */
import type { ErrorValue, FieldError } from '../apf/field-errors.ts'
import type { ApfObject } from '../apf/objects.ts'
import { type FieldPath, formatFieldPath } from '../apf/problem.ts'
import { validateObject } from '../apf/validation.ts'
import { nameOf } from './clauses.ts'
import type { Finding, Fix, LintContext, RuleId } from './rule.ts'

/** An error of validation in the object that has it. */
export interface Refusal {
  object: ApfObject
  error: FieldError
}

/** The rule of an error: the first whose test holds. */
const TOPICS: readonly { id: RuleId; holds(error: FieldError): boolean }[] = [
  { id: 'APF110', holds: ({ path }) => isField(path, 'metadata', /^(?:name|generateName)$/) },
  { id: 'APF111', holds: ({ path }) => path[0] === 'metadata' },
  { id: 'APF124', holds: ({ path }) => path.length === 1 },
  { id: 'APF114', holds: ({ path, value }) => lastOf(path) === 'matchingPrecedence' && value === 1 },
  { id: 'APF113', holds: ({ path }) => lastOf(path) === 'matchingPrecedence' },
  { id: 'APF119', holds: ({ path, category }) => formatFieldPath(path) === 'spec.type' && category === 'Invalid' },
  { id: 'APF115', holds: ({ path, category }) => category === 'NotSupported' || lastOf(path) === 'type' },
  { id: 'APF120', holds: ({ path }) => /^(?:limited|exempt|queuing)$/.test(String(lastOf(path))) },
  { id: 'APF121', holds: ({ path }) => /ConcurrencyShares$/.test(String(lastOf(path))) },
  { id: 'APF122', holds: ({ path }) => /Percent$/.test(String(lastOf(path))) },
  { id: 'APF123', holds: ({ path }) => /^(?:queues|handSize|queueLengthLimit)$/.test(String(lastOf(path))) },
  { id: 'APF116', holds: ({ path }) => /^(?:user|group|serviceAccount)$/.test(String(lastOf(path))) },
  { id: 'APF112', holds: ({ category }) => category === 'Required' },
  { id: 'APF117', holds: ({ value }) => Array.isArray(value) },
  { id: 'APF118', holds: ({ path }) => path.includes('nonResourceURLs') },
  { id: 'APF110', holds: () => true },
]

function isField(path: FieldPath, parent: string, name: RegExp): boolean {
  return path.length === 2 && path[0] === parent && name.test(String(path[1]))
}

function lastOf(path: FieldPath): string | number | undefined {
  return path[path.length - 1]
}

/** Validated once, for all rules. */
const known = new WeakMap<LintContext, readonly Refusal[]>()

/** The errors of one topic in the objects in question. */
export function refusalsOf(context: LintContext, id: RuleId): Refusal[] {
  return refusalsIn(context).filter(({ error }) => topicOf(error) === id)
}

/** Whether the server refuses an object in question, as findings of it tell. */
export function isRefused(object: ApfObject, context: LintContext): boolean {
  return refusalsIn(context).some((refusal) => refusal.object === object)
}

function refusalsIn(context: LintContext): readonly Refusal[] {
  let refusals = known.get(context)
  if (refusals === undefined) {
    refusals = allRefusals(context)
    known.set(context, refusals)
  }
  return refusals
}

function topicOf(error: FieldError): RuleId {
  return TOPICS.find(({ holds }) => holds(error))?.id ?? 'APF110'
}

function allRefusals({ own, rules }: LintContext): Refusal[] {
  // The generated rules find nothing new, and their texts say less.
  const readable = { ...rules, generatedUnionRules: false }
  return [...own.flowSchemas, ...own.priorityLevels].flatMap((object) =>
    validateObject(object, readable)
      .filter((error) => !isToldOtherwise(error, object))
      .map((error) => ({ object, error })),
  )
}

/** Everything that an object without a spec lacks is told by one finding, that of its spec. */
function isToldOtherwise({ path }: FieldError, { origin }: ApfObject): boolean {
  if (path[0] !== 'spec' || typeof origin?.written !== 'object' || origin.written === null) return false
  const spec: unknown = Reflect.get(origin.written, 'spec')
  return spec === undefined || spec === null
}

/** What a rule says of an error in place of what the server says, and besides. */
export interface Said {
  message?: string
  note?: string
  fix?: Fix
}

/** The findings of one topic, in the words of the server where the rule has no better ones. */
export function* refusalFindings(
  context: LintContext,
  id: RuleId,
  said: (refusal: Refusal) => Said = () => ({}),
): Generator<Finding> {
  for (const refusal of refusalsOf(context, id)) {
    const { object, error } = refusal
    const { message = sentenceOf(error), ...more } = said(refusal)
    yield { object, path: error.path, message: `${nameOf(object)}: ${message}`, ...more }
  }
}

function sentenceOf({ path, category, detail, value }: FieldError): string {
  const field = formatFieldPath(path)
  const reason = readable(detail)
  const because = reason === '' ? '' : `: ${reason}`
  switch (category) {
    case 'Required':
      return `${field} is missing${because}`
    case 'Forbidden':
      return `${field} is not allowed${because}`
    case 'Invalid':
      return `${field} ${valueText(value)}${/^(?:must|should) /.test(reason) ? ` ${reason}` : because}`
    default:
      return `${field}${because}`
  }
}

const ENDS = 'with a letter or a digit at both ends'

/** What the server says with a pattern. */
const PATTERNS: readonly [begin: RegExp, words: string][] = [
  [/^a lowercase RFC 1123 subdomain .*/s, `must be of lower-case letters, digits, - and ., ${ENDS}`],
  [/^a lowercase RFC 1123 label .*/s, `must be of lower-case letters, digits and -, ${ENDS}`],
  [/^a valid label must be .*/s, `must be of letters, digits, -, _ and ., ${ENDS}`],
  [/^(?:a qualified name|a valid label key) .*/s, 'must be a name, or a DNS name and a name with one / between them'],
  [/^(prefix part) a lowercase .*/s, `$1 must be of lower-case letters, digits, - and ., ${ENDS}`],
  [/^(name part) must consist .*/s, `$1 must be of letters, digits, -, _ and ., ${ENDS}`],
  [/^each member of this list .*/s, `must be * or of lower-case letters, digits and -, ${ENDS}`],
]

function readable(detail: string): string {
  return PATTERNS.reduce((text, [begin, words]) => text.replace(begin, words), detail)
}

function valueText(value: ErrorValue | null): string {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  if (typeof value === 'string') return JSON.stringify(value)
  if ('goType' in value) return JSON.stringify(Object.values(value.fields)[0] ?? '')
  return `[${value.map((entry) => JSON.stringify(entry)).join(', ')}]`
}
