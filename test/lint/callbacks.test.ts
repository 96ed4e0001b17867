/** Requests that wait for webhooks and aggregated APIs, and where the call-backs of those land. */
import { describe, expect, it } from 'vitest'
import { ownLevelYaml } from '../../src/lint/examples.ts'
import { lintText, MINORS } from '../support/lint.ts'

interface WebhookParts {
  kind?: string
  namespace?: string
  operations?: string
  groups?: string
  resources?: string
  /** More lines of the webhook. */
  more?: string
}

function webhook({
  kind = 'ValidatingWebhookConfiguration',
  namespace = 'shop-policy',
  operations = '[CREATE]',
  groups = "['']",
  resources = '[configmaps]',
  more = '',
}: WebhookParts = {}): string {
  return `\
apiVersion: admissionregistration.k8s.io/v1
kind: ${kind}
metadata: {name: shop}
webhooks:
  - name: check.shop.example
    clientConfig: {service: {namespace: ${namespace}, name: webhook}}
    rules: [{operations: ${operations}, apiGroups: ${groups}, apiVersions: ['*'], resources: ${resources}}]
${more.replace(/^(?=.)/gm, '    ')}`
}

function apiService(namespace: string): string {
  return `\
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v1beta1.shop.example}
spec:
  group: shop.example
  version: v1beta1
  service: {namespace: ${namespace}, name: api}
`
}

/** A level with so few shares that few callers fill it. */
function smallLevel(): string {
  return ownLevelYaml('shop', 'orders', 8000)
    .replace('nominalConcurrencyShares: 20', 'nominalConcurrencyShares: 2')
    .replace('name: orders', "name: '*'")
}

async function found(yaml: string, defaults = '1.34') {
  const { findings } = await lintText(yaml, { targets: [defaults] })
  return findings.filter(({ rule }) => rule.id === 'APF230' || rule.id === 'APF231')
}

const INVERTED =
  'ValidatingWebhookConfiguration shop: requests of the controllers of kube-system (workload-high) wait for ' +
  'check.shop.example, whose own requests land in workload-low'
const SHARED =
  'ValidatingWebhookConfiguration shop: requests of other ServiceAccounts (workload-low) wait for ' +
  'check.shop.example, whose own requests land in workload-low'

interface Case {
  says: string
  yaml: string
  finds: string[]
}

const CASES: Case[] = [
  { says: 'controllers that wait behind workloads', yaml: webhook(), finds: [`warning: ${INVERTED}`] },
  {
    says: 'the same of a mutating webhook',
    yaml: webhook({ kind: 'MutatingWebhookConfiguration' }),
    finds: [`warning: ${INVERTED.replace('Validating', 'Mutating')}`],
  },
  {
    says: 'information where the request goes on without an answer',
    yaml: webhook({ more: 'failurePolicy: Ignore\n' }),
    finds: [`info: ${INVERTED}`],
  },
  {
    says: 'information where labels choose',
    yaml: webhook({ more: 'objectSelector: {matchLabels: {shop: "true"}}\n' }),
    finds: [`info: ${INVERTED}`],
  },
  {
    says: 'information where labels of namespaces choose',
    yaml: webhook({ more: 'namespaceSelector: {matchLabels: {shop: "true"}}\n' }),
    finds: [`info: ${INVERTED}`],
  },
  {
    says: 'information where conditions choose',
    yaml: webhook({ more: 'matchConditions: [{name: own, expression: "true"}]\n' }),
    finds: [`info: ${INVERTED}`],
  },
  {
    says: 'a warning where all but some namespaces are named',
    yaml: webhook({
      more: 'namespaceSelector: {matchExpressions: [{key: kubernetes.io/metadata.name, operator: NotIn, values: [shop]}]}\n',
    }),
    finds: [`warning: ${INVERTED}`],
  },
  {
    says: 'no leader election where leases of kube-system are left out',
    yaml: webhook({
      groups: '[coordination.k8s.io]',
      resources: '[leases]',
      operations: '[UPDATE]',
      more: 'namespaceSelector: {matchExpressions: [{key: kubernetes.io/metadata.name, operator: In, values: [shop]}]}\n',
    }),
    finds: [`info: ${SHARED}`],
  },
  {
    says: 'leader election and heartbeats that wait behind workloads',
    yaml: webhook({ groups: "['*']", resources: "['*']", operations: '[UPDATE]' }),
    finds: [
      'warning: ValidatingWebhookConfiguration shop: requests of nodes (node-high, system), the kube-controller-manager ' +
        '(leader-election, workload-high), the kube-scheduler (leader-election, workload-high) and the controllers of kube-system ' +
        '(leader-election, workload-high) wait for check.shop.example, whose own requests land in workload-low',
    ],
  },
  {
    says: 'only who shares the level of custom resources, which controllers do not write',
    yaml: webhook({ groups: '[shop.example]', resources: '[orders]' }),
    finds: [`info: ${SHARED}`],
  },
  {
    says: 'nothing where the webhook has a schema before its callers',
    yaml: `${webhook()}---\n${ownLevelYaml('shop-policy', 'webhook', 50)}`,
    finds: [],
  },
  {
    says: 'nothing of a webhook outside of the cluster',
    yaml: webhook().replace(/service: \{.*\}\}/, 'url: https://hook.example}'),
    finds: [],
  },
  {
    says: 'a shared level that is too small',
    yaml: `${webhook({ namespace: 'shop', groups: '[shop.example]', resources: '[orders]' })}---\n${smallLevel()}---\n${ownLevelYaml(
      'shop-users',
      'cli',
      8100,
    )
      .split('---\n')[0]
      ?.replace('name: shop-users\n  distinguisher', 'name: shop\n  distinguisher')}`,
    finds: [
      'warning: ValidatingWebhookConfiguration shop: requests of ServiceAccount shop-users/cli (shop) wait for ' +
        'check.shop.example, whose own requests land in shop',
    ],
  },
  {
    says: 'controllers that wait for an aggregated API',
    yaml: apiService('shop-api'),
    finds: [
      'warning: APIService v1beta1.shop.example: requests of the controllers of kube-system (workload-high) wait for the ' +
        'backend of shop.example/v1beta1, whose own requests land in workload-low',
    ],
  },
  {
    says: 'as information that an API of kube-system shares the level of controllers',
    yaml: apiService('kube-system'),
    finds: [],
  },
  { says: 'nothing of an API of the server itself', yaml: apiService('x').replace(/ {2}service.*\n/, ''), finds: [] },
]

describe('call-backs', () => {
  it.each(CASES)('finds $says', async ({ yaml, finds }) => {
    expect((await found(yaml)).map(({ severity, message }) => `${severity}: ${message}`)).toEqual(finds)
  })

  it('stands at the webhook, and says for how long requests wait', async () => {
    const [finding] = await found(webhook({ more: 'timeoutSeconds: 5\n' }))
    expect(finding).toMatchObject({
      about: { kind: 'ValidatingWebhookConfiguration', name: 'shop' },
      at: { file: '<stdin>', line: 5, column: 5, path: 'webhooks[0]' },
      note: 'as ServiceAccounts of shop-policy; while workload-low is full, they fail after 5 s',
    })
  })

  it.each(MINORS)('is told for the default objects of %s', async (minor) => {
    expect((await found(webhook(), minor)).map(({ severity }) => severity)).toEqual(['warning'])
  })
})
