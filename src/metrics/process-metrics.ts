/**
 * The series of API servers in an exposition, sorted by process. Usually that is one; a federation has many, told apart by
 * the labels that the monitoring system added, and never added up.
 */
import type { Problem } from '../apf/problem.ts'
import { type ExpositionReport, readExposition, type Sample } from './exposition.ts'
import { GrowingHistogram, type Histogram } from './histogram.ts'
import { contentProblem, notApiServer, repeatedSeries, reportProblems } from './metrics-problems.ts'
import type { Component } from './server-state.ts'

/** What one exposition says of one API server process. Absent series are absent here: zero is what a series says. */
export interface ProcessMetrics {
  /** The target as the monitoring system calls it; null where the exposition comes from the server itself. */
  instance: string | null
  component: Component
  /** Release without `v`. */
  version: string | null
  startedAt: number | null
  levels: Map<string, LevelSeries>
  /** By `flowKey`. */
  flows: Map<string, FlowSeries>
  seatFairFrac: number | null
  /** Kinds of requests, `readOnly` and `mutating`, that have the series; the values mean little. */
  inflightKinds: Set<string>
  inqueueKinds: Set<string>
  /** Handler filters that were timed: `priorityandfairness` is one of them only under APF. */
  filters: Set<string>
  /** Requests in relation to their limit, over time in ns, by `phase/kind`; from 1.25. */
  readVsWrite: ReadonlyMap<string, Histogram>
  /** Answers 429 of the limiter, and all; null if no series of the family was seen. */
  terminations429: number | null
  answered429: number | null
  droppedRequests: number | null
  objectCounts: Map<string, number>
  objectBytes: Map<string, number>
  featureGates: Map<string, boolean>
}

export interface LevelSeries {
  nominal?: number
  lower?: number
  upper?: number
  current?: number
  /** Up to 1.25 the limit, later the same as nominal. */
  concurrencyLimit?: number
  highWatermark?: number
  average?: number
  stdev?: number
  smoothed?: number
  target?: number
  utilizationSum?: number
  utilizationCount?: number
}

export interface FlowSeries {
  flowSchema: string
  priorityLevel: string
  executingRequests?: number
  executingSeats?: number
  concurrencyInUse?: number
  waitingRequests?: number
  waitingSeats?: number
  dispatched?: number
  /** By reason. */
  rejected: Map<string, number>
  /** By the value of `execute`; by that of `type`, '' up to 1.23. */
  wait: Map<string, GrowingHistogram>
  execution: Map<string, GrowingHistogram>
}

export function flowKey(priorityLevel: string, flowSchema: string): string {
  return `${priorityLevel}\n${flowSchema}`
}

export interface MetricsReading {
  /** API servers only, in the order of their first series. */
  processes: ProcessMetrics[]
  report: ExpositionReport
  problems: Problem[]
}

/**
 * Reads an exposition of whatever component.
 *
 * @param file  name for problems
 */
export async function readMetrics(file: string, chunks: AsyncIterable<Uint8Array>): Promise<MetricsReading> {
  const collectors = new Map<string, Collector>()
  /** Components by instance, as far as a family of theirs was seen. */
  const components = new Map<string | null, string>()
  const report = await readExposition(chunks, isWanted, (sample) => {
    const component = COMPONENT_MARKERS.get(sample.name)
    if (component !== undefined) {
      components.set(instanceOf(sample.labels), component)
      return
    }
    const identity = targetOf(sample)
    let collector = collectors.get(identity)
    if (collector === undefined) {
      collector = new Collector(identity, instanceOf(sample.labels))
      collectors.set(identity, collector)
    }
    collector.add(sample)
  })
  if (report.otherContent !== null) return { processes: [], report, problems: [contentProblem(file, report)] }
  const apiServers = [...collectors.values()].filter((collector) => collector.isApiServer())
  const problems = reportProblems(file, report)
  if (apiServers.length === 0) problems.push(notApiServer(file, [...new Set(components.values())]))
  for (const collector of apiServers) problems.push(...collector.problems(file))
  for (const { metrics } of apiServers) metrics.component = componentNamed(components.get(metrics.instance))
  nameApart(apiServers)
  return { processes: apiServers.map(({ metrics }) => metrics), report, problems }
}

function componentNamed(name: string | undefined): Component {
  if (name === undefined) return 'unknown'
  return name === KUBE_APISERVER ? 'kube-apiserver' : 'other-api-server'
}

