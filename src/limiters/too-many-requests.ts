/**
 * Who answered 429: the API server's own limiters say the same sentence, and everything that runs behind them may answer
 * 429 as well.
 * Source: kubernetes/apiserver pkg/server/filters/{priority-and-fairness,maxinflight,with_retry_after}.go.
 */

/** An answer with status 429. Null: not known. */
export interface TooManyRequests {
  body: string
  /** Pairs of APF headers: of kube-apiserver, and of an aggregated API server behind it. Null without any headers at all. */
  apfHeaderPairs: number | null
  retryAfter: string | null
  /** Every API server since 1.22 sets the header. */
  hasAuditId: boolean | null
  /** The path is that of an aggregated API. */
  isAggregated: boolean | null
}

export interface Attribution {
  layer: Layer
  reason: string
  /** `certain`: no other layer answers so; `high`: no other is plausible; `low`: there are several. */
  confidence: 'certain' | 'high' | 'low'
}

export type Layer =
  | 'apf'
  | 'max-inflight'
  | 'apf-or-max-inflight'
  | 'apf-or-aggregated'
  | 'aggregated-api'
  | 'server-shutdown'
  | 'event-rate-limit'
  | 'eviction-pdb'
  | 'watch-cache'
  | 'admission-webhook'
  | 'external-proxy'
  | 'server-429-unattributed'

const LIMITER_SENTENCE = 'Too many requests, please try again later.'
const SHUTDOWN_SENTENCE = 'The apiserver is shutting down, please try again later.'

/** Finds the layer by body and headers; neither alone tells, since every request that APF let pass has its headers. */
export function attribute429(answer: TooManyRequests): Attribution {
  const body = answer.body.replace(/\n$/, '')
  if (body === LIMITER_SENTENCE) return byLimiter(answer)
  if (body === SHUTDOWN_SENTENCE) return { layer: 'server-shutdown', reason: 'retry-after-429', confidence: 'certain' }
  const message = statusMessage(body)
  const byText = message === null ? undefined : MESSAGES.find(([pattern]) => pattern.test(message))
  if (byText !== undefined) return byText[1]
  if (message === null && answer.hasAuditId === false) {
    return { layer: 'external-proxy', reason: 'html-429', confidence: 'high' }
  }
  return UNATTRIBUTED
}

const UNATTRIBUTED: Attribution = { layer: 'server-429-unattributed', reason: 'too-many-requests', confidence: 'low' }

function byLimiter({ apfHeaderPairs, retryAfter, hasAuditId, isAggregated }: TooManyRequests): Attribution {
  // MaxInFlight always says 1, and APF only since 1.28 more.
  const isLater = Number(retryAfter) > 1
  if (apfHeaderPairs !== null && apfHeaderPairs > 1) {
    return { layer: 'aggregated-api', reason: 'backend-429', confidence: 'high' }
  }
  if (apfHeaderPairs === 1) {
    return isAggregated
      ? { layer: 'apf-or-aggregated', reason: 'ambiguous', confidence: 'low' }
      : { layer: 'apf', reason: 'rejected', confidence: isLater ? 'certain' : 'high' }
  }
  // Somebody on the way removed the headers.
  if (isLater) return { layer: 'apf', reason: 'rejected', confidence: 'high' }
  if (apfHeaderPairs === null) return { layer: 'apf-or-max-inflight', reason: 'too-many-requests', confidence: 'low' }
  return hasAuditId === false
    ? { layer: 'external-proxy', reason: 'html-429', confidence: 'high' }
    : { layer: 'max-inflight', reason: 'exceeded', confidence: hasAuditId ? 'high' : 'low' }
}

/** What handlers and admission say in a Status, once the limiters have let the request pass. */
const MESSAGES: readonly [RegExp, Attribution][] = [
  [
    /^Too many requests: \[?limit reached on type /,
    { layer: 'event-rate-limit', reason: 'limit-reached', confidence: 'certain' },
  ],
  [
    /^Cannot evict pod as it would violate the pod's disruption budget\.$/,
    { layer: 'eviction-pdb', reason: 'budget', confidence: 'certain' },
  ],
  [
    /^(?:storage is \(re\)initializing(?:: .*)?|apiserver cacher is stopped)$/s,
    { layer: 'watch-cache', reason: 'initializing', confidence: 'certain' },
  ],
  [
    /^admission webhook "[^"]+" denied the request(?::|$)/,
    { layer: 'admission-webhook', reason: 'denied-429', confidence: 'certain' },
  ],
]

/** The message of a Status; null if the body is none. */
function statusMessage(body: string): string | null {
  try {
    const status: unknown = JSON.parse(body)
    if (typeof status !== 'object' || status === null || !('kind' in status) || status.kind !== 'Status') return null
    return 'message' in status && typeof status.message === 'string' ? status.message : ''
  } catch {
    return null
  }
}
