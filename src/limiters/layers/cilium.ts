/**
 * The API rate limiter of the Cilium agent, on each node.
 * Source: cilium/cilium pkg/rate/api_limiter.go, plugins/cilium-cni/cmd/cmd.go
 */
import { type Attribution, attribution } from '../attribution.ts'
import { durationSeconds } from '../evidence/go-text.ts'
import { findIn, type LogRecord } from '../evidence/log-record.ts'
import type { LayerRow } from '../layer-row.ts'

const LAYER = 'cilium'

/** Lines of the limiter that say it refused; what follows in the message tells why. */
const REFUSED = /^Not processing API request(?:\. | due to )(.*)/
const PROCESSED = 'API call has been processed'

function agent(record: LogRecord): Attribution | null {
  const refused = REFUSED.exec(record.message)?.[1]
  if (refused !== undefined) {
    const reason = reasonOfRefusal(refused)
    return reason === null ? null : attribution(LAYER, reason, 'certain', limiterFields(record))
  }
  return record.message === PROCESSED ? processed(record) : null
}

function reasonOfRefusal(text: string): string | null {
  if (text.startsWith('Wait duration for maximum parallel requests')) return 'parallel-wait'
  if (text.startsWith('Wait duration exceeds maximum')) return 'limit-wait'
  return text.startsWith('cancelled context') ? 'request-cancelled' : null
}

/** Durations are nanoseconds in JSON and Go's texts elsewhere. */
function seconds(record: LogRecord, key: string): number | undefined {
  const text = record.fields.get(key)
  if (text === undefined) return undefined
  return /^-?\d+$/.test(text) ? Number(text) / 1e9 : durationSeconds(text)
}

function number(record: LogRecord, key: string): number | undefined {
  const value = Number.parseFloat(record.fields.get(key) ?? '')
  return Number.isNaN(value) ? undefined : value
}

function limiterFields(record: LogRecord) {
  return {
    apiCall: record.fields.get('name'),
    limitPerSecond: number(record, 'limit'),
    burst: number(record, 'burst'),
    maxWaitSeconds: seconds(record, 'maxWaitDuration') ?? seconds(record, 'maxWaitDurationParallel'),
    remainingMaxWaitSeconds: seconds(record, 'maxWaitDurationLimiter'),
    neededWaitSeconds: seconds(record, 'waitDurationLimiter'),
    parallelRequests: number(record, 'parallelRequests'),
    cause: record.fields.get('error'),
    uuid: record.fields.get('uuid'),
    format: record.format === 'json' ? ('json' as const) : undefined,
  }
}

/** Errors of the limiter, as the agent logs them and as its callers see them. */
const ERRORS: readonly [RegExp, string][] = [
  [/timed out while waiting to be served with \d+ parallel requests: context/, 'parallel-wait'],
  [/request would have to wait \S+ to be served \(maximum wait duration: /, 'limit-wait'],
  [/request cancelled while waiting for rate limiting slot/, 'request-cancelled'],
]

/** A served call that waited longer than this is worth a word, whatever it took. */
const LONG_WAIT_SECONDS = 1

function processed(record: LogRecord): Attribution | null {
  const error = record.fields.get('error')
  const waitSeconds = seconds(record, 'waitDurationTotal')
  const processingSeconds = seconds(record, 'processingDuration')
  const fields = {
    apiCall: record.fields.get('name'),
    processingSeconds,
    totalSeconds: seconds(record, 'totalDuration'),
    waitSeconds,
    error,
    uuid: record.fields.get('uuid'),
    format: record.format === 'json' ? 'json' : undefined,
  }
  if (error !== undefined) {
    const [, reason] = ERRORS.find(([pattern]) => pattern.test(error)) ?? []
    if (reason !== undefined) return attribution(LAYER, reason, 'certain', fields)
    return error === 'endpoint not found' && fields.apiCall === 'endpoint-delete'
      ? attribution('not-throttling', 'cilium-delete-not-found', 'certain', fields)
      : null
  }
  if (waitSeconds === undefined || processingSeconds === undefined) return null
  const waited = waitSeconds > LONG_WAIT_SECONDS || waitSeconds > processingSeconds
  return waited ? attribution(LAYER, 'processed-after-wait', 'certain', fields) : null
}

const CALLER = /\[([A-Z]+) (\/[^\]]*)\]\[429\] \w+TooManyRequests\b/
const AGENT_PATHS = /^\/endpoint(?:\/|$)/

