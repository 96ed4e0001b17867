/**
 * The token bucket in the client itself.
 * Source: kubernetes/client-go rest/request.go (tryThrottle), util/flowcontrol/throttle.go; golang/time rate/rate.go
 */
import { type Attribution, attribution } from '../attribution.ts'
import { keyValues, recordedSeconds } from '../evidence/go-text.ts'
import { findIn, hasMessage, type LogRecord } from '../evidence/log-record.ts'
import { hostOf } from '../evidence/request-path.ts'
import type { LayerRow } from '../layer-row.ts'

const LAYER = 'client-rate-limiter'

const WAIT_UP_TO_20 = /Throttling request took (\S+), request: ([A-Z]+):([^\s"]+)/
const WAIT_UP_TO_32 =
  /Waited for (\S+) due to client-side throttling, not priority and fairness, request: ([A-Z]+):([^\s"]+)/
const WAIT_SINCE_33 = 'Waited before sending request'
const OWN_REASON = 'client-side throttling, not priority and fairness'

/** Of a structured line its fields, also where another logger put words in front of it. */
export function waitFields(record: LogRecord): ReadonlyMap<string, string> | null {
  if (hasMessage(record, WAIT_SINCE_33)) return record.fields
  const at = record.message.indexOf(WAIT_SINCE_33)
  return at < 0 ? null : keyValues(record.message.slice(at))
}

function wait(record: LogRecord): Attribution | null {
  const { message } = record
  const old = WAIT_UP_TO_20.exec(message)
  const words = old ?? WAIT_UP_TO_32.exec(message)
  if (words) return waited(record, old ? '<=1.20' : '1.21-1.32', words[1], words[2], words[3])
  const fields = waitFields(record)
  if (fields?.get('reason') !== OWN_REASON) return null
  return waited(record, '>=1.33', fields.get('delay'), fields.get('verb'), fields.get('URL'))
}

function waited(record: LogRecord, era: string, delay?: string, verb?: string, url?: string): Attribution | null {
  const waitSeconds = recordedSeconds(delay)
  if (waitSeconds === undefined) return null
  return attribution(LAYER, 'wait', 'certain', {
    waitSeconds,
    verb,
    url,
    host: hostOf(url),
    severity: record.severity ?? undefined,
    era,
    format: record.format === 'json' ? 'json' : undefined,
    wrapped: record.wrapped ?? undefined,
  })
}

const NEVER_SENT = 'rate: Wait(n=1) would exceed context deadline'
const WAIT_FAILED = /client rate limiter Wait returned an error: (.*)/s
const CONTEXT_ENDED = /^context (?:deadline exceeded|canceled)/

function deadline(record: LogRecord): Attribution | null {
  const { severity } = record
  const wrapped = findIn(record, WAIT_FAILED)
  const cause = wrapped?.[1] ?? (findIn(record, NEVER_SENT_PATTERN) ? NEVER_SENT : null)
  if (cause === null) return null
  if (cause.startsWith(NEVER_SENT)) {
    const era = wrapped ? '>=1.24' : '<=1.23'
    return attribution(LAYER, 'deadline', 'certain', { cause: NEVER_SENT, severity: severity ?? undefined, era })
  }
  const context = CONTEXT_ENDED.exec(cause)
  return attribution(LAYER, 'deadline', 'low', {
    cause: context?.[0] ?? cause.replace(/, falling back to slow path$/, ''),
    severity: severity ?? undefined,
    era: '1.24-1.36',
  })
}

const NEVER_SENT_PATTERN = /rate: Wait\(n=1\) would exceed context deadline/

export const clientRateLimiter: LayerRow = {
  layer: LAYER,
  needles: ['Throttling request took', 'Waited for ', WAIT_SINCE_33, 'client rate limiter Wait', 'rate: Wait(n=1)'],
  lines: [wait, deadline],
  reasons: {
    wait: {
      says: "the program's own QPS and burst are too small for what it does; the server is not involved",
      proves: 'the call waited this long in the token bucket of the program that wrote the line, before it was sent',
      doesNotProve:
        'how many calls waited: at default verbosity one line stands for up to 10 s of them, and from -v=3 on a wait above 1 s is written twice',
      advice:
        'raise QPS and Burst together in rest.Config (flags --kube-api-qps and --kube-api-burst of components), or send fewer calls: informers instead of polling, one LIST instead of many GETs',
      command: 'limits client --qps 5 --burst 10 --calls 200',
    },
    deadline: {
      says: 'a call ended in the client because its context ended before its turn in the client came',
      proves:
        'with the cause "rate: Wait(n=1) would exceed context deadline" the request was never sent: its turn was later than its deadline',
      doesNotProve:
        'with the cause "context deadline exceeded" or "context canceled" that the bucket is to blame: the call may have been sent, been answered 429, and have slept for the Retry-After',
      provedWhenCertain: true,
      settledBy:
        'the server\'s 429s for this client at that time: audit events, or rest_client_requests_total{code="429"}',
      advice:
        'raise QPS and Burst of this client; give leader election a client of its own, so that its lease does not wait behind other calls',
      command: 'limits client --qps 5 --burst 10 --calls 200',
    },
  },
}
