/** An answer 429 that names nobody. */
import { type Attribution, attribution } from '../attribution.ts'
import { GENERIC_429, genericRequest } from '../evidence/client-sentences.ts'
import { findIn, type LogRecord } from '../evidence/log-record.ts'
import type { LayerRow } from '../layer-row.ts'

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

/** An answer 429 that nothing tells more of. */
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
