import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { decodeObject } from '../../src/apf/decode.ts'
import { bootstrapClass, defaultObjects, mandatoryObjects } from '../../src/apf/defaults/index.ts'
import type { ApfObject } from '../../src/apf/objects.ts'
import { validateFlowSchema, validatePriorityLevel } from '../../src/apf/validation.ts'
import { rulesFor, VERSION_TABLE } from '../../src/apf/versions.ts'

describe.each([28, 31, 34, 37])('default objects of 1.%i', (minor) => {
  const rules = rulesFor({ minor })
  const { flowSchemas, priorityLevels } = defaultObjects(rules)

  it.each([
    ['FlowSchema', 'flowschemas', flowSchemas],
    ['PriorityLevelConfiguration', 'prioritylevelconfigurations', priorityLevels],
  ])('%s objects equal those that a fresh server serves', (kind, resource, ours) => {
    const served = servedList(minor, resource, kind)
    expect(byName(ours)).toEqual(byName(served))
  })

  function servedList(minor: number, resource: string, kind: string): ApfObject[] {
    const file = new URL(`../fixtures/defaults/1.${minor}/${resource}.json`, import.meta.url)
    const list = JSON.parse(readFileSync(file, 'utf8')) as { apiVersion: string; items: unknown[] }
    const defaults = { apiVersion: list.apiVersion, kind }
    return list.items.map((item) => {
      const { object, problems } = decodeObject(item, null, rules, { defaults, fromServer: true })
      expect(problems).toEqual([])
      if (object === null) throw new Error(`not read: ${JSON.stringify(item)}`)
      return object
    })
  }
})

/** Everything but what the server adds: UID, generation and status. */
function byName(objects: readonly ApfObject[]): Record<string, unknown> {
  return Object.fromEntries(
    objects.map(({ kind, apiVersion, metadata: { name, labels, annotations }, spec }) => [
      name,
      { kind, apiVersion, labels, annotations, spec },
    ]),
  )
}

describe.each(VERSION_TABLE.map(({ rules }) => rules))('in 1.$minor', (rules) => {
  it('the server accepts its own default objects', () => {
    const { flowSchemas, priorityLevels } = defaultObjects(rules)
    expect(flowSchemas.flatMap((schema) => validateFlowSchema(schema, rules))).toEqual([])
    expect(priorityLevels.flatMap((level) => validatePriorityLevel(level, rules))).toEqual([])
  })

  it('the stand-ins are the mandatory objects with an empty UID', () => {
    const { flowSchemas, priorityLevels } = mandatoryObjects(rules)
    for (const objects of [flowSchemas, priorityLevels]) {
      expect(objects.map(({ metadata }) => [metadata.name, metadata.uid])).toEqual([
        ['exempt', ''],
        ['catch-all', ''],
      ])
    }
  })
})

it('every call makes objects of its own', () => {
  const rules = rulesFor({ minor: 37 })
  const [changed] = defaultObjects(rules).flowSchemas
  changed?.spec.rules[0]?.resourceRules[0]?.verbs.push('get')
  expect(defaultObjects(rules).flowSchemas[0]?.spec.rules[0]?.resourceRules[0]?.verbs).toEqual(['*'])
})

it('a name is a default of its kind and version only', () => {
  const classOf = (kind: ApfObject['kind'], name: string, minor: number) =>
    bootstrapClass({ kind, metadata: { name } }, rulesFor({ minor }))
  expect(classOf('FlowSchema', 'catch-all', 37)).toBe('mandatory')
  expect(classOf('FlowSchema', 'probes', 37)).toBe('suggested')
  expect(classOf('PriorityLevelConfiguration', 'probes', 37)).toBeNull()
  expect(classOf('FlowSchema', 'endpoint-controller', 33)).toBe('suggested')
  expect(classOf('FlowSchema', 'endpoint-controller', 34)).toBeNull()
  expect(classOf('FlowSchema', 'ours', 37)).toBeNull()
})

it('they say where they come from', () => {
  const [schema] = defaultObjects(rulesFor({ minor: 37 })).flowSchemas
  expect(schema?.origin?.file).toBe('defaults 1.37')
  expect(schema?.origin?.locate(['spec'])).toBeUndefined()
})