/** Targets of the same instance, such as those of two clusters, get all their labels as name. */
function nameApart(collectors: readonly Collector[]): void {
  const counts = new Map<string | null, number>()
  for (const { metrics } of collectors) counts.set(metrics.instance, (counts.get(metrics.instance) ?? 0) + 1)
  for (const { metrics, identity } of collectors) {
    if (identity !== '' && (counts.get(metrics.instance) ?? 0) > 1) metrics.instance = identity
  }
}

const FLOWCONTROL = 'apiserver_flowcontrol_'

const LEVEL_GAUGES: Readonly<Record<string, keyof LevelSeries>> = {
  nominal_limit_seats: 'nominal',
  lower_limit_seats: 'lower',
  upper_limit_seats: 'upper',
  current_limit_seats: 'current',
  request_concurrency_limit: 'concurrencyLimit',
  demand_seats_high_watermark: 'highWatermark',
  demand_seats_average: 'average',
  demand_seats_stdev: 'stdev',
  demand_seats_smoothed: 'smoothed',
  target_seats: 'target',
  priority_level_seat_utilization_sum: 'utilizationSum',
  priority_level_seat_utilization_count: 'utilizationCount',
}

type FlowNumber =
  | 'executingRequests'
  | 'executingSeats'
  | 'concurrencyInUse'
  | 'waitingRequests'
  | 'waitingSeats'
  | 'dispatched'

const FLOW_NUMBERS: Readonly<Record<string, FlowNumber>> = {
  current_executing_requests: 'executingRequests',
  current_executing_seats: 'executingSeats',
  request_concurrency_in_use: 'concurrencyInUse',
  current_inqueue_requests: 'waitingRequests',
  current_inqueue_seats: 'waitingSeats',
  dispatched_requests_total: 'dispatched',
}

const FLOW_HISTOGRAMS: Readonly<Record<string, { field: 'wait' | 'execution'; label: string }>> = {
  request_wait_duration_seconds: { field: 'wait', label: 'execute' },
  request_execution_seconds: { field: 'execution', label: 'type' },
}

const READ_VS_WRITE = 'read_vs_write_current_requests'

/** Families outside flow control, and the labels that are their own; any other label names the target. */
const OTHER_FAMILIES: Readonly<Record<string, readonly string[]>> = {
  process_start_time_seconds: [],
  kubernetes_build_info: [
    ...['build_date', 'compiler', 'git_commit', 'git_tree_state', 'git_version', 'go_version'],
    ...['major', 'minor', 'platform'],
  ],
  version_info: ['binary', 'component', 'emulation', 'min_compat'],
  kubernetes_feature_enabled: ['name', 'stage'],
  apiserver_current_inflight_requests: ['request_kind'],
  apiserver_current_inqueue_requests: ['request_kind'],
  apiserver_request_filter_duration_seconds_count: ['filter'],
  apiserver_dropped_requests_total: ['request_kind'],
  apiserver_request_terminations_total: [
    ...['code', 'component', 'group', 'version', 'resource', 'subresource', 'scope', 'verb'],
  ],
  apiserver_request_total: [
    ...['code', 'component', 'dry_run', 'group', 'version', 'resource', 'subresource', 'scope', 'verb'],
    ...['client', 'contentType'],
  ],
  apiserver_storage_objects: ['resource'],
  etcd_object_counts: ['resource'],
  apiserver_resource_objects: ['group', 'resource'],
  apiserver_resource_size_estimate_bytes: ['group', 'resource'],
}

const FLOWCONTROL_LABELS: readonly string[] = [
  ...['priority_level', 'flow_schema', 'reason', 'execute', 'type', 'phase', 'request_kind', 'le'],
]

const KUBE_APISERVER = 'kube-apiserver'

/** Families that only one component has; the exposition then says whose it is. */
const COMPONENT_MARKERS: ReadonlyMap<string, string> = new Map([
  ['aggregator_unavailable_apiservice', KUBE_APISERVER],
  ['apiserver_kube_aggregator_x509_missing_san_total', KUBE_APISERVER],
  ['apiserver_delegated_authn_request_total', 'an aggregated API server'],
  ['apiserver_delegated_authz_request_total', 'an aggregated API server'],
  ['kubelet_running_pods', 'kubelet'],
  ['kubelet_node_name', 'kubelet'],
  ['etcd_server_has_leader', 'etcd'],
  ['scheduler_pending_pods', 'kube-scheduler'],
  ['node_collector_evictions_total', 'kube-controller-manager'],
  ['node_ipam_controller_cidrset_usage_cidrs', 'kube-controller-manager'],
  ['kubeproxy_sync_proxy_rules_last_timestamp_seconds', 'kube-proxy'],
  ['coredns_build_info', 'CoreDNS'],
  ['prometheus_build_info', 'Prometheus'],
  ['kube_state_metrics_build_info', 'kube-state-metrics'],
  ['node_exporter_build_info', 'node-exporter'],
])

