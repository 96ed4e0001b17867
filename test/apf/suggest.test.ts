import { expect, it } from 'vitest'
import { nearestName } from '../../src/apf/suggest.ts'

const FIELDS = ['matchingPrecedence', 'priorityLevelConfiguration', 'distinguisherMethod', 'rules']

it.each([
  ['matchingprecedence', 'matchingPrecedence'],
  ['matchingPrecedance', 'matchingPrecedence'],
  ['rule', 'rules'],
  ['RULES', 'rules'],
  ['name', null],
  ['', null],
  ['x'.repeat(100_000), null],
])('%.20s is near to %s', (word, expected) => {
  expect(nearestName(word, FIELDS)).toBe(expected)
})
