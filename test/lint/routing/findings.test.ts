import { describe, expect, it } from 'vitest'
import { levelYaml, REPORTER, ruleYaml, type SchemaParts, schemaYaml } from '../../../src/lint/examples.ts'
import { briefly, type LintedAs, routingFindings } from './lint-yaml.ts'

interface ClauseParts {
  verbs?: string
  groups?: string
  resources?: string
  namespaces?: string | null
  clusterScope?: boolean
}

const USERS = '{kind: Group, group: {name: "system:authenticated"}}'
const user = (name: string) => `{kind: User, user: {name: "${name}"}}`
const group = (name: string) => `{kind: Group, group: {name: "${name}"}}`
const account = (namespace: string, name: string) =>
  `{kind: ServiceAccount, serviceAccount: {namespace: ${namespace}, name: "${name}"}}`

function clause(parts: ClauseParts = {}): string {
  const { verbs = '[get]', groups = "['']", resources = '[pods]', namespaces = '[shop]', clusterScope = false } = parts
  const scope = [
    ...(namespaces === null ? [] : [`    namespaces: ${namespaces}\n`]),
    ...(clusterScope ? ['    clusterScope: true\n'] : []),
  ]
  return `resourceRules:\n  - verbs: ${verbs}\n    apiGroups: ${groups}\n    resources: ${resources}\n${scope.join('')}`
}

function paths(verbs: string, urls: string): string {
  return `nonResourceRules:\n  - verbs: ${verbs}\n    nonResourceURLs: ${urls}\n`
}

const EVERYTHING =
  clause({ verbs: "['*']", groups: "['*']", resources: "['*']", namespaces: "['*']", clusterScope: true }) +
  paths("['*']", "['*']")

function schema(subjects: string[], clauses: string, parts: Partial<SchemaParts> = {}): string {
  return schemaYaml({ ...parts, rules: ruleYaml(subjects, clauses) })
}

type Case = [title: string, yaml: string, expected: string[], as?: LintedAs]

/** All findings above information, and those of the rule in question. */
function table(rule: string, cases: readonly Case[]): void {
  describe(rule, () => {
    it.each(cases)('%s', async (_, yaml, expected, as) => {
      const findings = await routingFindings(yaml, as)
      const told = findings.filter((finding) => finding.severity !== 'info' || finding.rule.id === rule)
      expect(told.map(briefly)).toEqual(expected)
    })
  })
}

const entry = (list: string, index = 0) => `spec.rules[0].resourceRules[0].${list}[${index}]`

const exempt = (subjects: string[], clauses: string) =>
  schema(subjects, clauses, { level: 'exempt', distinguisher: null })
const EXEMPT_PATH = 'spec.priorityLevelConfiguration.name'

table('APF201', [
  [
    'a misspelt level of an incomplete set',
    schema([REPORTER], clause(), { level: 'workload-lwo' }),
    [
      `APF201 warning ${EXEMPT_PATH}: FlowSchema shop-reports sends its requests to level "workload-lwo", which is not in the given files`,
    ],
  ],
  [
    'a level of a complete set in capitals',
    schema([REPORTER], clause(), { level: 'workload-low' }).replace('workload-low', 'Workload-Low'),
    [
      `APF201 error ${EXEMPT_PATH}: FlowSchema shop-reports sends its requests to level "Workload-Low", which does not exist`,
    ],
    { complete: true },
  ],
  ['leaves an empty name to the server, which refuses it', schema([REPORTER], clause(), { level: "''" }), []],
  [
    'takes a level that is given but refused: that has findings of its own',
    `${schema([REPORTER], clause(), { level: 'shop-reports' })}---\n${levelYaml('shop-reports').replace('handSize: 6', 'handSize: 600')}`,
    [],
  ],
  [
    'takes a level that is given but cannot be decoded',
    `${schema([REPORTER], clause(), { level: 'shop-reports' })}---\n${levelYaml('shop-reports').replace('handSize: 6', 'handSize: "6"')}`,
    [],
  ],
])