/** Gates that change the seats of a request or whether fairness is on. */
const FEATURE_GATES: ReadonlySet<string> = new Set([
  'APIPriorityAndFairness',
  'ConsistentListFromCache',
  'SizeBasedListCostEstimate',
  'WatchList',
  'ZeroLimitedNominalConcurrencyShares',
])

const HISTOGRAM_PART = /_(bucket|sum|count)$/

function isWanted(name: string): boolean {
  if (!name.startsWith(FLOWCONTROL)) return name in OTHER_FAMILIES || COMPONENT_MARKERS.has(name)
  const family = name.slice(FLOWCONTROL.length)
  if (family in LEVEL_GAUGES || family in FLOW_NUMBERS) return true
  if (family === 'rejected_requests_total' || family === 'seat_fair_frac') return true
  const histogram = family.replace(HISTOGRAM_PART, '')
  return histogram in FLOW_HISTOGRAMS || histogram === READ_VS_WRITE
}

/** The labels by which a monitoring system names the target, as text; '' for a server's own answer. */
function targetOf({ name, labels }: Sample): string {
  const own = name.startsWith(FLOWCONTROL) ? FLOWCONTROL_LABELS : (OTHER_FAMILIES[name] ?? [])
  let isForeign = false
  for (const label of labels.keys()) isForeign ||= !own.includes(label)
  if (!isForeign) return ''
  return [...labels]
    .filter(([label]) => !own.includes(label))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([label, value]) => `${label}=${JSON.stringify(value)}`)
    .join(',')
}

/** A second monitoring system renames what it finds, and adds its own. */
function instanceOf(labels: ReadonlyMap<string, string>): string | null {
  return labels.get('exported_instance') ?? labels.get('instance') ?? null
}

/** Collects the series of one target. */
class Collector {
  readonly identity: string
  readonly metrics: ProcessMetrics
  private readonly readVsWrite = new Map<string, GrowingHistogram>()
  private repeated = 0
  private firstRepeated: Sample | null = null
  private startTimes = new Set<number>()

  constructor(identity: string, instance: string | null) {
    this.identity = identity
    this.metrics = {
      instance: instance ?? (identity === '' ? null : identity),
      component: 'unknown',
      version: null,
      startedAt: null,
      levels: new Map(),
      flows: new Map(),
      seatFairFrac: null,
      inflightKinds: new Set(),
      inqueueKinds: new Set(),
      filters: new Set(),
      readVsWrite: this.readVsWrite,
      terminations429: null,
      answered429: null,
      droppedRequests: null,
      objectCounts: new Map(),
      objectBytes: new Map(),
      featureGates: new Map(),
    }
  }

  isApiServer(): boolean {
    const { levels, flows, inflightKinds, filters, seatFairFrac } = this.metrics
    return levels.size + flows.size + inflightKinds.size + filters.size > 0 || seatFairFrac !== null
  }

  problems(file: string): Problem[] {
    if (this.firstRepeated === null) return []
    const { instance } = this.metrics
    return [repeatedSeries(file, instance, this.firstRepeated, this.repeated, this.startTimes.size > 1)]
  }

  add(sample: Sample): void {
    if (sample.name.startsWith(FLOWCONTROL)) this.addFlowcontrol(sample, sample.name.slice(FLOWCONTROL.length))
    else this.addOther(sample)
  }

  private addFlowcontrol(sample: Sample, family: string): void {
    const { labels, value } = sample
    const gauge = LEVEL_GAUGES[family]
    const number = FLOW_NUMBERS[family]
    if (gauge !== undefined) {
      this.setField(this.level(labels), gauge, sample)
    } else if (number !== undefined) {
      this.setField(this.flow(labels), number, sample)
    } else if (family === 'rejected_requests_total') {
      this.setEntry(this.flow(labels).rejected, labels.get('reason') ?? '', sample)
    } else if (family === 'seat_fair_frac') {
      if (this.metrics.seatFairFrac !== null) this.repeat(sample)
      this.metrics.seatFairFrac ??= value
    } else {
      this.addHistogram(sample, family)
    }
  }

