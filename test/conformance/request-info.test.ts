import { describe, expect, it } from 'vitest'
import type { RequestAttributes } from '../../src/apf/request.ts'
import { isRefused, requestInfo } from '../../src/apf/request-info.ts'
import { vectors } from './vectors.ts'

interface Input {
  method: string
  url: string
}

describe.each(vectors<Input, RequestAttributes | { error: true }>('classification', 'requestInfo'))(
  '$input.method $input.url',
  ({ input, expected, note }) => {
    it(`is parsed as the server parses it${note && `: ${note}`}`, () => {
      const request = requestInfo(input.method, input.url)
      if ('error' in expected) expect(isRefused(request)).toBe(true)
      else expect(request).toEqual(expected)
    })
  },
)