table('APF202', [
  [
    'one account',
    exempt([REPORTER], EVERYTHING),
    [
      `APF202 warning ${EXEMPT_PATH}: FlowSchema shop-reports makes requests of ServiceAccount shop/reporter exempt from all limits`,
    ],
  ],
  [
    'a group besides one that is allowed',
    exempt([REPORTER, group('ops')], EVERYTHING),
    [`APF202 warning ${EXEMPT_PATH}: FlowSchema shop-reports makes requests of group ops exempt from all limits`],
    { options: { allowedExempt: ['sa:shop/*'] } },
  ],
  [
    'probes for everyone',
    exempt([group('system:unauthenticated')], paths("['*']", '[/healthz, /livez, /readyz]')),
    [
      `APF202 info ${EXEMPT_PATH}: FlowSchema shop-reports exempts probes of the server by group system:unauthenticated from all limits`,
    ],
  ],
  [
    'takes those that are allowed',
    exempt([REPORTER], EVERYTHING),
    [],
    { options: { allowedExempt: ['sa:shop/reporter'] } },
  ],
  [
    'leaves schemas alone that take nothing',
    exempt([account('kube-system', 'dns')], EVERYTHING),
    [
      'APF204 warning spec.matchingPrecedence: FlowSchema shop-reports never takes a request: kube-system-service-accounts (900) takes all that shop-reports (1500) names',
    ],
  ],
])

table('APF203', [
  [
    'all ServiceAccounts',
    exempt([group('system:serviceaccounts')], clause()),
    [
      'APF203 error spec.rules[0].subjects[0]: FlowSchema shop-reports makes requests of all ServiceAccounts (group system:serviceaccounts) exempt from all limits',
    ],
  ],
  [
    'any user',
    exempt([REPORTER, user('*')], clause()),
    [
      'APF203 error spec.rules[0].subjects[1]: FlowSchema shop-reports makes requests of everyone (any user) exempt from all limits',
    ],
  ],
  [
    'any group',
    exempt([group('*')], clause()),
    [
      'APF203 error spec.rules[0].subjects[0]: FlowSchema shop-reports makes requests of everyone (any group) exempt from all limits',
    ],
  ],
  [
    'those without credentials',
    exempt([group('system:unauthenticated')], paths('[get]', '[/version]')),
    [
      'APF203 error spec.rules[0].subjects[0]: FlowSchema shop-reports makes requests of everyone (group system:unauthenticated) exempt from all limits',
    ],
  ],
])

table('APF204', [
  [
    'a larger name at one precedence',
    schema([REPORTER], clause(), { precedence: 9000, level: 'workload-high' }),
    [
      'APF204 warning spec.matchingPrecedence: FlowSchema shop-reports never takes a request: service-accounts (9000), whose name comes first, takes all that shop-reports (9000) names',
    ],
  ],
  [
    'several schemas that cover it together',
    `${schema([REPORTER], clause({ resources: '[pods]' }), { name: 'a', precedence: 1200, level: 'workload-high' })}---\n${schema([group('system:serviceaccounts:shop')], clause({ resources: '[events]' }), { name: 'b', precedence: 1300, level: 'system' })}---\n${schema([REPORTER], clause({ resources: '[pods, events]' }), { name: 'c' })}`,
    [
      'APF204 warning spec.matchingPrecedence: FlowSchema c never takes a request: a (1200) and b (1300) together take all that c (1500) names',
    ],
  ],
  [
    'a user behind the schema for everyone',
    schema([user('ann')], clause(), { precedence: 9950 }),
    [
      'APF204 warning spec.matchingPrecedence: FlowSchema shop-reports never takes a request: global-default (9900) takes all that shop-reports (9950) names',
    ],
  ],
  [
    'takes what is left of it',
    `${schema([REPORTER], clause(), { name: 'a', precedence: 1200 })}---\n${schema([account('shop', '*')], clause(), { name: 'c' })}`,
    [],
  ],
])

table('APF205', [
  [
    'a rule that earlier ones of its schema make needless',
    schemaYaml({ rules: ruleYaml([account('shop', '*')], clause()) + ruleYaml([REPORTER], clause()) }),
    [
      'APF205 info spec.rules[1]: rules[1] of FlowSchema shop-reports is needless: rules before it take all that it names',
    ],
  ],
])

table('APF215', [
  [
    'administrators, who are exempt',
    schema([REPORTER, group('system:masters')], clause()),
    [
      'APF215 warning spec.rules[0].subjects[1]: FlowSchema shop-reports never takes a request of group system:masters: exempt (1) takes all that the rule names',
    ],
  ],
  [
    'nodes',
    schema([REPORTER, group('system:nodes')], clause()),
    [
      'APF215 warning spec.rules[0].subjects[1]: FlowSchema shop-reports never takes a request of group system:nodes: system-nodes (500) takes all that the rule names',
    ],
  ],
  ['takes groups that may overlap with others', schema([group('dev'), group('ops')], clause()), []],
])

