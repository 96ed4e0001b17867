import { describe, expect, it } from 'vitest'
import { type ImpersonationHeaders, impersonate } from '../../src/apf/identity.ts'
import { rulesFor } from '../../src/apf/versions.ts'
import { vectors } from './vectors.ts'

type Expected = { error: true } | { impersonated: false } | { impersonated: true; name: string; groups: string[] }

describe.each(vectors<ImpersonationHeaders, Expected>('classification', 'impersonatedUser'))(
  'impersonating $input',
  ({ input, expected, note }) => {
    it.each([28, 31, 34, 37])(`on 1.%i gives whom the server saw: ${note}`, (minor) => {
      const result = impersonate(input, rulesFor({ minor }))
      if ('error' in expected) {
        expect(result).toMatchObject({ impersonated: false, httpStatus: minor < 35 ? 500 : 400 })
      } else if (expected.impersonated) {
        const { name, groups } = expected
        expect(result).toEqual({ impersonated: true, identity: { name, groups } })
      } else {
        expect(result).toEqual({ impersonated: false })
      }
    })
  },
)
