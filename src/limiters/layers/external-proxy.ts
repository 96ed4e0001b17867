/** Proxies and load balancers in front of the API server. */
import { type Attribution, attribution } from '../attribution.ts'
import { findIn } from '../evidence/log-record.ts'
import type { LayerRow } from '../layer-row.ts'

const FLOW_CONTROL = /^too many requests for cluster\((.*?)\), limited by flowControl\((.*)\)$/

function kubegateway(message: string): Attribution | null {
  const [, cluster, settings] = FLOW_CONTROL.exec(message) ?? []
  if (settings === undefined) return null
  const values = new Map(
    settings.split(',').map((pair) => [pair.split('=')[0] ?? '', pair.slice(pair.indexOf('=') + 1)]),
  )
  const number = (key: string) => (values.has(key) ? Number(values.get(key)) : undefined)
  return attribution('external-proxy', 'kubegateway-flowcontrol', 'certain', {
    cluster,
    limiterName: values.get('name'),
    limiterType: values.get('type'),
    qps: number('qps'),
    burst: number('burst'),
    size: number('size'),
  })
}

export const externalProxy: LayerRow = {
  layer: 'external-proxy',
  needles: ['limited by flowControl('],
  messages: [kubegateway],
  sentences: [
    (record) => {
      const found = findIn(record, /too many requests for cluster\(.*?\), limited by flowControl\([^)]*\)/)
      return found && kubegateway(found[0])
    },
  ],
  reasons: {
    'html-429': {
      says: 'a proxy or load balancer in front of the API server answered, not the API server',
      proves:
        'the answer lacks the Audit-Id that every API server since 1.22 sends, or has what none sends: a Server header, HTML',
      doesNotProve: 'why the proxy refused',
      settledBy: 'the access log of the proxy',
      advice: 'ask the owner of the proxy for its limits per client and per connection',
    },
    'kubegateway-flowcontrol': {
      says: 'kubegateway, a proxy in front of the API server, refused the request by a flowControl of its own',
      proves: 'the request never reached the API server',
      advice: 'raise qps, burst or size of that flowControl in the UpstreamCluster of kubegateway',
    },
  },
}
