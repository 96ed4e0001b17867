import { describe, expect, it } from 'vitest'
import { readCollectionQuery, readListOptions } from '../../src/apf/list-options.ts'

const NAMED = 'fieldSelector=metadata.name=x'

describe('watch', () => {
  it.each(['watch', 'watch=', 'watch=1', 'watch=no', 'watch=00', 'wat%63h', '&&watch', 'watch&watch=0', 'watch=%66'])(
    '%s is a watch',
    (query) => expect(readCollectionQuery(query)).toEqual({ watch: true, name: '' }),
  )

  it.each([
    '',
    'limit=500',
    'watch=0',
    'watch=%30',
    'watch=fAlSe',
    'watch=falſe',
    'watch=0&watch=1',
    'Watch=1',
    'watch;=1',
    'watch=1;2',
    'watch=%zz',
    'watch%=1',
    '+watch=1',
  ])('%s is a list', (query) => expect(readCollectionQuery(query)).toEqual({ watch: false, name: '' }))

  it('spelled with a long s is false only while all options decode', () =>
    expect(readCollectionQuery('watch=falſe&limit=')).toEqual({ watch: true, name: '' }))

  it('counts from its first pair that decodes', () =>
    expect(readCollectionQuery('watch=%zz&watch=0;&watch=1')).toEqual({ watch: true, name: '' }))
})

describe('the name in a field selector', () => {
  it.each([
    [NAMED, 'x'],
    ['fieldSelector=metadata.name%3D%3Dx', 'x'],
    ['fieldSelector=metadata.name=a+b', 'a b'],
    ['fieldSelector=metadata.name=%ff', '\udcff'],
    ['fieldSelector=metadata.name=', ''],
    ['fieldSelector=metadata.name=..', ''],
    ['fieldSelector=metadata.name=%25', ''],
    ['fieldSelector=metadata.namespace=x', ''],
    [`fieldSelector=&${NAMED}`, ''],
    [`fieldSelector=%zz&${NAMED}`, 'x'],
  ])('of %s is %j', (query, name) => expect(readCollectionQuery(query)).toEqual({ watch: false, name }))

  it.each(['limit=', 'limit=1e3', 'limit=+', 'timeoutSeconds=1.5', 'timeoutSeconds=-9223372036854775809'])(
    'is lost beside %s',
    (option) => expect(readCollectionQuery(`watch&${NAMED}&${option}`)).toEqual({ watch: true, name: '' }),
  )

  it.each([
    'limit=0',
    'limit=-5',
    'limit=%2B5',
    'timeoutSeconds=0000000000000000000005',
    'limit=5&limit=x',
    'limit=%zz',
  ])('stands beside %s', (option) =>
    expect(readCollectionQuery(`${option}&${NAMED}`)).toEqual({ watch: false, name: 'x' }),
  )
})

describe('what a list asks for', () => {
  const nothing = {
    limit: 0,
    continue: '',
    resourceVersion: '',
    resourceVersionMatch: '',
    hasSelector: false,
    sendInitialEvents: false,
  }

  it.each([
    ['', {}],
    ['limit=500&continue=abc%3D', { limit: 500, continue: 'abc=' }],
    ['limit=%2B5&limit=x', { limit: 5 }],
    ['limit=-5', { limit: -5 }],
    [
      'resourceVersion=12&resourceVersionMatch=NotOlderThan',
      { resourceVersion: '12', resourceVersionMatch: 'NotOlderThan' },
    ],
    ['labelSelector=app=web', { hasSelector: true }],
    ['labelSelector=!', { hasSelector: true }],
    ['fieldSelector=spec.nodeName=a', { hasSelector: true }],
    ['labelSelector=&fieldSelector=', {}],
    ['sendInitialEvents=', { sendInitialEvents: true }],
    ['sendInitialEvents=FALSE', {}],
    ['sendInitialEvents=0', {}],
    ['sendInitialEvents=yes', { sendInitialEvents: true }],
  ])('by %j', (query, asked) => expect(readListOptions(query)).toEqual({ ...nothing, ...asked }))

  it.each(['limit=', 'limit=x', 'limit=9223372036854775808', 'timeoutSeconds=soon'])('is not told by %s', (query) =>
    expect(readListOptions(query)).toBeNull(),
  )
})
