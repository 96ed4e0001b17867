/** `lint` on a live cluster, run against a stub of an API server. */
import { readFileSync } from 'node:fs'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { defaultObjects } from '../../src/apf/defaults/index.ts'
import { rulesFor } from '../../src/apf/versions.ts'
import type { Findings } from '../../src/report/contract.ts'
import { forbidden, LEVELS, list, SCHEMAS } from '../sources/live/cluster-answers.ts'
import { ROOT } from '../support/cli.ts'
import { violations } from '../support/published-schemas.ts'
import { type LiveCluster, removeWorkplace, startLiveCluster } from './live-cluster.ts'

const open: LiveCluster[] = []
afterEach(async () => {
  for (const live of open.splice(0)) await live.close()
})
afterAll(removeWorkplace)

const WEBHOOKS = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations'

/** With levels that the cluster of these tests does not have. */
const SATURATED = readFileSync(`${ROOT}test/fixtures/apf/1.37-saturated/metrics-apf.txt`, 'utf8')

type Answers = Parameters<typeof startLiveCluster>[0]

async function call(line: string, answers: Answers = {}) {
  const live = await startLiveCluster(answers)
  open.push(live)
  return live.apf(line)
}

/** The default schemas and a dangling one. */
function withDangling(annotations: Record<string, string> = {}): Answers {
  const { flowSchemas } = defaultObjects(rulesFor({ minor: 37 }))
  const dangling = {
    metadata: { name: 'shop-reports', uid: 'uid-shop-reports', generation: 1, annotations },
    spec: {
      matchingPrecedence: 1500,
      priorityLevelConfiguration: { name: 'shop' },
      distinguisherMethod: { type: 'ByUser' },
      rules: [
        {
          subjects: [{ kind: 'ServiceAccount', serviceAccount: { namespace: 'shop', name: '*' } }],
          resourceRules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'], namespaces: ['shop'] }],
        },
      ],
    },
    status: { conditions: [] },
  }
  const items = flowSchemas.map(({ metadata, spec }) => ({ metadata, spec, status: { conditions: [] } }))
  return { [SCHEMAS]: { body: list([...items, dangling]) } }
}

describe('lint on a live cluster', () => {
  it('finds nothing wrong with the default objects', async () => {
    const { code, stdout } = await call('lint --fail-on warning')
    expect(code).toBe(0)
    expect(stdout).toMatch(/in 19 objects for Kubernetes 1\.37\n/)
  })

  it('takes what is there for all there is, and names objects instead of places', async () => {
    const { code, stdout } = await call('lint', withDangling())
    expect(code).toBe(1)
    expect(stdout).toMatch(
      /^FlowSchema\/shop-reports: error: FlowSchema shop-reports .*"shop".*does not exist {2}\[APF201\]$/m,
    )
  })

  it('answers programs without files', async () => {
    const { stdout } = await call('lint -o json', withDangling())
    const answer: Findings = JSON.parse(stdout)
    expect(violations('Findings', answer)).toEqual([])
    expect(answer.source).toMatchObject({ kind: 'live', serverVersion: expect.stringContaining('1.37') })
    expect(answer.findings.map(({ file }) => file).filter((file) => file !== null)).toEqual([])
  })

  it('leaves out what an annotation suppresses', async () => {
    const annotations = { 'apf.kubectl/lint-ignore': 'APF201 reason="the level comes later"' }
    const { code, stdout } = await call('lint', withDangling(annotations))
    expect({ code }).toEqual({ code: 0 })
    expect(stdout).toContain('\n1 suppressed\n')
  })

  it('judges for another version', async () => {
    const { stdout } = await call('lint --target 1.34,1.36 -o json')
    expect(JSON.parse(stdout).summary.targets).toEqual(['1.34', '1.36'])
  })

  it('tells what the servers are short of', async () => {
    const { code, stdout, stderr } = await call('lint', { '/metrics': { body: SATURATED } })
    expect(code).toBe(0)
    expect(stderr).toContain('reading the metrics of the API servers\n')
    expect(stdout).toMatch(
      /warning: PriorityLevelConfiguration batch is full on \S+: 3 of 3 seats are in use and 12 requests wait {2}\[APF510\]/,
    )
    expect(stdout).toMatch(
      /warning: FlowSchema analysts: \S+ refused 87 of 91 requests in strict since it started {2}\[APF511\]/,
    )
  })

  it('notes what may not be read, and judges the rest', async () => {
    const { code, stderr } = await call('lint', { [WEBHOOKS]: { status: 403, body: {} } })
    expect(code).toBe(0)
    expect(stderr).toMatch(/^no metrics of \S+: forbidden \(403\)$/m)
    expect(stderr).toMatch(/^ValidatingWebhookConfigurations not read: forbidden$/m)
  })

  it('tells who waits behind a webhook', async () => {
    const webhook = {
      name: 'check.shop.example',
      clientConfig: { service: { namespace: 'shop', name: 'webhook' } },
      rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['*'], resources: ['pods'] }],
      failurePolicy: 'Fail',
    }
    const { stdout } = await call('lint', {
      [WEBHOOKS]: { body: list([{ metadata: { name: 'shop' }, webhooks: [webhook] }]) },
    })
    expect(stdout).toContain(
      'ValidatingWebhookConfiguration/shop: warning: ValidatingWebhookConfiguration shop: requests of the controllers of kube-system',
    )
    expect(stdout).toContain('[APF230]')
  })

  it('asks no cluster where there are files', async () => {
    const live = await startLiveCluster({})
    open.push(live)
    expect((await live.apf('lint examples/lint --target 1.37')).code).toBe(0)
    expect(live.asked).toEqual([])
  })

  it('says that it cannot tell where the levels may not be read', async () => {
    const { code, stderr } = await call('lint', { [LEVELS]: forbidden('jane', 'prioritylevelconfigurations') })
    expect(code).toBe(3)
    expect(stderr).toMatch(/^error: /m)
  })
})
