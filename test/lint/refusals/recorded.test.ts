import { expect, it } from 'vitest'
import { lint } from '../../../src/lint/engine.ts'
import { RULES } from '../../../src/lint/rules/index.ts'
import { vectorFile } from '../../conformance/vectors.ts'
import { contextOf } from '../routing/lint-yaml.ts'

interface RecordedCreate {
  id: string
  minor: string
  apiVersion: string
  kind: string
  operation: 'create' | 'update'
  fieldValidation: string
  input?: object
  yaml?: string
  expected: { accepted: boolean; status: number }
}

/** Where kubectl stands between the file and the server. */
const SEEN_OTHERWISE: ReadonlyMap<string, string> = new Map([
  ['1.34-v1-duplicate-list-key-in-yaml', 'kubectl takes the last of two keys'],
  ['1.34-v1-duplicate-queues-in-yaml', 'kubectl takes the last of two keys'],
  ['1.34-v1-duplicate-scalar-key-in-yaml', 'kubectl takes the last of two keys'],
  ['1.34-v1-two-duplicate-keys-in-yaml', 'kubectl takes the last of two keys'],
  ['1.34-v1-merge-key-in-yaml', 'kubectl merges'],
  ['1.34-v1-exponent-precedence-in-json', 'kubectl writes numbers in another way'],
  ['1.34-v1-whole-float-precedence-in-json', 'kubectl writes numbers in another way'],
  ['1.34-v1-a-list-kind', 'kubectl takes lists apart'],
  ['1.28-v1beta2-pq-apiversion', 'kubectl wants an apiVersion'],
  ['1.24-v1beta2-pq-apiversion', 'kubectl wants an apiVersion'],
])

const recorded = (vectorFile('validation') as RecordedCreate[]).filter(
  ({ operation, fieldValidation, input, yaml, expected }) =>
    operation === 'create' && fieldValidation === 'Strict' && (input ?? yaml) !== undefined && expected.status !== 409,
)

const REFUSAL_RULES = RULES.filter(({ id }) => id.startsWith('APF1'))

it('has objects to judge', () => {
  expect(recorded.length).toBeGreaterThan(400)
})

it.each(recorded)('$id is an error exactly where it was refused', async (vector) => {
  const { id, minor, apiVersion, kind, input, yaml, expected } = vector
  const text = yaml ?? JSON.stringify({ apiVersion, kind, ...input })
  const context = await contextOf(text, { defaults: minor })
  const unreadable = context.reading.some(({ code, severity }) => !code.startsWith('APF') && severity === 'error')
  const isError = unreadable || lint([context], REFUSAL_RULES).some(({ severity }) => severity === 'error')
  expect(isError).toBe(SEEN_OTHERWISE.has(id) ? expected.accepted : !expected.accepted)
})
