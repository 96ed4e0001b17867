/**
 * API servers that stop, start, or run out of the time for a request.
 * Source: kubernetes/apiserver pkg/server/filters/{with_retry_after,waitgroup,timeout}.go, pkg/endpoints/filters/request_deadline.go
 */
import { attribution } from '../attribution.ts'
import { GENERIC_504, genericRequest } from '../evidence/client-sentences.ts'
import { findIn } from '../evidence/log-record.ts'
import type { LayerRow } from '../layer-row.ts'

export const serverShutdown: LayerRow = {
  layer: 'server-shutdown',
  needles: ['apiserver is shutting down'],
  messages: [
    (message, { code }) =>
      message === 'apiserver is shutting down' && (code === null || code === 503)
        ? attribution('server-shutdown', 'waitgroup-503', 'certain')
        : null,
  ],
  reasons: {
    'retry-after-429': {
      says: 'this API server is shutting down and sends clients elsewhere',
      proves: 'the server runs with --shutdown-send-retry-after and is past its --shutdown-delay-duration',
      doesNotProve: 'any overload',
      advice: 'nothing, if it is a rollout: clients come back after 5 s, to another server where there is one',
    },
    'waitgroup-503': {
      throttles: false,
      says: 'the request came after this API server had begun to stop',
      proves: 'the server is terminating',
      doesNotProve: 'any overload',
      advice: 'nothing, if it is a rollout; otherwise look for why the API server restarts',
    },
  },
}

export const serverStartup: LayerRow = {
  layer: 'server-startup',
  needles: ['known HTTP paths have been installed'],
  messages: [
    (message) =>
      message.includes('before all known HTTP paths have been installed')
        ? attribution('server-startup', 'paths-not-installed', 'certain')
        : null,
  ],
  reasons: {
    'paths-not-installed': {
      throttles: false,
      says: 'the request came before this API server had installed all its paths',
      proves: 'the server is starting; it answers so instead of 404',
      doesNotProve: 'any overload',
      advice: 'try again; send traffic only to servers whose /readyz answers 200',
    },
  },
}

const DEADLINE = /^Timeout: request did not complete within/

export const requestTimeout: LayerRow = {
  layer: 'request-timeout',
  needles: ['was unable to return a response in the time', 'request did not complete within'],
  messages: [
    (message, { code }) =>
      DEADLINE.test(message) && (code === null || code === 504)
        ? attribution('request-timeout', 'deadline', 'certain')
        : null,
    (message, { code }) => {
      const words = code === null || code === 504 ? GENERIC_504.exec(message) : null
      return words && attribution('request-timeout', 'deadline', 'high', genericRequest(words))
    },
  ],
  sentences: [
    (record) => {
      const words = findIn(record, GENERIC_504)
      return words && attribution('request-timeout', 'deadline', 'high', genericRequest(words))
    },
    (record) => {
      const found = findIn(record, /Timeout: request did not complete within (?:the allotted|requested) timeout/)
      return found && attribution('request-timeout', 'deadline', 'high')
    },
  ],
  reasons: {
    deadline: {
      says: 'the request was not done when its time was up; a sign of overload, no limiter',
      proves:
        'the server gave up at --request-timeout (60 s by default), at ?timeout= of the client, or at 34 s of a write',
      doesNotProve: 'where the time went: a queue of APF, etcd, or a webhook',
      settledBy:
        'apiserver_flowcontrol_request_wait_duration_seconds, etcd_request_duration_seconds and apiserver_admission_webhook_admission_duration_seconds of that time',
      advice: 'find the slow part: queue, etcd or webhook; a write may have been done all the same',
      command: 'seats',
    },
  },
}
