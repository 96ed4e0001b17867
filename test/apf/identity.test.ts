import { describe, expect, it } from 'vitest'
import { impersonate, impliedGroups, nodeOf, serviceAccountOf } from '../../src/apf/identity.ts'
import { rulesFor } from '../../src/apf/versions.ts'

describe('a user name', () => {
  it.each([
    ['system:serviceaccount:shop:reporter', { namespace: 'shop', name: 'reporter' }],
    ['system:serviceaccount:shop:re.por.ter', { namespace: 'shop', name: 're.por.ter' }],
    ['system:serviceaccount:sh.op:reporter', null],
    ['system:serviceaccount:shop:Reporter', null],
    ['system:serviceaccount:shop', null],
    ['system:serviceaccount:shop:', null],
    ['system:serviceaccount::reporter', null],
    ['system:serviceaccount:shop:a:b', null],
    [`system:serviceaccount:${'n'.repeat(63)}:a`, { namespace: 'n'.repeat(63), name: 'a' }],
    [`system:serviceaccount:${'n'.repeat(64)}:a`, null],
    ['system:serviceaccounts:shop:reporter', null],
    ['ada', null],
  ])('%s is that of the ServiceAccount %j', (userName, serviceAccount) =>
    expect(serviceAccountOf(userName)).toEqual(serviceAccount),
  )

  it.each([
    ['system:node:n1.example.com', 'n1.example.com'],
    ['system:node:', null],
    ['system:node:N1', null],
    ['system:nodes', null],
  ])('%s is that of the node %j', (userName, node) => expect(nodeOf(userName)).toBe(node))

  it.each([
    ['ada', ['system:authenticated']],
    ['system:anonymous', ['system:unauthenticated']],
    ['system:node:n1', ['system:authenticated']],
    ['system:serviceaccount:shop:a', ['system:serviceaccounts', 'system:serviceaccounts:shop', 'system:authenticated']],
    ['system:serviceaccount:shop:a:b', ['system:authenticated']],
  ])('%s implies the groups %j', (userName, groups) => expect(impliedGroups(userName)).toEqual(groups))
})

describe('impersonation', () => {
  const rules = rulesFor({ minor: 37 })

  it('takes groups as they are: doubled, empty, with commas', () =>
    expect(impersonate({ user: 'ada', groups: ['a', 'a', '', 'b,c'] }, rules)).toEqual({
      impersonated: true,
      identity: { name: 'ada', groups: ['a', 'a', '', 'b,c', 'system:authenticated'] },
    }))

  it('counts an empty group as a group', () =>
    expect(impersonate({ user: 'system:serviceaccount:shop:a', groups: [''] }, rules)).toMatchObject({
      identity: { groups: ['', 'system:authenticated'] },
    }))

  it('does not happen for an empty user alone', () =>
    expect(impersonate({ user: '', groups: [], uid: '', extra: {} }, rules)).toEqual({ impersonated: false }))

  it('leaves the given groups untouched', () => {
    const groups = ['dev']
    impersonate({ user: 'ada', groups }, rules)
    expect(groups).toEqual(['dev'])
  })
})
