/** From an open source to its findings. */
import type { ObjectSet } from '../../apf/defaults/index.ts'
import type { Problem, Severity } from '../../apf/problem.ts'
import { lintContext } from '../../lint/context.ts'
import type { Evidence, LintContext, LintOptions, RuleId } from '../../lint/rule.ts'
import { RULES } from '../../lint/rules/index.ts'
import { type LintResult, lintSuppressed } from '../../lint/suppression.ts'
import type { ClusterState } from '../../sources/cluster-state.ts'
import type { LintSource } from './open.ts'

/** How the objects are judged, whatever their source. */
export interface Judging {
  severities: ReadonlyMap<RuleId, Severity | 'off'>
  options: Partial<LintOptions>
  complete: boolean
  /** Null: not given. */
  serverSeats: number | null
  /** Today in UTC, `2026-11-30`. */
  today: string
}

export interface Judgement extends LintResult {
  contexts: readonly LintContext[]
}

/** Seats of a server with default flags. */
const ASSUMED_SEATS = 600

/** Runs all rules over every state, as if each were of a server of its own. */
export function judge({ states, texts, evidence }: LintSource, judging: Judging): Judgement {
  const contexts = states.map((state) => contextOf(state, evidence, judging))
  const { severities, today } = judging
  return { contexts, ...lintSuppressed(contexts, RULES, { severities, today, texts }) }
}

function contextOf(state: ClusterState, evidence: Evidence, { complete, serverSeats, options }: Judging): LintContext {
  return lintContext({
    own: ownObjects(state),
    all: state,
    rules: state.rules,
    complete: complete || state.source.complete,
    serverSeats: { value: serverSeats ?? ASSUMED_SEATS, assumed: serverSeats === null },
    reading: state.problems.filter(isOfObject),
    options,
    evidence,
  })
}

/** The objects in question. */
export function ownObjects(state: ClusterState): ObjectSet {
  return state.own ?? { flowSchemas: state.flowSchemas, priorityLevels: state.priorityLevels }
}

/** Problems of objects are findings; those of inputs are told on stderr. */
export function isOfObject({ code }: Problem): boolean {
  return code.startsWith('APF') || code === 'defined-twice'
}
