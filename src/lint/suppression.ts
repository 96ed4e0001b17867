/**
 * Findings that somebody has looked at and accepts: `# apf-lint: ignore APF203 until=2027-03-31 reason="…"` as a comment, or
 * without its first words as an annotation of the object. A suppression has to give its reason, and may end.
 */
import { isDay } from '../analysis/day.ts'
import type { ApfObject } from '../apf/objects.ts'
import { type FieldPath, type Place, placeOf } from '../apf/problem.ts'
import { nearest } from '../apf/suggest.ts'
import { applies, byPlace, judged, type LintFinding, type LintSettings, lint, targetsOf } from './engine.ts'
import type { Finding, LintContext, Rule, RuleId } from './rule.ts'
import type { LintText } from './text.ts'

/** Suppressions of live objects, and of files that have no comments; several are parted by `;` or a line end. */
const IGNORE_ANNOTATION = 'apf.kubectl/lint-ignore'

/** Rules whose findings come from here. */
const SUPPRESSION_RULES = {
  expired: 'APF490',
  unused: 'APF491',
  reasonless: 'APF492',
  malformed: 'APF493',
} as const

/** What a suppression applies to. */
type Scope =
  /** The fields that start on a line, with everything in them; a finding on that line. */
  { line: number } | { object: ApfObject } | 'file'

interface Suppression {
  rules: readonly RuleId[]
  /** Last day on which it holds, `2027-03-31`; null: no end. */
  until: string | null
  reason: string | null
  scope: Scope
  at: Place
  object: ApfObject | null
  /** Why it cannot be understood; null if it can. */
  fault: string | null
}

export interface SuppressionSettings extends LintSettings {
  /** Today in UTC, `2026-11-30`. */
  today: string
  texts: ReadonlyMap<string, LintText>
}

export interface LintResult {
  findings: LintFinding[]
  suppressed: LintFinding[]
}

/** Runs the rules, and takes out what is suppressed. What is wrong with suppressions is found as well. */
export function lintSuppressed(
  contexts: readonly LintContext[],
  rules: readonly Rule[],
  settings: SuppressionSettings,
): LintResult {
  const { texts, today } = settings
  const known = rules.map(({ id }) => id)
  const [context] = contexts
  const objects = context === undefined ? [] : [...context.own.flowSchemas, ...context.own.priorityLevels]
  const findings = lint(contexts, rules, settings)
  const suppressions = suppressionsIn(texts.values(), objects, known)
  if (context === undefined || suppressions.length === 0) return { findings, suppressed: [] }
  const ran = new Set(rules.filter((rule) => contexts.some((each) => runs(rule, each, settings))).map(({ id }) => id))
  const { kept, suppressed, found } = applySuppressions(findings, suppressions, texts, today, ran)
  const faults = found.flatMap(({ rule: id, finding }) => {
    const rule = rules.find((each) => each.id === id)
    if (rule === undefined || !applies(rule, context.rules, settings)) return []
    return [{ ...judged(finding, rule, context.rules, settings), targets: targetsOf(contexts) }]
  })
  return { findings: [...kept, ...faults].sort(byPlace), suppressed }
}

interface Applied {
  kept: LintFinding[]
  suppressed: LintFinding[]
  /** What is wrong with the suppressions themselves, by the id of its rule. */
  found: { rule: RuleId; finding: Finding }[]
}

/** All suppressions in the comments of files and the annotations of objects. */
function suppressionsIn(
  texts: Iterable<LintText>,
  objects: readonly ApfObject[],
  known: readonly RuleId[],
): Suppression[] {
  return [
    ...[...texts].flatMap((text) => inComments(text, known)),
    ...objects.flatMap((object) => inAnnotation(object, known)),
  ]
}

