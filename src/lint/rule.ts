/**
 * What a rule of lint is: data with its documentation, and a check over one configuration. One rule is one file in rules/,
 * and everything that is said of it (docs/rules/, `explain`, SARIF) comes from there.
 */
import type { StatusOfServer } from '../analysis/status.ts'
import type { ApfObject, FlowSchema, PriorityLevelConfiguration } from '../apf/objects.ts'
import type { EffectiveConfiguration } from '../apf/order.ts'
import type { FieldPath, Origin, Place, Problem, Severity } from '../apf/problem.ts'
import type { VersionRules } from '../apf/versions.ts'

/** `APF1xx` what the server refuses or changes, `2xx` routing, `3xx` capacity, `4xx` life cycle, `5xx` live state. */
export type RuleId = `APF${number}`

export interface Rule {
  id: RuleId
  /** Short name in kebab case: `dangling`. */
  name: string
  /** The severity of its findings unless one says another. */
  severity: Severity
  /** One line for the catalogue: what is wrong with what it finds. */
  summary: string
  documentation: RuleDocumentation
  /** First and last minor of Kubernetes 1.x to which it applies; absent: all. */
  since?: number
  until?: number
  check(context: LintContext): Iterable<Finding>
}

/** Texts are Markdown, a paragraph or two each. */
export interface RuleDocumentation {
  /** What the rule finds, exactly. */
  what: string
  /** Why it hurts. */
  why: string
  fix: string
  /** A string for what no file shows: the state in words. */
  fails: RuleExample | string
  passes: RuleExample | string
}

/** Objects as YAML and the minor whose default objects they are laid over, such as `1.34`. The tests run them. */
export interface RuleExample {
  yaml: string
  defaults: string
  /** For rules with options. */
  options?: Partial<LintOptions>
  /** The minor before the upgrade to `defaults`, for rules about upgrades. */
  upgradeFrom?: string
  /** Of one API server; absent: those of a server without flags. */
  serverSeats?: number
}

export interface Finding {
  /** Absent: that of the rule. */
  severity?: Severity
  /** The object it is about; null where it is about none in particular. */
  object: ApfObject | null
  /** Field of the object; empty for the object itself. */
  path: FieldPath
  /** For what is no object, such as data that could not be decoded: what it claims to be, and where it stands. */
  about?: { kind: string; name: string }
  at?: Place
  /** One sentence: the object, the field's value, what is wrong with it. */
  message: string
  /** A second sentence: what happens because of it, or the proof. */
  note?: string
  fix?: Fix
}

export interface Fix {
  /** One line in the imperative. */
  text: string
  /** What it takes, where that is mechanical and surely meant. */
  edits?: readonly FieldEdit[]
}

/** A change to one field of the object of a finding. */
export type FieldEdit =
  | { path: FieldPath; set: unknown }
  | { path: FieldPath; remove: true }
  /** Another key for the same value. */
  | { path: FieldPath; rename: string }

/** Everything a check may look at, for one version of Kubernetes. */
export interface LintContext {
  /** The objects in question: those that were given, not the defaults that they are laid over. */
  own: { flowSchemas: readonly FlowSchema[]; priorityLevels: readonly PriorityLevelConfiguration[] }
  /** All objects, the given ones and those around them, and what a server makes of them. */
  all: { flowSchemas: readonly FlowSchema[]; priorityLevels: readonly PriorityLevelConfiguration[] }
  configuration: EffectiveConfiguration
  /** Whether an object that is not there surely does not exist. */
  complete: boolean
  rules: VersionRules
  /** Seats of one API server; `assumed` where nobody gave or recorded them. */
  serverSeats: { value: number; assumed: boolean }
  /** What reading the objects found wrong (problem-codes.ts), objects that could not be decoded included. */
  reading: readonly Problem[]
  options: LintOptions
  evidence: Evidence
}

export interface LintOptions {
  /** Subjects that may be exempt: `user:NAME`, `group:NAME`, `sa:NAMESPACE/NAME`. */
  allowedExempt: readonly string[]
  /** Levels whose seats must stay their own. */
  guaranteedLevels: readonly string[]
  /** The minor from which, and the minor to which, the server is upgraded (`1.28`). */
  upgrade: { from: VersionRules; to: VersionRules } | null
}

/** What there is besides the objects of API Priority and Fairness. */
export interface Evidence {
  /** Release of the API server that the objects were read from, live or into a recording; null for files. */
  release: VersionRules | null
  /** Every API server of which something was read. */
  servers: readonly StatusOfServer[]
  /** When they were read, in seconds since 1970; null where nothing tells. */
  readAt: number | null
  /** Admission webhook configurations and APIServices, as far as they were given or may be read. */
  backends: readonly ForeignObject[]
}

/** Of files that hold nothing else. */
export const NO_EVIDENCE: Evidence = { release: null, servers: [], readAt: null, backends: [] }

/** An object of another kind, as decoded YAML or JSON. */
export interface ForeignObject {
  kind: string
  value: unknown
  origin: Origin
}

/** Gives a rule its type. */
export function defineRule(rule: Rule): Rule {
  return rule
}
