/**
 * kubelet's own limit for image pulls.
 * Source: kubernetes/kubernetes pkg/kubelet/images/helpers.go
 */
import { attribution } from '../attribution.ts'
import { imageOf } from '../evidence/image.ts'
import { findIn } from '../evidence/log-record.ts'
import type { LayerRow } from '../layer-row.ts'

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
