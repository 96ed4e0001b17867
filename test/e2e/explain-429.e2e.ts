/** Real refusals of every limiter that one machine can have, told by their responses, logs and audit events. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, request as httpsRequest, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AttributionItem } from '../../src/report/contract.ts'
import { buildThrottled, missingToolchain } from '../oracle/build.ts'
import { run } from '../support/cli.ts'
import { type ApiServer, type Cluster, startCluster } from './cluster.ts'
import { createConfigMap, levelFor, type SlowWebhook, startSlowWebhook } from './saturation.ts'
import { apf, missing, programs, title, uidOf } from './support.ts'
import { tokenOf } from './users.ts'

const TINY = {
  nominalConcurrencyShares: 1,
  lendablePercent: 0,
  borrowingLimitPercent: 0,
  limitResponse: { type: 'Reject' },
}

const EVENT_LIMITS = `apiVersion: apiserver.config.k8s.io/v1
kind: AdmissionConfiguration
plugins:
- name: EventRateLimit
  configuration:
    apiVersion: eventratelimit.admission.k8s.io/v1alpha1
    kind: Configuration
    limits:
    - {type: Namespace, qps: 1, burst: 2}
`

let cluster: Cluster
let webhook: SlowWebhook
let quota: Server
let second: ApiServer
const folder = mkdtempSync(join(tmpdir(), 'explain-429-e2e-'))

/** Answer of a server as `curl -i` prints it. */
function exchange(server: ApiServer, user: string, method: string, path: string, body?: object): Promise<string> {
  const headers = { authorization: `Bearer ${tokenOf(user)}`, 'content-type': 'application/json' }
  const options = { host: '127.0.0.1', port: server.port, ca: server.ca, method, path, headers, agent: false }
  return new Promise((resolve, reject) => {
    const sent = httpsRequest(options, async (answer) => {
      const { rawHeaders: raw, statusCode, statusMessage } = answer
      let text = `HTTP/1.1 ${statusCode} ${statusMessage}\r\n`
      for (let at = 0; at < raw.length; at += 2) text += `${raw[at]}: ${raw[at + 1]}\r\n`
      text += '\r\n'
      for await (const chunk of answer) text += chunk
      resolve(text)
    })
    sent.on('error', reject)
    sent.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

async function explain(input: string, args: readonly string[] = []): Promise<AttributionItem[]> {
  const { code, stdout, stderr } = await apf(cluster, ['explain-429', '-o', 'json', ...args], { stdin: input })
  expect({ code, stderr }).toMatchObject({ code: 0 })
  return JSON.parse(stdout).items
}

const named = (items: readonly AttributionItem[]) => items.map(({ layer, reason }) => `${layer}/${reason}`)

async function until(condition: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 60; attempt++) {
    if (await condition()) return
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
  throw new Error('it did not come so far')
}

/** As the controllers would, which the server of the tests has none of. */
async function setStatus(kind: string, status: object): Promise<void> {
  const command = ['patch', kind, 'web', '-n', 'shop', '--subresource=status', '--type=merge', '-p']
  const { code, stderr } = await cluster.kubectl([...command, JSON.stringify({ status })])
  if (code !== 0) throw new Error(stderr)
}

const refusedByLevel = () => exchange(cluster.server, 'ada', 'GET', '/api/v1/namespaces/shop/configmaps')

describe.skipIf(missing)(title('explain-429'), () => {
  beforeAll(async () => {
    const config = join(folder, 'admission.yaml')
    writeFileSync(config, EVENT_LIMITS)
    const plugins = ['--enable-admission-plugins=EventRateLimit', `--admission-control-config-file=${config}`]
    const seats = ['--max-requests-inflight=40', '--max-mutating-requests-inflight=20']
    cluster = await startCluster(programs(), { flags: ['-v=3', ...plugins, ...seats] })
    await cluster.create([writers(), ...levelFor('ada', 'tiny', TINY)])
    second = await cluster.addServer(['--enable-priority-and-fairness=false', '--max-mutating-requests-inflight=1'])
    quota = await startQuota()
    webhook = await startSlowWebhook(cluster)
    const held = [createConfigMap(cluster.server, 'ada'), createConfigMap(second, 'otto')]
    void Promise.all(held)
    await until(async () => (await refusedByLevel()).startsWith('HTTP/1.1 429'))
  })
  afterAll(async () => {
    webhook?.release()
    await webhook?.close()
    quota?.close()
    quota?.closeAllConnections()
    await cluster?.stop()
    rmSync(folder, { recursive: true })
  })

  it('tells what APF refused, and names schema and level where it may ask', async () => {
    const answer = await refusedByLevel()
    expect(named(await explain(answer))).toEqual(['apf/rejected'])
    const [item] = await explain(answer, ['--all-servers=never'])
    expect(item?.fields['flowSchemaUid']).toBe(await uidOf(cluster, 'flowschema/tiny'))
    expect(item?.cluster).toMatchObject({ flowSchema: 'tiny', priorityLevel: 'tiny', by: 'uid' })
    expect(item?.cluster?.levels).toMatchObject([{ nominal: 1, executingSeats: 1 }])
  })

  it('tells what EventRateLimit refused', async () => {
    const answers: string[] = []
    for (let sent = 0; sent < 6; sent++) answers.push(await exchange(cluster.server, 'otto', 'POST', EVENTS, event()))
    const refused = answers.filter((answer) => answer.startsWith('HTTP/1.1 429'))
    expect(refused.length).toBeGreaterThan(0)
    const items = await explain(answers.join('\n'))
    expect(named(items)).toEqual(refused.map(() => 'event-rate-limit/limit-reached'))
    expect(items[0]?.fields).toMatchObject({ limits: [{ type: 'Namespace', key: 'shop' }], retryAfterSeconds: null })
  })

  it('tells what a PodDisruptionBudget forbids', async () => {
    await cluster.create(guardedPod())
    await setStatus('pod', { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] })
    const counts = { currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 }
    await setStatus('pdb', { observedGeneration: 1, disruptionsAllowed: 0, ...counts })
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'web', namespace: 'shop' } }
    const answer = await exchange(cluster.server, 'otto', 'POST', '/api/v1/namespaces/shop/pods/web/eviction', eviction)
    const [item] = await explain(answer)
    expect(`${item?.layer}/${item?.reason}`).toBe('eviction-pdb/budget-exhausted')
    expect(item?.fields).toMatchObject({ pdb: 'web', flowSchemaUid: expect.any(String) })
  })

  it('tells what a webhook refused', async () => {
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'quota' } }
    const answer = await exchange(cluster.server, 'otto', 'POST', '/api/v1/namespaces/shop/secrets', secret)
    const [item] = await explain(answer)
    expect(`${item?.layer}/${item?.reason}`).toBe('admission-webhook/denied-429')
    expect(item?.fields).toMatchObject({ webhook: 'quota.e2e.example', message: 'tenant burst exceeded' })
  })

  it('tells what MaxInFlight refused', async () => {
    const create = () => exchange(second, 'otto', 'POST', '/api/v1/namespaces/shop/serviceaccounts', { metadata: {} })
    await until(async () => (await create()).startsWith('HTTP/1.1 429'))
    expect(named(await explain(await create()))).toEqual(['max-inflight/exceeded'])
  })

  it('reads what kubectl -v=8 says of an answer that it tries again', async () => {
    const kubeconfig = cluster.kubeconfig({ user: { token: tokenOf('ada') } })
    const command = [programs().kubectl, 'get', '--raw', '/api/v1/namespaces/shop/configmaps', '-v=8']
    const { stderr } = await run('timeout', ['6', ...command], { env: { ...cluster.env, KUBECONFIG: kubeconfig } })
    const items = await explain(stderr)
    expect(named(items)).toContain('apf/rejected')
    expect(new Set(named(items))).toEqual(new Set(['apf/rejected', 'client-retry/server-throttled']))
    expect(items[0]?.fields).toMatchObject({ requestPath: '/api/v1/namespaces/shop/configmaps' })
    expect(JSON.stringify(items)).not.toContain(tokenOf('ada'))
  })

  it('reads what kubectl prints of an event that is refused', async () => {
    // The bucket has no time to fill while kubectl finds its way.
    const flood = setInterval(() => exchange(cluster.server, 'otto', 'POST', EVENTS, event()), 100)
    const create = async (name: string) => {
      const stdin = JSON.stringify({ apiVersion: 'v1', kind: 'Event', ...event(), metadata: { name } })
      return (await cluster.kubectl(['create', '-n', 'shop', '-f', '-'], { stdin })).stderr
    }
    let stderr = ''
    // A token that has come back may let some through.
    for (let attempt = 0; stderr === '' && attempt < 20; attempt++) stderr = await create(`x-${attempt}`)
    clearInterval(flood)
    expect(named(await explain(stderr))).toEqual(['event-rate-limit/limit-reached'])
  })

  it('tells the refusals of a whole audit log', async () => {
    const items = await explain(readFileSync(cluster.server.auditLog, 'utf8'))
    const throttled = items.filter(({ fields }) => fields['code'] === 429)
    expect(new Set(named(throttled))).toEqual(
      new Set([
        'apf-or-max-inflight/rejected-before-authorization',
        'event-rate-limit/limit-reached',
        'eviction-pdb/budget-exhausted',
        'admission-webhook/denied-429',
      ]),
    )
    const early = throttled.filter(({ layer }) => layer === 'apf-or-max-inflight')
    expect(new Set(early.map(({ fields }) => fields['user']))).toEqual(new Set(['ada']))
  })

  it('tells the refusals of a whole server log', async () => {
    const log = readFileSync(cluster.file('server-0.log'), 'utf8')
    const refusals = log.split('\n').filter((line) => /httplog\.go:\d+\] "HTTP" .* resp=429/.test(line))
    const items = (await explain(log)).filter(({ fields }) => fields['uri'] !== undefined)
    expect(items).toHaveLength(refusals.length)
    expect(
      new Set(items.map(({ layer, fields }) => `${fields['user'] ?? ''}${layer} ${pathOf(fields['uri'])}`)),
    ).toEqual(
      new Set([
        'apf /api/v1/namespaces/shop/configmaps',
        `event-rate-limit ${EVENTS}`,
        'eviction-pdb /api/v1/namespaces/shop/pods/web/eviction',
        'server-429-unattributed /api/v1/namespaces/shop/secrets',
      ]),
    )
  })

  it('tells them by the metrics of the server', async () => {
    const { stdout } = await cluster.kubectl(['get', '--raw', '/metrics'])
    const layers = new Set((await explain(stdout)).map(({ layer }) => layer))
    expect([...layers].toSorted()).toEqual(
      expect.arrayContaining(['admission-webhook', 'apf', 'event-rate-limit', 'eviction-pdb']),
    )
    expect(layers).not.toContain('max-inflight')
    expect(layers).not.toContain('server-429-unattributed')
  })

  describe.skipIf(missingToolchain)('a program with client-go', () => {
    let program: string
    beforeAll(async () => {
      program = await buildThrottled()
    })

    async function stderrOf(user: string, args: readonly string[]): Promise<string> {
      const to = [`-host=${cluster.server.url}`, `-ca=${cluster.file('ca.crt')}`, `-token=${tokenOf(user)}`]
      return (await run(program, [...to, ...args])).stderr
    }

    it('that holds itself back', async () => {
      const items = await explain(await stderrOf('admin', ['-qps=1', '-burst=1', '-calls=4']))
      expect(items.length).toBeGreaterThan(0)
      expect(new Set(named(items))).toEqual(new Set(['client-rate-limiter/wait']))
    })

    it('that gives up before its turn', async () => {
      const items = await explain(await stderrOf('admin', ['-qps=1', '-burst=1', '-calls=3', '-timeout=700ms']))
      expect(named(items)).toEqual(['client-rate-limiter/deadline', 'client-rate-limiter/deadline'])
      expect(items[0]).toMatchObject({ confidence: 'certain' })
    })

    it('that tries again what is refused', async () => {
      const path = '-path=/api/v1/namespaces/shop/configmaps'
      const items = await explain(await stderrOf('ada', [path, '-retries=1', '-v=4']))
      expect(named(items)).toEqual(['client-retry/server-throttled', 'server-429-unattributed/too-many-requests'])
    })
  })
})

