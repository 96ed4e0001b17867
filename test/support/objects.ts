/** Objects of the model from the JSON that vectors and recordings hold, without the decoder under test. */
import type {
  FlowSchema,
  LimitedSpec,
  NonResourceRule,
  PolicyRule,
  PriorityLevelConfiguration,
  ResourceRule,
  Subject,
} from '../../src/apf/objects.ts'

export interface SubjectJson {
  kind: string
  user?: { name: string }
  group?: { name: string }
  serviceAccount?: { namespace: string; name: string }
}

export interface RuleJson {
  subjects?: SubjectJson[]
  resourceRules?: Partial<ResourceRule>[]
  nonResourceRules?: Partial<NonResourceRule>[]
}

export interface FlowSchemaJson {
  metadata: { name: string; uid?: string }
  spec: {
    priorityLevelConfiguration: { name: string }
    matchingPrecedence?: number
    distinguisherMethod?: { type?: string }
    rules?: RuleJson[]
  }
}

export interface PriorityLevelJson {
  metadata: { name: string; uid?: string }
  spec: {
    type?: string
    exempt?: { nominalConcurrencyShares?: number; lendablePercent?: number }
    limited?: Partial<Omit<LimitedSpec, 'limitResponse'>> & {
      assuredConcurrencyShares?: number
      limitResponse: { type?: string; queuing?: { queues: number; handSize: number; queueLengthLimit: number } }
    }
  }
}

export function subject(json: SubjectJson): Subject {
  return {
    kind: json.kind,
    user: json.user ?? null,
    group: json.group ?? null,
    serviceAccount: json.serviceAccount ?? null,
  }
}

export function resourceRule(json: Partial<ResourceRule>): ResourceRule {
  return { verbs: [], apiGroups: [], resources: [], clusterScope: false, namespaces: [], ...json }
}

export function nonResourceRule(json: Partial<NonResourceRule>): NonResourceRule {
  return { verbs: [], nonResourceURLs: [], ...json }
}

export function policyRule(json: RuleJson): PolicyRule {
  return {
    subjects: (json.subjects ?? []).map(subject),
    resourceRules: (json.resourceRules ?? []).map(resourceRule),
    nonResourceRules: (json.nonResourceRules ?? []).map(nonResourceRule),
  }
}

export function flowSchema(json: FlowSchemaJson): FlowSchema {
  return {
    kind: 'FlowSchema',
    apiVersion: 'v1',
    metadata: metadata(json.metadata),
    spec: {
      priorityLevelConfiguration: json.spec.priorityLevelConfiguration,
      matchingPrecedence: json.spec.matchingPrecedence ?? 1000,
      distinguisherMethod: json.spec.distinguisherMethod ? { type: '', ...json.spec.distinguisherMethod } : null,
      rules: (json.spec.rules ?? []).map(policyRule),
    },
    status: { conditions: [] },
    origin: null,
  }
}

export function priorityLevel(json: PriorityLevelJson): PriorityLevelConfiguration {
  const { type = '', limited, exempt } = json.spec
  return {
    kind: 'PriorityLevelConfiguration',
    apiVersion: 'v1',
    metadata: metadata(json.metadata),
    spec: {
      type,
      exempt: exempt ? { nominalConcurrencyShares: 0, lendablePercent: 0, ...exempt } : null,
      limited: limited
        ? {
            nominalConcurrencyShares: limited.nominalConcurrencyShares ?? limited.assuredConcurrencyShares ?? 30,
            lendablePercent: limited.lendablePercent ?? 0,
            borrowingLimitPercent: limited.borrowingLimitPercent ?? null,
            limitResponse: {
              type: limited.limitResponse.type ?? '',
              queuing: limited.limitResponse.queuing ?? null,
            },
          }
        : null,
    },
    origin: null,
  }
}

/** A level that takes part in seat sharing and deals hands of 6 out of 128 queues. */
export function queueLevel(name: string): PriorityLevelConfiguration {
  const queuing = { queues: 128, handSize: 6, queueLengthLimit: 50 }
  return priorityLevel({
    metadata: { name },
    spec: { type: 'Limited', limited: { limitResponse: { type: 'Queue', queuing } } },
  })
}

function metadata(json: { name: string; uid?: string }): FlowSchema['metadata'] {
  return { name: json.name, uid: json.uid ?? null, generation: null, labels: {}, annotations: {} }
}
