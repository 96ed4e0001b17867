/**
 * What happens between the steps of a change: objects are applied one after the other, every API server sees each of them in
 * its own time, and what servers undo or bring back they do within a minute only.
 */

import type { Classifier } from '../../apf/classify.ts'
import { compileClassifier } from '../../apf/compiled-classifier.ts'
import type { ObjectSet } from '../../apf/defaults/index.ts'
import { equalData } from '../../apf/equal-data.ts'
import { type ApfObject, type FlowSchema, MANDATORY_NAMES } from '../../apf/objects.ts'
import { type EffectiveConfiguration, effectiveConfiguration } from '../../apf/order.ts'
import type { Identity, RequestAttributes } from '../../apf/request.ts'
import { isRefused } from '../../apf/request-info.ts'
import { isMalformed, readRequestLine } from '../../apf/request-line.ts'
import type { VersionRules } from '../../apf/versions.ts'
import { type ObjectRef, refKey, refOf } from '../change/change.ts'
import { allOf, findObject, withObject, withoutObject } from '../change/object-sets.ts'
import type { Move } from '../moves.ts'
import type { IdentityFacts } from '../reach.ts'
import { type Detour, detoursThrough, type RoutingState } from './detours.ts'

/** One object on its way: null before it is created and after it is deleted. */
export interface ObjectEdit {
  object: ObjectRef
  before: ApfObject | null
  after: ApfObject | null
}

export interface OnTheWay {
  /** Steps that change something. */
  edits: number
  /** States of the given order that are neither the first nor the last one, in their order. */
  states: WayState[]
  /**
   * `direct`: there is nothing in between; `safe`: no request takes a detour in the given order; `reorder`: there is a
   * better order, without a detour and without a schema that waits for its level; `unavoidable`: requests take detours in
   * any order; `undecided`: the budget did not suffice.
   */
  verdict: 'direct' | 'safe' | 'reorder' | 'unavoidable' | 'undecided'
  /** A safe order; null where none is known. */
  order: ObjectEdit[] | null
  undecided: string[]
}

export interface WayState {
  /** What was done last; null: everything was, and the servers have not yet done their part. */
  edit: ObjectEdit | null
  /** FlowSchemas that take nothing for the time being, though they do before or after. */
  dangling: string[]
  detours: Detour[]
}

export interface WayQuestion {
  before: { objects: ObjectSet; routing: RoutingState }
  /** The given order. */
  edits: readonly ObjectEdit[]
  after: RoutingState
  /** What moves from before to after. */
  moves: readonly Move[]
  rules: VersionRules
  identities: IdentityFacts
}

/** States whose routing is looked at: each takes up to a second of the largest configurations. */
const MOST_STATES = 48
const MOST_SHOWN_STATES = 24

/** The states between the steps of the given order, and a better order where that one leads requests astray. */
export function onTheWay(question: WayQuestion): OnTheWay {
  const edits = withoutRepeats(question.edits)
  const way = new Way(question)
  const given = edits.slice(0, MOST_SHOWN_STATES)
  const states = given
    .map((edit, index) => way.state(edits.slice(0, index + 1), index === edits.length - 1 ? null : edit))
    .filter((state) => state !== null)
  const undecided =
    given.length < edits.length ? [`the states after the first ${MOST_SHOWN_STATES} steps were not looked at`] : []
  const { verdict, order } = judged(states, edits, way, undecided.length === 0)
  return { edits: edits.length, states, verdict, order, undecided: [...undecided, ...way.undecided] }
}

function judged(
  states: readonly WayState[],
  edits: readonly ObjectEdit[],
  way: Way,
  isWhole: boolean,
): Pick<OnTheWay, 'verdict' | 'order'> {
  const hasDetour = states.some(({ detours }) => detours.length > 0)
  const isKnown = isWhole && way.undecided.length === 0
  if (states.every(isClean)) {
    if (!isKnown) return { verdict: 'undecided', order: null }
    return { verdict: states.length === 0 ? 'direct' : 'safe', order: null }
  }
  // What the servers still have to do hits requests whatever the order is.
  const isHopeless = states.some((state) => state.edit === null && !isClean(state))
  const order = isHopeless ? null : cleanOrder(edits, way)
  if (order !== null) return { verdict: 'reorder', order }
  if (!hasDetour) return { verdict: isKnown ? 'safe' : 'undecided', order: null }
  return { verdict: isHopeless || !way.isExhausted ? 'unavoidable' : 'undecided', order: null }
}

