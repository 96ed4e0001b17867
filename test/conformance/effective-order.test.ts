import { describe, expect, it } from 'vitest'
import { bySchemaOrder, effectiveConfiguration } from '../../src/apf/order.ts'
import { rulesFor } from '../../src/apf/versions.ts'
import { flowSchema, priorityLevel, queueLevel } from '../support/objects.ts'
import { vectors } from './vectors.ts'

interface Input {
  flowSchemas: { name: string; matchingPrecedence: number; priorityLevel: string }[]
  priorityLevels: { name: string; broken?: boolean }[]
}
interface Expected {
  order: { name: string; source: 'object' | 'builtin' }[]
  dangling: Record<string, 'True' | 'False'>
  builtinPriorityLevels: string[]
}

describe.each(vectors<Input, Expected>('classification', 'effectiveOrder'))('$note', ({ input, expected }) => {
  const schemas = input.flowSchemas.map(({ name, matchingPrecedence, priorityLevel }) =>
    flowSchema({
      metadata: { name },
      spec: { priorityLevelConfiguration: { name: priorityLevel }, matchingPrecedence },
    }),
  )
  const configuration = effectiveConfiguration(schemas, input.priorityLevels.map(level), rulesFor({ minor: 37 }))

  it('puts the schemas into the order of the server, with its stand-ins', () =>
    expect(
      configuration.order.map(({ schema, builtIn }) => ({
        name: schema.metadata.name,
        source: builtIn ? 'builtin' : 'object',
      })),
    ).toEqual(expected.order))

  it('knows which schemas dangle', () => {
    const dangling = new Set(configuration.dangling.map(({ schema }) => schema))
    const status = schemas.map((schema) => [schema.metadata.name, dangling.has(schema) ? 'True' : 'False'])
    expect(Object.fromEntries(status)).toEqual(expected.dangling)
    expect(configuration.dangling.map(({ schema }) => schema)).toEqual([...dangling].sort(bySchemaOrder))
  })

  it('knows which mandatory levels the server invents', () =>
    expect(configuration.standInLevels).toEqual(expected.builtinPriorityLevels))
})

function level({ name, broken }: { name: string; broken?: boolean }) {
  if (broken) return priorityLevel({ metadata: { name }, spec: { type: 'Limited' } })
  return name === 'exempt'
    ? priorityLevel({ metadata: { name }, spec: { type: 'Exempt', exempt: {} } })
    : queueLevel(name)
}
