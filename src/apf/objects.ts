/**
 * FlowSchema and PriorityLevelConfiguration as the API server holds them after decoding and defaulting, whatever API
 * version they were written in. Field names follow kubernetes/api flowcontrol/v1; absent pointers are null, absent lists
 * are empty, and `nominalConcurrencyShares` also holds what older versions call `assuredConcurrencyShares`.
 */
import type { Origin } from './problem.ts'

export interface ObjectMeta {
  name: string
  /** Null where the source has none (files, defaults). The server's own stand-ins carry ''. */
  uid: string | null
  generation: number | null
  labels: Record<string, string>
  annotations: Record<string, string>
  /** Only where the source has them: the server checks and stores them, fairness does not look at them. */
  generateName?: string
  finalizers?: string[]
}

export interface FlowSchema {
  kind: 'FlowSchema'
  /** API version in which the object was read, such as `v1` or `v1beta3`; of the group flowcontrol.apiserver.k8s.io. */
  apiVersion: string
  metadata: ObjectMeta
  spec: FlowSchemaSpec
  status: { conditions: Condition[] }
  origin: Origin | null
}

export interface FlowSchemaSpec {
  /** Name of the priority level; '' if missing. */
  priorityLevelConfiguration: { name: string }
  matchingPrecedence: number
  /** Null: the whole schema is one flow. `type` is kept as written, also when unknown. */
  distinguisherMethod: { type: string } | null
  rules: PolicyRule[]
}

export interface PolicyRule {
  subjects: Subject[]
  resourceRules: ResourceRule[]
  nonResourceRules: NonResourceRule[]
}

/** Only the member named by `kind` counts; the others may be present in objects that no server has accepted. */
export interface Subject {
  kind: string
  user: { name: string } | null
  group: { name: string } | null
  serviceAccount: { namespace: string; name: string } | null
}

export interface ResourceRule {
  verbs: string[]
  apiGroups: string[]
  resources: string[]
  clusterScope: boolean
  namespaces: string[]
}

export interface NonResourceRule {
  verbs: string[]
  nonResourceURLs: string[]
}

export interface Condition {
  type: string
  status: string
  reason: string
  message: string
  lastTransitionTime: string | null
}

export interface PriorityLevelConfiguration {
  kind: 'PriorityLevelConfiguration'
  apiVersion: string
  metadata: ObjectMeta
  spec: PriorityLevelSpec
  origin: Origin | null
}

export interface PriorityLevelSpec {
  /** `Exempt` or `Limited` in accepted objects; kept as written otherwise, '' if missing. */
  type: string
  limited: LimitedSpec | null
  exempt: ExemptSpec | null
}

export interface LimitedSpec {
  nominalConcurrencyShares: number
  /** 0…100; 0 before 1.26, which has no such field. */
  lendablePercent: number
  /** Percent of the nominal limit that may be borrowed; null: no limit (and before 1.26). */
  borrowingLimitPercent: number | null
  limitResponse: LimitResponse
}

export interface LimitResponse {
  /** `Queue` or `Reject` in accepted objects; kept as written otherwise, '' if missing. */
  type: string
  queuing: QueuingConfiguration | null
}

export interface QueuingConfiguration {
  queues: number
  handSize: number
  queueLengthLimit: number
}

export interface ExemptSpec {
  nominalConcurrencyShares: number
  lendablePercent: number
}

export type ApfObject = FlowSchema | PriorityLevelConfiguration

export const FLOWCONTROL_GROUP = 'flowcontrol.apiserver.k8s.io'

/** The two names that every server has in force, whether or not their objects exist. */
export const MANDATORY_NAMES = ['exempt', 'catch-all'] as const
