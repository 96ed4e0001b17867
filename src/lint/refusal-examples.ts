/** Examples of the rules of what a server refuses or changes: a good FlowSchema and a good level, and edits of them. */
import { LISTS_OF_PODS, levelYaml, REPORTER, ruleYaml, schemaYaml } from './examples.ts'

export const SCHEMA = schemaYaml({
  rules: ruleYaml([REPORTER], LISTS_OF_PODS),
  level: 'shop',
})

export const LEVEL = levelYaml('shop')

/** A schema with its level, which may not both be as they should be. */
export function both({ schema = SCHEMA, level = LEVEL }: { schema?: string; level?: string }): string {
  return `${schema}---\n${level}`
}

/** The schema and its level with a part of the schema replaced. */
export function schemaWith(part: string, replacement: string): string {
  return both({ schema: edited(SCHEMA, part, replacement) })
}

/** The schema and its level with a part of the level replaced. */
export function levelWith(part: string, replacement: string): string {
  return both({ level: edited(LEVEL, part, replacement) })
}

/** @throws Error where the part is not in the text, so that no example is about nothing */
export function edited(text: string, part: string, replacement: string): string {
  if (!text.includes(part)) throw new Error(`no ${part} in the example`)
  return text.replace(part, replacement)
}