table('APF207', [
  ...(
    [
      ['a group with its version', 'apps/v1', 'deployments', 'groups stand without a version'],
      ['the core group with its version', 'core/v1', 'pods', 'groups stand without a version'],
      ['a version', 'v1', 'pods', 'it is a version'],
      ['the word core', 'core', 'pods', 'the core group is written ""'],
      ['a group cut short', 'coordination', 'leases', 'the group is coordination.k8s.io'],
      ['a group in capitals', 'Apps', 'deployments', 'groups are lower case'],
      ['a misspelt group', 'coordnation.k8s.io', 'leases', 'the group is coordination.k8s.io'],
      ['a group behind its resource', 'deployments.apps', 'deployments', 'the group is apps alone'],
      ['a word without a dot', 'shop', 'orders', 'it is no group of Kubernetes, and others have a dot in their names'],
    ] as const
  ).map(
    ([title, name, resource, why]): Case => [
      title,
      schema([REPORTER], clause({ groups: `["${name}"]`, resources: `[${resource}]` })),
      [
        `APF207 warning ${entry('apiGroups')}: FlowSchema shop-reports names API group "${name}", which no request has: ${why}`,
      ],
    ],
  ),
  [
    'takes groups of custom resources as they are',
    schema([REPORTER], clause({ groups: '[shop.example.com, gateway.networking.k8s.io]', resources: '[orders]' })),
    [],
  ],
  [
    'takes own groups, also those that are gone',
    schema([REPORTER], clause({ groups: '[extensions, apps]', resources: '[ingresses, deployments]' })),
    [],
  ],
  ['takes any group', schema([REPORTER], clause({ groups: "['*']" })), []],
])

table('APF208', [
  ...(
    [
      ['a pattern', 'pods/*', '"*" is no pattern here'],
      ['a subresource of everything', '*/status', '"*" is no pattern here'],
      ['a kind', 'Pod', 'resources are lower case'],
      ['a singular', 'pod', 'resources are plural'],
      ['a short name', 'cm', 'it is a short name'],
      ['a name with its group', 'deployments.apps', 'the group apps belongs in apiGroups'],
      ['a misspelt resource', 'cofigmaps', 'the resource is configmaps'],
      ['a misspelt subresource', 'pods/logs', 'the subresource is log'],
      [
        'an unknown subresource',
        'pods/scale',
        'pods have attach, binding, ephemeralcontainers, eviction, exec, log, portforward, proxy, resize and status',
      ],
      ['a subresource of a resource that has none', 'configmaps/status', 'configmaps have no subresources'],
      ['a subresource alone', 'exec', 'it is a subresource, written with its resource'],
      ['an object', 'pods/web-0/log', 'it is neither resource nor resource/subresource'],
      ['a resource of another group', 'deployments', 'deployments are in group apps, not in "" (core)'],
      ['what only kubelets serve', 'nodes/metrics', 'kubelets serve it, the API server has no such path'],
    ] as const
  ).map(
    ([title, resource, why]): Case => [
      title,
      schema([REPORTER], clause({ resources: `["${resource}"]`, clusterScope: true })),
      [
        `APF208 warning ${entry('resources')}: FlowSchema shop-reports names resource "${resource}", which no request has: ${why}`,
      ],
    ],
  ),
  [
    'knows kinds in any group',
    schema([REPORTER], clause({ groups: "['*']", resources: '[deploy]' })),
    [
      `APF208 warning ${entry('resources')}: FlowSchema shop-reports names resource "deploy", which no request has: it is a short name`,
    ],
  ],
  [
    'leaves names of custom resources alone',
    schema([REPORTER], clause({ groups: '[shop.example.com]', resources: '[pod, status, orders/log]' })),
    [],
  ],
  [
    'leaves unknown names of any group alone',
    schema([REPORTER], clause({ groups: "['*']", resources: '[orders, orders/refund, pods/refund]' })),
    [],
  ],
  [
    'takes resources of several groups together',
    schema(
      [REPORTER],
      clause({ groups: "['', apps, batch]", resources: '[pods, pods/eviction, deployments/scale, jobs]' }),
    ),
    [],
  ],
  [
    'takes evictions and bindings, which are resources of their own',
    schema([REPORTER], clause({ verbs: '[create]', resources: '[bindings]' })),
    [],
  ],
  [
    'what kubelets serve, alone',
    schema([REPORTER], clause({ resources: '[nodes/metrics]', namespaces: null, clusterScope: true })),
    [
      `APF208 warning ${entry('resources')}: FlowSchema shop-reports names resource "nodes/metrics", which no request has: kubelets serve it, the API server has no such path`,
    ],
  ],
  [
    'what kubelets serve, as copied from a ClusterRole',
    schema([REPORTER], clause({ resources: '[nodes, nodes/metrics]', namespaces: null, clusterScope: true })),
    [
      `APF208 info ${entry('resources', 1)}: FlowSchema shop-reports names resource "nodes/metrics", which no request has: kubelets serve it, the API server has no such path`,
    ],
  ],
])

