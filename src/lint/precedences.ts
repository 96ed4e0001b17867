import type { LintContext } from './rule.ts'

/** `service-accounts (9000)` for each name of a schema in force. */
export function withPrecedences(names: readonly string[], { configuration }: LintContext): string[] {
  return names.map((name) => {
    const entry = configuration.order.find(({ schema }) => schema.metadata.name === name)
    return entry ? `${name} (${entry.schema.spec.matchingPrecedence})` : name
  })
}
