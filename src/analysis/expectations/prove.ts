/** Whether a promise holds for every request of a set by every identity of a set: proved, or refuted by an example. */
import type { EffectiveSchema } from '../../apf/order.ts'
import { type RuleReach, reachOf, type SchemaReach } from '../reach.ts'
import { type CaseResult, type CheckContext, type TriedProblem, unknownLevel, unknownSchema } from './check.ts'
import { identitiesOf } from './identities.ts'
import type { SetCase, SetLanding } from './model.ts'

export function proveSetCase(of: SetCase, { configuration, rules }: CheckContext): CaseResult {
  const { landing, quantifier } = of
  const meaningless =
    unknownSchema(landing.flowSchema, configuration) ?? unknownLevel(landing.priorityLevel, configuration)
  if (meaningless !== null) return failed(of, [], [pointless(of, meaningless)])
  const identities = identitiesOf(of.who, configuration)
  const within = { identities, requests: of.requests }
  const reaches = reachOf(configuration, { identities: 'authenticated', rules, within })
  const reached = reaches.flatMap((reach) => reach.rules.map((rule) => ({ reach, rule }))).filter(takesSome)
  const exercised = quantifier === 'never' ? [] : reached.map(({ reach, rule }) => taking(reach, rule))
  const against = reached.filter(({ reach }) => isThere(reach.entry, landing) === (quantifier === 'never'))
  if (against.length > 0)
    return failed(
      of,
      exercised,
      against.map((each) => counterExample(of, each)),
    )
  const open = reaches.filter(
    ({ entry, extent }) => extent === 'undecided' && isThere(entry, landing) === (quantifier === 'never'),
  )
  if (open.length > 0)
    return {
      ...failed(
        of,
        exercised,
        open.map(({ entry }) => notProved(of, entry)),
      ),
      passed: null,
    }
  if (reached.length === 0 && quantifier === 'always') {
    return failed(
      of,
      [],
      [pointless(of, 'no request of the set is classified: there is nobody, or all of them bypass APF')],
    )
  }
  return { of, passed: true, tried: null, example: null, problems: [], exercised }
}

interface Reached {
  reach: SchemaReach
  rule: RuleReach
}

function takesSome({ rule }: Reached): boolean {
  return rule.witness !== null
}

function taking({ entry }: SchemaReach, { ruleIndex }: RuleReach) {
  return { entry, ruleIndex }
}

function isThere({ schema, level }: EffectiveSchema, { flowSchema, priorityLevel }: SetLanding): boolean {
  return (
    (flowSchema === null || schema.metadata.name === flowSchema) &&
    (priorityLevel === null || level.metadata.name === priorityLevel)
  )
}

function failed(of: SetCase, exercised: CaseResult['exercised'], problems: TriedProblem[]): CaseResult {
  return { of, passed: false, tried: null, example: problems[0] ?? null, problems, exercised }
}

const NOWHERE = { outcome: 'classified', entry: null, ruleIndex: null, nominalSeats: null, width: null } as const

/** The promise itself says nothing. */
function pointless({ landingAt }: SetCase, why: string): TriedProblem {
  return { witness: null, target: '', at: landingAt, actual: NOWHERE, why, undecided: false }
}

function counterExample({ at }: SetCase, { reach, rule }: Reached): TriedProblem {
  const { entry } = reach
  const { metadata, spec } = entry.schema
  const why = `it lands in ${entry.level.metadata.name} through ${metadata.name} (${spec.matchingPrecedence})`
  const actual = { ...NOWHERE, entry, ruleIndex: rule.ruleIndex }
  return { witness: rule.witness, target: '', at, actual, why, undecided: false }
}

function notProved({ at }: SetCase, { schema }: EffectiveSchema): TriedProblem {
  const why = `what FlowSchema ${schema.metadata.name} takes of it could not be told within the budget`
  return { witness: null, target: '', at, actual: NOWHERE, why, undecided: true }
}
