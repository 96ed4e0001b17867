import { afterAll, afterEach, describe, expect, it } from 'vitest'
import type { CiliumLimits, ClientLimits, EventLimits } from '../../src/report/contract.ts'
import { apf, ROOT, type Run, run } from '../support/cli.ts'
import { violations } from '../support/published-schemas.ts'
import { type LiveCluster, removeWorkplace, startLiveCluster } from './live-cluster.ts'

const DATA = 'test/cli/testdata/limits'

/** As a shell at the root of the repository runs it, without a cluster. */
function limits(line: string): Promise<Run> {
  const env = { PATH: `${ROOT}bin:${process.env['PATH'] ?? ''}`, HOME: '/nonexistent' }
  return run('sh', ['-c', `kubectl-apf limits ${line}`], { env })
}

function transcript(line: string, { code, stdout, stderr }: Run): string {
  const notes = stderr === '' ? '' : `\nstderr:\n${stderr}`
  return `$ kubectl apf limits ${line}\n${stdout}${notes}\nexit ${code}\n`
}

const WIDEST = 100

/** The answers as people read them, in golden/limits. */
const golden: [file: string, line: string][] = [
  ['client-burst', 'client --qps 5 --burst 10 --calls 200'],
  ['client-one-after-the-other', 'client --qps 5 --burst 10 --calls 1000 --workers 1 --latency 50ms'],
  ['client-too-fast', 'client --qps 5 --burst 10 --calls 500 --rate 8'],
  ['client-deadline', 'client --qps 5 --burst 10 --calls 200 --deadline 10s'],
  ['client-refused', 'client --qps 100'],
  ['client-unlimited', 'client --qps=-1'],
  ['client-all', 'client --calls 300'],
  ['client-controller-runtime', 'client --component controller-runtime@0.20 --calls 300'],
  ['client-configured', `client --config ${DATA}/component-configs.yaml`],
  ['client-operator', 'client --config examples/limits/operator.yaml'],
  ['client-demand', 'client --component kube-proxy --clients 500 --defaults 1.37'],
  ['client-metrics', `client --from-metrics ${DATA}/client-metrics.txt`],
  ['client-metrics-of-operator', `client --from-metrics ${DATA}/operator-metrics.txt`],
  ['events', 'events --config examples/limits/event-rate-limit.yaml'],
  ['events-refused', `events --config ${DATA}/bad-events.yaml`],
  ['events-misspelt', `events --config ${DATA}/misspelt-plugin.yaml`],
  ['events-old-server', `events --config ${DATA}/misspelt-plugin.yaml --server-version 1.31`],
  ['events-audit', 'events --config examples/limits/event-rate-limit.yaml --events examples/limits/events.jsonl'],
  ['events-objects', `events --config ${DATA}/admission.yaml --events ${DATA}/events.yaml`],
  ['cilium-defaults', 'cilium --cilium-version 1.18'],
  ['cilium-old-defaults', 'cilium --cilium-version 1.11'],
  ['cilium-pods', 'cilium --cilium-version 1.18 --pods-per-node 30'],
  ['cilium-pods-old', 'cilium --cilium-version 1.13 --pods-per-node 30'],
  ['cilium-risky', `cilium --config ${DATA}/cilium-config.yaml --cilium-version 1.18`],
  ['cilium-refused', 'cilium --api-rate-limit endpoint-create=rate-limit:10/10'],
  ['cilium-panic', 'cilium --api-rate-limit endpoint-create=rate-limit:1/'],
  [
    'cilium-two-options-of-old',
    'cilium --cilium-version 1.12 --api-rate-limit endpoint-create=rate-limit:2/s,rate-burst:4',
  ],
  ['cilium-metrics', 'cilium --metrics examples/limits/cilium-metrics.txt'],
  ['cilium-stuck', `cilium --metrics ${DATA}/cilium-earlier.txt --metrics ${DATA}/cilium-later.txt`],
  ['inflight', 'inflight'],
  ['inflight-without-apf', 'inflight --enable-priority-and-fairness=false --max-mutating-requests-inflight 0'],
  [
    'inflight-unlimited',
    'inflight --no-enable-priority-and-fairness --max-requests-inflight 0 --max-mutating-requests-inflight 0',
  ],
  ['inflight-refused', 'inflight --max-requests-inflight 0 --max-mutating-requests-inflight 0'],
  ['inflight-negative', 'inflight --max-requests-inflight=-1'],
  ['inflight-gate', 'inflight --feature-gates APIPriorityAndFairness=false --server-version 1.28'],
  ['inflight-manifest', 'inflight --manifest examples/limits/kube-apiserver.yaml'],
]

