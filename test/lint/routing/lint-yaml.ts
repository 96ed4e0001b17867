/** Runs rules over YAML as the command does. */

import { BACKEND_KINDS } from '../../../src/lint/backends.ts'
import { lintContext } from '../../../src/lint/context.ts'
import { type LintFinding, lint } from '../../../src/lint/engine.ts'
import { type LintContext, type LintOptions, NO_EVIDENCE, type Rule, type RuleExample } from '../../../src/lint/rule.ts'
import { RULES } from '../../../src/lint/rules/index.ts'
import { isSourceFailure } from '../../../src/sources/failure.ts'
import { readFiles } from '../../../src/sources/files.ts'
import { openRead, openSource } from '../../../src/sources/open.ts'

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
  const source = { from: yaml === null ? [] : ['-'], defaults, overlayDefaults: yaml !== null }
  const read = yaml === null ? null : await readFiles(source.from, bytesOf(yaml), new Map(), BACKEND_KINDS)
  const state = read === null ? await openSource(source) : await openRead(read, source)
  if (isSourceFailure(state)) throw new Error(JSON.stringify(state))
  const { rules, problems } = state
  const serverSeats = { value: 600, assumed: true }
  return lintContext({
    own: state.own ?? state,
    all: state,
    rules,
    complete: complete ?? state.source.complete,
    serverSeats,
    reading: problems,
    options,
    evidence: { ...NO_EVIDENCE, backends: read?.foreign ?? [] },
  })
}

async function* bytesOf(text: string) {
  yield new TextEncoder().encode(text)
}

export const ROUTING_RULES: readonly Rule[] = RULES.filter(({ id }) => id.startsWith('APF2'))

export async function routingFindings(yaml: string | null, as: LintedAs = {}): Promise<LintFinding[]> {
  return lint([await contextOf(yaml, as)], ROUTING_RULES)
}

export function exampleOf(example: RuleExample | string): RuleExample {
  if (typeof example === 'string') throw new Error('an example that is no file')
  return example
}

/** `APF207 warning spec.rules[0]…: message`, the way findings are written down in tests. */
export function briefly({ rule, severity, path, message }: LintFinding): string {
  const field = path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
    .replace(/^\./, '')
  return `${rule.id} ${severity} ${field}: ${message}`
}
