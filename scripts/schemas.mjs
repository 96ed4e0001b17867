// Writes schemas/*.schema.json from the types of src/report/contract.ts.
import { mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createGenerator } from 'ts-json-schema-generator'

const root = fileURLToPath(new URL('..', import.meta.url))

export const CONTRACT_TYPES = [
  'Attributions',
  'AttributionItem',
  'Whereis',
  'WhereisMap',
  'FlowSchemas',
  'Findings',
  'LintFinding',
  'Explanation',
  'ExemptAudit',
  'ExemptPolicy',
  'TestReport',
  'Expectations',
  'Isolation',
  'Simulation',
  'ClientLimits',
  'EventLimits',
  'CiliumLimits',
  'InflightLimits',
  'Status',
  'Seats',
  'AnswerLine',
  'RequestLine',
]

/** The text of each schema file by its path. */
export function schemaFiles() {
  const generator = createGenerator({
    path: `${root}src/report/contract.ts`,
    tsconfig: `${root}tsconfig.json`,
    type: '*',
    additionalProperties: false,
    // tsc does that, in the version of the project.
    skipTypeCheck: true,
  })
  return new Map(
    CONTRACT_TYPES.map((type) => [
      `${root}schemas/${type}.schema.json`,
      `${JSON.stringify(generator.createSchema(type), null, 2)}\n`,
    ]),
  )
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  mkdirSync(`${root}schemas`, { recursive: true })
  for (const [path, text] of schemaFiles()) writeFileSync(path, text)
}
