/** Attribution by the message of a Status: what handlers, admission and proxies say once the limiters have let pass. */
import type { Attribution } from '../attribution.ts'
import type { MessageReader } from '../layer-row.ts'
import { LAYER_ROWS } from '../layers.ts'

export const attributeMessage: MessageReader = (message, status = {}): Attribution | null => {
  const view = { code: null, reason: null, causes: [], retryAfterSeconds: null, ...status, message }
  for (const { messages = [] } of LAYER_ROWS) {
    for (const fingerprint of messages) {
      const found = fingerprint(message, view)
      if (found) return found
    }
  }
  return null
}
