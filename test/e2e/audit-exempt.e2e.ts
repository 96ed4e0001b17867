/** `audit-exempt` and `test` on a real API server: what they say of exempt requests is what the server does. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ExemptAudit } from '../../src/report/contract.ts'
import { type Cluster, startCluster } from './cluster.ts'
import { API_VERSION, apf, missing, programs, title } from './support.ts'

const PANEL = 'system:serviceaccount:shop:panel'
const folder = mkdtempSync(join(tmpdir(), 'audit-exempt-e2e-'))

function flowSchema(name: string, level: string, precedence: number): object {
  return {
    apiVersion: API_VERSION,
    kind: 'FlowSchema',
    metadata: { name },
    spec: {
      priorityLevelConfiguration: { name: level },
      matchingPrecedence: precedence,
      rules: [
        {
          subjects: [{ kind: 'ServiceAccount', serviceAccount: { namespace: 'shop', name: 'panel' } }],
          resourceRules: [
            { verbs: ['list'], apiGroups: [''], resources: ['pods'], namespaces: ['*'], clusterScope: true },
          ],
        },
      ],
    },
  }
}

/** The namespace `shop` is there already. */
const OBJECTS = [
  { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'panel', namespace: 'shop' } },
  {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'panel-0', namespace: 'shop' },
    spec: {
      serviceAccountName: 'panel',
      automountServiceAccountToken: false,
      containers: [{ name: 'panel', image: 'panel' }],
    },
  },
  flowSchema('shop-panel', 'exempt', 1000),
  flowSchema('shop-lost', 'shop-lots', 1001),
]

let cluster: Cluster

async function audit(args: readonly string[] = []): Promise<{ code: number | null; answer: ExemptAudit }> {
  const { code, stdout, stderr } = await apf(cluster, ['audit-exempt', '-o', 'json', ...args])
  if (stdout === '') throw new Error(stderr)
  return { code, answer: JSON.parse(stdout) }
}

describe.skipIf(missing)(title('audit-exempt and test'), () => {
  beforeAll(async () => {
    cluster = await startCluster(programs())
    await cluster.create(OBJECTS)
  })
  afterAll(async () => {
    rmSync(folder, { recursive: true })
    await cluster?.stop()
  })

  it('finds who is exempt, what runs as it, and nobody through cluster-admin', async () => {
    const { code, answer } = await audit()
    expect(code).toBe(0)
    expect(answer.entries.map(({ flowSchema: name, builtIn }) => [name, builtIn])).toEqual([
      ['exempt', true],
      ['probes', true],
      ['shop-panel', false],
    ])
    const panel = answer.entries.find(({ flowSchema: name }) => name === 'shop-panel')
    expect(panel).toMatchObject({
      breadth: 'one-identity',
      running: {
        serviceAccounts: ['shop/panel'],
        workloads: [{ kind: 'Pod', namespace: 'shop', name: 'panel-0', serviceAccount: 'panel', pods: 1 }],
      },
    })
    expect(answer.masters.map(({ source }) => source)).toEqual(['client-certificates', 'kubeadm'])
    expect(JSON.stringify(answer)).not.toContain('cluster-admin"')
  })

  it('names as exempt what the server itself exempts', async () => {
    const { answer } = await audit([`--as=${PANEL}`, '--only=exempt'])
    expect(answer.entries.map(({ flowSchema: name }) => name)).toEqual(['probes', 'shop-panel'])
    const { code, stdout, stderr } = await apf(cluster, ['whereis', 'list', 'pods', '-A', `--as=${PANEL}`, '--verify'])
    expect({ code, stderr, stdout }).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/lands in exempt.*agrees/s),
    })
  })

  it('lists the FlowSchema that the server marks as dangling', async () => {
    const { answer } = await audit(['--only=dangling'])
    expect(answer.dangling).toMatchObject([{ flowSchema: 'shop-lost', priorityLevel: 'shop-lots' }])
    const path = '{.status.conditions[?(@.type=="Dangling")].status}'
    const { stdout } = await cluster.kubectl(['get', 'flowschema', 'shop-lost', '-o', `jsonpath=${path}`])
    expect(stdout).toBe('True')
  })

  it('is a gate', async () => {
    expect((await audit(['--budget=0'])).code).toBe(1)
    expect((await audit(['--allow=sa:shop/panel', '--budget=1'])).code).toBe(0)
  })

  it('begins a file of promises that hold, until the cluster changes', async () => {
    const file = join(folder, 'expectations.yaml')
    const { stdout } = await apf(cluster, ['test', '--init'])
    writeFileSync(file, stdout)
    expect((await apf(cluster, ['test', file, '--min-coverage=100'])).code).toBe(0)
    await cluster.kubectl(['delete', 'flowschema', 'shop-panel'])
    const changed = await apf(cluster, ['test', file])
    expect(changed.stdout).toContain('there is no FlowSchema shop-panel')
    expect(changed.code).toBe(1)
  })
})