describe('limits', () => {
  it.each(golden)('%s', async (file, line) => {
    const text = transcript(line, await limits(line))
    await expect(text).toMatchFileSnapshot(`golden/limits/${file}.txt`)
  })

  it('is no wider than 100 columns, but for what components say themselves', async () => {
    const wide: string[] = []
    for (const [file, line] of golden) {
      if (/refused|panic|misspelt|old-server|negative|configured|risky/.test(file)) continue
      const { stdout } = await limits(line)
      for (const each of stdout.split('\n')) if (each.length > WIDEST) wide.push(`${file}: ${each}`)
    }
    expect(wide).toEqual([])
  })

  it.each(golden)('%s follows the published schema', async (file, line) => {
    const { stdout } = await limits(`${line} -o json`)
    const kind = { client: 'ClientLimits', events: 'EventLimits', cilium: 'CiliumLimits', inflight: 'InflightLimits' }
    const topic = Object.entries(kind).find(([name]) => file.startsWith(name))
    expect(violations(topic?.[1] ?? '', JSON.parse(stdout))).toEqual([])
  })
})

describe('limits for programs', () => {
  it('gives the prediction in numbers', async () => {
    const { stdout } = await limits('client --qps 5 --burst 10 --calls 200 --latency 0s -o json')
    const { clients }: ClientLimits = JSON.parse(stdout)
    expect(clients[0]?.prediction).toMatchObject({ seconds: 38, delayed: 190, longestWaitSeconds: 38 })
  })

  it('names the limit that refuses each event', async () => {
    const { stdout } = await limits(`events --config ${DATA}/admission.yaml --events ${DATA}/events.yaml -o json`)
    const { simulation }: EventLimits = JSON.parse(stdout)
    expect(simulation).toMatchObject({ writes: 7, charged: 6, accepted: 5, refused: 1 })
    expect(simulation?.refusals.map(({ at, limits: failed }) => [at, failed.map(({ limit }) => limit)])).toEqual([
      ['2026-10-01T08:00:01.500Z', [1, 2]],
    ])
  })

  it('says the same in YAML', async () => {
    const { parse } = await import('yaml')
    const [json, yaml] = await Promise.all([limits('inflight -o json'), limits('inflight -o yaml')])
    expect(parse(yaml.stdout)).toEqual(JSON.parse(json.stdout))
  })
})

describe('a wrong call of limits', () => {
  it.each([
    ['', 'limits of what?'],
    ['clients', 'did you mean client?'],
    ['client --pods-per-node 3', '--pods-per-node with limits client'],
    ['client --qps 5 --component kubelet', '--qps with --component'],
    ['client --qps five', '--qps five is no number'],
    ['client --qps 5 --burst 1.5', '--burst 1.5 is no integer'],
    ['client --config - --config -', '--config - twice'],
    ['client --component kubelt', 'did you mean kubelet?'],
    ['client --config /nonexistent.yaml', 'no such file'],
    ['client --from-metrics examples/shop.yaml', 'has no series rest_client_*'],
    ['events', 'limits events without a configuration'],
    ['events --config examples/limits/event-rate-limit.yaml --events examples/shop.yaml', 'has no event in it'],
    ['cilium --metrics test/cli/testdata/limits/client-metrics.txt', 'has no series cilium_api_limiter_*'],
    ['cilium --cilium-version newest', '--cilium-version newest is no version'],
    ['cilium --cilium-version 2.0', '--cilium-version 2.0 is no version'],
    ['cilium --cilium-version 1.18 --processing 2s', '--processing without --pods-per-node'],
    ['inflight --manifest examples/shop.yaml', 'has no container that runs kube-apiserver'],
  ])('%s: exit 2', async (line, message) => {
    const { code, stdout, stderr } = await limits(line)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(message)
  })

  it.each([
    ['cilium --cilium-version 1.8', 'the defaults of Cilium 1.8 are not known'],
    ['inflight --server-version 1.19', 'what a kube-apiserver of 1.19 does is not known'],
  ])('%s: exit 3, for that release is not known', async (line, message) => {
    const { code, stdout, stderr } = await limits(line)
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
    expect(stderr).toContain(message)
  })

  it('takes a newer server for the newest known', async () => {
    expect(await limits('inflight --server-version 1.99')).toMatchObject({ code: 0 })
  })

  it('says what every call through a burst below 0 returns', async () => {
    const { code, stdout } = await limits('client --qps 0 --burst=-3')
    expect(code).toBe(1)
    expect(stdout).toContain("rate: Wait(n=1) exceeds limiter's burst -3")
  })

  it.each([
    [
      'JSON on one line',
      '{"apiVersion":"kubelet.config.k8s.io/v1beta1","kind":"KubeletConfiguration","kubeAPIQPS":10}',
    ],
    ['JSON that begins with its kind', '{"kind":"KubeletConfiguration","kubeAPIQPS":10}'],
    ['YAML', 'kind: KubeletConfiguration\nkubeAPIQPS: 10\n'],
  ])('finds settings in a ConfigMap of a list, in %s', async (_form, kubelet) => {
    const configMap = { kind: 'ConfigMap', metadata: { name: 'kubelet-config' }, data: { kubelet } }
    const stdin = JSON.stringify({ kind: 'List', apiVersion: 'v1', items: [configMap] })
    const { stdout } = await apf(['limits', 'client', '--config', '-', '-o', 'json'], { stdin })
    const { clients }: ClientLimits = JSON.parse(stdout)
    expect(clients[0]).toMatchObject({
      component: 'kubelet',
      limiter: { qps: 10, burst: 100 },
      object: 'ConfigMap kubelet-config',
    })
  })

  it.each([
    [
      'a number',
      'apiRateLimit: 5',
      { valid: false, error: 'json: cannot unmarshal number into Go value of type map[string]string' },
    ],
    ['nothing', 'apiRateLimit: ~', { valid: true, given: null }],
    ['a mapping', 'apiRateLimit: {endpoint-get: "rate-limit:9/s"}', { given: '{"endpoint-get":"rate-limit:9/s"}' }],
    [
      'the flag of an agent, whose image tells the release',
      'spec: {containers: [{image: quay.io/cilium/cilium:v1.13.4, args: [--api-rate-limit, a=log:true]}]}',
      { given: 'a=log:true', release: '1.13', releaseFrom: 'image' },
    ],
  ])('reads the setting of Cilium that is %s', async (_what, stdin, expected) => {
    const { stdout } = await apf(['limits', 'cilium', '--config', '-', '-o', 'json'], { stdin })
    expect(JSON.parse(stdout)).toMatchObject(expected)
  })

  it('does not choose between two settings of Cilium', async () => {
    const stdin = 'apiRateLimit: a=log:true\n---\napiRateLimit: a=log:false\n'
    const { code, stderr } = await apf(['limits', 'cilium', '--config', '-'], { stdin })
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('set api-rate-limit differently'),
    })
  })

  it('reads metrics from standard input, and passes over values that are no counts', async () => {
    const stdin =
      'rest_client_rate_limiter_duration_seconds_sum{verb="GET"} +Inf\n' +
      'rest_client_rate_limiter_duration_seconds_sum{verb="PUT"} NaN\n' +
      'rest_client_rate_limiter_duration_seconds_count{verb="GET"} 5\n' +
      'rest_client_requests_total{code="200"} -4\nrest_client_requests_total{code="429"} 11\n'
    const { code, stdout } = await apf(['limits', 'client', '--from-metrics', '-', '-o', 'json'], { stdin })
    expect({ code, metrics: JSON.parse(stdout).metrics }).toMatchObject({
      code: 0,
      metrics: { verdict: 'not-exposed', attempts: 11, attempts429: 11 },
    })
    const agent = 'cilium_api_limiter_processing_duration_seconds{api_call="endpoint-get",value="mean"} NaN\n'
    const series = 'cilium_api_limiter_processed_requests_total{api_call="endpoint-get",outcome="success"} 3\n'
    const cilium = await apf(['limits', 'cilium', '--metrics', '-'], { stdin: agent + series })
    expect(cilium.stdout).not.toContain('NaN')
    expect(cilium.stdout).toContain('endpoint-get')
  })

  it('reads settings from standard input', async () => {
    const stdin = '{"kind":"KubeSchedulerConfiguration","clientConnection":{"qps":7,"burst":9}}'
    const { code, stdout } = await apf(['limits', 'client', '--config', '-'], { stdin })
    expect(code).toBe(0)
    expect(stdout).toContain('QPS 7 and burst 9')
  })

  it('escapes what could steer a terminal', async () => {
    const { stdout } = await apf(['limits', 'cilium', '--api-rate-limit', '{"a\\u001b[2J":"rate-limit:1/s"}'])
    expect(stdout).not.toContain('\u001b')
  })
})

