/** The two limiters of the server, where the evidence does not tell them apart. */
import { attribution } from '../attribution.ts'
import { GENERIC_429, genericRequest } from '../evidence/client-sentences.ts'
import { findIn } from '../evidence/log-record.ts'
import type { LayerRow } from '../layer-row.ts'

/** client-go keeps a body that is no Status; programs that print the details of an error print it too. */
const KEPT_BODY = /UnexpectedServerResponse.{1,20}Too many requests, please try again later\./s

export const apfOrMaxInflight: LayerRow = {
  layer: 'apf-or-max-inflight',
  needles: ['Too many requests, please try'],
  sentences: [
    (record) => {
      const found = findIn(record, KEPT_BODY)
      const generic = findIn(record, GENERIC_429)
      const causeMessage = 'Too many requests, please try again later.'
      return (
        found &&
        attribution('apf-or-max-inflight', 'too-many-requests', 'low', {
          causeMessage,
          ...(generic ? genericRequest(generic) : {}),
        })
      )
    },
  ],
  reasons: {
    'too-many-requests': {
      says: 'APF or MaxInFlight refused the request; both say the same sentence',
      proves: 'the server refused the request before authorization',
      doesNotProve: 'which of the two it was: that takes the headers of the answer, or the mode of the server',
      settledBy: 'the response headers (-v=8), or kubectl apf status: only one of the two is active',
      advice: 'find out the mode of the server, then look at that limiter',
      command: 'status',
    },
    'rejected-before-authorization': {
      says: 'APF or MaxInFlight refused the request: its audit event has no decision of authorization',
      proves: 'the request was refused after authentication and before authorization, where only these two stand',
      doesNotProve: 'which of the two it was',
      settledBy: 'kubectl apf status: only one of the two is active; or the access log line with the same audit-ID',
      advice: 'find out the mode of the server; under APF see where this user lands, and the seats of that level',
      command: 'status',
    },
  },
}
