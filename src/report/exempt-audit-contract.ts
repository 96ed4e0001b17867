/** The answer of `audit-exempt`, and the policy file that it reads. */
import type { Breadth } from '../analysis/breadth.ts'
import type { Finding, RequestSet, SchemaSubject, Source, Unknown } from './contract.ts'
import type { SubjectSet } from './simulation-contract.ts'
import type { CompleteRequestLine } from './test-contract.ts'

/** Who bypasses fairness, through which rule, and whether that is allowed. */
export interface ExemptAudit {
  apiVersion: 'apf.kubectl/v1alpha1'
  kind: 'ExemptAudit'
  source: Source
  /** Every rule that leads to an exempt level, in the order tried. */
  entries: ExemptEntry[]
  /** FlowSchemas whose level does not exist. */
  dangling: DanglingEntry[]
  /** What is outside of the policy; empty without one. */
  findings: Finding[]
  /** Null where none was given. */
  policy: { allow: string[] | null; maxBreadth: Breadth | null; budget: number | null } | null
  /** What is known of the members of system:masters, whom nobody can list. */
  masters: MastersSource[]
  /** Who was seen executing in exempt levels; null where that is not known, see `unknowns`. */
  observed: ObservedUser[] | null
  unknowns: Unknown[]
}

export interface AuditedRule {
  flowSchema: string
  matchingPrecedence: number
  /** Null for a FlowSchema without rules. */
  ruleIndex: number | null
  /** How much of what it names it takes, after the FlowSchemas before it. */
  extent: 'all' | 'part' | 'nothing' | 'undecided'
  /** Of a rule that takes nothing: the earlier FlowSchemas that take all of it. */
  coveredBy: string[]
  /** Of whom it takes something; of a rule that takes nothing, of whom it names. Null where that is nobody. */
  breadth: Breadth | null
  subjects: AuditedSubject[]
  /** Disjoint; long-running requests, which bypass APF, are left out. */
  regions: ExemptRegion[]
  /** A request that it takes. */
  witness: CompleteRequestLine | null
  file: string | null
  line: number | null
  column: number | null
}

export interface ExemptEntry extends AuditedRule {
  /** One of the server's own set, as its version makes it. */
  builtIn: boolean
  /** `built-in`, or the name of a provider; null for one of ours. */
  maintainedBy: string | null
  /** Null without a policy, for one of ours. */
  allowed: boolean | null
  /** Why it is not allowed. */
  why: string | null
  /** Live, for ServiceAccounts that it names: which exist, and what runs as them; null where nobody was asked. */
  running: RunningAccounts | null
}

export interface AuditedSubject extends SchemaSubject {
  /** False: earlier FlowSchemas take all of it. */
  takes: boolean
}

/** Every request of `requests` by whoever is in one of `subjects`. */
export interface ExemptRegion {
  subjects: SubjectSet[]
  requests: RequestSet[]
}

export interface RunningAccounts {
  /** NAMESPACE/NAME of those that exist; null where they may not be read. */
  serviceAccounts: string[] | null
  workloads: RunningWorkload[] | null
}

export interface RunningWorkload {
  kind: string
  namespace: string
  name: string
  serviceAccount: string
  pods: number
}

export interface DanglingEntry {
  flowSchema: string
  matchingPrecedence: number
  priorityLevel: string
  because: string
  /** A level that was probably meant. */
  didYouMean: string | null
  builtIn: boolean
  maintainedBy: string | null
  /** What its rules would take if the level existed. */
  wouldTake: AuditedRule[]
  /** Where that lands now. */
  landsNow: { flowSchema: string; priorityLevel: string; matchingPrecedence: number }[]
  file: string | null
  line: number | null
  column: number | null
}

export interface MastersSource {
  /** `client-certificates`, `kubeadm`, `aws-auth`. */
  source: string
  message: string
  /** Null where they cannot be listed. */
  members: string[] | null
}

export interface ObservedUser {
  server: string
  user: string
  flowSchema: string
  /** Executing at that moment. */
  requests: number
}

// The file

/** What `--allow FILE` reads. A list of subjects alone will do, too. */
export interface ExemptPolicy {
  allow?: (string | AllowedSubject)[]
  maxBreadth?: Breadth
  /**
   * Most FlowSchemas of one's own that lead to an exempt level.
   * @minimum 0
   */
  budget?: number
}

export interface AllowedSubject {
  /** `user:NAME`, `group:NAME`, `sa:NAMESPACE/NAME` or `sa:NAMESPACE/*`. */
  subject: string
  reason?: string
  /** Last day, such as `2027-03-31`. */
  until?: string
}
