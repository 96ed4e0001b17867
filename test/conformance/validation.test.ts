import { describe, expect, it } from 'vitest'
import { defaultObjects } from '../../src/apf/defaults/index.ts'
import type { ApfObject, Condition } from '../../src/apf/objects.ts'
import { formatFieldPath } from '../../src/apf/problem.ts'
import { type Cause, type ServerAnswer, type ServerRequest, serverAnswer } from '../../src/apf/server-answer.ts'
import { validateFlowSchema, validatePriorityLevel } from '../../src/apf/validation.ts'
import { rulesFor, type VersionRules } from '../../src/apf/versions.ts'
import { type FlowSchemaJson, flowSchema, type PriorityLevelJson, priorityLevel } from '../support/objects.ts'
import { storedForm, withoutEmpty, withoutSpec } from '../support/stored-form.ts'
import { jsonBody, jsonWithSpelling, type RequestBody, yamlBody } from './request-body.ts'
import { vectors, vectorText } from './vectors.ts'

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
  operation: 'create' | 'update'
  recorded: 'server' | 'code'
  fieldValidation: ServerRequest['fieldValidation']
  objectName?: string
  input?: unknown
  json?: string
  yaml?: string
  expected: {
    accepted: boolean
    status: number
    message?: string
    causes: Cause[]
    warnings: string[]
    stored: { metadata: object; status?: { conditions?: Condition[] } } | null
  }
}

const recorded = jsonWithSpelling(vectorText('validation')) as RecordedAnswer[]

describe('answers recorded from servers', () => {
  it.each(recorded)('$id', (vector) => {
    const { expected } = vector
    const answer = answerTo(vector)
    expect({ accepted: answer.accepted, status: answer.status }).toEqual({
      accepted: expected.accepted,
      status: expected.status,
    })
    const comparable = (causes: readonly Cause[]) =>
      causes.map(({ message, ...cause }) => ({ ...cause, message: withoutSpec(message) }))
    expect(comparable(answer.causes)).toEqual(comparable(expected.causes))
    expect(answer.warnings).toEqual(expected.warnings)
    if (expected.message) expect(withoutIncidental(answer.message)).toBe(withoutIncidental(expected.message))
    if (expected.stored) {
      const stored = answer.stored && storedForm(answer.stored, vector.apiVersion, rulesOf(vector.minor))
      expect(comparableForm(stored, vector)).toEqual(comparableForm(expected.stored, vector))
    }
  })
})

function answerTo(vector: RecordedAnswer): ServerAnswer {
  const { apiVersion, kind, operation, fieldValidation, minor } = vector
  const rules = rulesOf(minor)
  const body = bodyOf(vector)
  if (body === null) {
    return {
      accepted: false,
      status: 400,
      message: vector.expected.message ?? '',
      causes: [],
      warnings: [],
      stored: null,
    }
  }
  return serverAnswer(body.value, {
    operation,
    dryRun: true,
    resource: { apiVersion, kind },
    fieldValidation,
    existing: existingObject(vector, body.value),
    rules,
    duplicateKeys: fieldValidation === 'Strict' ? body.strict : body.warnings,
  })
}

/** The servers had their default objects, with conditions that only their answers tell. */
function existingObject({ minor, kind, objectName, expected }: RecordedAnswer, value: unknown): ApfObject | null {
  const { flowSchemas, priorityLevels } = defaultObjects(rulesOf(minor))
  const name = objectName ?? nameOf(value)
  const objects: readonly ApfObject[] = kind === 'FlowSchema' ? flowSchemas : priorityLevels
  const existing = objects.find(({ metadata }) => metadata.name === name)
  if (existing === undefined) return null
  const metadata = { ...existing.metadata, generation: 1 }
  if (existing.kind !== 'FlowSchema') return { ...existing, metadata }
  return { ...existing, metadata, status: { conditions: expected.stored?.status?.conditions ?? [] } }
}

function nameOf(value: unknown): string {
  const metadata = typeof value === 'object' && value !== null ? Reflect.get(value, 'metadata') : null
  return typeof metadata === 'object' && metadata !== null ? String(Reflect.get(metadata, 'name')) : ''
}

function rulesOf(minor: string): VersionRules {
  return rulesFor({ minor: Number(minor.slice('1.'.length)) })
}

function bodyOf({ input, json, yaml }: RecordedAnswer): RequestBody | null {
  if (json !== undefined) return jsonBody(json)
  if (yaml !== undefined) return yamlBody(yaml)
  return { value: input, strict: [], warnings: [] }
}

/** Releases that were called in process did not count generations. */
function comparableForm(form: { metadata?: object } | null, { recorded }: RecordedAnswer): unknown {
  const metadata = { ...form?.metadata, ...(recorded === 'code' && { generation: null }) }
  return withoutEmpty({ ...form, metadata })
}

/** The value in errors of the fixed spec, a spelling that our data lack, a line of source code, and the beginning of the body. */
function withoutIncidental(message: string | null): string | undefined {
  if (message === null) return undefined
  return withoutSpec(message)
    .replace(/number (?:NaN|500\.0|5e2) into/, 'number into')
    .replace(/scheme\.go:\d+/, 'scheme.go')
    .replace(/ \([^()]*\)$/s, '')
}

function sorted(errors: Expected['errors']): string[] {
  return errors.map(({ field, type }) => `${field} ${type}`).sort()
}
