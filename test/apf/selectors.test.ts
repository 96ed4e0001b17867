import { describe, expect, it } from 'vitest'
import { isLabelSelector, parseFieldSelector, requiredValue } from '../../src/apf/selectors.ts'

describe('a field selector', () => {
  it.each([
    ['', []],
    [',,', []],
    ['a=b', [{ field: 'a', equal: true, value: 'b' }]],
    ['a==b', [{ field: 'a', equal: true, value: 'b' }]],
    ['a!=b', [{ field: 'a', equal: false, value: 'b' }]],
    ['a!!=b', [{ field: 'a!', equal: false, value: 'b' }]],
    ['=', [{ field: '', equal: true, value: '' }]],
    ['!=', [{ field: '', equal: false, value: '' }]],
    [' a = b ', [{ field: ' a ', equal: true, value: ' b ' }]],
    ['a\\=b', [{ field: 'a\\', equal: true, value: 'b' }]],
    ['a=\\,\\=\\\\', [{ field: 'a', equal: true, value: ',=\\' }]],
    ['a=\\,\udcff', [{ field: 'a', equal: true, value: ',\ufffd' }]],
    ['a=\udcff', [{ field: 'a', equal: true, value: '\udcff' }]],
  ])('%j is understood', (selector, terms) => expect(parseFieldSelector(selector)).toEqual(terms))

  it.each(['a', 'a,b=c', 'a=b=c', 'a===b', 'a=\\x', 'a=b\\', 'a\\,b'])('%j does not parse', (selector) =>
    expect(parseFieldSelector(selector)).toBeNull(),
  )

  it.each([
    ['n=b,n=a', 'a'],
    ['n=a,n==b', 'b'],
    ['n==b,n=1', '1'],
    ['n!=a,n=b', 'b'],
    ['n=\u{10000},n=\uffff', '\uffff'],
    ['n=é,n=\udcc3', '\udcc3'],
    ['m=a', null],
  ])('%j is evaluated in the order of its terms as bytes', (selector, value) =>
    expect(requiredValue(parseFieldSelector(selector) ?? [], 'n')).toBe(value),
  )
})

describe('a label selector', () => {
  it.each([
    '',
    ' \t\r\n',
    'a',
    '!a',
    ' ! a , b ',
    'a=b',
    'a = b,c!=d , e==f',
    'a=',
    'a=,b',
    'a in (b)',
    'a in(b,,c)',
    'a notin ()',
    'a in (,)',
    'in in (in,notin)',
    'a=in',
    'a<5',
    'a>00',
    'example.com/a=b',
    `${'k'.repeat(63)}=${'v'.repeat(63)}`,
    `${'d'.repeat(253)}/a`,
    'a\0=\0b\0',
    'a=b\0\0!!',
  ])('%j parses', (selector) => expect(isLabelSelector(selector)).toBe(true))

  it.each([
    ',',
    'a,',
    'a,,b',
    '!',
    '!!a',
    '!a=b',
    'a b',
    'a=b c',
    'a===b',
    'a=!b',
    'a in b',
    'a in',
    'a in (',
    'a in (b',
    'a in (b c)',
    'a in ((b))',
    'a IN (b)',
    'a exists',
    'a<',
    'a<b',
    'a<=5',
    'a<-5',
    'a<9223372036854775808',
    '=b',
    'a=-',
    'a=é',
    'é',
    'a/b/c',
    '/a',
    'a/',
    'A.b/c',
    'a..b/c',
    'k'.repeat(64),
    `a=${'v'.repeat(64)}`,
    `${'d'.repeat(254)}/a`,
    'a\0b',
  ])('%j does not parse', (selector) => expect(isLabelSelector(selector)).toBe(false))
})
