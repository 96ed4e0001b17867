/** What stands for several limiters of the server where the evidence ends. */
import { type Attribution, attribution } from '../attribution.ts'
import { GENERIC_429, genericRequest } from '../evidence/client-sentences.ts'
import { findIn, type LogRecord } from '../evidence/log-record.ts'
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

const UNATTRIBUTED = 'server-429-unattributed'

/** client-go since 1.33 at -v=6: the status of an answer without its headers. */
function roundTrip({ message, fields }: LogRecord): Attribution | null {
  if (message !== 'Response' || !fields.get('status')?.startsWith('429')) return null
  return unattributed({ verb: fields.get('verb'), url: fields.get('url'), code: 429 })
}

function generic(record: LogRecord): Attribution | null {
  const found = findIn(record, GENERIC_429)
  return found && unattributed(genericRequest(found))
}

export function unattributed(fields: Parameters<typeof attribution>[3]): Attribution {
  return attribution(UNATTRIBUTED, 'too-many-requests', 'low', fields)
}

export const server429: LayerRow = {
  layer: UNATTRIBUTED,
  needles: ['429 Too Many Requests', 'too many requests and has asked us'],
  lines: [roundTrip],
  sentences: [generic],
  reasons: {
    'too-many-requests': {
      says: 'something between the client and the server answered 429; its text does not tell who',
      proves:
        'an answer with status 429; with the sentence of client-go the body was no Status, so it came from APF, MaxInFlight, the shutdown filter or a proxy',
      doesNotProve: 'that APF refused',
      settledBy: 'headers and body of the answer, or the audit event with the same audit-ID',
      advice: 'repeat the call with -v=8, which shows headers and body, and pipe that into kubectl apf explain-429',
    },
  },
}
