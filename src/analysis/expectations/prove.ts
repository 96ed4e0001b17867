/** Whether a promise holds for every request of a set by every identity of a set: proved, or refuted by an example. */
import type { EffectiveSchema } from '../../apf/order.ts'
import { type RuleReach, reachOf, type SchemaReach } from '../reach.ts'
import {
  type CaseResult,
  type CheckContext,
  landingInWords,
  type TriedProblem,
  unknownLevel,
  unknownSchema,
} from './check.ts'
import { identitiesOf } from './identities.ts'
import type { SetCase, SetLanding } from './model.ts'

/** Asks what every rule in force takes of the set, and holds it against where the set must, or must not, land. */
export function proveSetCase(of: SetCase, { configuration, rules }: CheckContext): CaseResult {
  const { landing, quantifier, who, requests } = of
  const meaningless =
    unknownSchema(landing.flowSchema, configuration) ?? unknownLevel(landing.priorityLevel, configuration)
  if (meaningless !== null) return notKept(of, [], [pointless(of, meaningless)])
  const identities = identitiesOf(who, configuration)
  if (identities.length === 0) return notKept(of, [], [pointless(of, NOBODY)])
  const within = { identities, requests }
  const reached = reachOf(configuration, { identities: 'authenticated', rules, within }).flatMap(rulesOf)
  const taking = reached.filter(takesSome)
  const exercised = quantifier === 'never' ? [] : taking.map(takingRule)
  const isAgainst = ({ reach }: Reached) => isThere(reach.entry, landing) === (quantifier === 'never')
  const against = taking.filter(isAgainst).map((each) => counterExample(of, each))
  if (against.length > 0) return notKept(of, exercised, against)
  const open = reached.filter(isAgainst).filter(isOpen)
  if (open.length > 0)
    return notKept(
      of,
      exercised,
      open.map((each) => notProved(of, each)),
    )
  if (taking.length === 0 && quantifier === 'always') return notKept(of, [], [pointless(of, NOTHING_CLASSIFIED)])
  return { of, passed: true, tried: null, example: null, problems: [], exercised }
}

const NOBODY = 'nobody is meant: everybody of the set is left out by notGroups'
const NOTHING_CLASSIFIED = 'no request of the set is classified: there is nobody, or all of them bypass APF'

interface Reached {
  reach: SchemaReach
  rule: RuleReach
}

function rulesOf(reach: SchemaReach): Reached[] {
  return reach.rules.map((rule) => ({ reach, rule }))
}

function takesSome({ rule }: Reached): boolean {
  return rule.witness !== null
}

/** Whether it takes anything could not be told. Asked of rules without an example alone: of others it is costly to tell. */
function isOpen({ rule }: Reached): boolean {
  return rule.witness === null && rule.extent === 'undecided'
}

function takingRule({ reach, rule }: Reached) {
  return { entry: reach.entry, ruleIndex: rule.ruleIndex }
}

function isThere({ schema, level }: EffectiveSchema, { flowSchema, priorityLevel }: SetLanding): boolean {
  return (
    (flowSchema === null || schema.metadata.name === flowSchema) &&
    (priorityLevel === null || level.metadata.name === priorityLevel)
  )
}

/** Broken; undecided where nothing but undecided problems are known. */
function notKept(of: SetCase, exercised: CaseResult['exercised'], problems: TriedProblem[]): CaseResult {
  const passed = problems.some(({ undecided }) => !undecided) ? false : null
  return { of, passed, tried: null, example: problems[0] ?? null, problems, exercised }
}

const NOWHERE = { outcome: 'classified', entry: null, ruleIndex: null, nominalSeats: null, width: null } as const

/** The promise itself says nothing. */
function pointless({ landingAt }: SetCase, why: string): TriedProblem {
  return { witness: null, target: '', at: landingAt, actual: NOWHERE, why, undecided: false }
}

function counterExample({ at }: SetCase, { reach, rule }: Reached): TriedProblem {
  const { entry } = reach
  const actual = { ...NOWHERE, entry, ruleIndex: rule.ruleIndex }
  return { witness: rule.witness, target: '', at, actual, why: landingInWords(entry), undecided: false }
}

function notProved({ at }: SetCase, { reach }: Reached): TriedProblem {
  const why = `what FlowSchema ${reach.entry.schema.metadata.name} takes of it could not be told within the budget`
  return { witness: null, target: '', at, actual: NOWHERE, why, undecided: true }
}
