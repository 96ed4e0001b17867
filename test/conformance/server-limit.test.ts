import { describe, expect, it } from 'vitest'
import { type InflightFlags, type ServerLimit, serverLimit } from '../../src/apf/server-limit.ts'
import { versionRules } from '../support/versions.ts'
import { vectors } from './vectors.ts'

type Input = InflightFlags & { apfEnabled: boolean; version: string }

type Expected =
  | { ok: true; serverCL: number }
  | { ok: false; error: 'sum-not-positive' | 'negative-flag' }
  | { mode: 'MaxInFlight'; readOnlyLimit: number | null; mutatingLimit: number | null }
  | { mode: 'Unlimited'; readOnlyLimit: null; mutatingLimit: null }

describe.each(vectors<Input, Expected>('seats', 'serverLimit'))(
  '1.$input.version with $input.maxRequestsInflight and $input.maxMutatingRequestsInflight: $note',
  ({ input, expected }) => {
    it('starts, or not, as the server does', () =>
      expect(serverLimit(input, input.apfEnabled, versionRules(input.version))).toEqual(inOurWords(expected)))
  },
)

function inOurWords(expected: Expected): ServerLimit {
  if ('mode' in expected) return expected.mode === 'Unlimited' ? { mode: 'Unlimited' } : expected
  return expected.ok ? { mode: 'APF', serverSeats: expected.serverCL } : { mode: 'Refused', because: expected.error }
}
