/** The JSON Schema of .kubectl-apf.yaml. */
import { minorText, NEWEST_MINOR, OLDEST_MINOR } from '../apf/versions.ts'
import type { Rule } from './rule.ts'

/** What a configuration may make of a rule. */
export const RULE_SETTINGS = ['off', 'error', 'warning', 'info'] as const
/** The least severity that fails, or none. */
export const FAIL_ON = ['error', 'warning', 'info', 'never'] as const

/** The schema for these rules, each of which is a property that its summary describes. */
export function configurationSchema(rules: readonly Rule[]): object {
  const strings = (description: string) => ({ type: 'array', items: { type: 'string' }, description })
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Configuration of kubectl apf lint, .kubectl-apf.yaml',
    type: 'object',
    additionalProperties: false,
    properties: {
      targets: {
        type: 'array',
        minItems: 1,
        items: { type: ['string', 'number'] },
        description: `Minors of Kubernetes to lint for, ${minorText(OLDEST_MINOR)} to ${minorText(NEWEST_MINOR)}`,
      },
      failOn: { enum: [...FAIL_ON], description: 'The least severity of a finding that makes the exit code 1' },
      rules: {
        type: 'object',
        additionalProperties: false,
        description: 'Severities of rules; off leaves a rule out',
        properties: Object.fromEntries(
          rules.map(({ id, summary }) => [id, { enum: [...RULE_SETTINGS, false], description: summary }]),
        ),
      },
      options: {
        type: 'object',
        additionalProperties: false,
        properties: {
          allowedExempt: strings('Subjects that may be exempt: user:NAME, group:NAME, sa:NAMESPACE/NAME'),
          guaranteedLevels: strings('Priority levels whose seats must stay their own'),
          serverSeats: { type: 'integer', minimum: 1, description: 'Seats of one API server' },
        },
      },
    },
  }
}
