/**
 * Who refused how often, from counters. Counts are differences between the first and the last scrape of a series in the
 * input; a series that was scraped once counts from the start of its process.
 * Source: kubernetes/apiserver pkg/endpoints/metrics/metrics.go; kubernetes/client-go tools/metrics; cilium/cilium pkg/rate/metrics
 */
import { type Attribution, attribution, type FieldValue } from '../attribution.ts'

export interface CounterSample {
  name: string
  labels: ReadonlyMap<string, string>
  value: number
}

const REQUESTS = 'apiserver_request_total'
const TERMINATIONS = 'apiserver_request_terminations_total'
const REJECTED = 'apiserver_flowcontrol_rejected_requests_total'
const ADMISSION = 'apiserver_admission_controller_admission_duration_seconds_count'
const CLIENT_WAIT = 'rest_client_rate_limiter_duration_seconds_sum'
const CLIENT_WAITS = 'rest_client_rate_limiter_duration_seconds_count'
const CLIENT_TIME = 'rest_client_request_duration_seconds_sum'
const CLIENT_REQUESTS = 'rest_client_requests_total'
const WEBHOOKS = 'apiserver_admission_webhook_rejection_count'
const CILIUM = 'cilium_api_limiter_processed_requests_total'

/** Families that are read, and of each the samples that count. */
const WANTED: Readonly<Record<string, (labels: ReadonlyMap<string, string>) => boolean>> = {
  [REQUESTS]: (labels) => labels.get('code') === '429',
  [TERMINATIONS]: (labels) => /^(?:429|504)$/.test(labels.get('code') ?? ''),
  [REJECTED]: () => true,
  [ADMISSION]: (labels) => labels.get('name') === 'EventRateLimit' && labels.get('rejected') === 'true',
  [WEBHOOKS]: (labels) => labels.get('rejection_code') === '429',
  [CLIENT_WAIT]: () => true,
  [CLIENT_WAITS]: () => true,
  [CLIENT_TIME]: () => true,
  [CLIENT_REQUESTS]: (labels) => labels.get('code') === '429',
  [CILIUM]: (labels) => /^(?:fail-.*-wait|request-cancelled)$/.test(labels.get('outcome') ?? ''),
}

/** One of these stands in every line that counts. */
export const METRIC_NEEDLES: readonly string[] = [
  'code="429"',
  'code="504"',
  REJECTED,
  'name="EventRateLimit"',
  CLIENT_WAIT,
  CLIENT_WAITS,
  CLIENT_TIME,
  CILIUM,
]

/** Whether a line may be a sample of a family that counts. */
export function isCounterLine(line: string): boolean {
  const name = /^[a-z_]+/.exec(line)?.[0]
  return name !== undefined && Object.hasOwn(WANTED, name)
}

type Accepts = (labels: ReadonlyMap<string, string>) => boolean

interface Series {
  labels: ReadonlyMap<string, string>
  first: number
  last: number
  scrapes: number
}

/** More series than any set of servers has of these families. */
const MAX_SERIES = 20_000
/** Series that are named, those with the most refusals first. */
const MAX_REJECTED_BY = 100
/** Scrapes of two counters are not of one moment. */
const TOLERANCE = 2

/** Collects the counters of a stream. */
export class Counters {
  private readonly families = new Map<string, Map<string, Series>>()
  private count = 0

  add({ name, labels, value }: CounterSample): void {
    if (!WANTED[name]?.(labels) || !Number.isFinite(value)) return
    const family = this.families.get(name) ?? new Map<string, Series>()
    this.families.set(name, family)
    const key = JSON.stringify([...labels].sort())
    const known = family.get(key)
    if (known) {
      // A counter that falls belongs to a process that has started again.
      if (value < known.last) known.first = 0
      known.last = value
      known.scrapes++
    } else if (this.count++ < MAX_SERIES) {
      family.set(key, { labels, first: value, last: value, scrapes: 1 })
    }
  }

  /** One finding for each layer with a count above 0. */
  attributions(): Attribution[] {
    return [...this.ofServer(), ...this.ofClient(), ...this.ofCilium()]
  }

  private sum(name: string, accepts: Accepts = () => true): number {
    let sum = 0
    for (const { labels, first, last, scrapes } of this.families.get(name)?.values() ?? []) {
      if (accepts(labels)) sum += scrapes > 1 ? last - first : last
    }
    return sum
  }

  private basis(): string {
    const scraped = [...this.families.values()].some((family) =>
      [...family.values()].some(({ scrapes }) => scrapes > 1),
    )
    return scraped ? 'between the first and the last scrape' : 'since the process started'
  }

  /** How many scrapes of a family the input has. */
  private scrapes(name: string): number {
    return Math.max(0, ...[...(this.families.get(name)?.values() ?? [])].map(({ scrapes }) => scrapes))
  }

