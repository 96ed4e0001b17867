import { describe, expect, it } from 'vitest'
import { isAllowed } from '../../src/analysis/allowed-subjects.ts'
import type { Subject } from '../../src/apf/objects.ts'

const NOTHING = { user: null, group: null, serviceAccount: null }

function user(name: string): Subject {
  return { ...NOTHING, kind: 'User', user: { name } }
}

function group(name: string): Subject {
  return { ...NOTHING, kind: 'Group', group: { name } }
}

function account(namespace: string, name: string): Subject {
  return { ...NOTHING, kind: 'ServiceAccount', serviceAccount: { namespace, name } }
}

const FORMS = [
  'user:ann',
  'group:dev',
  'sa:shop/panel',
  'user:system:serviceaccount:shop:panel',
  'sa:shop/*',
  'group:system:serviceaccounts:shop',
  'group:system:serviceaccounts',
  'group:system:authenticated',
  'group:system:unauthenticated',
  'user:system:anonymous',
  'user:*',
  'group:*',
]
const SHOP = ['sa:shop/*', 'group:system:serviceaccounts:shop', 'group:system:serviceaccounts']
const PANEL = ['sa:shop/panel', 'user:system:serviceaccount:shop:panel', ...SHOP]
const AUTHENTICATED = ['group:system:authenticated', 'user:*', 'group:*']
const EVERYBODY = ['user:*', 'group:*']

describe('whom a policy allows', () => {
  it.each<[what: string, subject: Subject, by: string[]]>([
    ['a user', user('ann'), ['user:ann', ...AUTHENTICATED]],
    ['a group', group('dev'), ['group:dev', ...AUTHENTICATED]],
    ['a ServiceAccount', account('shop', 'panel'), [...PANEL, ...AUTHENTICATED]],
    ['a ServiceAccount by its user name', user('system:serviceaccount:shop:panel'), [...PANEL, ...AUTHENTICATED]],
    ['all ServiceAccounts of a namespace', account('shop', '*'), [...SHOP, ...AUTHENTICATED]],
    ['the group of them', group('system:serviceaccounts:shop'), [...SHOP, ...AUTHENTICATED]],
    ['all ServiceAccounts', group('system:serviceaccounts'), ['group:system:serviceaccounts', ...AUTHENTICATED]],
    [
      'a ServiceAccount of another namespace',
      account('depot', 'panel'),
      ['group:system:serviceaccounts', ...AUTHENTICATED],
    ],
    ['everybody who authenticates', group('system:authenticated'), AUTHENTICATED],
    ['everybody who does not', group('system:unauthenticated'), ['group:system:unauthenticated', ...EVERYBODY]],
    ['the anonymous user', user('system:anonymous'), ['user:system:anonymous', ...EVERYBODY]],
    ['every user', user('*'), EVERYBODY],
    ['every group', group('*'), EVERYBODY],
    ['a subject without its member', { ...NOTHING, kind: 'User' }, []],
  ])('%s', (_, subject, by) => {
    expect(FORMS.filter((form) => isAllowed(subject, [form]))).toEqual(FORMS.filter((form) => by.includes(form)))
  })
})
