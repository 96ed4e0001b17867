/** What looks like throttling, and is none. */
import { type Attribution, attribution } from '../attribution.ts'
import type { StatusView } from '../evidence/status-view.ts'
import type { LayerRow } from '../layer-row.ts'

function expired(message: string, { code, reason }: StatusView): Attribution | null {
  const words = /^too old resource version: (\d+) \((\d+)\)/.exec(message)
  if (!words && !(reason === 'Expired' && (code === 410 || code === null))) return null
  return attribution('not-throttling', 'expired-resource-version', 'certain', {
    requested: words ? Number(words[1]) : undefined,
    oldest: words ? Number(words[2]) : undefined,
  })
}

export const notThrottling: LayerRow = {
  layer: 'not-throttling',
  needles: ['too old resource version: '],
  messages: [expired],
  reasons: {
    'expired-resource-version': {
      throttles: false,
      says: 'the resource version asked for is gone; the client lists again. No throttling',
      proves: 'the history that the request needs has been compacted, or has left the watch cache',
      advice:
        'nothing for a single one; a client that is always late needs smaller pages, or fewer pauses between them',
    },
    'cilium-delete-not-found': {
      throttles: false,
      says: 'the Cilium agent was told to delete an endpoint that is gone already. No throttling',
      proves: 'the call was served; kubelet sends at least two deletes for each pod',
      advice: 'nothing; from Cilium 1.18 on such calls are not counted any more',
    },
  },
}
