/**
 * API servers behind the API server.
 * Source: kubernetes/kube-aggregator pkg/apiserver/handler_proxy.go
 */
import type { LayerRow } from '../layer-row.ts'

export const aggregatedApi: LayerRow = {
  layer: 'aggregated-api',
  needles: ['service unavailable'],
  reasons: {
    'backend-429': {
      says: 'the server of an aggregated API refused the request; the API server in front let it pass',
      proves: 'the request passed the limiter of the server in front and reached the backend',
      doesNotProve: 'which limiter of the backend it was',
      settledBy: "the backend's own audit event or access log with the same audit-ID",
      advice:
        'look at the backend of that APIService: an extension API server has its own APF, or --max-requests-inflight 400 and 200',
    },
    unavailable: {
      throttles: false,
      says: 'the server of an aggregated API cannot be reached',
      proves: 'the API server has no healthy backend for this API; no limiter is involved',
      doesNotProve: 'where the text is that of a client, and the API no aggregated one, who said 503',
      settledBy: 'kubectl get apiservice: AVAILABLE, and the condition behind it',
      advice: 'look at the APIService, and at the pods and endpoints of its service',
    },
  },
}
