/** Throttling that no other row explains. */
import { attribution } from '../attribution.ts'
import { findIn } from '../evidence/log-record.ts'
import type { LayerRow } from '../layer-row.ts'

/** Words of an answer with 429 that none of the rows before knows. */
const UNEXPLAINED = /\b429 Too Many Requests\b|\breturned error: 429\b|\bunexpected (?:HTTP )?status(?: code)?:? 429\b/

export const unknownLayer: LayerRow = {
  layer: 'unknown',
  needles: ['429 Too Many Requests', 'returned error: 429', 'unexpected status', 'unexpected HTTP status'],
  sentences: [
    (record) => (findIn(record, UNEXPLAINED) ? attribution('unknown', 'unexplained-429', 'low', { code: 429 }) : null),
  ],
  reasons: {
    'unexplained-429': {
      says: 'somebody answered 429; the line does not tell who, and to whom',
      proves: 'an answer with status 429',
      doesNotProve: 'that it was the Kubernetes API: any HTTP server answers so',
      settledBy:
        'headers and body of the answer: at -v=8 of a client of Kubernetes, or with curl -i; the audit event with the same audit-ID',
      advice: 'collect the headers and the body of the answer and pipe them into kubectl apf explain-429',
    },
  },
}
