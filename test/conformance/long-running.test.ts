import { describe, expect, it } from 'vitest'
import { bypassesFairness, isLongRunning } from '../../src/apf/long-running.ts'
import { isRefused, requestInfo } from '../../src/apf/request-info.ts'
import { rulesFor } from '../../src/apf/versions.ts'
import { vectors } from './vectors.ts'

interface Input {
  method: string
  url: string
}
interface Expected {
  verb: string
  subresource: string
  longRunning: boolean
  /** From 1.22 on. */
  bypassesAPF: boolean
}

describe.each(vectors<Input, Expected>('classification', 'longRunning'))(
  '$input.method $input.url',
  ({ input, expected }) => {
    const request = requestInfo(input.method, input.url)
    if (isRefused(request)) throw new Error(request.refused)

    it('is long-running, and bypasses APF, as on the server', () =>
      expect({
        verb: request.verb,
        subresource: request.subresource,
        longRunning: isLongRunning(request),
        bypassesAPF: bypassesFairness(request, rulesFor({ minor: 22 })),
      }).toEqual(expected))

    it('bypasses APF before 1.22 whenever it is long-running', () =>
      expect(bypassesFairness(request, rulesFor({ minor: 21 }))).toBe(expected.longRunning))
  },
)
