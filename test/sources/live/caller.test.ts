import { describe, expect, it } from 'vitest'
import { rulesFor } from '../../../src/apf/versions.ts'
import { callerOf, expiryOf } from '../../../src/sources/live/caller.ts'
import type { Credentials } from '../../../src/sources/live/credentials.ts'
import { NOBODY } from '../../../src/sources/live/kubeconfig/model.ts'
import { createAuthority } from './certificates.ts'

const NONE: Credentials = { certificateAuthority: null, certificate: null, token: '', basic: '' }
const rules = rulesFor({ minor: 37 })
const authority = createAuthority('ca')

function token(claims: object): string {
  return ['{}', JSON.stringify(claims), 'signature'].map((part) => Buffer.from(part).toString('base64url')).join('.')
}

function who(credentials: Partial<Credentials>, as = NOBODY, secure = true) {
  return callerOf({ ...NONE, ...credentials }, secure, as, rules)
}

describe('the caller', () => {
  it('is the common name of a certificate, in its organisations', () => {
    const certificate = authority.issue({ commonName: 'ann', organizations: ['dev', 'ops'] })
    expect(who({ certificate, token: token({ sub: 'system:serviceaccount:a:b' }) })).toEqual({
      identity: { name: 'ann', groups: ['dev', 'ops', 'system:authenticated'] },
      basis: 'client certificate',
    })
  })

  it('is the subject of a ServiceAccount token', () => {
    expect(who({ token: token({ sub: 'system:serviceaccount:shop:reporter' }) })).toEqual({
      identity: {
        name: 'system:serviceaccount:shop:reporter',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:shop', 'system:authenticated'],
      },
      basis: 'ServiceAccount token',
    })
  })

  it.each([
    ['another token', { token: token({ sub: 'ann@example.com' }) }],
    ['a token that is none of ours to read', { token: 'abc' }],
    ['a broken token', { token: 'a.b.c' }],
    ['a password', { basic: 'a:b' }],
    ['a certificate that is none', { certificate: { certificate: 'x', key: 'x' } }],
  ])('is not known by %s', (_what, credentials) => {
    expect(who(credentials).identity).toBeNull()
  })

  it('is anonymous without credentials, and not known behind a server without TLS', () => {
    expect(who({}).identity).toEqual({ name: 'system:anonymous', groups: ['system:unauthenticated'] })
    expect(who({}, NOBODY, false).identity).toBeNull()
  })

  it('is whom our requests impersonate', () => {
    expect(who({ token: 'x' }, { ...NOBODY, user: 'deputy', groups: ['a'] }).identity).toEqual({
      name: 'deputy',
      groups: ['a', 'system:authenticated'],
    })
  })
})

describe('credentials that have expired', () => {
  const now = new Date('2030-06-01T00:00:00Z')

  it('are known by the certificate', () => {
    const certificate = authority.issue({ commonName: 'ann', notAfter: new Date('2030-05-31T12:00:00Z') })
    expect(expiryOf({ ...NONE, certificate }, now)).toBe('the client certificate expired on 2030-05-31')
  })

  it('are known by the claims of a token', () => {
    expect(expiryOf({ ...NONE, token: token({ exp: Date.parse('2030-05-30T00:00:00Z') / 1000 }) }, now)).toBe(
      'the token expired on 2030-05-30',
    )
  })

  it('are not suspected otherwise', () => {
    expect(expiryOf({ ...NONE, token: token({ exp: Date.parse('2030-07-01T00:00:00Z') / 1000 }) }, now)).toBeNull()
    expect(expiryOf({ ...NONE, token: 'abc' }, now)).toBeNull()
  })
})
