/**
 * The cache that serves watches and most lists.
 * Source: kubernetes/apiserver pkg/storage/cacher/{cacher,delegator}.go, pkg/storage/errors.go
 */
import { type Attribution, attribution } from '../attribution.ts'
import { findIn } from '../evidence/log-record.ts'
import type { StatusView } from '../evidence/status-view.ts'
import type { LayerRow } from '../layer-row.ts'
import { watchCacheDowntime } from '../watch-cache-retry.ts'

const LAYER = 'watch-cache'

function initializing(message: string, { code, retryAfterSeconds }: StatusView): Attribution | null {
  const words = /^storage is \(re\)initializing(?:: (.*))?$/s.exec(message)
  if (!words && message !== 'apiserver cacher is stopped') return null
  if (code !== null && code !== 429 && code !== 503) return null
  return attribution(LAYER, 'initializing', 'certain', {
    cause: words?.[1],
    estimatedDowntimeSeconds: retryAfterSeconds === null ? undefined : watchCacheDowntime(retryAfterSeconds),
  })
}

function tooLarge(message: string): Attribution | null {
  const words = /Too large resource version: (\d+), current: (\d+)/.exec(message)
  if (!words) return null
  const fields = { requested: Number(words[1]), current: Number(words[2]) }
  return attribution(LAYER, 'too-large-resource-version', 'certain', fields)
}

export const watchCache: LayerRow = {
  layer: LAYER,
  needles: ['storage is (re)initializing', 'apiserver cacher is stopped', 'Too large resource version'],
  messages: [initializing, tooLarge],
  sentences: [
    (record) => {
      const found = findIn(record, /storage is \(re\)initializing|apiserver cacher is stopped/)
      return found && attribution(LAYER, 'initializing', 'high')
    },
    (record) => {
      const found = findIn(record, /Too large resource version: \d+, current: \d+/)
      return found && tooLarge(found[0])
    },
  ],
  reasons: {
    initializing: {
      says: 'the watch cache of this resource is not ready; the server asks to come back',
      proves: 'the request passed APF and authorization, and waits for nothing but the cache',
      doesNotProve: 'a fault: it is normal for seconds after a start of the server or a change of a CRD',
      settledBy: 'the cause behind the message, and the health of etcd, if it lasts',
      advice: 'wait for the Retry-After; if it lasts, look at etcd and at restarts of the API server',
    },
    'too-large-resource-version': {
      throttles: false,
      says: 'the request asks for a resource version that this server has not seen yet',
      proves: 'the cache of this server is behind the one that gave the resource version away',
      doesNotProve: 'throttling: the client comes back and gets its answer',
      advice: 'nothing for a single one; if it lasts, look at the latency between this API server and etcd',
    },
  },
}