const EVENTS = '/api/v1/namespaces/shop/events'

function event(): object {
  return {
    metadata: { generateName: 'web-' },
    involvedObject: { kind: 'Pod', namespace: 'shop', name: 'web', apiVersion: 'v1' },
    reason: 'Tested',
    message: 'tested',
    type: 'Normal',
    source: { component: 'e2e' },
  }
}

/** Everybody who is authenticated may do everything: who may is in no question here. */
function writers(): object {
  const apiGroup = 'rbac.authorization.k8s.io'
  return {
    apiVersion: `${apiGroup}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name: 'everything' },
    roleRef: { apiGroup, kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ apiGroup, kind: 'Group', name: 'system:authenticated' }],
  }
}

function guardedPod(): object[] {
  const labels = { app: 'web' }
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'web', namespace: 'shop' } },
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web', namespace: 'shop', labels },
      spec: {
        serviceAccountName: 'web',
        automountServiceAccountToken: false,
        nodeName: 'n1',
        containers: [{ name: 'web', image: 'web' }],
      },
    },
    {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'web', namespace: 'shop' },
      spec: { minAvailable: 1, selector: { matchLabels: labels } },
    },
  ]
}

/** A webhook for Secrets of `shop` that denies with 429. */
async function startQuota(): Promise<Server> {
  const { certificate, key } = cluster.authority.issue({ commonName: 'quota', names: ['127.0.0.1'] })
  const server = createServer({ cert: certificate, key }, async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const { apiVersion, kind, request: review } = JSON.parse(body)
    const status = { code: 429, message: 'tenant burst exceeded', reason: 'TooManyRequests' }
    response.end(JSON.stringify({ apiVersion, kind, response: { uid: review.uid, allowed: false, status } }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  await cluster.create([
    {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'quota' },
      webhooks: [
        {
          name: 'quota.e2e.example',
          admissionReviewVersions: ['v1'],
          sideEffects: 'None',
          clientConfig: {
            url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/`,
            caBundle: Buffer.from(cluster.authority.certificate).toString('base64'),
          },
          rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['secrets'] }],
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'shop' } },
        },
      ],
    },
  ])
  return server
}

function pathOf(uri: unknown): string {
  return String(uri).replace(/\?.*/, '')
}