/** Takes out the findings that a suppression in force applies to. */
function applySuppressions(
  findings: readonly LintFinding[],
  suppressions: readonly Suppression[],
  texts: ReadonlyMap<string, LintText>,
  today: string,
  ran: ReadonlySet<RuleId>,
): Applied {
  const used = new Set<Suppression>()
  const kept: LintFinding[] = []
  const suppressed: LintFinding[] = []
  for (const finding of findings) {
    const fitting = suppressions.filter((each) => isFor(each, finding, texts))
    for (const each of fitting) used.add(each)
    if (fitting.some((each) => inForce(each, today))) suppressed.push(finding)
    else kept.push(finding)
  }
  return { kept, suppressed, found: suppressions.flatMap((each) => faultsOf(each, used.has(each), today, ran)) }
}

/** Rules of live state find nothing without one: nobody can say then that a suppression is for nothing. */
function runs(rule: Rule, { rules, evidence }: LintContext, settings: LintSettings): boolean {
  return applies(rule, rules, settings) && (evidence.servers.length > 0 || !rule.id.startsWith('APF5'))
}

function inForce({ reason, until, fault }: Suppression, today: string): boolean {
  return fault === null && reason !== null && (until === null || today <= until)
}

// What is wrong with them

function faultsOf(each: Suppression, used: boolean, today: string, ran: ReadonlySet<RuleId>): Applied['found'] {
  const { rules, until, reason, fault } = each
  const names = rules.join(', ')
  if (fault !== null) return [faultFinding('malformed', each, `the suppression has no effect: ${fault}`, FORM)]
  if (!used) {
    if (!rules.every((rule) => ran.has(rule))) return []
    return [faultFinding('unused', each, `the suppression of ${names} applies to no finding`, 'remove it')]
  }
  if (reason === null) {
    return [faultFinding('reasonless', each, `the suppression of ${names} has no effect without a reason`, REASON)]
  }
  if (inForce(each, today)) return []
  return [
    faultFinding('expired', each, `the suppression of ${names} ended on ${until}`, 'mend what it was for, or renew it'),
  ]
}

const FORM = 'write: apf-lint: ignore APF203 until=2027-03-31 reason="…"'
const REASON = 'add reason="…"'

function faultFinding(
  fault: keyof typeof SUPPRESSION_RULES,
  { object, at }: Suppression,
  message: string,
  fix: string,
): Applied['found'][number] {
  const path = object === null ? [] : ANNOTATION_PATH
  return { rule: SUPPRESSION_RULES[fault], finding: { object, path, at, message, fix: { text: fix } } }
}

// Which findings they are for

function isFor(
  { rules, scope, at, fault }: Suppression,
  finding: LintFinding,
  texts: ReadonlyMap<string, LintText>,
): boolean {
  if (fault !== null || !rules.includes(finding.rule.id)) return false
  if (scope !== 'file' && 'object' in scope) return isSameObject(scope.object, finding)
  if (finding.at.file !== at.file) return false
  return scope === 'file' || finding.at.line === scope.line || linesOf(finding, texts).has(scope.line)
}

/** Versions of Kubernetes have objects of their own, read from one place. */
function isSameObject({ kind, metadata, origin }: ApfObject, { about, at }: LintFinding): boolean {
  return about?.kind === kind && about.name === metadata.name && (origin === null || at.file === origin.file)
}

/** Lines on which the object of a finding starts, and each field on the way to that of the finding. */
function linesOf({ object, path, at }: LintFinding, texts: ReadonlyMap<string, LintText>): ReadonlySet<number> {
  const lines = new Set<number>()
  const text = texts.get(at.file ?? '')
  const origin = object?.origin
  if (!origin || text === undefined) return lines
  for (let depth = 0; depth <= path.length; depth++) {
    const written = origin.writtenAt?.(path.slice(0, depth))
    if (written === undefined) break
    lines.add(text.positionAt(written.value.start).line)
    if (written.key) lines.add(text.positionAt(written.key.start).line)
  }
  return lines
}

// How they are written

const COMMENT = /(^|\s)#\s*apf-lint:\s*(.*?)\s*$/

