import { describe, expect, it } from 'vitest'
import { precedenceBeside } from '../../../src/analysis/isolation/placement.ts'
import { effectiveConfiguration } from '../../../src/apf/order.ts'
import { rulesFor } from '../../../src/apf/versions.ts'
import { flowSchema, queueLevel } from '../../support/objects.ts'

const RULES = rulesFor({ minor: 37 })

function configurationOf(precedences: readonly number[]) {
  const schemas = precedences.map((matchingPrecedence, index) =>
    flowSchema({
      metadata: { name: `s${index}` },
      spec: { matchingPrecedence, priorityLevelConfiguration: { name: 'wl' } },
    }),
  )
  return { schemas, configuration: effectiveConfiguration(schemas, [queueLevel('wl')], RULES) }
}

describe('precedenceBeside', () => {
  it.each([
    { precedences: [900, 9000], side: 'above', at: 1, precedence: 8900 },
    { precedences: [900, 9000], side: 'below', at: 0, precedence: 1000 },
    { precedences: [100, 200], side: 'below', at: 0, precedence: 150 },
    { precedences: [8950, 9000], side: 'above', at: 1, precedence: 8980 },
    { precedences: [8997, 9000], side: 'above', at: 1, precedence: 8999 },
    { precedences: [8998, 9000], side: 'above', at: 1, precedence: 8999 },
    { precedences: [8999, 9000], side: 'above', at: 1, precedence: null },
    { precedences: [9000, 9000], side: 'above', at: 1, precedence: 8900 },
    { precedences: [2], side: 'above', at: 0, precedence: null },
    { precedences: [10000], side: 'above', at: 0, precedence: 9900 },
  ] as const)('$side number $at of $precedences is $precedence', ({ precedences, side, at, precedence }) => {
    const { schemas, configuration } = configurationOf(precedences)
    const schema = schemas[at]
    if (schema === undefined) throw new Error('no such schema')
    expect(precedenceBeside({ side, schema }, configuration).precedence).toBe(precedence)
  })

  it('names the neighbours between which no number is left', () => {
    const { schemas, configuration } = configurationOf([8999, 9000])
    const [, schema] = schemas
    if (schema === undefined) throw new Error('no such schema')
    expect(precedenceBeside({ side: 'above', schema }, configuration).gap).toEqual({ after: 8999, before: 9000 })
  })
})
