import { describe, expect, it } from 'vitest'
import { CONSTANT_RETRY_AFTER_SECONDS, RetryAfter } from '../../src/apf/retry-after.ts'
import { versionRules } from '../support/versions.ts'
import { vectors } from './vectors.ts'

interface Input {
  version: 'MaxInFlight' | 'APF<=1.27' | '1.28+'
  steps: { second: number; rejections: number }[]
}
type Expected = { retryAfterAtEndOfStep: number[] } | { constant: string }

describe.each(vectors<Input, Expected>('seats', 'retryAfter'))('$input.version: $note', ({ input, expected }) => {
  it('tells clients to wait as long as the server does', () => {
    if ('constant' in expected) expect(String(CONSTANT_RETRY_AFTER_SECONDS)).toBe(expected.constant)
    else expect(valuesAtEndOfStep(input)).toEqual(expected.retryAfterAtEndOfStep)
  })
})

it('adapts from 1.28 on', () => {
  expect(versionRules('1.27').retryAfterAdapts).toBe(false)
  expect(versionRules('1.28').retryAfterAdapts).toBe(true)
})

function valuesAtEndOfStep({ steps }: Input): number[] {
  const header = new RetryAfter()
  return steps.map(({ second, rejections }) => {
    const values = Array.from({ length: rejections }, () => header.reject(second))
    return values[rejections - 1] ?? Number.NaN
  })
}
