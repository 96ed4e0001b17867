/**
 * Requests whose time was up.
 * Source: kubernetes/apiserver pkg/server/filters/timeout.go, pkg/endpoints/filters/request_deadline.go
 */
import { attribution } from '../attribution.ts'
import { GENERIC_504, genericRequest } from '../evidence/client-sentences.ts'
import { findIn } from '../evidence/log-record.ts'
import type { LayerRow } from '../layer-row.ts'

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
