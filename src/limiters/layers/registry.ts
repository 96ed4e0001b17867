/**
 * Limits of image registries.
 * Source: OCI distribution spec, error TOOMANYREQUESTS
 */
import { attribution } from '../attribution.ts'
import { imageOf } from '../evidence/image.ts'
import { findIn } from '../evidence/log-record.ts'
import type { LayerRow } from '../layer-row.ts'

export const registry: LayerRow = {
  layer: 'registry',
  needles: ['toomanyrequests', 'unexpected status'],
  lines: [
    (record) =>
      findIn(record, /\btoomanyrequests: /)
        ? attribution('registry', 'pull-rate-limit', 'certain', { image: imageOf(record) })
        : null,
    // containerd, where the registry's answer has no body that it can read.
    (record) =>
      findIn(record, /unexpected status \S.* https?:\/\/\S+\/v2\/\S+\/(?:manifests|blobs)\/\S+: 429 Too Many Requests/)
        ? attribution('registry', 'pull-rate-limit', 'high', { image: imageOf(record) })
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