/** No request takes a detour, and no schema is without its level. */
function isClean({ detours, dangling }: WayState): boolean {
  return detours.length === 0 && dangling.length === 0
}

/** Of an object that is edited twice in a row the states in between count as well; nothing else happens to it. */
function withoutRepeats(edits: readonly ObjectEdit[]): ObjectEdit[] {
  return edits.filter(({ before, after }) => !equalData(before?.spec ?? null, after?.spec ?? null))
}

class Way {
  readonly undecided: string[] = []
  readonly #question: WayQuestion
  readonly #known = new Map<string, WayState | null>()
  readonly #numbers = new Map<ApfObject | null, number>()
  readonly #seenAstray: Sample[] = []
  #looked = 0

  constructor(question: WayQuestion) {
    this.#question = question
  }

  get isExhausted(): boolean {
    return this.#looked >= MOST_STATES
  }

  /** The state after these edits; null where it is the same as before or after the change. */
  state(done: readonly ObjectEdit[], edit: ObjectEdit | null): WayState | null {
    const key = this.#keyOf(done)
    const known = this.#known.get(key)
    if (known !== undefined) return known && { ...known, edit }
    this.#looked++
    const found = this.#look(done, edit)
    this.#known.set(key, found)
    return found
  }

  /** Equal for the same objects, in whatever order they came about. */
  #keyOf(done: readonly ObjectEdit[]): string {
    const last = new Map(done.map(({ object, after }) => [refKey(object), after]))
    return [...last]
      .map(([key, after]) => `${key} ${this.#numberOf(after)}`)
      .sort()
      .join('\n')
  }

  #numberOf(object: ApfObject | null): number {
    const number = this.#numbers.get(object) ?? this.#numbers.size
    this.#numbers.set(object, number)
    return number
  }

  /** Whether the state after these edits is clean. Requests that have been seen on a detour are asked first: that is cheap. */
  leadsToClean(done: readonly ObjectEdit[], edit: ObjectEdit): boolean {
    if (this.#known.get(this.#keyOf(done)) === undefined) {
      if (this.#looked >= MOST_STATES) return false
      const { before, after } = this.#question
      const meanwhile = this.#routingAfter(done)
      if (danglingMeanwhile(before.routing, meanwhile, after).length > 0) return false
      const classifier = compileClassifier(meanwhile.configuration)
      if (this.#seenAstray.some((sample) => isAstray(sample, classifier))) return false
    }
    const state = this.state(done, edit)
    return state === null || isClean(state)
  }

  #look(done: readonly ObjectEdit[], edit: ObjectEdit | null): WayState | null {
    const { before, after, moves, identities } = this.#question
    const meanwhile = this.#routingAfter(done)
    const dangling = danglingMeanwhile(before.routing, meanwhile, after)
    const isAsAtAnEnd = [before.routing, after].some(({ configuration }) =>
      routesAlike(configuration, meanwhile.configuration),
    )
    if (isAsAtAnEnd) return dangling.length === 0 ? null : { edit, dangling, detours: [] }
    const { detours, undecided } = detoursThrough(before.routing, meanwhile, after, moves, identities)
    for (const sentence of undecided) if (!this.undecided.includes(sentence)) this.undecided.push(sentence)
    this.#seenAstray.push(...detours.flatMap(sampleOf))
    return { edit, dangling, detours }
  }

  #routingAfter(done: readonly ObjectEdit[]): RoutingState {
    const { before, rules } = this.#question
    const { flowSchemas, priorityLevels } = done.reduce(withEdit, before.objects)
    return { configuration: effectiveConfiguration(flowSchemas, priorityLevels, rules), rules }
  }
}

/** A request with the levels where it is at home: before and after. */
interface Sample {
  identity: Identity
  request: RequestAttributes
  home: readonly string[]
}

