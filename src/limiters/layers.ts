/**
 * The table of layers. A new one is a file in `layers/` and a line here. The order is that in which lines are tried: a
 * line that fits several is the first one's.
 */
import type { Layer } from './attribution.ts'
import type { LayerRow, ReasonText } from './layer-row.ts'
import { admissionWebhook } from './layers/admission-webhook.ts'
import { aggregatedApi } from './layers/aggregated-api.ts'
import { apf } from './layers/apf.ts'
import { apfOrAggregated } from './layers/apf-or-aggregated.ts'
import { apfOrMaxInflight } from './layers/apf-or-max-inflight.ts'
import { cilium } from './layers/cilium.ts'
import { clientRateLimiter } from './layers/client-rate-limiter.ts'
import { clientRetry } from './layers/client-retry.ts'
import { cloudApi } from './layers/cloud-api.ts'
import { etcd } from './layers/etcd.ts'
import { eventRateLimit } from './layers/event-rate-limit.ts'
import { eventRecorder } from './layers/event-recorder.ts'
import { evictionPdb } from './layers/eviction-pdb.ts'
import { externalProxy } from './layers/external-proxy.ts'
import { http2 } from './layers/http2.ts'
import { kubelet } from './layers/kubelet.ts'
import { maxInflight } from './layers/max-inflight.ts'
import { notThrottling } from './layers/not-throttling.ts'
import { registry } from './layers/registry.ts'
import { requestTimeout } from './layers/request-timeout.ts'
import { server429 } from './layers/server-429-unattributed.ts'
import { serverShutdown } from './layers/server-shutdown.ts'
import { serverStartup } from './layers/server-startup.ts'
import { unknownLayer } from './layers/unknown.ts'
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
