import { describe, expect, it } from 'vitest'
import { decodeObject } from '../../src/apf/decode.ts'
import { formatFieldPath } from '../../src/apf/problem.ts'
import { validateFlowSchema, validatePriorityLevel } from '../../src/apf/validation.ts'
import { rulesFor } from '../../src/apf/versions.ts'
import { type FlowSchemaJson, flowSchema, type PriorityLevelJson, priorityLevel } from '../support/objects.ts'
import { vectorFile, vectors } from './vectors.ts'

/** Already defaulted, and sometimes as no defaulting would leave it. */
type Input =
  | { resource: 'FlowSchema'; name: string; spec: FlowSchemaJson['spec'] }
  | { resource: 'PriorityLevelConfiguration'; name: string; spec: PriorityLevelJson['spec'] }

interface Expected {
  errors: { field: string; type: string }[]
}

describe.each(vectors<Input, Expected>('classification', 'validation'))('$note $input.spec', ({ input, expected }) => {
  it.each([30, 31, 34, 35])('has the same errors in 1.%i', (minor) => {
    const rules = rulesFor({ minor })
    const metadata = { name: input.name }
    const found =
      input.resource === 'FlowSchema'
        ? validateFlowSchema(flowSchema({ metadata, spec: input.spec }), rules)
        : validatePriorityLevel(priorityLevel({ metadata, spec: input.spec }), rules)
    const errors = found.map(({ path, category }) => ({ field: formatFieldPath(path), type: category }))
    expect(sorted(errors)).toEqual(sorted(expected.errors))
  })
})

interface RecordedAnswer {
  id: string
  minor: string
  apiVersion: string
  kind: string
  input?: unknown
  expected: { status: number; causes: { field: string; message: string }[] }
}

/** Bodies that passed decoding; the other answers (400, 409, 404) are not about the rules of validation. */
const recorded = (vectorFile('validation') as RecordedAnswer[]).filter(
  ({ input, expected }) => input !== undefined && [200, 201, 422].includes(expected.status),
)

describe('answers recorded from servers', () => {
  it.each(recorded)('$id', ({ minor, apiVersion, kind, input, expected }) => {
    const rules = rulesFor({ minor: Number(minor.slice(2)) })
    const { object } = decodeObject(input, null, rules, { defaults: { apiVersion, kind } })
    if (object === null) throw new Error('not decoded')
    const errors =
      object.kind === 'FlowSchema' ? validateFlowSchema(object, rules) : validatePriorityLevel(object, rules)
    const causes = errors.map(({ path, message }) => ({ field: formatFieldPath(path), message: withoutSpec(message) }))
    expect(causes).toEqual(expected.causes.map(({ field, message }) => ({ field, message: withoutSpec(message) })))
  })
})

/** The value in errors of the fixed spec is incidental. */
function withoutSpec(message: string): string {
  return message.replace(/^Invalid value: .*: (?=spec of )/s, '')
}

function sorted(errors: Expected['errors']): string[] {
  return errors.map(({ field, type }) => `${field} ${type}`).sort()
}
