import { describe, expect, it } from 'vitest'
import { waitLimit } from '../../src/apf/wait-limit.ts'
import { versionRules } from '../support/versions.ts'
import { vectors } from './vectors.ts'

interface Input {
  version: string
  requestTimeoutSeconds: number
  timeoutParamSeconds: number | null
  isWatch: boolean
}

const FROM = { 'request received': 'received', 'arrival at the queue': 'queued' } as const

describe.each(vectors<Input, { waitLimitSeconds: number; measuredFrom: keyof typeof FROM }>('seats', 'waitLimit'))(
  '$input.version: $note',
  ({ input, expected }) => {
    it('may wait as long as on the server', () => {
      const request = { timeoutSeconds: input.timeoutParamSeconds, isWatch: input.isWatch }
      expect(waitLimit(request, input.requestTimeoutSeconds, versionRules(input.version))).toEqual({
        seconds: expected.waitLimitSeconds,
        from: FROM[expected.measuredFrom],
      })
    })
  },
)