const CONFIG = '/api/v1/namespaces/kube-system/configmaps/cilium-config'
const AGENTS = '/apis/apps/v1/namespaces/kube-system/daemonsets/cilium'

describe('limits cilium of a live cluster', () => {
  let live: LiveCluster | undefined
  afterEach(async () => live?.close())
  afterAll(removeWorkplace)

  const config = { metadata: { name: 'cilium-config' }, data: { 'api-rate-limit': 'endpoint-create=rate-limit:2/s' } }
  const agents = { spec: { template: { spec: { containers: [{ image: 'quay.io/cilium/cilium:v1.13.4@sha256:0' }] } } } }

  it('reads the setting, and the release from the image', async () => {
    live = await startLiveCluster({ [CONFIG]: { body: config }, [AGENTS]: { body: agents } })
    const { code, stdout } = await live.apf('limits cilium -o json')
    const answer: CiliumLimits = JSON.parse(stdout)
    expect(code).toBe(0)
    expect(answer).toMatchObject({
      release: '1.13',
      releaseFrom: 'image',
      given: 'endpoint-create=rate-limit:2/s',
      valid: true,
    })
    expect(answer.groups[0]).toMatchObject({ group: 'endpoint-create', rateLimit: 2, maxWaitSeconds: 15 })
  })

  it('answers without the image where that may not be read', async () => {
    live = await startLiveCluster({ [CONFIG]: { body: config }, [AGENTS]: { status: 403, body: {} } })
    const { code, stdout } = await live.apf('limits cilium')
    expect(code).toBe(0)
    expect(stdout).toContain('the release is not known: Cilium 1.20 assumed')
  })

  it('exits with 3 where the ConfigMap may not be read', async () => {
    live = await startLiveCluster({ [CONFIG]: { status: 403, body: {} }, [AGENTS]: { body: agents } })
    expect(await live.apf('limits cilium')).toMatchObject({ code: 3, stdout: '' })
  })
})
