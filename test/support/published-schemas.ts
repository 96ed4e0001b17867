/** The JSON Schemas in schemas/, to hold answers to. */
import { readFileSync } from 'node:fs'
import { Ajv } from 'ajv'
import { CONTRACT_TYPES } from '../../scripts/schemas.mjs'
import { ROOT } from './cli.ts'

const ajv = new Ajv({ allowUnionTypes: true })
const validators = Object.fromEntries(
  CONTRACT_TYPES.map((type) => [
    type,
    ajv.compile(JSON.parse(readFileSync(`${ROOT}schemas/${type}.schema.json`, 'utf8'))),
  ]),
)

/** What a document violates, in words; [] for a valid one. */
export function violations(type: string, document: unknown): string[] {
  const validate = validators[type]
  if (validate === undefined) throw new Error(`no schema of ${type}`)
  return validate(document)
    ? []
    : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
}
