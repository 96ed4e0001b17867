/** Runs rules over YAML as the command does. */
import { lintContext } from '../../../src/lint/context.ts'
import { type LintFinding, lint } from '../../../src/lint/engine.ts'
import type { LintContext, LintOptions, Rule } from '../../../src/lint/rule.ts'
import { RULES } from '../../../src/lint/rules/index.ts'
import { isSourceFailure } from '../../../src/sources/failure.ts'
import { openSource } from '../../../src/sources/open.ts'

export interface LintedAs {
  defaults?: string
  complete?: boolean
  options?: Partial<LintOptions>
}

/** Objects laid over the defaults of a minor; without any text, the defaults themselves are in question. */
export async function contextOf(
  yaml: string | null,
  { defaults = '1.34', complete, options = {} }: LintedAs = {},
): Promise<LintContext> {
  const from = yaml === null ? [] : ['-']
  const state = await openSource({ from, defaults, overlayDefaults: from.length > 0, stdin: bytesOf(yaml ?? '') })
  if (isSourceFailure(state)) throw new Error(JSON.stringify(state))
  const { rules, problems, source } = state
  const serverSeats = { value: 600, assumed: true }
  return lintContext({
    own: state.own ?? state,
    all: state,
    rules,
    complete: complete ?? source.complete,
    serverSeats,
    reading: problems,
    options,
  })
}

async function* bytesOf(text: string) {
  yield new TextEncoder().encode(text)
}

export const ROUTING_RULES: readonly Rule[] = RULES.filter(({ id }) => id.startsWith('APF2'))

export async function routingFindings(yaml: string | null, as: LintedAs = {}): Promise<LintFinding[]> {
  return lint([await contextOf(yaml, as)], ROUTING_RULES)
}

/** `APF207 warning spec.rules[0]…: message`, the way findings are written down in tests. */
export function briefly({ rule, severity, path, message }: LintFinding): string {
  const field = path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
    .replace(/^\./, '')
  return `${rule.id} ${severity} ${field}: ${message}`
}
