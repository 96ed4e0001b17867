import { describe, expect, it } from 'vitest'
import { breadthOfIdentities, breadthOfSubjects } from '../../src/analysis/breadth.ts'
import { PLAIN } from '../../src/regions/spaces.ts'
import { everything, only, type StringSet } from '../../src/regions/string-set.ts'
import { type SubjectJson, subject } from '../support/objects.ts'

const user = (name: string): SubjectJson => ({ kind: 'User', user: { name } })
const group = (name: string): SubjectJson => ({ kind: 'Group', group: { name } })
const account = (namespace: string, name: string): SubjectJson => ({
  kind: 'ServiceAccount',
  serviceAccount: { namespace, name },
})

describe('the breadth of subjects', () => {
  it.each<[string, SubjectJson[], string | null]>([
    ['nobody', [], null],
    ['a subject of unknown kind', [{ kind: 'Robot' }], null],
    ['one user', [user('ann')], 'one-identity'],
    ['one ServiceAccount, named twice', [account('shop', 'a'), user('system:serviceaccount:shop:a')], 'one-identity'],
    ['two users', [user('ann'), user('jane')], 'several-identities'],
    ['the ServiceAccounts of a namespace', [account('shop', '*')], 'namespace'],
    ['the group of a namespace', [group('system:serviceaccounts:shop')], 'namespace'],
    ['a group', [group('dev')], 'group'],
    ['a group and a namespace', [account('shop', '*'), group('dev')], 'group'],
    ['all ServiceAccounts', [group('system:serviceaccounts')], 'all-service-accounts'],
    ['all that authenticate', [group('system:authenticated'), user('ann')], 'all-authenticated'],
    ['all that do not', [group('system:unauthenticated')], 'everyone'],
    ['the anonymous user, whom everyone can be', [user('system:anonymous')], 'everyone'],
    ['any user', [user('*')], 'everyone'],
    ['any group', [group('*')], 'everyone'],
  ])('%s', (_, subjects, breadth) => {
    expect(breadthOfSubjects(subjects.map(subject))).toBe(breadth)
  })
})

describe('the breadth of identities', () => {
  const anyone = everything(PLAIN)
  it.each<[string, { users: StringSet; has: string[] }[], string | null]>([
    ['no cube', [], null],
    ['one name', [{ users: only(PLAIN, ['ann']), has: ['system:authenticated'] }], 'one-identity'],
    [
      'one name in two cubes',
      [
        { users: only(PLAIN, ['ann']), has: [] },
        { users: only(PLAIN, ['ann']), has: ['dev'] },
      ],
      'one-identity',
    ],
    ['the narrowest of several groups', [{ users: anyone, has: ['dev', 'system:authenticated'] }], 'group'],
    ['no group needed', [{ users: anyone, has: [] }], 'everyone'],
    [
      'the broadest of several cubes',
      [
        { users: anyone, has: ['system:serviceaccounts:shop'] },
        { users: anyone, has: ['system:serviceaccounts'] },
      ],
      'all-service-accounts',
    ],
  ])('%s', (_, cubes, breadth) => {
    expect(breadthOfIdentities(cubes.map((cube) => ({ ...cube, lacks: [] })))).toBe(breadth)
  })
})
