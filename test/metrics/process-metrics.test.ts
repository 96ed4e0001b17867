/** Expositions that are not the plain answer of one kube-apiserver: each says what it is. */
import { describe, expect, it } from 'vitest'
import { observe } from '../../src/metrics/observe.ts'
import { type MetricsReading, type ProcessMetrics, readMetrics } from '../../src/metrics/process-metrics.ts'
import type { ServerState } from '../../src/metrics/server-state.ts'
import { chunks } from '../support/chunks.ts'

const read = (lines: string[]): Promise<MetricsReading> => readMetrics('metrics.txt', chunks(`${lines.join('\n')}\n`))

async function one(lines: string[]): Promise<ProcessMetrics> {
  const { processes } = await read(lines)
  const [process] = processes
  if (process === undefined || processes.length > 1) throw new Error(`${processes.length} processes`)
  return process
}

async function stateOf(lines: string[], version: string | null = null): Promise<ServerState> {
  const metrics = await one(lines)
  return observe({
    name: 'a',
    address: null,
    version,
    metrics,
    levelDump: { unavailable: 'not asked' },
    mode: {},
    problems: [],
  })
}

const limits = (level: string, [nominal, lower, upper, current]: [number, number, number, number], more = '') => [
  `apiserver_flowcontrol_nominal_limit_seats{priority_level="${level}"${more}} ${nominal}`,
  `apiserver_flowcontrol_lower_limit_seats{priority_level="${level}"${more}} ${lower}`,
  `apiserver_flowcontrol_upper_limit_seats{priority_level="${level}"${more}} ${upper}`,
  `apiserver_flowcontrol_current_limit_seats{priority_level="${level}"${more}} ${current}`,
]

describe('the metrics of another component', () => {
  it.each([
    ['kubelet', 'kubelet_running_pods 12'],
    ['etcd', 'etcd_server_has_leader 1'],
    ['kube-scheduler', 'scheduler_pending_pods{queue="active"} 0'],
    ['Prometheus', 'prometheus_build_info{version="3"} 1'],
    ['another component', 'http_requests_total 3'],
  ])('%s are refused by name', async (component, line) => {
    const { processes, problems } = await read(['process_start_time_seconds 1.7e9', line])
    expect(processes).toEqual([])
    expect(problems).toMatchObject([
      { code: 'not-an-api-server', severity: 'error', message: expect.stringContaining(`metrics of ${component}`) },
    ])
  })
})

describe('a federation', () => {
  const target = (instance: string, start: number, seats: number) => [
    `process_start_time_seconds{instance="${instance}",job="apiserver"} ${start} 1395066363000`,
    ...limits('exempt', [0, 0, seats, 1], `,instance="${instance}",job="apiserver"`),
    `apiserver_flowcontrol_rejected_requests_total{flow_schema="s",instance="${instance}",job="apiserver",priority_level="l",reason="queue-full"} ${seats}`,
  ]
  const kubelet = 'process_start_time_seconds{instance="10.0.0.9:10250",job="kubelet"} 5'

  it('is told apart by instance, and nothing is added up', async () => {
    const { processes, problems } = await read([
      ...target('10.0.0.1:6443', 100, 600),
      kubelet,
      ...target('10.0.0.2:6443', 200, 180),
    ])
    expect(problems).toEqual([])
    expect(
      processes.map(({ instance, startedAt, levels, flows }) => ({
        instance,
        startedAt,
        upper: levels.get('exempt')?.upper,
        rejected: [...flows.values()].map(({ rejected }) => rejected.get('queue-full')),
      })),
    ).toEqual([
      { instance: '10.0.0.1:6443', startedAt: 100, upper: 600, rejected: [600] },
      { instance: '10.0.0.2:6443', startedAt: 200, upper: 180, rejected: [180] },
    ])
  })

  it('may mix the lines of its instances', async () => {
    const [a, b] = [target('a', 1, 600), target('b', 2, 180)]
    const { processes } = await read(a.flatMap((line, index) => [line, b[index] ?? '']))
    expect(processes.map(({ levels }) => levels.get('exempt')?.upper)).toEqual([600, 180])
  })

  it('of a federation has the instance that the first one saw', async () => {
    const labels = ',exported_instance="10.0.0.1:6443",instance="prometheus:9090"'
    expect((await one(limits('exempt', [0, 0, 600, 1], labels))).instance).toBe('10.0.0.1:6443')
  })

  it('of two clusters with the same addresses names the cluster, too', async () => {
    const { processes } = await read([
      ...limits('exempt', [0, 0, 600, 1], ',cluster="a",instance="10.0.0.1:6443"'),
      ...limits('exempt', [0, 0, 180, 1], ',cluster="b",instance="10.0.0.1:6443"'),
    ])
    expect(processes.map(({ instance }) => instance)).toEqual([
      'cluster="a",instance="10.0.0.1:6443"',
      'cluster="b",instance="10.0.0.1:6443"',
    ])
  })
})