function inComments(source: LintText, known: readonly RuleId[]): Suppression[] {
  const { file, text } = source
  // JSON has no comments.
  if (!text.includes('apf-lint:') || /^\s*[{[]/.test(text)) return []
  const lines = text.split(/\r?\n/)
  return lines.flatMap((line, index) => {
    const match = COMMENT.exec(line)
    if (match === null) return []
    const [, space = '', words = ''] = match
    const column = match.index + space.length + 1
    const alone = line.slice(0, match.index).trim() === ''
    const { wholeFile, ...parsed } = parseWords(words, known, true)
    const scope: Scope = wholeFile ? 'file' : { line: alone ? nextWrittenLine(lines, index) : index + 1 }
    return [{ ...parsed, scope, at: { file, line: index + 1, column }, object: null }]
  })
}

/** Number of the next line with something written on it. */
function nextWrittenLine(lines: readonly string[], index: number): number {
  const next = lines.findIndex((line, at) => at > index && !/^\s*(?:#.*)?$|^---/.test(line))
  return (next === -1 ? index : next) + 1
}

const ANNOTATION_PATH: FieldPath = ['metadata', 'annotations', IGNORE_ANNOTATION]

function inAnnotation(object: ApfObject, known: readonly RuleId[]): Suppression[] {
  const text = object.metadata.annotations[IGNORE_ANNOTATION]
  if (text === undefined) return []
  const at = placeOf(object.origin, ANNOTATION_PATH)
  const entries = splitOutsideQuotes(text).filter((entry) => entry.trim() !== '')
  return entries.map((entry) => {
    const { wholeFile: _, ...parsed } = parseWords(entry.trim(), known, false)
    return { ...parsed, scope: { object }, at, object }
  })
}

function splitOutsideQuotes(text: string): string[] {
  return text.match(/(?:"(?:\\.|[^"\\])*"|[^;\n"]|")+/g) ?? []
}

type Parsed = Pick<Suppression, 'rules' | 'until' | 'reason' | 'fault'> & { wholeFile: boolean }

const WORD = /([A-Za-z-]+)=(?:"((?:\\.|[^"\\])*)"|(\S*))|(\S+)/g

/** `ignore APF203,APF204 until=2027-03-31 reason="…"`; in an annotation without the word `ignore`. */
function parseWords(text: string, known: readonly RuleId[], inComment: boolean): Parsed {
  const words = [...text.matchAll(WORD)]
  const verb = words[0]?.[4]
  const hasVerb = verb === 'ignore' || (inComment && verb === 'ignore-file')
  const parsed: Parsed = { rules: [], until: null, reason: null, fault: null, wholeFile: verb === 'ignore-file' }
  if (inComment && !hasVerb)
    return { ...parsed, fault: `expected ignore or ignore-file${verb ? `, found ${verb}` : ''}` }
  const rules: RuleId[] = []
  for (const [, key, quoted, bare, word] of hasVerb ? words.slice(1) : words) {
    const value = quoted?.replace(/\\(.)/g, '$1') ?? bare ?? ''
    if (key === 'until') {
      if (!isDay(value)) return { ...parsed, fault: `until=${value} is no day such as 2027-03-31` }
      parsed.until = value
    } else if (key === 'reason') parsed.reason = value.trim() === '' ? null : value
    else if (key !== undefined) return { ...parsed, fault: `${key}= is not known, there are until= and reason=` }
    for (const id of (word ?? '').split(',').filter((part) => part !== '')) {
      const rule = known.find((each) => each === id)
      if (rule === undefined) return { ...parsed, fault: unknownRule(id, known) }
      rules.push(rule)
    }
  }
  return rules.length === 0 ? { ...parsed, fault: 'it names no rule' } : { ...parsed, rules }
}

/** Says that no rule has the id, and which one was probably meant. */
export function unknownRule(id: string, known: readonly RuleId[]): string {
  const meant = nearest(id, known)
  return `there is no rule ${id}${meant === null ? '' : `; did you mean ${meant}?`}`
}
