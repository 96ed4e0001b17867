/**
 * Webhooks of admission that answer 429, or do not answer.
 * Source: kubernetes/apiserver pkg/admission/plugin/webhook/{validating,mutating}/dispatcher.go, errors/statuserror.go
 */
import { type Attribution, attribution } from '../attribution.ts'
import { GENERIC_429 } from '../evidence/client-sentences.ts'
import { unquote } from '../evidence/go-text.ts'
import { findIn, type LogRecord } from '../evidence/log-record.ts'
import type { StatusView } from '../evidence/status-view.ts'
import type { LayerRow, MessageReader } from '../layer-row.ts'

const LAYER = 'admission-webhook'

/** A webhook may deny with any code; only with 429 it is taken for a limiter. */
function denied(message: string, { code, reason }: StatusView): Attribution | null {
  if (code !== 429 && !(code === null && reason === 'TooManyRequests')) return null
  const words = /^admission webhook "([^"]+)" denied the request(?:: (.*))?/s.exec(message)
  return words && attribution(LAYER, 'denied-429', 'certain', { webhook: words[1], message: words[2] })
}

const CALL_FAILED = /^(?:Internal error occurred: )?failed calling webhook "([^"]+)": (.*)/s
const CALLED = /(?:Post|Get) "?(https?:\/\/[^"\s]+?)"?: /

function callFailed(message: string): Attribution | null {
  const [, webhook, error] = CALL_FAILED.exec(message) ?? []
  return webhook === undefined || error === undefined ? null : byError(webhook, error)
}

function byError(webhook: string, error: string): Attribution | null {
  const url = CALLED.exec(error)?.[1]
  if (GENERIC_429.test(error)) return attribution(LAYER, 'call-failed-429', 'certain', { webhook, url })
  if (/context deadline exceeded|Client\.Timeout exceeded|i\/o timeout/.test(error)) {
    return attribution(LAYER, 'call-timeout', 'high', { webhook, url })
  }
  return null
}

const FAILED_LINE = /Failed calling webhook, failing (open|closed) ([^\s:]+): (.*)/s
const REJECTED_LINE = /rejected by webhook "([^"]+)": &errors\.StatusError\{(.*)/s

function serverLine(record: LogRecord, messages: MessageReader): Attribution | null {
  const failed = findIn(record, FAILED_LINE)
  if (failed) {
    const found = byError(failed[2] ?? '', failed[3] ?? '')
    return found && { ...found, fields: { ...found.fields, failurePolicy: failed[1] === 'open' ? 'Ignore' : 'Fail' } }
  }
  const [, webhook, status = ''] = findIn(record, REJECTED_LINE) ?? []
  if (webhook === undefined || !/\bCode:429\b/.test(status)) return null
  const message = unquote(/Message:"((?:[^"\\]|\\.)*)"/.exec(status)?.[1] ?? '')
  return messages(message, { code: 429 }) ?? attribution(LAYER, 'denied-429', 'certain', { webhook })
}

export const admissionWebhook: LayerRow = {
  layer: LAYER,
  needles: ['calling webhook', 'rejected by webhook'],
  messages: [denied, callFailed],
  lines: [serverLine],
  sentences: [
    (record) => {
      const found = findIn(record, /failed calling webhook "([^"]+)": (.*)/s)
      return found && byError(found[1] ?? '', found[2] ?? '')
    },
  ],
  reasons: {
    'denied-429': {
      says: 'an admission webhook denied the request and chose 429 as its answer',
      proves: 'the request passed APF and authorization; the webhook is the limiter',
      advice: 'ask the owner of the webhook which limit it keeps; name and message stand in the fields',
    },
    'call-failed-429': {
      says: 'the endpoint of an admission webhook answered 429 to the API server, which makes a 500 of it',
      proves: 'the webhook, or a proxy in front of it, refuses calls; with failurePolicy Ignore the request passed',
      doesNotProve: 'that the API server is overloaded',
      advice: 'give the webhook more replicas or a higher limit, or narrow its rules and namespaceSelector',
    },
    'call-timeout': {
      says: 'an admission webhook did not answer in time',
      proves: 'the call ended at timeoutSeconds of the webhook',
      doesNotProve:
        'why: a webhook that answers 429 with a Retry-After looks the same, since the API server tries again until its time is up',
      settledBy: "the webhook's own access log, and apiserver_admission_webhook_admission_duration_seconds",
      advice: 'look at the webhook: its load, its limits, timeoutSeconds and failurePolicy',
    },
  },
}
