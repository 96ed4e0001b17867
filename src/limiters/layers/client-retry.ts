/**
 * client-go tries again what the server refused with a Retry-After. The line itself does not name the limiter.
 * Source: kubernetes/client-go rest/with_retry.go, tools/cache/reflector.go
 */
import { type Attribution, attribution } from '../attribution.ts'
import { recordedSeconds } from '../evidence/go-text.ts'
import { findIn, hasMessage, type LogRecord } from '../evidence/log-record.ts'
import { hostOf } from '../evidence/request-path.ts'
import type { LayerRow } from '../layer-row.ts'
import { waitFields } from './client-rate-limiter.ts'

const LAYER = 'client-retry'

const RETRY_UP_TO_32 =
  /Waited for (\S+), (retries: \d+, retry-after: -?\d+s - retry-reason: .*) - request: ([A-Z]+):([^\s"]+)/
const RETRY_INFO = /^retries: (\d+), retry-after: (-?\d+)s - retry-reason: (.*)$/s
const SCHEMA_UID = /due to server-side throttling, FlowSchema UID: \\*"([^"\\]*)/

function retryWait(record: LogRecord): Attribution | null {
  const words = RETRY_UP_TO_32.exec(record.message)
  if (words) return retried('1.22-1.32', words[1], words[2], words[3], words[4])
  const fields = waitFields(record)
  return fields
    ? retried('>=1.33', fields.get('delay'), fields.get('reason'), fields.get('verb'), fields.get('URL'))
    : null
}

function retried(era: string, delay?: string, info?: string, verb?: string, url?: string): Attribution | null {
  const [, retries, retryAfter, cause = ''] = RETRY_INFO.exec(info ?? '') ?? []
  if (retries === undefined) return null
  const fields = {
    waitSeconds: recordedSeconds(delay),
    retries: Number(retries),
    retryAfterSeconds: Number(retryAfter),
    verb,
    url,
    host: hostOf(url),
    era,
  }
  const flowSchemaUid = SCHEMA_UID.exec(cause)?.[1]
  if (flowSchemaUid !== undefined) {
    const serverLayer = flowSchemaUid === '' ? 'max-inflight-or-proxy-or-old-apf' : 'apf-era-server'
    return attribution(LAYER, 'server-throttled', 'certain', { ...fields, flowSchemaUid, serverLayer })
  }
  const retriedCode = /^\d+$/.test(cause) ? Number(cause) : undefined
  // A lost connection is retried in the same words, and has nothing to do with limits.
  if (retriedCode === undefined) return null
  const reason = retriedCode >= 500 ? 'retry-after-5xx' : 'server-throttled'
  return attribution(LAYER, reason, 'certain', { ...fields, retriedCode })
}

const SLEPT_UP_TO_32 = /Got a Retry-After (\d+)s response for attempt (\d+) to ([^\s"]+)/
const SLEPT_SINCE_33 = 'Got a Retry-After response'

function slept(record: LogRecord): Attribution | null {
  const words = SLEPT_UP_TO_32.exec(record.message)
  if (words) return sleptFor('1.22-1.32', Number(words[1]), words[2], words[3])
  if (!hasMessage(record, SLEPT_SINCE_33)) return null
  const { fields } = record
  return sleptFor('>=1.33', recordedSeconds(fields.get('delay')), fields.get('attempt'), fields.get('url'))
}

function sleptFor(era: string, retryAfterSeconds: number | undefined, attempt?: string, url?: string): Attribution {
  return attribution(LAYER, 'server-throttled', 'high', {
    retryAfterSeconds,
    attempt: attempt === undefined ? undefined : Number(attempt),
    url,
    host: hostOf(url),
    era,
  })
}

function watchBackoff(record: LogRecord): Attribution | null {
  const found = findIn(record, /Watch returned 429 - backing off/)
  return found && attribution(LAYER, 'watch-429-backoff', 'certain', { type: record.fields.get('type') })
}

const ORIGIN =
  'kubectl apf explain-429 on the response itself: headers and body at -v=8 of the client, or the audit event'

export const clientRetry: LayerRow = {
  layer: LAYER,
  needles: ['Waited for ', 'Waited before sending request', 'Got a Retry-After', 'Watch returned 429'],
  lines: [retryWait, slept, watchBackoff],
  reasons: {
    'server-throttled': {
      says: 'the client waited for a Retry-After of the server and tries again, at most ten times, without a word to its caller',
      proves: 'the server, or something in front of it, answered 429 or 5xx with a Retry-After',
      doesNotProve:
        'which limiter it was: a FlowSchema UID only says that the server runs APF; no UID means MaxInFlight, the shutdown filter, a proxy, or APF up to 1.20',
      settledBy: ORIGIN,
      advice: 'look for the origin of the 429; ten silent retries of 32 s each can last more than five minutes',
    },
    'retry-after-5xx': {
      throttles: false,
      says: 'the client tries again after a 5xx that carried a Retry-After',
      proves: 'the server, or something in front of it, answered with this code and a Retry-After',
      doesNotProve: 'that anything was throttled: servers that start or stop answer so too',
      settledBy: ORIGIN,
      advice: 'look at the health and the restarts of the API server, and of what stands in front of it',
    },
    'watch-429-backoff': {
      says: 'an informer was refused its WATCH with 429 and backs off, from 0.8 s up to 30 s',
      proves: 'the server, or something in front of it, answered 429 to a WATCH',
      doesNotProve: 'which limiter it was',
      settledBy: ORIGIN,
      advice: 'look for the origin of the 429; until then the cache of this informer grows old',
    },
  },
}
