import { describe, expect, it } from 'vitest'
import { poolOf } from '../../src/limiters/max-in-flight.ts'
import { vectors } from './vectors.ts'

interface Input {
  verb: string
  isResourceRequest: boolean
  resource?: string
  subresource: string
  path: string
}

const OTHER = { apiPrefix: '', apiGroup: '', apiVersion: '', namespace: '', resource: '', name: '', parts: [] }

describe.each(vectors<Input, { kind: string }>('limiters', 'maxinflight.classify'))(
  '$input.verb $input.subresource $input.path $note',
  ({ input, expected }) => {
    it('takes a place as on the server', () => expect(poolOf({ ...OTHER, ...input })).toBe(expected.kind))
  },
)
