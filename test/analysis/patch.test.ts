import { describe, expect, it } from 'vitest'
import { jsonPatch, mergeFields, mergePatch, setField } from '../../src/analysis/change/patch.ts'
import type { Json } from '../../src/apf/encode.ts'

describe('mergePatch', () => {
  /** The examples of RFC 7386, appendix A. */
  it.each<[target: Json, patch: Json, result: Json]>([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [
      ['a', 'b'],
      ['c', 'd'],
      ['c', 'd'],
    ],
    [{ a: 'b' }, ['c'], ['c']],
    [{ a: 'foo' }, null, null],
    [{ a: 'foo' }, 'bar', 'bar'],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: 'b', c: null }, { a: 'b' }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])('%j with %j is %j', (target, patch, result) => expect(mergePatch(target, patch)).toEqual(result))
})

describe('mergeFields', () => {
  it('keeps what the partial object does not say', () => {
    expect(mergeFields({ spec: { a: 1, b: { c: 2 } } }, { spec: { b: { d: 3 } } })).toEqual({
      spec: { a: 1, b: { c: 2, d: 3 } },
    })
  })

  it('replaces lists as a whole', () => {
    expect(mergeFields({ rules: [1, 2] }, { rules: [3] })).toEqual({ rules: [3] })
  })

  it('takes a written null as a value', () => {
    expect(mergeFields({ a: 1, b: 2 }, { a: null })).toEqual({ a: null, b: 2 })
  })
})

describe('jsonPatch', () => {
  it.each<[what: string, target: Json, patch: Json, result: Json]>([
    ['adds a member', { a: 1 }, [{ op: 'add', path: '/b', value: 2 }], { a: 1, b: 2 }],
    ['adds before an item', ['x', 'z'], [{ op: 'add', path: '/1', value: 'y' }], ['x', 'y', 'z']],
    ['adds behind the last item', { a: ['x'] }, [{ op: 'add', path: '/a/-', value: 'y' }], { a: ['x', 'y'] }],
    ['removes', { a: { b: 1, c: 2 } }, [{ op: 'remove', path: '/a/b' }], { a: { c: 2 } }],
    ['removes an item', ['x', 'y'], [{ op: 'remove', path: '/0' }], ['y']],
    ['replaces', { a: 1 }, [{ op: 'replace', path: '/a', value: 2 }], { a: 2 }],
    ['replaces the whole', { a: 1 }, [{ op: 'replace', path: '', value: 2 }], 2],
    ['moves', { a: 1 }, [{ op: 'move', from: '/a', path: '/b' }], { b: 1 }],
    ['copies', { a: 1 }, [{ op: 'copy', from: '/a', path: '/b' }], { a: 1, b: 1 }],
    ['tests', { a: [1] }, [{ op: 'test', path: '/a', value: [1] }], { a: [1] }],
    ['unescapes pointers', { 'a/b~c': 1 }, [{ op: 'replace', path: '/a~1b~0c', value: 2 }], { 'a/b~c': 2 }],
  ])('%s', (_, target, patch, value) => expect(jsonPatch(target, patch)).toEqual({ value }))

  it.each<[what: string, patch: Json, fault: RegExp]>([
    ['a test that fails', [{ op: 'test', path: '/a', value: 2 }], /operation 0: the test of \/a fails: it is 1/],
    ['a path that is not there', [{ op: 'remove', path: '/x/y' }], /operation 0: the object has nothing at \/x\/y/],
    ['an index behind the end', [{ op: 'add', path: '/list/5', value: 1 }], /nothing at \/list\/5/],
    ['an unknown operation', [{ op: 'merge', path: '/a' }], /op is none of add, remove/],
    ['no pointer', [{ op: 'add', path: 'a', value: 1 }], /path is no JSON pointer/],
    ['no value', [{ op: 'add', path: '/a' }], /add without a value/],
    ['no list', { op: 'add' }, /a list of operations/],
  ])('refuses %s', (_, patch, fault) => {
    expect(jsonPatch({ a: 1, list: [] }, patch)).toMatchObject({ fault: expect.stringMatching(fault) })
  })
})

describe('setField', () => {
  it.each<[path: (string | number)[], value: Json, result: object]>([
    [['a'], 2, { value: { a: 2, list: [{ x: 1 }] } }],
    [['b', 'c'], true, { value: { a: 1, list: [{ x: 1 }], b: { c: true } } }],
    [['list', 0, 'x'], 5, { value: { a: 1, list: [{ x: 5 }] } }],
    [['a'], null, { value: { list: [{ x: 1 }] } }],
    [['list', 3], 5, { fault: 'there is no item 3' }],
    [['a', 'b'], 5, { fault: 'b is asked of what is no mapping' }],
  ])('%j to %j', (path, value, result) => {
    expect(setField({ a: 1, list: [{ x: 1 }] }, path, value)).toEqual(result)
  })
})
