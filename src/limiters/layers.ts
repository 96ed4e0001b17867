/**
 * The table of layers. A new one is a file in `layers/` and a line here. The order is that in which lines are tried: a
 * line that fits several is the first one's.
 */
import type { Layer } from './attribution.ts'
import type { LayerRow, ReasonText } from './layer-row.ts'
import { admissionWebhook } from './layers/admission-webhook.ts'
import { aggregatedApi } from './layers/aggregated-api.ts'
import { apf } from './layers/apf.ts'
import { cilium } from './layers/cilium.ts'
import { clientRateLimiter } from './layers/client-rate-limiter.ts'
import { clientRetry } from './layers/client-retry.ts'
import { etcd } from './layers/etcd.ts'
import { eventRateLimit } from './layers/event-rate-limit.ts'
import { eventRecorder } from './layers/event-recorder.ts'
import { evictionPdb } from './layers/eviction-pdb.ts'
import { maxInflight } from './layers/max-inflight.ts'
import { kubelet, registry } from './layers/node.ts'
import { cloudApi, externalProxy, http2, notThrottling, unknownLayer } from './layers/outside.ts'
import { requestTimeout, serverShutdown, serverStartup } from './layers/server-lifecycle.ts'
import { apfOrAggregated, apfOrMaxInflight, server429 } from './layers/server-limiter.ts'
import { watchCache } from './layers/watch-cache.ts'

export const LAYER_ROWS: readonly LayerRow[] = [
  clientRateLimiter,
  clientRetry,
  eventRecorder,
  eventRateLimit,
  cilium,
  evictionPdb,
  admissionWebhook,
  watchCache,
  requestTimeout,
  serverShutdown,
  serverStartup,
  aggregatedApi,
  apf,
  maxInflight,
  apfOrMaxInflight,
  apfOrAggregated,
  etcd,
  kubelet,
  registry,
  externalProxy,
  cloudApi,
  http2,
  notThrottling,
  server429,
  unknownLayer,
]

/** What there is to say about a finding. */
export function reasonText(layer: Layer, reason: string): ReasonText {
  const text = LAYER_ROWS.find((row) => row.layer === layer)?.reasons[reason]
  if (text === undefined) throw new Error(`no text for ${layer}/${reason}`)
  return text
}