table('APF209', [
  [
    'a cluster-scoped resource in namespaces',
    schema([REPORTER], clause({ resources: '[pods, nodes]', namespaces: "['*']" })),
    [
      `APF209 warning ${entry('resources', 1)}: FlowSchema shop-reports names nodes with namespaces ["*"], but they are cluster-scoped`,
    ],
  ],
  [
    'a subresource of a cluster-scoped resource in one namespace',
    schema([REPORTER], clause({ verbs: '[patch]', resources: '[nodes/status]' })),
    [
      `APF209 warning ${entry('resources')}: FlowSchema shop-reports names nodes/status with namespaces ["shop"], but they are cluster-scoped`,
    ],
  ],
  [
    'lists of namespaces',
    schema(
      [REPORTER],
      clause({ verbs: '[list, watch]', resources: '[namespaces]', namespaces: "['*']", clusterScope: false }),
    ),
    [
      `APF209 warning ${entry('resources')}: FlowSchema shop-reports names namespaces with namespaces ["*"], but requests to list and watch namespaces have none`,
    ],
  ],
  [
    'takes a request on one namespace, which is in it',
    schema([REPORTER], clause({ verbs: '[get, patch]', resources: '[namespaces]', namespaces: "['*']" })),
    [],
  ],
  [
    'objects of namespaces, which are in the namespace of their name',
    schema(
      [REPORTER],
      clause({ verbs: '[get, update]', resources: '[namespaces]', namespaces: null, clusterScope: true }),
    ),
    [
      `APF209 warning ${entry('resources')}: FlowSchema shop-reports names namespaces with clusterScope: true and no namespaces, but requests to get and update namespaces are in the namespace of that name`,
    ],
  ],
  [
    'objects of namespaces besides lists of them',
    schema(
      [REPORTER],
      clause({ verbs: '[get, list, watch]', resources: '[nodes, namespaces]', namespaces: null, clusterScope: true }),
    ),
    [
      `APF209 info ${entry('resources', 1)}: FlowSchema shop-reports names namespaces with clusterScope: true and no namespaces, but requests to get namespaces are in the namespace of that name`,
    ],
  ],
  [
    'the status of namespaces, whatever the verb',
    schema(
      [REPORTER],
      clause({ verbs: "['*']", resources: '[namespaces/status]', namespaces: null, clusterScope: true }),
    ),
    [
      `APF209 warning ${entry('resources')}: FlowSchema shop-reports names namespaces/status with clusterScope: true and no namespaces, but requests to list, watch, deletecollection, get, update, patch, delete and create namespaces/status are in the namespace of that name`,
    ],
  ],
  [
    'lists of namespaces besides objects of any',
    schema([REPORTER], clause({ verbs: '[get, list]', resources: '[namespaces]', namespaces: "['*']" })),
    [
      `APF209 warning ${entry('resources')}: FlowSchema shop-reports names namespaces with namespaces ["*"], but requests to list namespaces have none`,
    ],
  ],
  [
    'lists of namespaces besides the object of one',
    schema([REPORTER], clause({ verbs: '[get, list]', resources: '[pods, namespaces]' })),
    [
      `APF209 info ${entry('resources', 1)}: FlowSchema shop-reports names namespaces with namespaces ["shop"], but requests to list namespaces have none`,
    ],
  ],
  [
    'creation of namespaces besides all that is done with one',
    schema([REPORTER], clause({ verbs: '[get, patch, create]', resources: '[namespaces]', namespaces: "['*']" })),
    [
      `APF209 info ${entry('resources')}: FlowSchema shop-reports names namespaces with namespaces ["*"], but requests to create namespaces have none`,
    ],
  ],
  [
    'objects of a namespaced resource without a namespace',
    schema([REPORTER], clause({ verbs: '[get, update]', namespaces: null, clusterScope: true })),
    [
      `APF209 warning ${entry('resources')}: FlowSchema shop-reports names pods with clusterScope: true and no namespaces, but requests to get and update pods have a namespace`,
    ],
  ],
  [
    'takes lists over all namespaces',
    schema([REPORTER], clause({ verbs: '[list, watch]', namespaces: null, clusterScope: true })),
    [],
  ],
  [
    'takes both scopes',
    schema([REPORTER], clause({ verbs: "['*']", resources: '[pods, nodes]', namespaces: "['*']", clusterScope: true })),
    [],
  ],
  [
    'leaves custom resources alone',
    schema([REPORTER], clause({ groups: '[shop.example.com]', resources: '[nodes]' })),
    [],
  ],
])

