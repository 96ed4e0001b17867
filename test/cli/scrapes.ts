/** Metrics of a server with the default levels of 1.37 and 600 seats; workload-low is full and refuses. */

const LEVELS: [name: string, nominal: number, lower: number, upper: number, current: number, executing: number][] = [
  ['catch-all', 13, 13, 613, 29, 0],
  ['exempt', 0, 0, 600, 1, 1],
  ['global-default', 49, 24, 649, 54, 2],
  ['leader-election', 25, 25, 625, 56, 0],
  ['node-high', 98, 73, 698, 164, 12],
  ['system', 74, 50, 674, 112, 0],
  ['workload-high', 98, 49, 698, 110, 3],
  ['workload-low', 245, 24, 845, 77, 77],
]

/** @param refused  requests that found full queues since the start */
export function scrapeAt(startedAt: number, refused: number): string {
  const gauge = (name: string, value: (row: (typeof LEVELS)[number]) => number) =>
    LEVELS.map((row) => `apiserver_flowcontrol_${name}{priority_level="${row[0]}"} ${value(row)}\n`).join('')
  const workloadLow = 'flow_schema="service-accounts",priority_level="workload-low"'
  return [
    'kubernetes_build_info{git_version="v1.37.2",major="1",minor="37"} 1\n',
    `process_start_time_seconds ${startedAt}\n`,
    'apiserver_request_filter_duration_seconds_count{filter="priorityandfairness"} 12\n',
    gauge('nominal_limit_seats', ([, nominal]) => nominal),
    gauge('lower_limit_seats', ([, , lower]) => lower),
    gauge('upper_limit_seats', ([, , , upper]) => upper),
    gauge('current_limit_seats', ([, , , , current]) => current),
    gauge('demand_seats_high_watermark', ([, , , , , executing]) => executing),
    gauge('demand_seats_average', ([, , , , , executing]) => executing),
    gauge('demand_seats_stdev', () => 0),
    gauge('demand_seats_smoothed', ([, , , , , executing]) => executing),
    LEVELS.filter(([name]) => name !== 'workload-low')
      .map(([name, , , , , executing]) =>
        ['requests', 'seats']
          .map((what) => {
            const labels = `flow_schema="of-${name}",priority_level="${name}"`
            return `apiserver_flowcontrol_current_executing_${what}{${labels}} ${executing}\n`
          })
          .join(''),
      )
      .join(''),
    `apiserver_flowcontrol_current_executing_requests{${workloadLow}} 40\n`,
    `apiserver_flowcontrol_current_executing_seats{${workloadLow}} 77\n`,
    `apiserver_flowcontrol_current_inqueue_requests{${workloadLow}} 41\n`,
    `apiserver_flowcontrol_current_inqueue_seats{${workloadLow}} 80\n`,
    `apiserver_flowcontrol_rejected_requests_total{${workloadLow},reason="queue-full"} ${refused}\n`,
  ].join('')
}

export const SCRAPE = scrapeAt(1_780_000_000, 1204)

/** What every API server answers to anybody: its health report and its API groups, but no dumps. */
export const API_SERVER = {
  '/livez': {
    body: '[+]ping ok\n[+]poststarthook/priority-and-fairness-config-consumer ok\n[+]poststarthook/priority-and-fairness-filter ok\nlivez check passed\n',
  },
  '/apis/flowcontrol.apiserver.k8s.io': {
    body: { kind: 'APIGroup', versions: [{ version: 'v1' }], preferredVersion: { version: 'v1' } },
  },
  '/debug/api_priority_and_fairness/dump_priority_levels': { status: 403, body: 'forbidden' },
}
