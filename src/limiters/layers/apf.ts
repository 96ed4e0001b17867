/**
 * API Priority and Fairness. It is recognised by answers, access logs and audit events, never by a sentence of its own.
 * Source: kubernetes/apiserver pkg/server/filters/priority-and-fairness.go
 */
import type { LayerRow } from '../layer-row.ts'

export const apf: LayerRow = {
  layer: 'apf',
  needles: [],
  reasons: {
    rejected: {
      says: 'API Priority and Fairness refused the request: its priority level had no seat, and no place in a queue',
      proves: 'the request was classified and not executed',
      doesNotProve:
        'by its headers alone that APF refused: every request that APF lets through carries them too; here the body, or an access log without apf_execution_time, says so',
      advice:
        'see who holds the seats of the level, then give it more nominalConcurrencyShares, or move this client to a level of its own',
      command: 'seats',
    },
  },
}