  private addHistogram(sample: Sample, series: string): void {
    const { labels, value } = sample
    const part = HISTOGRAM_PART.exec(series)?.[1]
    const kind = FLOW_HISTOGRAMS[series.replace(HISTOGRAM_PART, '')]
    const histogram =
      kind === undefined
        ? grow(this.readVsWrite, `${labels.get('phase') ?? ''}/${labels.get('request_kind') ?? ''}`)
        : grow(this.flow(labels)[kind.field], labels.get(kind.label) ?? '')
    const isNew =
      part === 'sum'
        ? histogram.addSum(value)
        : part === 'count'
          ? histogram.addCount(value)
          : histogram.addBucket(boundOf(labels.get('le')), value)
    if (!isNew) this.repeat(sample)
  }

  private addOther(sample: Sample): void {
    const { metrics } = this
    const { name, labels, value } = sample
    switch (name) {
      case 'process_start_time_seconds':
        if (metrics.startedAt !== null) this.repeat(sample)
        this.startTimes.add(value)
        metrics.startedAt ??= value
        return
      case 'kubernetes_build_info':
        metrics.version ??= release(labels.get('git_version'))
        return
      case 'version_info':
        if (labels.get('component') === 'kube') metrics.version ??= release(labels.get('binary'))
        return
      case 'kubernetes_feature_enabled':
        this.addFeatureGate(labels.get('name') ?? '', value)
        return
      case 'apiserver_current_inflight_requests':
        metrics.inflightKinds.add(labels.get('request_kind') ?? '')
        return
      case 'apiserver_current_inqueue_requests':
        metrics.inqueueKinds.add(labels.get('request_kind') ?? '')
        return
      case 'apiserver_request_filter_duration_seconds_count':
        metrics.filters.add(labels.get('filter') ?? '')
        return
      case 'apiserver_dropped_requests_total':
        metrics.droppedRequests = (metrics.droppedRequests ?? 0) + value
        return
      case 'apiserver_request_terminations_total':
        metrics.terminations429 = (metrics.terminations429 ?? 0) + (labels.get('code') === '429' ? value : 0)
        return
      case 'apiserver_request_total':
        metrics.answered429 = (metrics.answered429 ?? 0) + (labels.get('code') === '429' ? value : 0)
        return
      default:
        this.addObjects(sample)
    }
  }

  private addFeatureGate(name: string, value: number): void {
    if (FEATURE_GATES.has(name)) this.metrics.featureGates.set(name, value === 1)
  }

  private addObjects({ name, labels, value }: Sample): void {
    const { objectCounts, objectBytes } = this.metrics
    const resource = labels.get('resource') ?? ''
    const group = labels.get('group') ?? ''
    const qualified = group === '' ? resource : `${resource}.${group}`
    if (name === 'apiserver_resource_size_estimate_bytes') objectBytes.set(qualified, value)
    // A server of 1.34 to 1.36 has the counts under both names.
    else objectCounts.set(qualified, value)
  }

  private level(labels: ReadonlyMap<string, string>): LevelSeries {
    const name = labels.get('priority_level') ?? ''
    const known = this.metrics.levels.get(name)
    if (known !== undefined) return known
    const level: LevelSeries = {}
    this.metrics.levels.set(name, level)
    return level
  }

  private flow(labels: ReadonlyMap<string, string>): FlowSeries {
    const priorityLevel = labels.get('priority_level') ?? ''
    const flowSchema = labels.get('flow_schema') ?? ''
    const key = flowKey(priorityLevel, flowSchema)
    const known = this.metrics.flows.get(key)
    if (known !== undefined) return known
    const flow = { flowSchema, priorityLevel, rejected: new Map(), wait: new Map(), execution: new Map() }
    this.metrics.flows.set(key, flow)
    return flow
  }

  private setField<Field extends string>(target: Partial<Record<Field, number>>, field: Field, sample: Sample): void {
    if (target[field] === undefined) Object.assign(target, { [field]: sample.value })
    else this.repeat(sample)
  }

  private setEntry(target: Map<string, number>, key: string, sample: Sample): void {
    if (target.has(key)) this.repeat(sample)
    else target.set(key, sample.value)
  }

  private repeat(sample: Sample): void {
    this.repeated++
    this.firstRepeated ??= sample
  }
}

function grow(histograms: Map<string, GrowingHistogram>, key: string): GrowingHistogram {
  const known = histograms.get(key)
  if (known !== undefined) return known
  const histogram = new GrowingHistogram()
  histograms.set(key, histogram)
  return histogram
}

function boundOf(le: string | undefined): number {
  return le === '+Inf' || le === undefined ? Number.POSITIVE_INFINITY : Number(le)
}

/** `v1.30.5-gke.1014001` without its v. */
function release(text: string | undefined): string | null {
  return text === undefined || text === '' ? null : text.replace(/^v/, '')
}
