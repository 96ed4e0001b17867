import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PATHS, PLAIN, RESOURCES } from '../../src/regions/spaces.ts'
import {
  complement,
  describableParts,
  everything,
  has,
  intersect,
  isDescribable,
  isEmpty,
  makeSet,
  nothing,
  only,
  type StringSet,
  type StringSpace,
  subtract,
  union,
} from '../../src/regions/string-set.ts'

/** Per space: the names that sets are made of, and values that lie in, beside and on the border of each of them. */
const SPACES: Record<string, { space: StringSpace; families: string[]; named: string[]; values: string[] }> = {
  plain: {
    space: PLAIN,
    families: [],
    named: ['', '*', 'get', 'list', 'é'],
    values: ['', '*', 'get', 'list', 'é', 'gets', '\u{10000}'],
  },
  paths: {
    space: PATHS,
    families: ['/', '/a/', '/a/b/', '/a/b/c/', 'a/', '//'],
    named: ['', '*', '/', '/a', '/a/', '/a/b', '/a/b/', '/a/b/x', '/a/*', '//'],
    values: [
      ...['', '*', 'a', 'a/', 'a/x', '/', '//', '//x', '/x', '/a', '/a/', '/a/*', '/a/x', '/a/b', '/a/b/', '/a/b/x'],
      ...['/a/b/y', '/a/b/c', '/a/b/c/', '/a/b/c/d', '/ab', '/ab/', '/A/b'],
    ],
  },
  resources: {
    space: RESOURCES,
    families: ['log', 'exec', 'status'],
    named: ['', '*', 'pods', 'pods/log', 'pods/status', 'nodes/log', '/log'],
    values: ['', '*', 'pods', 'pods/log', 'pods/status', 'pods/exec', 'nodes', 'nodes/log', 'nodes/x', '/log', 'log'],
  },
}

function answers(names: string[]): fc.Arbitrary<Map<string, boolean>> {
  const answer = fc.tuple(fc.constantFrom(...names, 'unused'), fc.boolean())
  return fc.array(answer, { maxLength: 5 }).map((chosen) => new Map(chosen.filter(([name]) => names.includes(name))))
}

describe.each(Object.entries(SPACES))('sets of %s', (_, { space, families, named, values }) => {
  const sets = fc
    .tuple(fc.boolean(), answers(families), answers(named))
    .map(([outside, familyAnswers, exactAnswers]) => makeSet(space, outside, familyAnswers, exactAnswers))
  const members = (set: StringSet) => values.filter((value) => has(set, value))

  it('contain what their parts say', () => {
    fc.assert(
      fc.property(sets, sets, (a, b) => {
        expect(members(intersect(a, b))).toEqual(values.filter((value) => has(a, value) && has(b, value)))
        expect(members(union(a, b))).toEqual(values.filter((value) => has(a, value) || has(b, value)))
        expect(members(subtract(a, b))).toEqual(values.filter((value) => has(a, value) && !has(b, value)))
        expect(members(complement(a))).toEqual(values.filter((value) => !has(a, value)))
      }),
    )
  })

  it('have one form only: laws of sets hold as equality of keys', () => {
    fc.assert(
      fc.property(sets, sets, sets, (a, b, c) => {
        expect(complement(complement(a)).key).toBe(a.key)
        expect(union(a, complement(a)).key).toBe(everything(space).key)
        expect(subtract(a, a).key).toBe(nothing(space).key)
        expect(union(subtract(a, b), intersect(a, b)).key).toBe(a.key)
        expect(complement(union(a, b)).key).toBe(intersect(complement(a), complement(b)).key)
        expect(intersect(a, union(b, c)).key).toBe(union(intersect(a, b), intersect(a, c)).key)
      }),
    )
  })

  it('are cut into disjoint describable parts', () => {
    fc.assert(
      fc.property(sets, (set) => {
        const parts = describableParts(set)
        expect(parts.every((part) => isDescribable(part) && !isEmpty(part))).toBe(true)
        expect(parts.reduce(union, nothing(space)).key).toBe(set.key)
        parts.forEach((part, i) => {
          for (const other of parts.slice(i + 1)) expect(isEmpty(intersect(part, other))).toBe(true)
        })
      }),
    )
  })

  it('are empty exactly if nothing is in them', () => {
    expect(isEmpty(nothing(space))).toBe(true)
    expect(isEmpty(only(space, [], []))).toBe(true)
    expect(isEmpty(only(space, ['get'], []))).toBe(false)
  })
})

describe('families', () => {
  it.each([
    ['/healthz/', true],
    ['/healthz/etcd', true],
    ['/healthz/etcd/x', true],
    ['/healthz', false],
    ['/healthzz', false],
    ['/HEALTHZ/', false],
    ['', false],
  ])('the folder /healthz/ and the path %s: %s', (path, inside) => {
    expect(has(only(PATHS, [], ['/healthz/']), path)).toBe(inside)
  })

  it.each([
    ['pods/log', true],
    ['anything/log', true],
    ['log', false],
    ['pods', false],
    ['pods/logs', false],
  ])('the subresource log and the resource %s: %s', (resource, inside) => {
    expect(has(only(RESOURCES, [], ['log']), resource)).toBe(inside)
  })

  it('swallow the single strings they hold', () => {
    expect(only(PATHS, ['/a', '/a/b'], ['/a/']).exact).toEqual(new Map([['/a', true]]))
  })
})
