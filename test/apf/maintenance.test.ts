import { expect, it } from 'vitest'
import { defaultObjects } from '../../src/apf/defaults/index.ts'
import { differsFromDefault, parseGoBool } from '../../src/apf/maintenance.ts'
import { rulesFor, VERSION_TABLE } from '../../src/apf/versions.ts'
import { priorityLevel, queueLevel } from '../support/objects.ts'

it.each(VERSION_TABLE.map(({ rules }) => rules))('the defaults of 1.$minor do not differ from themselves', (rules) => {
  const { flowSchemas, priorityLevels } = defaultObjects(rules)
  for (const object of [...flowSchemas, ...priorityLevels]) expect(differsFromDefault(object, rules)).toBe(false)
})

it('of the exempt level the numbers are free, their block is not', () => {
  const exempt = (block?: object) =>
    priorityLevel({ metadata: { name: 'exempt' }, spec: { type: 'Exempt', ...(block ? { exempt: block } : {}) } })
  const rules = rulesFor({ minor: 37 })
  expect(differsFromDefault(exempt({ nominalConcurrencyShares: 7, lendablePercent: 50 }), rules)).toBe(false)
  expect(differsFromDefault(exempt(), rules)).toBe(true)
})

it('another spec differs, another name is no default', () => {
  const rules = rulesFor({ minor: 37 })
  expect(differsFromDefault(queueLevel('workload-low'), rules)).toBe(true)
  expect(differsFromDefault(queueLevel('ours'), rules)).toBeNull()
})

it.each([
  ...['1', 't', 'T', 'true', 'TRUE', 'True'].map((text) => [text, true] as const),
  ...['0', 'f', 'F', 'false', 'FALSE', 'False'].map((text) => [text, false] as const),
  ...['', 'tRuE', 'yes', ' true', 'true\n', null].map((text) => [text, null] as const),
])('%j is read as %s', (text, value) => {
  expect(parseGoBool(text)).toBe(value)
})
