/**
 * The limiter without APF: two pools of slots, no queues.
 * Source: kubernetes/apiserver pkg/server/filters/maxinflight.go
 */
import type { LayerRow } from '../layer-row.ts'

export const maxInflight: LayerRow = {
  layer: 'max-inflight',
  needles: [],
  reasons: {
    exceeded: {
      says: 'MaxInFlight refused the request: all slots of its pool, reads or writes, were taken',
      proves: 'the server answered before authorization, and APF had no part in it',
      doesNotProve: 'that APF is off for good: APF of 1.18 to 1.20 refused without its headers as well',
      settledBy: 'GET /readyz?verbose: the line poststarthook/max-in-flight-filter means MaxInFlight',
      advice:
        'switch on --enable-priority-and-fairness, or raise --max-requests-inflight (reads) or --max-mutating-requests-inflight (writes), or find the client that floods in the audit log',
      command: 'status',
    },
  },
}