describe('series that come twice', () => {
  it('count once, and are said', async () => {
    const { processes, problems } = await read([
      ...limits('exempt', [0, 0, 600, 1]),
      'apiserver_flowcontrol_upper_limit_seats{priority_level="exempt"} 180',
    ])
    expect(processes[0]?.levels.get('exempt')?.upper).toBe(600)
    expect(problems).toMatchObject([{ code: 'series-twice', severity: 'warning', at: { line: 5 } }])
  })

  it('of two start times are two processes in one file', async () => {
    const scrape = (start: number) => [...limits('exempt', [0, 0, 600, 1]), `process_start_time_seconds ${start}`]
    const { processes, problems } = await read([...scrape(1), ...scrape(2)])
    expect(processes.map(({ startedAt }) => startedAt)).toEqual([1])
    expect(problems).toMatchObject([{ code: 'series-twice', severity: 'error' }])
    expect(problems[0]?.message).toContain('several processes')
  })
})

describe('numbers that cannot be', () => {
  it.each(['-3', 'NaN', '+Inf'])('%s seats are unknown, and said', async (value) => {
    const state = await stateOf([
      ...limits('exempt', [0, 0, 600, 1]),
      `apiserver_flowcontrol_current_executing_requests{flow_schema="s",priority_level="l"} ${value}`,
    ])
    expect(state.levels.find(({ name }) => name === 'l')?.executingRequests).toBeNull()
    expect(state.problems).toMatchObject([{ code: 'impossible-value' }])
    expect(state.unknown).toContainEqual({
      field: 'levels[l].executingRequests',
      why: `the server says ${Number(value.replace('+Inf', 'Infinity'))}`,
    })
  })

  it('are not hidden by a sum', async () => {
    const state = await stateOf([
      ...limits('exempt', [0, 0, 600, 1]),
      'apiserver_flowcontrol_current_executing_requests{flow_schema="s",priority_level="l"} 5',
      'apiserver_flowcontrol_current_executing_requests{flow_schema="t",priority_level="l"} -3',
    ])
    expect(state.levels.find(({ name }) => name === 'l')?.executingRequests).toBeNull()
  })

  it('limits in the wrong order come from a scrape during a change', async () => {
    const state = await stateOf([...limits('exempt', [0, 0, 600, 1]), ...limits('l', [10, 12, 610, 10])])
    expect(state.problems).toMatchObject([{ code: 'inconsistent-scrape', object: { name: 'l' } }])
  })

  it('two totals are no total', async () => {
    const state = await stateOf([...limits('exempt', [0, 0, 600, 1]), ...limits('catch-all', [5, 5, 185, 5])])
    expect(state.serverSeats).toBeNull()
    expect(state.unknown).toContainEqual({
      field: 'serverSeats',
      why: 'the scrape fell into a change of the limits; scrape again',
    })
  })
})

