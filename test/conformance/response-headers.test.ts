import { describe, expect, it } from 'vitest'
import { headerPresence, type Outcome } from '../../src/apf/response-headers.ts'
import { resolveVersion } from '../../src/apf/versions.ts'
import { vectors } from './vectors.ts'

const OUTCOMES: Readonly<Record<string, Outcome>> = {
  'served request on a Limited level': 'served',
  'served request on the exempt level': 'served-exempt',
  '429 from APF (queue full or time-out in queue)': 'rejected',
  '403 from authorization': 'served',
  '404 from the handler': 'served',
  '401 from authentication': 'ended-before',
  '403 from impersonation': 'ended-before',
  'exec, attach, portforward, pod log, proxy': 'long-running',
  watch: 'watch',
  'APF disabled': 'fairness-off',
  'GET /api/v1/watch (no resource)': 'ended-before',
  'matched schema is a built-in stand-in (object missing)': 'served',
}

const cases = vectors<{ kubernetes: string; scenario: string }, { headers: string }>(
  'classification',
  'responseHeaders',
)

describe.each(cases)('$input.scenario in $input.kubernetes', ({ input, expected }) => {
  it(`has ${expected.headers}`, () => {
    const version = resolveVersion(input.kubernetes)
    const outcome = OUTCOMES[input.scenario]
    if (!version.known || outcome === undefined) throw new Error('case without a meaning here')
    // What a header holds is the UID of the object; that of a stand-in is empty (see effectiveConfiguration).
    expect(headerPresence(outcome, version.rules)).toBe(expected.headers.replace(/,.*/, ''))
  })
})
