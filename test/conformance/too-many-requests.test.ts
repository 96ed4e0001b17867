import { describe, expect, it } from 'vitest'
import { attribute429, type Layer } from '../../src/limiters/too-many-requests.ts'
import { vectors } from './vectors.ts'

interface Input {
  contentType: string
  body: string
  pfHeaders: boolean
  retryAfter: string | null
}

/** The vectors' names for our layers. Whatever a handler says in a Status, they call by one name. */
const LAYERS: Readonly<Record<string, readonly Layer[]>> = {
  'apf-rejection': ['apf'],
  'max-in-flight-rejection': ['max-inflight'],
  'shutting-down': ['server-shutdown'],
  'api-status': ['eviction-pdb', 'watch-cache', 'admission-webhook', 'event-rate-limit', 'server-429-unattributed'],
}

describe.each(vectors<Input, string>('seats', 'classify429'))('429 $input.body $note', ({ input, expected }) => {
  it(`is by ${expected}`, () => {
    const { layer } = attribute429({
      body: input.body,
      apfHeaderPairs: input.pfHeaders ? 1 : 0,
      retryAfter: input.retryAfter,
      hasAuditId: null,
      isAggregated: false,
    })
    expect(LAYERS[expected]).toContain(layer)
  })
})