function sampleOf({ from, to, witness }: Detour): Sample[] {
  const read = readRequestLine(witness)
  if (isMalformed(read) || isRefused(read.request)) return []
  const home = [from, to].map(({ level }) => level.metadata.name)
  return [{ identity: read.identity, request: read.request, home }]
}

function isAstray({ identity, request, home }: Sample, classifier: Classifier): boolean {
  return !home.includes(classifier.find(identity, request).entry.level.metadata.name)
}

function withEdit(objects: ObjectSet, { object, after }: ObjectEdit): ObjectSet {
  return after === null ? withoutObject(objects, object) : withObject(objects, after)
}

/** The same schemas lead in the same order to the same levels, so that no request is anywhere else. */
function routesAlike(a: EffectiveConfiguration, b: EffectiveConfiguration): boolean {
  return (
    a.order.length === b.order.length &&
    a.order.every((entry, index) => {
      const other = b.order[index]
      return (
        other !== undefined &&
        entry.schema.metadata.name === other.schema.metadata.name &&
        equalData(entry.schema.spec, other.schema.spec)
      )
    })
  )
}

/** Schemas that dangle at neither end. Built-in ones stand in for the mandatory, at once. */
function danglingMeanwhile(before: RoutingState, meanwhile: RoutingState, after: RoutingState): string[] {
  const namesOf = ({ configuration }: RoutingState) => configuration.dangling.map(({ schema }) => schema.metadata.name)
  const atAnEnd = new Set<string>([...namesOf(before), ...namesOf(after), ...MANDATORY_NAMES])
  return namesOf(meanwhile).filter((name) => !atAnEnd.has(name))
}

/**
 * An order in which every state is clean. First that of good habit: levels before the schemas that name them, deletions
 * last and levels last of all; then whatever a search finds.
 */
function cleanOrder(edits: readonly ObjectEdit[], way: Way): ObjectEdit[] | null {
  const net = netEdits(edits)
  for (const order of [habitual(net, 1), habitual(net, -1)]) {
    if (order.every((edit, index) => way.leadsToClean(order.slice(0, index + 1), edit))) return order
  }
  return search(net, [], way, new Set())
}

function search(
  open: readonly ObjectEdit[],
  done: readonly ObjectEdit[],
  way: Way,
  dead: Set<string>,
): ObjectEdit[] | null {
  if (open.length === 0) return [...done]
  const key = open.map(({ object }) => refKey(object)).join('\n')
  if (dead.has(key)) return null
  for (const edit of open) {
    const next = [...done, edit]
    if (!way.leadsToClean(next, edit)) continue
    const rest = open.filter((other) => other !== edit)
    const found = search(rest, next, way, dead)
    if (found !== null) return found
  }
  dead.add(key)
  return null
}

/** One edit an object, from its first state to its last. */
function netEdits(edits: readonly ObjectEdit[]): ObjectEdit[] {
  const net = new Map<string, ObjectEdit>()
  for (const edit of edits) {
    const key = refKey(edit.object)
    net.set(key, { ...edit, before: net.get(key)?.before ?? edit.before })
  }
  return [...net.values()]
}

function habitual(edits: readonly ObjectEdit[], direction: 1 | -1): ObjectEdit[] {
  const rank = ({ object, after }: ObjectEdit) =>
    after !== null ? (object.kind === 'FlowSchema' ? 1 : 0) : object.kind === 'FlowSchema' ? 2 : 3
  return edits.toSorted((a, b) => rank(a) - rank(b) || direction * (precedenceOf(a) - precedenceOf(b)))
}

function precedenceOf({ before, after }: ObjectEdit): number {
  const schema = [after, before].find((object): object is FlowSchema => object?.kind === 'FlowSchema')
  return schema?.spec.matchingPrecedence ?? 0
}

/** The edits that lead from one set of objects to another, where nobody has told their order: that of good habit. */
export function editsBetween(before: ObjectSet, after: ObjectSet): ObjectEdit[] {
  const refs = new Map([...allOf(before), ...allOf(after)].map((object) => [refKey(refOf(object)), refOf(object)]))
  const edits = [...refs.values()].map((object) => ({
    object,
    before: findObject(before, object),
    after: findObject(after, object),
  }))
  return habitual(withoutRepeats(edits), 1)
}
