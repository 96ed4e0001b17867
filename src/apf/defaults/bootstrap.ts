/**
 * The default objects of Kubernetes 1.20 … 1.37 as data. Seven sets cover all releases; an object that changed has one row
 * for each form.
 * Source: kubernetes/apiserver pkg/apis/flowcontrol/bootstrap/default.go.
 */
import type { FlowSchemaSpec, NonResourceRule, PriorityLevelSpec, ResourceRule, Subject } from '../objects.ts'
import { accountSubject, groupSubject, userSubject } from '../subjects.ts'
import type { BootstrapGroup } from '../versions.ts'

/** Mandatory objects are restored whenever they are missing or differ; suggested ones may be opted out. */
export type BootstrapClass = 'mandatory' | 'suggested'

/** First and last group with an object in this form, both included. */
type Groups = readonly [first: BootstrapGroup, last: BootstrapGroup]

export const BOOTSTRAP_GROUPS: readonly BootstrapGroup[] = ['A', 'A+probes', 'B', 'C', 'D', 'E', 'F']
const ALWAYS: Groups = ['A', 'F']

export interface SchemaRow {
  name: string
  groups: Groups
  class: BootstrapClass
  precedence: number
  level: string
  distinguisher: 'ByUser' | 'ByNamespace' | null
  subjects: readonly Subject[]
  /** `everything`: all resource and non-resource requests. */
  requests: 'everything' | { resourceRules?: readonly ResourceRule[]; nonResourceRules?: readonly NonResourceRule[] }
}

export interface LevelRow {
  name: string
  groups: Groups
  class: BootstrapClass
  /** Null: the exempt level. */
  limited: {
    shares: number
    /** Counts from group D on, the first to know lending. */
    lendablePercent: number
    /** Null: requests are rejected instead of queued. */
    queuing: readonly [queues: number, handSize: number, queueLengthLimit: number] | null
  } | null
}