table('APF210', [
  [
    'verbs of resources among methods',
    schema([REPORTER], paths('[get, list, watch]', '[/metrics]')),
    [
      'APF210 warning spec.rules[0].nonResourceRules[0].verbs: FlowSchema shop-reports names "list" and "watch" for paths, whose verb is the HTTP method',
    ],
  ],
  ['takes methods', schema([REPORTER], paths('[get, patch, delete]', '[/metrics]')), []],
  ['takes all methods', schema([REPORTER], paths("['*']", '[/metrics]')), []],
])

const url = (index = 0) => `spec.rules[0].nonResourceRules[0].nonResourceURLs[${index}]`

table('APF211', [
  ...(
    [
      ['a path of resources', '/api/v1/pods', 'it is a path of resources'],
      ['a path of resources of a group', '/apis/apps/v1/deployments', 'it is a path of resources'],
      ['what is below a version', '/api/v1/*', 'the paths below it are those of resources'],
      ['what is below a version of a group', '/apis/apps/v1/*', 'the paths below it are those of resources'],
      ['a query', '/healthz?verbose', 'the query is not part of the path'],
    ] as const
  ).map(
    ([title, path, why]): Case => [
      title,
      schema([REPORTER], paths('[get]', `["${path}"]`)),
      [
        `APF211 warning ${url()}: FlowSchema shop-reports names path "${path}", which no non-resource request has: ${why}`,
      ],
    ],
  ),
  [
    'says what a folder leaves out',
    schema([REPORTER], paths('[get]', '["/version/*"]')),
    [`APF211 info ${url()}: FlowSchema shop-reports names path "/version/*", which does not cover "/version" itself`],
  ],
  ['takes discovery', schema([REPORTER], paths('[get]', '[/api, /api/v1, /apis, /apis/apps/v1, /openapi]')), []],
  ['takes a folder with its root', schema([REPORTER], paths('[get]', '[/version, /version/*]')), []],
])

const subject = (member: string) => `spec.rules[0].subjects[0].${member}.name`
const ACCOUNT_NAMES = 'the user name of a ServiceAccount is system:serviceaccount:NAMESPACE:NAME, without patterns'
const ACCOUNT_GROUPS = 'groups of ServiceAccounts are system:serviceaccounts and system:serviceaccounts:NAMESPACE'

