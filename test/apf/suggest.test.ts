import { describe, expect, it } from 'vitest'
import { editDistance, nearest } from '../../src/apf/suggest.ts'

describe('editDistance', () => {
  it.each([
    ['', '', 0],
    ['whereis', 'whereis', 0],
    ['', 'abc', 3],
    ['wheris', 'whereis', 1],
    ['shcemas', 'schemas', 1],
    ['kitten', 'sitting', 3],
  ])('%j to %j is %d', (a, b, distance) => expect(editDistance(a, b)).toBe(distance))
})

describe('nearest', () => {
  const commands = ['whereis', 'schemas', 'version']
  it.each([
    ['wheris', 'whereis'],
    ['SCHEMAS', 'schemas'],
    ['schema', 'schemas'],
    ['ver', 'version'],
    ['apply', null],
    ['x', null],
    ['', null],
  ])('%j means %j', (word, meant) => expect(nearest(word, commands)).toBe(meant))

  const fields = ['matchingPrecedence', 'priorityLevelConfiguration', 'distinguisherMethod', 'rules']
  it.each([
    ['matchingprecedence', 'matchingPrecedence'],
    ['matchingPrecedance', 'matchingPrecedence'],
    ['rule', 'rules'],
    ['RULES', 'rules'],
    ['name', null],
    ['x'.repeat(100_000), null],
  ])('the field %.20s means %s', (word, meant) => expect(nearest(word, fields)).toBe(meant))
})
