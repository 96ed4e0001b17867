/**
 * API servers that start.
 * Source: kubernetes/apiserver pkg/util/notfoundhandler/not_found_handler.go
 */
import { attribution } from '../attribution.ts'
import type { LayerRow } from '../layer-row.ts'

export const serverStartup: LayerRow = {
  layer: 'server-startup',
  needles: ['known HTTP paths have been installed'],
  messages: [
    (message) =>
      message.includes('before all known HTTP paths have been installed')
        ? attribution('server-startup', 'paths-not-installed', 'certain')
        : null,
  ],
  reasons: {
    'paths-not-installed': {
      throttles: false,
      says: 'the request came before this API server had installed all its paths',
      proves: 'the server is starting; it answers so instead of 404',
      doesNotProve: 'any overload',
      advice: 'try again; send traffic only to servers whose /readyz answers 200',
    },
  },
}