table('APF212', [
  ...(
    [
      ['system:serviceaccount:shop:*', ACCOUNT_NAMES],
      ['system:serviceaccount:shop', ACCOUNT_NAMES],
      ['system:serviceaccount:*', ACCOUNT_NAMES],
      ['system:serviceaccounts:shop', 'it is a group'],
      ['system:serviceaccounts:shop:reporter', ACCOUNT_NAMES],
      ['system:nodes', 'it is a group'],
      ['system:node:*', '"*" is no pattern'],
      ['ann*', '"*" is a wildcard only when it stands alone'],
      ['kube-scheduler', 'the user is system:kube-scheduler'],
      ['system:kube-controler-manager', 'the user is system:kube-controller-manager'],
      ['shop:reporter', 'as a ServiceAccount it is the user system:serviceaccount:shop:reporter'],
      ['shop/reporter', 'as a ServiceAccount it is the user system:serviceaccount:shop:reporter'],
    ] as const
  ).map(
    ([name, why]): Case => [
      `user ${name}`,
      schema([user(name)], clause()),
      [`APF212 warning ${subject('user')}: FlowSchema shop-reports names user "${name}", whom nobody is: ${why}`],
    ],
  ),
  ...(
    [
      ['system:serviceaccount:shop:reporter', 'it is a user'],
      ['system:serviceaccount', ACCOUNT_GROUPS],
      ['system:serviceaccount:shop', ACCOUNT_GROUPS],
      ['system:serviceAccounts:shop', ACCOUNT_GROUPS],
      ['system:service-accounts', ACCOUNT_GROUPS],
      ['system:serviceaccounts:*', ACCOUNT_GROUPS],
      ['system:serviceaccounts:shop:reporter', ACCOUNT_GROUPS],
      ['system:node', 'the group is system:nodes'],
      ['system:authenicated', 'the group is system:authenticated'],
      ['authenticated', 'the group is system:authenticated'],
      ['dev-*', '"*" is a wildcard only when it stands alone'],
    ] as const
  ).map(
    ([name, why]): Case => [
      `group ${name}`,
      schema([group(name)], clause()),
      [`APF212 warning ${subject('group')}: FlowSchema shop-reports names group "${name}", in which nobody is: ${why}`],
    ],
  ),
  [
    'takes users of other origin',
    schema(
      [user('oidc:ann'), user('github/ann'), user('system:node:a'), user('ann@example.com')],
      clause({ namespaces: '[lab]' }),
    ),
    [
      `APF212 info spec.rules[0].subjects[1].user.name: FlowSchema shop-reports names user "github/ann": as a ServiceAccount it is the user system:serviceaccount:github:ann`,
    ],
  ],
  ['takes the user name of a ServiceAccount', schema([user('system:serviceaccount:shop:reporter')], clause()), []],
  [
    'takes groups of an organisation',
    schema(
      [
        group('nodes'),
        group('masters'),
        group('oidc:dev'),
        group('system:bootstrappers:kubeadm:default-node-token'),
        group('system:serviceaccounts:shop'),
      ],
      clause(),
    ),
    [],
  ],
])

table('APF213', [
  [
    'a name that comes later',
    schema([USERS], clause(), { name: 'shop', precedence: 9000, level: 'workload-high' }),
    [
      'APF213 warning spec.matchingPrecedence: FlowSchema shop ties with service-accounts at 9000, whose name comes first: it takes what both match',
    ],
    { defaults: '1.20' },
  ],
  [
    'a name that comes first',
    schema([USERS], clause(), { name: 'a-shop', precedence: 9000, level: 'workload-high' }),
    [
      'APF213 info spec.matchingPrecedence: FlowSchema a-shop ties with service-accounts at 9000 and takes what both match, only for its name',
    ],
  ],
  [
    'two of ours',
    `${schema([REPORTER], clause({ resources: '[pods, secrets]' }), { name: 'a' })}---\n${schema([group('system:serviceaccounts:shop')], clause({ resources: '[pods, events]' }), { name: 'b', level: 'workload-high' })}`,
    [
      'APF213 warning spec.matchingPrecedence: FlowSchema b ties with a at 1500, whose name comes first: it takes what both match',
    ],
  ],
  [
    'lets different callers tie',
    `${schema([REPORTER], clause(), { name: 'a' })}---\n${schema([account('lab', '*')], clause(), { name: 'b' })}`,
    [],
  ],
  [
    'lets different requests tie',
    `${schema([REPORTER], clause(), { name: 'a' })}---\n${schema([REPORTER], clause({ resources: '[events]' }), { name: 'b' })}`,
    [],
  ],
  [
    'lets groups tie that nobody need be in at once',
    `${schema([group('dev')], clause(), { name: 'a' })}---\n${schema([group('ops')], clause(), { name: 'b' })}`,
    [],
  ],
])

