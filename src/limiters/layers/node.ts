/**
 * Image pulls: kubelet's own limit, and that of registries.
 * Source: kubernetes/kubernetes pkg/kubelet/images/helpers.go; OCI distribution spec, error TOOMANYREQUESTS
 */
import { attribution } from '../attribution.ts'
import { findIn, type LogRecord } from '../evidence/log-record.ts'
import type { LayerRow } from '../layer-row.ts'

function imageOf(record: LogRecord): string | undefined {
  return findIn(record, /[Ff]ailed to pull (?:and unpack )?image "([^"]+)"/)?.[1] ?? record.fields.get('image')
}

export const kubelet: LayerRow = {
  layer: 'kubelet',
  needles: ['pull QPS exceeded'],
  lines: [
    (record) =>
      findIn(record, /pull QPS exceeded/)
        ? attribution('kubelet', 'image-pull-qps', 'certain', { image: imageOf(record) })
        : null,
  ],
  reasons: {
    'image-pull-qps': {
      says: 'the kubelet of this node pulls no more images for now, by its own limit',
      proves: 'registryPullQPS and registryBurst of the kubelet are used up; the registry was not asked',
      advice:
        'raise registryPullQPS (5) and registryBurst (10) in the KubeletConfiguration, or pull fewer images at once',
    },
  },
}

export const registry: LayerRow = {
  layer: 'registry',
  needles: ['toomanyrequests'],
  lines: [
    (record) =>
      findIn(record, /\btoomanyrequests: /)
        ? attribution('registry', 'pull-rate-limit', 'certain', { image: imageOf(record) })
        : null,
  ],
  reasons: {
    'pull-rate-limit': {
      says: 'the image registry refuses pulls for now',
      proves: 'the registry answered TOOMANYREQUESTS; the cluster is not involved',
      advice: 'pull with an account (imagePullSecrets), use a mirror, or keep images on the nodes (imagePullPolicy)',
    },
  },
}
