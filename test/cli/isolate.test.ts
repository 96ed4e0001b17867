import { describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import type { Isolation } from '../../src/report/contract.ts'
import { apf } from '../support/cli.ts'

const CONTROLLER = '--as=system:serviceaccount:argocd:controller'
const DEFAULTS = ['--defaults', '1.37']

async function plan(...args: string[]): Promise<Isolation> {
  const { stdout, code, stderr } = await apf(['isolate', ...args, '-o', 'json'])
  expect({ code, stderr }).toMatchObject({ code: 0 })
  return JSON.parse(stdout)
}

async function refusal(...args: string[]) {
  const { code, stdout, stderr } = await apf(['isolate', ...args])
  return { code, stdout, stderr: stderr.trimEnd().split('\n') }
}

describe('isolate', () => {
  it('prints what an expert would write for the LISTs of one ServiceAccount, with the proof in front', async () => {
    const { code, stdout, stderr } = await apf(['isolate', 'list,watch', CONTROLLER, '--seats', '12', ...DEFAULTS])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toBe(`\
# Fences in list, watch anywhere by the ServiceAccount controller of argocd: 12 of 600 seats on each
#   API server, 15 with what it may borrow.
#
# Moves:
#   workload-low (service-accounts) -> argocd-controller-list-watch: all of it
#   and from global-default where it comes with other groups, as impersonation can give them
# Nothing else moves, over all possible requests and identities; no system traffic.
# Pays with seats: workload-low 245 -> 240, node-high 98 -> 96, workload-high 98 -> 96, system 74 ->
#   72, global-default 49 -> 48, leader-election 25 -> 24, catch-all 13 -> 12.
# 600 seats are assumed, those of a server without flags (--server-seats N for others).
#
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata:
  name: argocd-controller-list-watch
spec:
  type: Limited
  limited:
    nominalConcurrencyShares: 5
    lendablePercent: 50
    borrowingLimitPercent: 25
    limitResponse:
      type: Queue
      queuing:
        queues: 1
        handSize: 1
        queueLengthLimit: 50
---
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata:
  name: argocd-controller-list-watch
spec:
  priorityLevelConfiguration:
    name: argocd-controller-list-watch
  matchingPrecedence: 8900
  rules:
    - subjects:
        - kind: ServiceAccount
          serviceAccount:
            namespace: argocd
            name: controller
      resourceRules:
        - verbs:
            - list
            - watch
          apiGroups:
            - "*"
          resources:
            - "*"
          clusterScope: true
          namespaces:
            - "*"
`)
  })

  it('proves it in JSON: what moves, and the seats of all levels', async () => {
    const { proof } = await plan('list', 'pods', '-n', 'shop', CONTROLLER, ...DEFAULTS)
    expect(proof.undecided).toEqual([])
    expect(proof.moves).toMatchObject([
      {
        from: { flowSchema: 'service-accounts', priorityLevel: 'workload-low' },
        to: { flowSchema: 'argocd-controller-list-pods', priorityLevel: 'argocd-controller-list-pods' },
        subjects: [
          {
            users: { in: ['system:serviceaccount:argocd:controller'] },
            groups: { has: ['system:serviceaccounts'], lacks: ['system:masters', 'system:nodes'] },
          },
        ],
        requests: [
          {
            verbs: { in: ['list'] },
            apiGroups: { in: [''] },
            resources: { in: ['pods'] },
            scope: 'namespaced',
            namespaces: { in: ['shop'] },
          },
        ],
        witness: { user: 'system:serviceaccount:argocd:controller', verb: 'list', resource: 'pods', namespace: 'shop' },
      },
      { from: { flowSchema: 'global-default' }, to: { flowSchema: 'argocd-controller-list-pods' } },
    ])
    const low = proof.seats.find(({ level }) => level === 'workload-low')
    expect([low?.before?.nominal, low?.after?.nominal]).toEqual([245, 240])
  })

  it.each([
    { args: ['--as=jane', '--seats', '3'], shares: 1, precedence: 9800, name: 'jane' },
    { args: ['--as=jane', '--share', '5%', '--name', 'fence'], shares: 13, precedence: 9800, name: 'fence' },
    { args: [CONTROLLER, '--above', 'kube-scheduler'], shares: 5, precedence: 700, name: 'argocd-controller' },
    { args: [CONTROLLER, '--below', 'probes'], shares: 5, precedence: 22, name: 'argocd-controller' },
    { args: ['--as-group=tenants'], shares: 5, precedence: 9800, name: 'tenants' },
    { args: ['get', '/metrics', CONTROLLER], shares: 5, precedence: 8900, name: 'argocd-controller-get-metrics' },
  ])('$args makes $name at $precedence with $shares shares', async ({ args, shares, precedence, name }) => {
    const { objects } = await plan(...args, ...DEFAULTS)
    expect(objects).toMatchObject([
      { metadata: { name }, spec: { limited: { nominalConcurrencyShares: shares } } },
      { metadata: { name }, spec: { matchingPrecedence: precedence, priorityLevelConfiguration: { name } } },
    ])
  })

  it.each([
    { minor: '1.37', apiVersion: 'v1', limited: { nominalConcurrencyShares: 5, lendablePercent: 50 } },
    { minor: '1.28', apiVersion: 'v1beta3', limited: { nominalConcurrencyShares: 5, lendablePercent: 50 } },
    { minor: '1.24', apiVersion: 'v1beta2', limited: { assuredConcurrencyShares: 5 } },
    { minor: '1.20', apiVersion: 'v1beta1', limited: { assuredConcurrencyShares: 4 } },
  ])('writes $apiVersion for Kubernetes $minor', async ({ minor, apiVersion, limited }) => {
    const { objects } = await plan(CONTROLLER, '--defaults', minor)
    const api = `flowcontrol.apiserver.k8s.io/${apiVersion}`
    expect(objects).toMatchObject([{ apiVersion: api, spec: { limited } }, { apiVersion: api }])
  })

  it('deals the users of a group to queues, and refuses instead of queuing with --reject', async () => {
    const queued = await plan('--as-group=tenants', '--seats', '30', ...DEFAULTS)
    expect(queued.objects).toMatchObject([
      { spec: { limited: { limitResponse: { type: 'Queue', queuing: { queues: 64, handSize: 6 } } } } },
      { spec: { distinguisherMethod: { type: 'ByUser' } } },
    ])
    const refused = await plan('--as-group=tenants', '--reject', ...DEFAULTS)
    expect(refused.objects[0]).toMatchObject({ spec: { limited: { limitResponse: { type: 'Reject' } } } })
  })

  it('sends the leases of an operator beside those of the control plane, and says what still misses', async () => {
    const { objects, notes } = await plan(
      '--as=system:serviceaccount:shop:operator',
      '--preset',
      'leader-election',
      ...DEFAULTS,
    )
    expect(objects).toMatchObject([
      {
        kind: 'FlowSchema',
        metadata: { name: 'shop-operator-leader-election' },
        spec: {
          matchingPrecedence: 200,
          priorityLevelConfiguration: { name: 'leader-election' },
          rules: [
            {
              resourceRules: [
                {
                  verbs: ['get', 'create', 'update'],
                  apiGroups: ['coordination.k8s.io'],
                  resources: ['leases'],
                  namespaces: ['shop'],
                },
              ],
            },
          ],
        },
      },
    ])
    expect(notes.join(' ')).toMatch(/PATCH of leases/)
  })

  it('leaves what keeps the cluster alive where it is, and says so', async () => {
    const { stdout } = await apf(['isolate', '--as=system:serviceaccount:kube-system:tool', ...DEFAULTS])
    expect(stdout).toMatch(/^# Stays in exempt through probes \(2\): get \/healthz \/livez \/readyz\.$/m)
    expect(stdout).toMatch(/^# Stays in leader-election through system-leader-election \(100\): /m)
    expect(stdout).toMatch(/matchingPrecedence: 850$/m)
  })

  it('says why each field is so with --explain, and stays the same YAML', async () => {
    const explained = await apf(['isolate', CONTROLLER, '--explain', ...DEFAULTS])
    const plain = await apf(['isolate', CONTROLLER, ...DEFAULTS])
    expect(explained.stdout).toContain('    # 600 seats × 5 of 250 shares, rounded up: 12 seats on each API server\n')
    const data = (text: string) => parseAllDocuments(text).map((document) => document.toJS())
    expect(data(explained.stdout)).toEqual(data(plain.stdout))
  })

  it('prints the names with -o name', async () => {
    const { stdout } = await apf(['isolate', CONTROLLER, ...DEFAULTS, '-o', 'name'])
    expect(stdout).toBe(`\
prioritylevelconfiguration.flowcontrol.apiserver.k8s.io/argocd-controller
flowschema.flowcontrol.apiserver.k8s.io/argocd-controller
`)
  })
})

describe('what isolate says besides', () => {
  it.each([
    [
      ['--as-group=system:serviceaccounts'],
      'Members whom an earlier FlowSchema names stay with it: system-leader-election (100), kube-system-service-accounts (900).',
    ],
    [
      ['--as=*', 'list', 'pods'],
      'Members whom an earlier FlowSchema names stay with it: exempt (1), system-nodes (500), kube-controller-manager (800), kube-scheduler (800), kube-system-service-accounts (900), service-accounts (9000).',
    ],
    [
      ['--as=jane', '--seats', '500'],
      'BEWARE: less than half of the seats are left to workload-low, node-high, workload-high, system, global-default, leader-election, catch-all.',
    ],
    [
      ['--as=jane', '--level', 'global-default'],
      'These requests are in global-default already: nothing changes but their flow.',
    ],
  ])('%j', async (args, note) => {
    expect((await plan(...args, ...DEFAULTS)).notes).toContain(note)
  })

  it('takes another name where a schema of others has the made one, and finds the own fence again', async () => {
    const { objects } = await plan('--as=global-default', ...DEFAULTS)
    expect(objects).toMatchObject([
      { metadata: { name: 'global-default-fence' } },
      { metadata: { name: 'global-default-fence' } },
    ])
    const stdin = (await apf(['isolate', '--as=jane', ...DEFAULTS])).stdout
    const again = await apf(['isolate', '--as=jane', '--from', '-', '--overlay-defaults', '-q'], { stdin })
    expect(again).toMatchObject({ code: 1, stdout: '' })
    expect(again.stderr).toContain('a FlowSchema named jane exists already, of the same subject')
  })

  it('says where APF is off', async () => {
    const recording = ['--from', 'test/fixtures/apf/1.24-maxinflight-idle', '-q']
    expect(await refusal('list', '--as=jane', ...recording)).toMatchObject({
      code: 3,
      stderr: [expect.anything(), '  APF is off there: no FlowSchema takes a request', expect.anything()],
    })
    const { notes } = await plan('list', '--as=jane', '--level', 'global-default', ...recording)
    expect(notes).toContain('APF is off on the API server: nothing of this happens until it is switched on.')
  })

  it('says the requests as of a release whose watches bypass APF', async () => {
    const { stdout } = await apf(['isolate', '--as=jane', '--defaults', '1.20'])
    expect(stdout).toContain('global-default (global-default) -> jane: everything but get /healthz /livez /readyz\n')
  })
})

describe('isolate, where the wish cannot be met', () => {
  it.each([
    {
      args: ['--as=jane', '--as-group=system:masters'],
      why: 'all of these requests are caught earlier, by exempt (1) into exempt',
      needed: 'the subject must leave group system:masters: no schema can stand before exempt (1)',
    },
    {
      args: ['--as=system:kube-scheduler'],
      why: 'all of these requests are caught earlier, by probes (2) into exempt, system-leader-election (100) into leader-election, kube-scheduler (800) into workload-high',
      needed: 'that is what a cluster lives on; to stand before it all the same: --above kube-scheduler',
    },
    {
      args: ['--as=jane', '--seats', '601'],
      why: "no number of shares gives 601 of 600 seats, 245 shares being the others'",
      needed: 'fewer seats, or fewer shares of other levels',
    },
    {
      args: ['--as=jane', '--level', 'workload-hihg'],
      why: 'no priority level named workload-hihg can be used',
      needed: 'did you mean workload-high?',
    },
    {
      args: ['--as=jane', '--above', 'global-defualt'],
      why: 'no FlowSchema named global-defualt is in force',
      needed: 'did you mean global-default?',
    },
    {
      args: ['--as=jane', '--name', 'global-default'],
      why: 'a FlowSchema named global-default exists already',
      needed: 'another name (--name NAME)',
    },
    {
      args: ['--as=jane', '--above', 'probes'],
      why: 'no precedence is left before probes (2): its neighbours are at 1 and 2',
      needed: 'a free number between them: move one of the two, or choose another place with --above or --below NAME',
    },
    {
      args: ['--as=jane', '--seats', '600'],
      why: '600 of 600 seats leave none to the other levels',
      needed: 'fewer seats',
    },
    {
      args: ['--as=jane', '--below', 'global-default'],
      why: 'all of these requests are caught earlier, by probes (2) into exempt, global-default (9900) into global-default',
      needed: 'a place before it: --above global-default',
    },
    {
      // The made name is that of a built-in schema, and hides no other reason.
      args: ['--as-group=system:nodes'],
      why: 'all of these requests are caught earlier, by probes (2) into exempt, system-node-high (400) into node-high, system-nodes (500) into system',
      needed: 'that is what a cluster lives on; to stand before it all the same: --above system-nodes',
    },
    {
      args: ['get', 'pods/exec', '--as=jane'],
      why: 'none of these requests is under APF: they are long-running',
      needed: 'nothing limits them there',
    },
  ])('answers $args with 1 and says why', async ({ args, why, needed }) => {
    expect(await refusal(...args, ...DEFAULTS)).toEqual({
      code: 1,
      stdout: '',
      stderr: ['error: the subject cannot be fenced in so', `  ${why}`, `  → ${needed}`],
    })
  })

  it.each([
    { args: [], error: 'who is to be fenced in?' },
    { args: ['--as-group=a', '--as-group=b'], error: 'several groups' },
    { args: ['--as=jane', '--share', '0'], error: '--share 0 is no part of the seats' },
    { args: ['--as=jane', '--share', '5%', '--seats', '3'], error: '--seats with --share' },
    { args: ['--as=jane', '--level', 'system', '--reject'], error: '--level with --reject' },
    { args: ['--as=jane', '--above', 'a', '--below', 'b'], error: '--above with --below' },
    { args: ['--as=jane', '--preset', 'leader-election'], error: 'in which namespace are the leases?' },
    { args: ['--as=jane', '--name', 'Fence'], error: '--name Fence is no name of an object' },
    { args: ['--as=system:serviceaccount:shop:*'], error: "--as=system:serviceaccount:shop:* is nobody's name" },
    { args: ['lst', 'pods', '--as=jane'], error: 'no request on resources has the verb lst' },
    { args: ['list', 'pods', '-n', 'Shop', '--as=jane'], error: 'an API server would refuse these objects' },
  ])('answers $args with 2: $error', async ({ args, error }) => {
    const { code, stderr, stdout } = await refusal(...args, ...DEFAULTS)
    expect({ code, stdout, error: stderr[0] }).toEqual({ code: 2, stdout: '', error: `error: ${error}` })
  })
})
