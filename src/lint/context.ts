/** From the objects of one configuration to what rules look at. */
import type { ObjectSet } from '../apf/defaults/index.ts'
import { effectiveConfiguration } from '../apf/order.ts'
import type { Problem } from '../apf/problem.ts'
import type { VersionRules } from '../apf/versions.ts'
import { type Evidence, type LintContext, type LintOptions, NO_EVIDENCE } from './rule.ts'

export interface LintInput {
  /** The objects in question, a part of `all`. */
  own: ObjectSet
  /** Those and the objects around them. */
  all: ObjectSet
  rules: VersionRules
  complete: boolean
  serverSeats: LintContext['serverSeats']
  reading?: readonly Problem[]
  options?: Partial<LintOptions>
  evidence?: Evidence
}

/** Options where nobody sets them. */
const DEFAULT_OPTIONS: LintOptions = { allowedExempt: [], guaranteedLevels: [], upgrade: null }

/** Digests the objects as a server of that version does. */
export function lintContext(input: LintInput): LintContext {
  const { own, all, rules, complete, serverSeats, reading = [], options = {}, evidence = NO_EVIDENCE } = input
  const configuration = effectiveConfiguration(all.flowSchemas, all.priorityLevels, rules)
  return {
    own,
    all,
    configuration,
    complete,
    rules,
    serverSeats,
    reading,
    options: { ...DEFAULT_OPTIONS, ...options },
    evidence,
  }
}
