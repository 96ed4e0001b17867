import { describe, expect, it } from 'vitest'
import { watchCacheRetryAfter } from '../../src/limiters/watch-cache-retry.ts'
import { vectors } from './vectors.ts'

describe.each(vectors<{ downtimeSeconds: number }, { retryAfterSeconds: number }>('limiters', 'watchcache.retryAfter'))(
  'a cache down for $input.downtimeSeconds s',
  ({ input, expected }) => {
    it('asks to come back later', () => {
      expect(watchCacheRetryAfter(input.downtimeSeconds)).toBe(expected.retryAfterSeconds)
    })
  },
)