/** In order of precedence. */
export const SCHEMA_ROWS: readonly SchemaRow[] = [
  {
    name: 'exempt',
    groups: ALWAYS,
    class: 'mandatory',
    precedence: 1,
    level: 'exempt',
    distinguisher: null,
    subjects: [groupSubject('system:masters')],
    requests: 'everything',
  },
  {
    name: 'probes',
    groups: ['A+probes', 'F'],
    class: 'suggested',
    precedence: 2,
    level: 'exempt',
    distinguisher: null,
    subjects: [groupSubject('system:unauthenticated'), groupSubject('system:authenticated')],
    requests: { nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/healthz', '/readyz', '/livez'] }] },
  },
  {
    name: 'system-leader-election',
    groups: ['A', 'B'],
    class: 'suggested',
    precedence: 100,
    level: 'leader-election',
    distinguisher: 'ByUser',
    subjects: [
      userSubject('system:kube-controller-manager'),
      userSubject('system:kube-scheduler'),
      accountSubject('kube-system', '*'),
    ],
    requests: {
      resourceRules: [locks('', ['endpoints', 'configmaps'], 'kube-system'), locks('coordination.k8s.io', ['leases'])],
    },
  },
  {
    name: 'system-leader-election',
    groups: ['C', 'F'],
    class: 'suggested',
    precedence: 100,
    level: 'leader-election',
    distinguisher: 'ByUser',
    subjects: [
      userSubject('system:kube-controller-manager'),
      userSubject('system:kube-scheduler'),
      accountSubject('kube-system', '*'),
    ],
    requests: { resourceRules: [locks('coordination.k8s.io', ['leases'])] },
  },
  {
    name: 'endpoint-controller',
    groups: ['C', 'E'],
    class: 'suggested',
    precedence: 150,
    level: 'workload-high',
    distinguisher: 'ByUser',
    subjects: [
      userSubject('system:kube-controller-manager'),
      accountSubject('kube-system', 'endpoint-controller'),
      accountSubject('kube-system', 'endpointslicemirroring-controller'),
    ],
    requests: { resourceRules: [locks('', ['endpoints'])] },
  },
  {
    name: 'workload-leader-election',
    groups: ['A', 'E'],
    class: 'suggested',
    precedence: 200,
    level: 'leader-election',
    distinguisher: 'ByUser',
    subjects: [accountSubject('kube-system', '*')],
    requests: { resourceRules: [locks('', ['endpoints', 'configmaps']), locks('coordination.k8s.io', ['leases'])] },
  },
  {
    name: 'system-node-high',
    groups: ['B', 'F'],
    class: 'suggested',
    precedence: 400,
    level: 'node-high',
    distinguisher: 'ByUser',
    subjects: [groupSubject('system:nodes')],
    requests: {
      resourceRules: [
        {
          verbs: ['*'],
          apiGroups: [''],
          resources: ['nodes', 'nodes/status'],
          clusterScope: true,
          namespaces: ['*'],
        },
        {
          verbs: ['*'],
          apiGroups: ['coordination.k8s.io'],
          resources: ['leases'],
          clusterScope: false,
          namespaces: ['*'],
        },
      ],
    },
  },
  {
    name: 'system-nodes',
    groups: ALWAYS,
    class: 'suggested',
    precedence: 500,
    level: 'system',
    distinguisher: 'ByUser',
    subjects: [groupSubject('system:nodes')],
    requests: 'everything',
  },
  {
    name: 'kube-controller-manager',
    groups: ALWAYS,
    class: 'suggested',
    precedence: 800,
    level: 'workload-high',
    distinguisher: 'ByNamespace',
    subjects: [userSubject('system:kube-controller-manager')],
    requests: 'everything',
  },
  {
    name: 'kube-scheduler',
    groups: ALWAYS,
    class: 'suggested',
    precedence: 800,
    level: 'workload-high',
    distinguisher: 'ByNamespace',
    subjects: [userSubject('system:kube-scheduler')],
    requests: 'everything',
  },
  {
    name: 'kube-system-service-accounts',
    groups: ALWAYS,
    class: 'suggested',
    precedence: 900,
    level: 'workload-high',
    distinguisher: 'ByNamespace',
    subjects: [accountSubject('kube-system', '*')],
    requests: 'everything',
  },
  {
    name: 'service-accounts',
    groups: ALWAYS,
    class: 'suggested',
    precedence: 9000,
    level: 'workload-low',
    distinguisher: 'ByUser',
    subjects: [groupSubject('system:serviceaccounts')],
    requests: 'everything',
  },
  {
    name: 'global-default',
    groups: ALWAYS,
    class: 'suggested',
    precedence: 9900,
    level: 'global-default',
    distinguisher: 'ByUser',
    subjects: [groupSubject('system:unauthenticated'), groupSubject('system:authenticated')],
    requests: 'everything',
  },
  {
    name: 'catch-all',
    groups: ALWAYS,
    class: 'mandatory',
    precedence: 10000,
    level: 'catch-all',
    distinguisher: 'ByUser',
    subjects: [groupSubject('system:unauthenticated'), groupSubject('system:authenticated')],
    requests: 'everything',
  },
]

export const LEVEL_ROWS: readonly LevelRow[] = [
  { name: 'exempt', groups: ALWAYS, class: 'mandatory', limited: null },
  level('system', ALWAYS, 30, 33, [64, 6, 50]),
  level('node-high', ['B', 'F'], 40, 25, [64, 6, 50]),
  level('leader-election', ALWAYS, 10, 0, [16, 4, 50]),
  level('workload-high', ALWAYS, 40, 50, [128, 6, 50]),
  level('workload-low', ALWAYS, 100, 90, [128, 6, 50]),
  level('global-default', ALWAYS, 20, 50, [128, 6, 50]),
  {
    name: 'catch-all',
    groups: ALWAYS,
    class: 'mandatory',
    limited: { shares: 5, lendablePercent: 0, queuing: null },
  },
]

/** Whether a row belongs to the defaults of a group. */
export function inGroup(row: { groups: Groups }, wanted: BootstrapGroup): boolean {
  const [first, last] = row.groups.map((name) => BOOTSTRAP_GROUPS.indexOf(name))
  const at = BOOTSTRAP_GROUPS.indexOf(wanted)
  return first !== undefined && last !== undefined && first <= at && at <= last
}

/** The spec of a row, as a new object. */
export function schemaSpec(row: SchemaRow): FlowSchemaSpec {
  const { resourceRules = [], nonResourceRules = [] } = row.requests === 'everything' ? everything() : row.requests
  const rule = {
    subjects: [...row.subjects],
    resourceRules: [...resourceRules],
    nonResourceRules: [...nonResourceRules],
  }
  return structuredClone({
    priorityLevelConfiguration: { name: row.level },
    matchingPrecedence: row.precedence,
    distinguisherMethod: row.distinguisher === null ? null : { type: row.distinguisher },
    rules: [rule],
  })
}

/** The spec of a row, as a new object. */
export function levelSpec(
  row: LevelRow,
  rules: { lendingFields: boolean; exemptLevelHasShares: boolean },
): PriorityLevelSpec {
  if (row.limited === null) {
    const exempt = rules.exemptLevelHasShares ? { nominalConcurrencyShares: 0, lendablePercent: 0 } : null
    return { type: 'Exempt', limited: null, exempt }
  }
  const { shares, lendablePercent, queuing } = row.limited
  return {
    type: 'Limited',
    limited: {
      nominalConcurrencyShares: shares,
      lendablePercent: rules.lendingFields ? lendablePercent : 0,
      borrowingLimitPercent: null,
      limitResponse:
        queuing === null
          ? { type: 'Reject', queuing: null }
          : { type: 'Queue', queuing: { queues: queuing[0], handSize: queuing[1], queueLengthLimit: queuing[2] } },
    },
    exempt: null,
  }
}

function everything(): { resourceRules: ResourceRule[]; nonResourceRules: NonResourceRule[] } {
  return {
    resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }],
    nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
  }
}

/** What a leader election does to its lock objects. */
function locks(apiGroup: string, resources: string[], namespace = '*'): ResourceRule {
  return {
    verbs: ['get', 'create', 'update'],
    apiGroups: [apiGroup],
    resources,
    clusterScope: false,
    namespaces: [namespace],
  }
}

function level(
  name: string,
  groups: Groups,
  shares: number,
  lendablePercent: number,
  queuing: readonly [number, number, number],
): LevelRow {
  return { name, groups, class: 'suggested', limited: { shares, lendablePercent, queuing } }
}