describe('other API servers', () => {
  it('an aggregated one is told by its delegated authentication', async () => {
    const state = await stateOf([
      ...limits('exempt', [0, 0, 600, 1]),
      'apiserver_delegated_authn_request_total{code="201"} 3',
    ])
    expect(state.component).toBe('other-api-server')
    expect(state.problems).toMatchObject([{ code: 'other-api-server', severity: 'info' }])
  })

  it('one that may not read the configuration has no level', async () => {
    const state = await stateOf([
      'apiserver_request_filter_duration_seconds_count{filter="priorityandfairness"} 12',
      'apiserver_flowcontrol_seat_fair_frac 0',
    ])
    expect(state).toMatchObject({ mode: { mode: 'APF' }, levels: [], serverSeats: null })
    expect(state.unknown.find(({ field }) => field === 'levels')?.why).toContain('no configuration has arrived')
  })

  it('one of a newer release than known says so', async () => {
    const lines = [...limits('exempt', [0, 0, 600, 1]), 'kubernetes_build_info{git_version="v1.99.0"} 1']
    const state = await stateOf(lines)
    expect(state).toMatchObject({ version: '1.99.0', serverSeats: { value: 600, source: 'metrics' } })
    expect(state.problems).toMatchObject([{ code: 'newer-version', severity: 'info' }])
  })

  it('kube-apiserver is told by its aggregator, and its release by either family', async () => {
    const lines = [
      ...limits('exempt', [0, 0, 600, 1]),
      'aggregator_unavailable_apiservice{name="v1."} 0',
      'version_info{binary="1.37.2",component="kube",emulation="1.37",min_compat="1.36"} 1',
    ]
    expect(await one(lines)).toMatchObject({ component: 'kube-apiserver', version: '1.37.2' })
  })
})

describe('many levels', () => {
  it('10,000 of them are read', async () => {
    const lines = Array.from({ length: 10_000 }, (_, index) => limits(`level-${index}`, [1, 1, 601, 1])).flat()
    const state = await stateOf([...lines, ...limits('exempt', [0, 0, 600, 1])])
    expect(state.levels).toHaveLength(10_001)
    expect(state.serverSeats).toEqual({ value: 600, source: 'metrics' })
  })
})

describe('what metrics say of flows', () => {
  it('is put together by level', async () => {
    const flow = (schema: string, execute: string, [fast, all, sum]: [number, number, number]) => {
      const labels = `execute="${execute}",flow_schema="${schema}",priority_level="l"`
      return [
        `apiserver_flowcontrol_request_wait_duration_seconds_bucket{${labels},le="0.1"} ${fast}`,
        `apiserver_flowcontrol_request_wait_duration_seconds_bucket{${labels},le="+Inf"} ${all}`,
        `apiserver_flowcontrol_request_wait_duration_seconds_sum{${labels}} ${sum}`,
        `apiserver_flowcontrol_request_wait_duration_seconds_count{${labels}} ${all}`,
      ]
    }
    const state = await stateOf([
      ...limits('l', [10, 5, 610, 8]),
      ...flow('s', 'true', [3, 4, 1]),
      ...flow('s', 'false', [1, 1, 0]),
      ...flow('t', 'true', [0, 2, 9]),
      'apiserver_flowcontrol_current_inqueue_requests{flow_schema="s",priority_level="l"} 2',
      'apiserver_flowcontrol_current_inqueue_requests{flow_schema="t",priority_level="l"} 3',
    ])
    expect(state.levels[0]).toMatchObject({
      name: 'l',
      waitingRequests: 5,
      waitSeconds: {
        buckets: [
          { le: 0.1, count: 4 },
          { le: Number.POSITIVE_INFINITY, count: 7 },
        ],
        sum: 10,
        count: 7,
      },
    })
    expect(state.flowSchemas.map(({ name, waitingRequests }) => [name, waitingRequests])).toEqual([
      ['s', 2],
      ['t', 3],
    ])
  })

  it('of stored objects comes under old and new names, and -1 is unknown', async () => {
    const state = await stateOf([
      ...limits('exempt', [0, 0, 600, 1]),
      'apiserver_resource_objects{group="",resource="pods"} 4812',
      'apiserver_resource_objects{group="apps",resource="deployments"} -1',
      'apiserver_resource_size_estimate_bytes{group="",resource="pods"} 9.6e+06',
      'apiserver_storage_objects{resource="leases.coordination.k8s.io"} 7',
    ])
    expect(Object.fromEntries(state.storedObjects)).toEqual({
      pods: { count: 4812, bytes: 9_600_000 },
      'deployments.apps': { count: null, bytes: null },
      'leases.coordination.k8s.io': { count: 7, bytes: null },
    })
  })
})
