/**
 * What a change of the objects does: which requests of whom land elsewhere, what happens on the way there, and what servers
 * make of it besides.
 */
import type { ObjectSet } from '../apf/defaults/index.ts'
import { equalData } from '../apf/equal-data.ts'
import { effectiveConfiguration } from '../apf/order.ts'
import type { Problem } from '../apf/problem.ts'
import type { VersionRules } from '../apf/versions.ts'
import { isEmptyRegion } from '../regions/region.ts'
import { carryOut, type StepDone } from './change/apply-change.ts'
import { type ChangeStep, type ObjectRef, type Rewrite, refKey, refOf } from './change/change.ts'
import { afterUpgrade, maintained } from './change/maintained.ts'
import { allOf, findObject } from './change/object-sets.ts'
import { movesBetween } from './moves.ts'
import type { IdentityFacts } from './reach.ts'
import type { RoutingState } from './simulation/detours.ts'
import { type LevelSettingChange, levelSettingChanges } from './simulation/level-settings.ts'
import { editsBetween, type ObjectEdit, type OnTheWay, onTheWay } from './simulation/on-the-way.ts'
import { type RatedMove, type RedealtLevel, ratedMoves, redealtLevels } from './simulation/rated-moves.ts'

export interface SimulationQuestion {
  before: SimulatedObjects
  /** Of the servers after the change. */
  rules: VersionRules
  change: { steps: readonly ChangeStep[] } | { to: SimulatedObjects }
  /** The default objects of the version after are wanted, also where the objects before have none of them. */
  withAllDefaults: boolean
  identities: IdentityFacts
}

export interface SimulatedObjects {
  objects: ObjectSet
  rules: VersionRules
  /** What is not there does not exist. */
  complete: boolean
}

export interface SimulatedState extends RoutingState {
  objects: ObjectSet
}

export interface Simulation {
  before: SimulatedState
  after: SimulatedState
  /** What the change does to which object, as the server has it in the end. */
  objects: ObjectChange[]
  rewrites: Rewrite[]
  warnings: Problem[]
  /** The riskiest first. */
  moves: RatedMove[]
  redealtLevels: RedealtLevel[]
  /** What levels do otherwise though no request moves. */
  settings: LevelSettingChange[]
  /** Whether requests begin or cease to bypass APF, as versions differ. They are in no move. */
  bypass: { ends: boolean; begins: boolean }
  /** What could not be told within the budget. */
  undecided: string[]
  way: OnTheWay
}

export interface ObjectChange {
  object: ObjectRef
  effect: 'created' | 'changed' | 'unchanged' | 'deleted'
}

/** Kubectl or the server refuses a part of the change, so that nothing is simulated. */
export interface RefusedChange {
  refusals: Problem[]
  warnings: Problem[]
}

export function isRefusedChange(answer: Simulation | RefusedChange): answer is RefusedChange {
  return 'refusals' in answer
}

export function simulate(question: SimulationQuestion): Simulation | RefusedChange {
  const { before, rules, change, withAllDefaults, identities } = question
  const upgrade = !equalData(before.rules, rules) || withAllDefaults
  const scope = { before, upgrade, withAllDefaults, complete: before.complete }
  // A server of another version looks at everything that is stored before anything is sent to it.
  const upgraded = upgrade ? afterUpgrade(before, rules, scope) : { objects: before.objects, rewrites: [] }
  const sent = sentTo(upgraded.objects, change, rules)
  if (sent.refusals.length > 0) return { refusals: sent.refusals, warnings: sent.warnings }
  const touched = new Set(sent.edits.map(({ object }) => refKey(object)))
  const isState = 'to' in change && change.to.complete
  const kept = isState
    ? { objects: sent.objects, rewrites: [] }
    : maintained(sent.objects, rules, { ...scope, touched })
  const states = { before: stateOf(before.objects, before.rules), after: stateOf(kept.objects, rules) }
  const { moves, undecided, bypass } = movesBetween(states.before.configuration, states.after.configuration, {
    identities,
    rules: { before: before.rules, after: rules },
  })
  return {
    ...states,
    objects: netChanges(before.objects, kept.objects, touched),
    rewrites: distinct([...upgraded.rewrites, ...sent.rewrites, ...kept.rewrites]),
    warnings: sent.warnings,
    moves: ratedMoves(moves),
    redealtLevels: redealtLevels(states.before.configuration.levels, states.after.configuration.levels),
    settings: levelSettingChanges(states.before.configuration.levels, states.after.configuration.levels),
    bypass: { ends: !isEmptyRegion(bypass.ends), begins: !isEmptyRegion(bypass.begins) },
    undecided,
    way: onTheWay({
      before: { objects: upgraded.objects, routing: states.before },
      edits: sent.edits,
      after: states.after,
      moves,
      rules,
      identities,
    }),
  }
}

interface Sent {
  objects: ObjectSet
  edits: ObjectEdit[]
  rewrites: Rewrite[]
  refusals: Problem[]
  warnings: Problem[]
}

function sentTo(objects: ObjectSet, change: SimulationQuestion['change'], rules: VersionRules): Sent {
  if ('to' in change) {
    const target = change.to.objects
    return { objects: target, edits: editsBetween(objects, target), rewrites: [], refusals: [], warnings: [] }
  }
  const { steps, ...sent } = carryOut(objects, change.steps, rules)
  return { ...sent, edits: editsOf(objects, steps) }
}

function editsOf(base: ObjectSet, steps: readonly StepDone[]): ObjectEdit[] {
  return steps.map(({ object, objects }, index) => ({
    object,
    before: findObject(steps[index - 1]?.objects ?? base, object),
    after: findObject(objects, object),
  }))
}

function stateOf(objects: ObjectSet, rules: VersionRules): SimulatedState {
  return { objects, rules, configuration: effectiveConfiguration(objects.flowSchemas, objects.priorityLevels, rules) }
}

/** Of all objects that differ in the end, and of those that the change names. */
function netChanges(before: ObjectSet, after: ObjectSet, touched: ReadonlySet<string>): ObjectChange[] {
  const refs = new Map([...allOf(before), ...allOf(after)].map((object) => [refKey(refOf(object)), refOf(object)]))
  return [...refs].flatMap(([key, object]): ObjectChange[] => {
    const [old, now] = [findObject(before, object), findObject(after, object)]
    if (old === null || now === null) return [{ object, effect: old === null ? 'created' : 'deleted' }]
    if (!equalData(old.spec, now.spec)) return [{ object, effect: 'changed' }]
    return touched.has(key) ? [{ object, effect: 'unchanged' }] : []
  })
}

function distinct(rewrites: readonly Rewrite[]): Rewrite[] {
  return [...new Map(rewrites.map((rewrite) => [rewrite.message, rewrite])).values()]
}
