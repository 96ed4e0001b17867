/** What is told of levels where something else tells against APF. */
import { expect, it } from 'vitest'
import type { ModeObservations } from '../../src/metrics/mode.ts'
import { type Observations, observe } from '../../src/metrics/observe.ts'
import { readMetrics } from '../../src/metrics/process-metrics.ts'
import type { ServerState } from '../../src/metrics/server-state.ts'
import { chunks } from '../support/chunks.ts'

const METRICS = `
process_start_time_seconds 1.7e9
apiserver_flowcontrol_nominal_limit_seats{priority_level="catch-all"} 13
apiserver_flowcontrol_upper_limit_seats{priority_level="catch-all"} 613
apiserver_flowcontrol_current_limit_seats{priority_level="catch-all"} 29
apiserver_flowcontrol_dispatched_requests_total{flow_schema="catch-all",priority_level="catch-all"} 7
`

async function stateWith(mode: ModeObservations, otherwise: Partial<Observations> = {}): Promise<ServerState> {
  const [metrics] = (await readMetrics('metrics.txt', chunks(METRICS))).processes
  if (metrics === undefined) throw new Error('no process')
  const levelDump = { unavailable: 'not asked' }
  return observe({
    name: 'a',
    address: null,
    version: '1.37.2',
    metrics,
    levelDump,
    mode,
    problems: [],
    ...otherwise,
  })
}

it('metrics of levels outweigh a 404 of the debug endpoint and of the API group', async () => {
  const { mode, serverSeats, levels } = await stateWith({ debugStatus: 404, apiGroupServed: false })
  expect(mode).toMatchObject({ mode: 'APF', contradiction: null })
  expect(serverSeats).toEqual({ value: 600, source: 'metrics' })
  expect(levels).toMatchObject([{ name: 'catch-all', nominal: 13, current: 29, dispatched: 7 }])
})

it('levels stay where the mode is not known for contradiction', async () => {
  const { mode, serverSeats, levels, flowSchemas } = await stateWith({
    healthChecks: ['poststarthook/max-in-flight-filter'],
  })
  expect(mode).toMatchObject({ mode: 'Unknown', contradiction: expect.stringContaining('not the same process') })
  expect(serverSeats).toEqual({ value: 600, source: 'metrics' })
  expect(levels).toMatchObject([{ name: 'catch-all', nominal: 13 }])
  expect(flowSchemas).toMatchObject([{ name: 'catch-all', dispatched: 7 }])
})

it('nothing is said of levels where nothing tells of them', async () => {
  const state = await stateWith({}, { metrics: { unavailable: 'forbidden (403)' } })
  expect(state).toMatchObject({ mode: { mode: 'Unknown' }, serverSeats: null, levels: [], flowSchemas: [] })
  expect(state.unknown).toEqual([{ field: 'metrics', why: 'forbidden (403)' }])
})
