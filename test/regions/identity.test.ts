import { describe, expect, it } from 'vitest'
import {
  type IdentityFacts,
  identityCube,
  isPossible,
  subjectIdentities,
  subjectsEntries,
} from '../../src/regions/identity.ts'
import { IdentitySets } from '../../src/regions/identity-set.ts'
import { exampleIdentity } from '../../src/regions/identity-witness.ts'
import { NameClasses } from '../../src/regions/name-classes.ts'
import { USERS } from '../../src/regions/spaces.ts'
import { allBut, only } from '../../src/regions/string-set.ts'
import { type SubjectJson, subject } from '../support/objects.ts'

const NO_GROUPS = { has: [], lacks: [] }
const EVERYBODY = { users: { notIn: [] }, groups: NO_GROUPS }

describe('identities of a subject', () => {
  it.each<[SubjectJson, object[]]>([
    [{ kind: 'User', user: { name: 'ann' } }, [{ users: { in: ['ann'] }, groups: NO_GROUPS }]],
    [{ kind: 'User', user: { name: '*' } }, [EVERYBODY]],
    [{ kind: 'Group', group: { name: '*' } }, [EVERYBODY]],
    [{ kind: 'Group', group: { name: 'dev' } }, [{ users: { notIn: [] }, groups: { has: ['dev'], lacks: [] } }]],
    [
      { kind: 'ServiceAccount', serviceAccount: { namespace: 'shop', name: '*' } },
      [{ users: { in: ['system:serviceaccount:shop:*'] }, groups: NO_GROUPS }],
    ],
    [
      { kind: 'ServiceAccount', serviceAccount: { namespace: 'shop', name: 'reporter' } },
      [{ users: { in: ['system:serviceaccount:shop:reporter'] }, groups: NO_GROUPS }],
    ],
    [{ kind: 'Robot', user: { name: 'ann' } }, []],
    [{ kind: 'Group', user: { name: 'ann' } }, []],
  ])('%j', (json, entries) => {
    expect(subjectsEntries(subjectIdentities(subject(json)))).toEqual(entries)
  })
})

describe('printed identities', () => {
  it('tell a user name that looks like a pattern from a pattern', () => {
    const names = ['*', 'system:serviceaccount:shop:*', 'ann']
    const [entry] = subjectsEntries([identityCube({ users: only(USERS, names) })])
    expect(entry?.users).toEqual({ in: [{ exact: '*' }, 'ann', { exact: 'system:serviceaccount:shop:*' }] })
  })

  it('take single accounts out of a namespace, and a namespace out of all', () => {
    const shop = only(USERS, [], ['system:serviceaccount:shop:'])
    const some = { ...shop, exact: new Map([['system:serviceaccount:shop:reporter', false]]) }
    expect(subjectsEntries([identityCube({ users: some })])[0]?.users).toEqual({
      in: ['system:serviceaccount:shop:*'],
      except: ['system:serviceaccount:shop:reporter'],
    })
    expect(
      subjectsEntries([identityCube({ users: allBut(USERS, ['ann'], ['system:serviceaccount:shop:']) })])[0]?.users,
    ).toEqual({ notIn: ['ann', 'system:serviceaccount:shop:*'] })
  })
})

describe('the facts about identities', () => {
  const SHOP = ['system:serviceaccounts', 'system:serviceaccounts:shop', 'system:authenticated']
  it.each<[string, string[], IdentityFacts, boolean]>([
    ['ann', ['system:authenticated'], 'any', true],
    ['ann', ['dev'], 'any', false],
    ['ann', ['system:authenticated', 'system:unauthenticated'], 'any', true],
    ['ann', ['system:authenticated', 'system:unauthenticated'], 'authenticated', false],
    ['system:anonymous', ['system:unauthenticated'], 'authenticated', true],
    ['system:anonymous', ['system:authenticated'], 'authenticated', false],
    ['system:serviceaccount:shop:x', SHOP, 'authenticated', true],
    ['system:serviceaccount:shop:x', ['system:authenticated'], 'authenticated', false],
    ['system:serviceaccount:shop:x', ['system:authenticated'], 'any', true],
    ['system:serviceaccount:Shop:x', SHOP, 'authenticated', false],
  ])('%s in %j (%s): %s', (name, groups, facts, possible) => {
    expect(isPossible({ name, groups }, facts)).toBe(possible)
  })

  it.each<[IdentityFacts, object]>([
    ['any', { has: ['system:serviceaccounts'], lacks: ['dev'] }],
    ['authenticated', { has: [], lacks: ['dev'] }],
  ])('leave out what they imply (%s)', (facts, groups) => {
    const sets = new IdentitySets(facts)
    const users = only(USERS, [], ['system:serviceaccount:shop:'])
    const diagram = sets.diagramOf([identityCube({ users, has: ['system:serviceaccounts'], lacks: ['dev'] })])
    const classes = sets.nameClasses([], diagram)
    const members = new Map(classes.map((one) => [one, one.asked]))
    const set = new NameClasses(classes).setOf(members, sets.diagrams.none)
    expect(subjectsEntries(sets.cubesOf(set))).toEqual([{ users: { in: ['system:serviceaccount:shop:*'] }, groups }])
  })
})

describe('the example of a set of identities', () => {
  it.each<[Parameters<typeof identityCube>[0], object]>([
    [{}, { name: 'jane', groups: ['system:authenticated'] }],
    [{ has: ['system:masters'] }, { name: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] }],
    [{ has: ['system:unauthenticated'] }, { name: 'system:anonymous', groups: ['system:unauthenticated'] }],
    [
      { has: ['system:serviceaccounts:shop'] },
      {
        name: 'system:serviceaccount:shop:default',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:shop', 'system:authenticated'],
      },
    ],
    [
      { users: only(USERS, ['ann']), lacks: ['dev'] },
      { name: 'ann', groups: ['system:authenticated'] },
    ],
  ])('%j', (cube, identity) => {
    expect(exampleIdentity([identityCube(cube)], 'any')).toEqual(identity)
  })
})
