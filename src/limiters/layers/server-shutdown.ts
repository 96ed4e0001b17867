/**
 * API servers that stop.
 * Source: kubernetes/apiserver pkg/server/filters/{with_retry_after,waitgroup}.go
 */
import { attribution } from '../attribution.ts'
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
  sentences: [
    (record) =>
      findIn(record, /The apiserver is shutting down, please try again later\./)
        ? attribution('server-shutdown', 'retry-after-429', 'certain')
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