table('APF214', [
  [
    'heartbeats of nodes, named',
    `${schema([group('system:nodes')], EVERYTHING, { name: 'kubelets', precedence: 300, level: 'kubelets' })}---\n${levelYaml('kubelets')}`,
    ['APF214 warning spec.matchingPrecedence: FlowSchema kubelets takes heartbeats of nodes from system-node-high'],
  ],
  [
    'leader election, with whatever else these clients send',
    `${schema([USERS], clause({ verbs: '[get, update]', groups: '[coordination.k8s.io]', resources: '[leases]', namespaces: "['*']" }), { name: 'all-leases', precedence: 90, level: 'leases' })}---\n${levelYaml('leases')}`,
    [
      'APF214 warning spec.matchingPrecedence: FlowSchema all-leases takes leader election of the control plane, leader election of kube-system, heartbeats of nodes and requests of nodes, the kube-controller-manager, the kube-scheduler and ServiceAccounts of kube-system from system-leader-election and system-node-high',
    ],
  ],
  [
    'ServiceAccounts of kube-system, among all',
    `${schema([group('system:serviceaccounts')], clause({ verbs: '[list]', namespaces: "['*']", clusterScope: true }), { name: 'lists', precedence: 850, level: 'lists' })}---\n${levelYaml('lists')}`,
    [
      'APF214 warning spec.matchingPrecedence: FlowSchema lists takes requests of ServiceAccounts of kube-system from kube-system-service-accounts',
    ],
  ],
  [
    'one that is named on purpose',
    `${schema([account('kube-system', 'cilium')], clause({ verbs: '[list]', namespaces: "['*']", clusterScope: true }), { name: 'cilium', precedence: 850, level: 'cilium' })}---\n${levelYaml('cilium')}`,
    [
      'APF214 info spec.matchingPrecedence: FlowSchema cilium takes requests of ServiceAccounts of kube-system from kube-system-service-accounts',
    ],
  ],
  [
    'takes everybody behind the system',
    `${schema([USERS], EVERYTHING, { name: 'all', precedence: 8000, level: 'all' })}---\n${levelYaml('all')}`,
    [],
  ],
  [
    'takes one account before the system',
    `${schema([REPORTER], EVERYTHING, { precedence: 300, level: 'all' })}---\n${levelYaml('all')}`,
    [],
  ],
])

describe('APF214', () => {
  it('says where the requests landed before', async () => {
    const yaml = `${schema([group('system:serviceaccounts')], clause({ verbs: '[list]', namespaces: "['*']" }), { name: 'lists', precedence: 850, level: 'lists' })}---\n${levelYaml('lists')}`
    const findings = await routingFindings(yaml)
    expect(findings.find(({ rule }) => rule.id === 'APF214')?.note).toBe(
      'before: LIST pods in default by system:serviceaccount:kube-system:example in workload-high',
    )
  })
})

table('APF216', [
  [
    'one namespace for many',
    schema([group('dev')], clause(), { distinguisher: 'ByNamespace' }),
    [
      'APF216 warning spec.distinguisherMethod.type: FlowSchema shop-reports distinguishes flows by namespace, but all its requests are in shop: all are one flow',
    ],
  ],
  [
    'no namespace',
    schema([group('dev')], paths('[get]', '[/metrics]'), { distinguisher: 'ByNamespace' }),
    [
      'APF216 warning spec.distinguisherMethod.type: FlowSchema shop-reports distinguishes flows by namespace, but none of its requests has a namespace: all are one flow',
    ],
  ],
  [
    'one user',
    schema([REPORTER], clause()),
    [
      'APF216 info spec.distinguisherMethod.type: FlowSchema shop-reports distinguishes flows by user, and only one user is named: all its requests are one flow',
    ],
  ],
  [
    'takes several namespaces',
    schema([group('dev')], clause({ namespaces: '[shop, lab]' }), { distinguisher: 'ByNamespace' }),
    [],
  ],
  ['takes many users', schema([group('dev')], clause()), []],
])

describe('objects that somebody maintains', () => {
  const probes = (name: string) =>
    schema([group('system:unauthenticated'), USERS], paths('[get]', '[/version]'), {
      name,
      precedence: 3,
      level: 'exempt',
      distinguisher: null,
    })

  it('have information for findings', async () => {
    const findings = await routingFindings(probes('eks-exempt'))
    expect(findings.map(briefly)).toEqual([
      'APF203 info spec.rules[0].subjects[0]: FlowSchema eks-exempt makes requests of everyone (group system:unauthenticated) exempt from all limits (EKS)',
    ])
  })

  it('lend it to no other name', async () => {
    const findings = await routingFindings(probes('our-exempt'))
    expect(
      findings.filter(({ severity }) => severity !== 'info').map(({ rule, severity }) => [rule.id, severity]),
    ).toEqual([['APF203', 'error']])
  })
})

table('APF217', [
  [
    'a level of an incomplete set',
    levelYaml('shop'),
    [
      'APF217 info metadata.name: PriorityLevelConfiguration shop gets no requests: no FlowSchema in the given files names it',
    ],
  ],
  [
    'a level of a complete set',
    levelYaml('shop'),
    ['APF217 warning metadata.name: PriorityLevelConfiguration shop gets no requests: no FlowSchema names it'],
    { complete: true },
  ],
])