  private ofServer(): Attribution[] {
    const isEviction: Accepts = (labels) => labels.get('subresource') === 'eviction'
    const isRefusal: Accepts = (labels) => labels.get('code') === '429'
    const byApf = this.sum(REJECTED)
    const terminated = this.sum(TERMINATIONS, isRefusal)
    const byEventLimit = this.sum(ADMISSION)
    const denied = this.sum(WEBHOOKS, (labels) => labels.get('error_type') === 'no_error')
    const callsRefused = this.sum(WEBHOOKS) - denied
    // Of families that were not scraped together no difference can be made.
    const areTogether = this.scrapes(REQUESTS) === this.scrapes(TERMINATIONS) || this.scrapes(TERMINATIONS) === 0
    const refusedBehind = areTogether ? this.sum(REQUESTS) - Math.max(terminated, byApf) : 0
    const evictions = this.sum(TERMINATIONS, (labels) => isEviction(labels) && isRefusal(labels))
    const byBudget = areTogether ? Math.max(0, this.sum(REQUESTS, isEviction) - evictions) : 0
    const rest = refusedBehind - byEventLimit - byBudget - denied
    const isTolerable = rest <= Math.max(TOLERANCE, this.sum(REQUESTS) / 100)
    return [
      ...this.counted('apf', 'rejected', 'certain', byApf, { rejectedBy: this.rejectedBy() }),
      // The modes exclude each other.
      ...this.counted('max-inflight', 'exceeded', 'high', byApf > 0 ? 0 : terminated),
      ...this.counted('event-rate-limit', 'limit-reached', 'certain', byEventLimit),
      ...this.counted('eviction-pdb', 'budget', 'high', byBudget),
      ...this.counted('admission-webhook', 'denied-429', 'certain', denied),
      ...this.counted('admission-webhook', 'call-failed-429', 'certain', callsRefused),
      ...this.counted('server-429-unattributed', 'too-many-requests', 'low', isTolerable ? 0 : rest),
      ...this.counted(
        'request-timeout',
        'deadline',
        'high',
        this.sum(TERMINATIONS, (labels) => !isRefusal(labels)),
      ),
    ]
  }

  private counted(
    layer: Attribution['layer'],
    reason: string,
    confidence: Attribution['confidence'],
    count: number,
    more: Record<string, FieldValue> = {},
  ): Attribution[] {
    return count > 0 ? [attribution(layer, reason, confidence, { count, basis: this.basis(), ...more })] : []
  }

  private rejectedBy(): FieldValue {
    return [...(this.families.get(REJECTED)?.values() ?? [])]
      .map(({ labels, first, last, scrapes }) => ({
        priorityLevel: labels.get('priority_level') ?? '',
        flowSchema: labels.get('flow_schema') ?? '',
        reason: labels.get('reason') ?? '',
        count: scrapes > 1 ? last - first : last,
      }))
      .filter(({ count }) => count > 0)
      .sort((a, b) => b.count - a.count)
      .slice(0, MAX_REJECTED_BY)
  }

  private ofClient(): Attribution[] {
    const waited = this.sum(CLIENT_WAIT)
    const calls = this.sum(CLIENT_WAITS)
    const spent = this.sum(CLIENT_TIME)
    const answered = this.sum(CLIENT_REQUESTS)
    const found: Attribution[] = []
    // The second contains the first; controller-runtime exports neither.
    const share = spent > 0 ? waited / spent : null
    if (share !== null && share > HALF) {
      const meanWaitSeconds = calls > 0 ? waited / calls : undefined
      const fields = { waitSeconds: waited, count: calls, meanWaitSeconds, shareOfTime: share, basis: this.basis() }
      found.push(attribution('client-rate-limiter', 'wait', 'high', fields))
    }
    if (answered > 0) {
      const fields = { count: answered, basis: this.basis(), code: 429 }
      found.push(attribution('client-retry', 'server-throttled', 'low', fields))
    }
    return found
  }

  private ofCilium(): Attribution[] {
    const reasons: [outcome: string, reason: string][] = [
      ['fail-limit-wait', 'limit-wait'],
      ['fail-parallel-wait', 'parallel-wait'],
      ['request-cancelled', 'request-cancelled'],
    ]
    return reasons.flatMap(([outcome, reason]) => {
      const count = this.sum(CILIUM, (labels) => labels.get('outcome') === outcome)
      if (count === 0) return []
      const calls = [...(this.families.get(CILIUM)?.values() ?? [])].filter(
        ({ labels }) => labels.get('outcome') === outcome,
      )
      const apiCalls = [...new Set(calls.map(({ labels }) => labels.get('api_call') ?? ''))]
      return [attribution('cilium', reason, 'certain', { count, apiCalls, basis: this.basis() })]
    })
  }
}

const HALF = 0.5
