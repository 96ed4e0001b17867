/** The server in front and the one behind it, where the evidence does not tell them apart. */
import type { LayerRow } from '../layer-row.ts'

export const apfOrAggregated: LayerRow = {
  layer: 'apf-or-aggregated',
  needles: [],
  reasons: {
    ambiguous: {
      says: 'APF of the API server refused the request, or the server of the aggregated API behind it did',
      proves: 'the request passed a server that runs APF, and one of the two refused it',
      doesNotProve: 'which of the two: the server in front adds its headers to whatever the backend answers',
      settledBy:
        'apiserver_flowcontrol_rejected_requests_total of the API server: a refusal of the backend does not move it; or the audit event: with a decision of authorization it was the backend',
      advice:
        'compare the metrics of both servers; an extension API server has limits of its own, 400 and 200 by default',
      command: 'seats',
    },
  },
}
