/**
 * What a rule of lint is: data with its documentation, and a check over one configuration. One rule is one file in rules/,
 * and everything that is said of it (docs/rules/, `explain`, SARIF) comes from there.
 */
import type { SchemaReach } from '../analysis/reach.ts'
import type { ApfObject, FlowSchema, PriorityLevelConfiguration } from '../apf/objects.ts'
import type { EffectiveConfiguration } from '../apf/order.ts'
import type { FieldPath, Place, Problem, Severity } from '../apf/problem.ts'
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
  fails: RuleExample
  passes: RuleExample
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
  /** What each FlowSchema in force gets of all requests of all identities; worked out at the first call. */
  reach(): readonly SchemaReach[]
  /** What only a cluster or a snapshot tells; null for files. */
  live: LiveEvidence | null
}

export interface LintOptions {
  /** Subjects that may be exempt: `user:NAME`, `group:NAME`, `sa:NAMESPACE/NAME`. */
  allowedExempt: readonly string[]
  /** Levels whose seats must stay their own. */
  guaranteedLevels: readonly string[]
  /** The minor from which, and the minor to which, the server is upgraded (`1.28`). */
  upgrade: { from: VersionRules; to: VersionRules } | null
}

/** Evidence of rules APF5xx and of the life cycle. */
export interface LiveEvidence {
  servers: readonly LiveServer[]
  /** Objects of other kinds, as plain data: admission webhook configurations and APIServices. */
  webhooks: readonly unknown[]
  apiServices: readonly unknown[]
}

export interface LiveServer {
  name: string
  /** Requests dispatched and refused since start, by FlowSchema; null where metrics are not known. */
  traffic: ReadonlyMap<string, { dispatched: number; rejected: number }> | null
  /** Seats in use and the limit now, by priority level. */
  levels: ReadonlyMap<string, { nominal: number | null; current: number | null; executingSeats: number | null }> | null
  startedAt: string | null
}

/** Gives a rule its type. */
export function defineRule(rule: Rule): Rule {
  return rule
}
