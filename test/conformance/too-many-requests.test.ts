import { describe, expect, it } from 'vitest'
import type { Layer } from '../../src/limiters/attribution.ts'
import { answerHeaders, attributeAnswer } from '../../src/limiters/evidence/answer.ts'
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
    const found = attributeAnswer({
      code: 429,
      headers: answerHeaders(headersOf(input), true),
      body: input.body,
      requestPath: null,
      aggregatedApis: null,
    })
    expect(LAYERS[expected]).toContain(found?.layer)
  })
})

function headersOf({ contentType, pfHeaders, retryAfter }: Input): [string, string][] {
  const headers: [string, string][] = [
    ['Content-Type', contentType],
    ['Audit-Id', '3c1b7a52-9d64-4a57-8a0e-5f2f6f0a1c11'],
  ]
  if (pfHeaders) {
    headers.push(['X-Kubernetes-Pf-Flowschema-Uid', '7f2d6c1e-0b34-4d0f-9a6b-2f6f3f1c9d10'])
    headers.push(['X-Kubernetes-Pf-Prioritylevel-Uid', 'b1a9e7c4-55aa-4f5e-8f3b-6e1f0d2c7a99'])
  }
  if (retryAfter !== null) headers.push(['Retry-After', retryAfter])
  return headers
}