const CALLS: Readonly<Record<string, string>> = {
  PUT: 'endpoint-create',
  PATCH: 'endpoint-patch',
  DELETE: 'endpoint-delete',
}

function caller(record: LogRecord): Attribution | null {
  const words = findIn(record, CALLER)
  if (words) {
    const [, method = '', path = ''] = words
    if (!AGENT_PATHS.test(path)) return null
    const apiCall = CALLS[method] ?? (path === '/endpoint' ? 'endpoint-list' : 'endpoint-get')
    return attribution(LAYER, 'client-429', 'certain', { apiCall, method, path, code: 429 })
  }
  if (!findIn(record, /Cilium API client timeout exceeded/)) return null
  const creates = findIn(record, /unable to create endpoint/i)
  return attribution(LAYER, 'client-timeout', 'certain', { apiCall: creates ? 'endpoint-create' : undefined })
}

function errorOfCaller(record: LogRecord): Attribution | null {
  const known = ERRORS.find(([pattern]) => findIn(record, pattern))
  if (known === undefined) return null
  const apiCall = /\b(endpoint-(?:create|delete|get|patch|list))\b/.exec(record.message)?.[1]
  return attribution(LAYER, known[1], 'high', { apiCall })
}

const STUCK =
  'first see whether the agent is stuck: cilium_api_limiter_requests_in_flight{value="in-flight"} at its limit while processed_requests_total{outcome="success"} stands still'

export const cilium: LayerRow = {
  layer: LAYER,
  needles: [
    'Not processing API request',
    PROCESSED,
    '[429] get',
    '[429] put',
    '[429] patch',
    '[429] delete',
    '[429] post',
    'Cilium API client timeout exceeded',
    'timed out while waiting to be served',
    'request would have to wait',
    'waiting for rate limiting slot',
  ],
  lines: [agent, caller],
  sentences: [errorOfCaller],
  reasons: {
    'limit-wait': {
      says: 'the Cilium agent of this node refused a call to its own API: its turn would come later than max-wait-duration',
      proves: 'the limiter of that agent refused the call; neither kube-apiserver nor APF is involved',
      doesNotProve: 'that the limit is too small: an agent that is stuck, or slow, looks the same',
      settledBy: STUCK,
      advice: `${STUCK}; then raise rate-limit and rate-burst of that group in api-rate-limit of the ConfigMap kube-system/cilium-config`,
      command: 'limits cilium --pods-per-node 50',
    },
    'parallel-wait': {
      says: 'the Cilium agent of this node refused a call to its own API: no slot became free in time',
      proves: 'as many calls as parallel-requests allows were running, or their caller gave up before one ended',
      doesNotProve: 'that the limit is too small: an agent that is stuck, or slow, looks the same',
      settledBy: STUCK,
      advice: `${STUCK}; then raise parallel-requests of that group in api-rate-limit of the ConfigMap kube-system/cilium-config`,
      command: 'limits cilium --pods-per-node 50',
    },
    'processed-after-wait': {
      says: 'the Cilium agent of this node served a call, after it had waited for its turn',
      proves: 'the wait was spent in the limiter of the agent',
      doesNotProve: 'a fault: waits are what the limiter is for',
      advice: 'nothing, unless pods start too slowly: then raise rate-limit of that group in api-rate-limit',
      command: 'limits cilium --pods-per-node 50',
    },
    'request-cancelled': {
      says: 'the caller of the Cilium agent gave up while its call waited for its turn',
      proves: 'the call waited longer than its caller had patience; it was not refused',
      doesNotProve: 'that the limit is too small: an agent that is stuck, or slow, looks the same',
      settledBy: STUCK,
      advice: STUCK,
    },
    'client-429': {
      says: "a call to the Cilium agent's API on this node was refused; it is not the Kubernetes API",
      proves: 'the limiter of that agent refused the call',
      doesNotProve: 'why: rate, parallel calls or a caller that gave up; that stands in the metrics of the agent alone',
      settledBy: 'cilium_api_limiter_processed_requests_total by outcome, on that node',
      advice: `${STUCK}; then see which limit is reached`,
      command: 'limits cilium --pods-per-node 50',
    },
    'client-timeout': {
      says: 'the caller of the Cilium agent ran out of patience',
      proves: 'the agent did not answer in time; it has refused nothing',
      doesNotProve:
        'that the limiter is to blame: a max-wait-duration longer than the patience of the caller, or a stuck agent',
      settledBy: STUCK,
      advice: STUCK,
    },
  },
}
