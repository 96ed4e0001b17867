/** Runs rules over configurations, one for each version of Kubernetes asked for, and brings their findings together. */
import { bootstrapClass } from '../apf/defaults/index.ts'
import { differsFromDefault } from '../apf/maintenance.ts'
import type { ApfObject } from '../apf/objects.ts'
import { type FieldPath, formatFieldPath, type Place, placeOf, type Severity } from '../apf/problem.ts'
import { compareBytes } from '../apf/text.ts'
import { minorText, type VersionRules } from '../apf/versions.ts'
import { providerOf } from './providers/index.ts'
import type { Finding, Fix, LintContext, Rule, RuleId } from './rule.ts'

export interface LintSettings {
  /** Severities other than those of the rules; `off` leaves a rule out. */
  severities: ReadonlyMap<RuleId, Severity | 'off'>
}

const DEFAULT_SETTINGS: LintSettings = { severities: new Map() }

/** A finding with everything that is said of it. */
export interface LintFinding {
  rule: Rule
  severity: Severity
  object: ApfObject | null
  /** Kind and name of the object, or what data without an object claim to be. */
  about: { kind: string; name: string } | null
  path: FieldPath
  at: Place
  message: string
  note: string | null
  fix: Fix | null
  /** Minors for which it was found, such as `1.34`, oldest first. */
  targets: string[]
  /** Its object is the server's own default one, or one that a provider maintains: `built-in`, or the provider's name. */
  maintainedBy: string | null
}

/**
 * All findings, by place. One that several versions share is one finding, with the fix of the newest of them.
 * @param contexts  one for each version, the same files in all of them
 */
export function lint(
  contexts: readonly LintContext[],
  rules: readonly Rule[],
  settings: LintSettings = DEFAULT_SETTINGS,
): LintFinding[] {
  const found = new Map<string, LintFinding>()
  for (const context of oldestFirst(contexts)) {
    const target = minorText(context.rules.minor)
    for (const finding of findingsOf(context, rules, settings)) {
      const key = identityOf(finding, target)
      const targets = found.get(key)?.targets ?? []
      if (!targets.includes(target)) found.set(key, { ...finding, targets: [...targets, target] })
    }
  }
  return [...found.values()].sort(byPlace)
}

function oldestFirst(contexts: readonly LintContext[]): LintContext[] {
  return contexts.toSorted((a, b) => a.rules.minor - b.rules.minor)
}

/** The minors that are judged, oldest first. */
export function targetsOf(contexts: readonly LintContext[]): string[] {
  return [...new Set(oldestFirst(contexts).map(({ rules }) => minorText(rules.minor)))]
}

/** Whether a rule has anything to say of a version, and is wanted. */
export function applies(
  { id, since = 0, until = Number.POSITIVE_INFINITY }: Rule,
  { minor }: VersionRules,
  { severities }: LintSettings,
): boolean {
  return minor >= since && minor <= until && severities.get(id) !== 'off'
}

function* findingsOf(context: LintContext, rules: readonly Rule[], settings: LintSettings): Generator<LintFinding> {
  for (const rule of rules) {
    if (!applies(rule, context.rules, settings)) continue
    for (const finding of rule.check(context)) yield judged(finding, rule, context.rules, settings)
  }
}

/** The severity of a finding and where it stands. */
export function judged(finding: Finding, rule: Rule, rules: VersionRules, settings: LintSettings): LintFinding {
  const { object, path, message } = finding
  const maintainedBy = isOfEveryObject(rule) || object === null ? null : maintainerOf(object, rules)
  const configured = settings.severities.get(rule.id)
  const severity = configured === undefined || configured === 'off' ? (finding.severity ?? rule.severity) : configured
  return {
    rule,
    severity: maintainedBy === null ? severity : 'info',
    object,
    about: object === null ? (finding.about ?? null) : { kind: object.kind, name: object.metadata.name },
    path,
    at: finding.at ?? placeOf(object?.origin ?? null, path),
    message: maintainedBy === null ? message : `${message} (${maintainedBy})`,
    note: finding.note ?? null,
    fix: finding.fix ?? null,
    targets: [],
    maintainedBy,
  }
}

/** What a server refuses or changes it does to copies of its own objects as well; a full level is full, whoever made it. */
function isOfEveryObject({ id }: Rule): boolean {
  return id.startsWith('APF1') || id.startsWith('APF5')
}

/** An object that is as the server, or the provider, makes it is nobody's mistake. */
export function maintainerOf(object: ApfObject, rules: VersionRules): string | null {
  const isDefault = bootstrapClass(object, rules) !== null && differsFromDefault(object, rules) === false
  return isDefault ? 'built-in' : providerOf(object)
}

/**
 * What makes findings one: of several versions, whose messages may name the version that they are about, and of several
 * fields whose one value stands where aliases take it from.
 */
function identityOf({ rule, severity, about, path, at, message }: LintFinding, target: string): string {
  const said = message.replaceAll(target, '')
  const where = at.line === undefined ? formatFieldPath(path) : [at.file, at.line, at.column]
  return JSON.stringify([rule.id, severity, about, where, said])
}

/** By file, line, column, then name and rule. */
export function byPlace(a: LintFinding, b: LintFinding): number {
  return (
    compareBytes(a.at.file ?? '', b.at.file ?? '') ||
    (a.at.line ?? 0) - (b.at.line ?? 0) ||
    (a.at.column ?? 0) - (b.at.column ?? 0) ||
    compareBytes(a.about?.name ?? '', b.about?.name ?? '') ||
    compareBytes(a.rule.id, b.rule.id)
  )
}