table('APF218', [
  [
    'exec and logs',
    schema([REPORTER], clause({ verbs: '[create, get]', resources: '[pods/exec, pods/log]' })),
    [
      'APF218 warning spec.rules: FlowSchema shop-reports names long-running requests only, which pass APF by: it takes nothing',
    ],
  ],
  [
    'watches',
    schema([REPORTER], clause({ verbs: '[watch]' })),
    [
      'APF218 info spec.rules: FlowSchema shop-reports takes watches only, which hold their seats just until the first events are sent',
    ],
  ],
  [
    'watches that pass by',
    schema([REPORTER], clause({ verbs: '[watch]' })),
    [
      'APF218 warning spec.rules: FlowSchema shop-reports names long-running requests only, which pass APF by: it takes nothing',
    ],
    { defaults: '1.21' },
  ],
])

table('APF219', [
  [
    'lists in any namespace',
    schema([REPORTER], clause({ verbs: '[list]', namespaces: "['*']" })),
    [
      'APF219 warning spec.rules[0].resourceRules[0].namespaces: FlowSchema shop-reports does not take requests to list over all namespaces: namespaces ["*"] covers only requests with a namespace',
    ],
  ],
  [
    'reads in any namespace',
    schema([REPORTER], clause({ verbs: '[get, list, watch]', namespaces: "['*']" })),
    [
      'APF219 warning spec.rules[0].resourceRules[0].namespaces: FlowSchema shop-reports does not take requests to list, watch over all namespaces: namespaces ["*"] covers only requests with a namespace',
    ],
  ],
  ['takes lists in one namespace', schema([REPORTER], clause({ verbs: '[list]' })), []],
  ['takes changes in any namespace', schema([REPORTER], clause({ verbs: '[get, update]', namespaces: "['*']" })), []],
  [
    'takes lists whose rest is for another level',
    `${schema([REPORTER], clause({ verbs: '[list]', namespaces: "['*']" }))}---\n${schema([REPORTER], clause({ verbs: '[list]', namespaces: null, clusterScope: true }), { name: 'big', precedence: 1400, level: 'workload-high' })}`,
    [],
  ],
])

describe('usual schemas of operators', () => {
  const usual = [
    schema(
      [account('fleet', 'fleet')],
      clause({
        verbs: '[get, create, update]',
        groups: '[coordination.k8s.io]',
        resources: '[leases]',
        namespaces: "['*']",
      }),
      { name: 'fleet-locks', precedence: 200, level: 'leader-election' },
    ),
    schema([account('fleet', 'fleet')], EVERYTHING, { name: 'fleet', precedence: 1000, level: 'workload-high' }),
    schema(
      [account('default', 'default')],
      clause({ verbs: '[list]', groups: "['*']", resources: '[events]', namespaces: '[default]' }),
      { name: 'event-lists', precedence: 8000, level: 'catch-all' },
    ),
    schema([group('system:unauthenticated')], paths("['*']", '[/healthz, /livez, /readyz]'), {
      name: 'health-for-strangers',
      precedence: 1000,
      level: 'exempt',
      distinguisher: null,
    }),
    schema([account('monitoring', 'scraper')], paths('[get]', '[/metrics]'), {
      name: 'scrapes',
      precedence: 2000,
      level: 'workload-high',
    }),
    schema([group('system:serviceaccounts:shop'), group('system:serviceaccounts:lab')], EVERYTHING, {
      name: 'tenants',
      precedence: 8500,
      level: 'workload-low',
    }),
    schema(
      [user('ann'), group('dev')],
      clause({
        verbs: '[get, list, watch]',
        groups: "['', apps]",
        resources: '[pods, pods/status, deployments, replicasets]',
        namespaces: "['*']",
        clusterScope: true,
      }),
      { name: 'people', precedence: 9500, level: 'global-default' },
    ),
    schema(
      [account('kube-system', 'agent')],
      clause({ verbs: '[list, watch]', groups: "['*']", resources: "['*']", namespaces: "['*']", clusterScope: true }),
      { name: 'agent-reads', precedence: 850, level: 'workload-low' },
    ),
  ].join('---\n')

  it.each(['1.22', '1.28', '1.33', '1.34', '1.37'])('come out clean on %s', async (defaults) => {
    const findings = await routingFindings(usual, { defaults })
    expect(findings.filter(({ severity }) => severity !== 'info').map(briefly)).toEqual([])
  })
})
