/** The semantic difference of two configurations: which requests of whom land elsewhere, over all requests and identities. */
import { compileClassifier } from '../apf/compiled-classifier.ts'
import { dealtQueues } from '../apf/flow.ts'
import type { EffectiveConfiguration, EffectiveSchema } from '../apf/order.ts'
import type { RequestAttributes } from '../apf/request.ts'
import { isRefused } from '../apf/request-info.ts'
import { isMalformed, readRequestLine } from '../apf/request-line.ts'
import { compareBytes } from '../apf/text.ts'
import type { VersionRules } from '../apf/versions.ts'
import type { IdentityCube } from '../regions/identity.ts'
import { IdentitySets } from '../regions/identity-set.ts'
import { exampleIdentity } from '../regions/identity-witness.ts'
import {
  EVERY_REQUEST,
  PLANE_NAMES,
  type Plane,
  type Region,
  regionKey,
  subtractRegion,
  uniteRegions,
} from '../regions/region.ts'
import { Budget, decideTable, type Row } from '../regions/rule-table.ts'
import { bypassRegion } from '../regions/rules.ts'
import { type RequestLine, witness } from '../regions/witness.ts'
import type { IdentityFacts } from './reach.ts'
import { ruleClauses } from './rule-clauses.ts'

/** What differs between where a request landed and where it lands. */
export type Change = 'flowSchema' | 'priorityLevel' | 'distinguisher' | 'exemption'

/** A class of requests that move alike: every request of `requests` by every identity of one of `identities`. */
export interface Move {
  from: EffectiveSchema
  to: EffectiveSchema
  changes: readonly Change[]
  /** They may overlap. */
  identities: readonly IdentityCube[]
  requests: Region
  witness: RequestLine
}

export interface Moves {
  /** Disjoint, together all requests that move, no two of them mergeable in one dimension. Server order of `from`, `to`. */
  moves: Move[]
  /** What could not be told within the budget, a sentence each. The moves are true then, but not all there are. */
  undecided: string[]
  /** Requests of one side that bypass APF on the other, as versions differ; they are in no move. */
  bypass: {
    /** They bypassed and are classified now. */
    ends: Region
    begins: Region
  }
}

export interface MovesOptions {
  identities: IdentityFacts
  /** Versions before and after: they tell which requests bypass. */
  rules: { before: VersionRules; after: VersionRules }
  /** Steps of work after which the answer stays incomplete. */
  budget?: number
}

const DEFAULT_BUDGET = 200_000

/**
 * All requests that land elsewhere, for all identities: in another schema or level, in other flows, or newly exempt or no
 * longer. Schemas and levels are told apart by name. Requests that bypass APF before or after are in no move.
 *
 * Every move comes with a request that the classifier has been asked about, before and after.
 */
export function movesBetween(
  before: EffectiveConfiguration,
  after: EffectiveConfiguration,
  { identities, rules, budget: limit = DEFAULT_BUDGET }: MovesOptions,
): Moves {
  const sets = new IdentitySets(identities)
  const outcomes = new Outcomes()
  const pairs = new Pairs(outcomes)
  const moved = sets.diagrams.pairing((from, to) => pairs.number(from, to))
  const bypass = { before: bypassRegion(rules.before), after: bypassRegion(rules.after) }
  const rows = alignedRows(before, after, uniteRegions(bypass.before, bypass.after), sets, outcomes)
  const budgets = { namespaced: new Budget(limit), cluster: new Budget(limit), nonResource: new Budget(limit) }
  const { none } = sets.diagrams
  const answered = decideTable(
    { rows, sets, asked: sets.diagrams.all, question: ([from = none, to = none]) => moved(from, to) },
    budgets,
  )
  const moves = answered.map(({ answer, identities: who, requests }): Move => {
    const pair = pairs.get(answer)
    const cubes = sets.cubesOf(who)
    const identity = exampleIdentity(cubes, identities)
    const example = identity && witness(requests, identity)
    if (!example) throw new Error('a move without a witness')
    return { ...pair, identities: cubes, requests, witness: example }
  })
  return {
    moves: confirmed(sorted(moves, before, after), before, after),
    undecided: PLANE_NAMES.filter((plane) => budgets[plane].isSpent).map(
      (plane) => `not decided within ${limit} steps: all moves of ${PLANE_IN_WORDS[plane]}`,
    ),
    bypass: {
      ends: subtractRegion(bypass.before, bypass.after),
      begins: subtractRegion(bypass.after, bypass.before),
    },
  }
}

const PLANE_IN_WORDS: Readonly<Record<Plane, string>> = {
  namespaced: 'requests in a namespace',
  cluster: 'resource requests without a namespace',
  nonResource: 'non-resource requests',
}

/** What differs between two landings, in the order of the contract. */
function changesBetween(from: EffectiveSchema, to: EffectiveSchema): Change[] {
  const changes: Change[] = []
  if (from.schema.metadata.name !== to.schema.metadata.name) changes.push('flowSchema')
  if (from.level.metadata.name !== to.level.metadata.name) changes.push('priorityLevel')
  if (distinguisher(from) !== distinguisher(to) && [from, to].some(({ level }) => dealtQueues(level) !== null)) {
    changes.push('distinguisher')
  }
  if (isExempt(from) !== isExempt(to)) changes.push('exemption')
  return changes
}

/** Unknown types tell no flows apart. */
function distinguisher({ schema }: EffectiveSchema): 'ByUser' | 'ByNamespace' | null {
  const type = schema.spec.distinguisherMethod?.type
  return type === 'ByUser' || type === 'ByNamespace' ? type : null
}

function isExempt({ level }: EffectiveSchema): boolean {
  return level.spec.type === 'Exempt'
}

type Side = 'before' | 'after'
const SIDES: readonly Side[] = ['before', 'after']

/** Landings by number, from 1. Those that differ in nothing that counts have one number, also on different sides. */
class Outcomes {
  readonly #numbers = new Map<string, number>()
  readonly #entries: Record<Side, Map<number, EffectiveSchema>> = { before: new Map(), after: new Map() }

  /** Of requests that bypass: it is no landing, but the same on both sides. */
  readonly bypass = this.#number('')

  of(entry: EffectiveSchema, side: Side): number {
    const { schema, level } = entry
    const parts = [schema.metadata.name, level.metadata.name, distinguisher(entry), isExempt(entry)]
    // Methods of levels that deal no flows differ in nothing.
    const number = this.#number(JSON.stringify([...parts, dealtQueues(level) !== null]))
    this.#entries[side].set(number, entry)
    return number
  }

  entry(number: number, side: Side): EffectiveSchema | undefined {
    return this.#entries[side].get(number)
  }

  #number(key: string): number {
    const known = this.#numbers.get(key)
    if (known !== undefined) return known
    this.#numbers.set(key, this.#numbers.size + 1)
    return this.#numbers.size
  }
}

interface SideClause {
  /** Equal for clauses that match the same requests at the same place, with the same outcome. */
  key: string
  subjects: Row['subjects']
  requests: Region
  outcome: number
}

/**
 * The clauses of both sides as rows in one order that is right on either side: what is common stands in the same order on both, as
 * the place of a schema is told by its own name and precedence.
 */
function alignedRows(
  before: EffectiveConfiguration,
  after: EffectiveConfiguration,
  bypass: Region,
  sets: IdentitySets,
  outcomes: Outcomes,
): Row[] {
  const everyone = sets.everyone()
  const lists = {
    before: sideClauses(before, 'before', sets, outcomes),
    after: sideClauses(after, 'after', sets, outcomes),
  }
  const keysAfter = new Set(lists.after.map(({ key }) => key))
  const common = new Set(lists.before.map(({ key }) => key).filter((key) => keysAfter.has(key)))
  const aligned: Row[] = [
    { subjects: everyone, requests: bypass, answers: [outcomes.bypass, outcomes.bypass], matters: false },
  ]
  const rest = { before: [...lists.before].reverse(), after: [...lists.after].reverse() }
  const takeOwn = (side: Side) => {
    for (let next = rest[side].at(-1); next && !common.has(next.key); next = rest[side].at(-1)) {
      rest[side].pop()
      const { subjects, requests, outcome } = next
      const answers = SIDES.map((one) => (one === side ? outcome : null))
      aligned.push({ subjects, requests, answers, matters: true })
    }
  }
  for (;;) {
    for (const side of SIDES) takeOwn(side)
    const shared = rest.before.pop()
    if (!shared) break
    if (rest.after.pop()?.key !== shared.key) throw new Error('what did not change stands in another order')
    const { subjects, requests, outcome } = shared
    aligned.push({ subjects, requests, answers: [outcome, outcome], matters: false })
  }
  return aligned
}

function sideClauses(
  configuration: EffectiveConfiguration,
  side: Side,
  sets: IdentitySets,
  outcomes: Outcomes,
): SideClause[] {
  const clauses = configuration.order.flatMap((entry) => {
    const outcome = outcomes.of(entry, side)
    const { name } = entry.schema.metadata
    const place = JSON.stringify([entry.builtIn, entry.schema.spec.matchingPrecedence, name, outcome])
    const own = new Map(
      ruleClauses(entry, sets).map(({ subjects, requests }): [string, SideClause] => {
        const key = `${place} ${subjects.id} ${regionKey(requests)}`
        return [key, { key, subjects, requests, outcome }]
      }),
    )
    // Within a schema the order changes nothing.
    return [...own.values()].sort((a, b) => (a.key < b.key ? -1 : 1))
  })
  const outcome = outcomes.of(configuration.catchAll, side)
  return [...clauses, { key: `${outcome}`, subjects: sets.everyone(), requests: EVERY_REQUEST, outcome }]
}

/** Pairs of outcomes that differ, by number from 1. */
class Pairs {
  readonly #outcomes: Outcomes
  readonly #moved: Pick<Move, 'from' | 'to' | 'changes'>[] = []
  readonly #numbers = new Map<string, number>()

  constructor(outcomes: Outcomes) {
    this.#outcomes = outcomes
  }

  get(number: number): Pick<Move, 'from' | 'to' | 'changes'> {
    const pair = this.#moved[number - 1]
    if (!pair) throw new Error(`no pair ${number}`)
    return pair
  }

  /** 0 where nothing differs that counts. */
  number(before: number, after: number): number {
    const key = `${before} ${after}`
    const known = this.#numbers.get(key)
    if (known !== undefined) return known
    const from = this.#outcomes.entry(before, 'before')
    const to = this.#outcomes.entry(after, 'after')
    const changes = from && to ? changesBetween(from, to) : []
    if (from && to && changes.length > 0) this.#moved.push({ from, to, changes })
    const number = changes.length > 0 ? this.#moved.length : 0
    this.#numbers.set(key, number)
    return number
  }
}

function sorted(moves: readonly Move[], before: EffectiveConfiguration, after: EffectiveConfiguration): Move[] {
  const placeBefore = new Map(before.order.map((entry, index) => [entry, index]))
  const placeAfter = new Map(after.order.map((entry, index) => [entry, index]))
  return moves
    .map((move) => ({
      move,
      from: placeBefore.get(move.from) ?? 0,
      to: placeAfter.get(move.to) ?? 0,
      text: `${JSON.stringify(move.witness)} ${regionKey(move.requests)}`,
    }))
    .sort((a, b) => a.from - b.from || a.to - b.to || compareBytes(a.text, b.text))
    .map(({ move }) => move)
}

/** Asks the classifier about every witness: a move that it denies would be a fault of ours. */
function confirmed(moves: Move[], before: EffectiveConfiguration, after: EffectiveConfiguration): Move[] {
  const classifiers = { before: compileClassifier(before), after: compileClassifier(after) }
  for (const { from, to, witness: line } of moves) {
    const read = readRequestLine(line)
    if (isMalformed(read) || isRefused(read.request)) throw new Error(`no request: ${JSON.stringify(line)}`)
    const { identity } = read
    const request: RequestAttributes = read.request
    const found = SIDES.map((side) => classifiers[side].find(identity, request).entry)
    if (found[0] !== from || found[1] !== to)
      throw new Error(`the classifier denies a move to ${to.schema.metadata.name}: ${JSON.stringify(line)}`)
  }
  return moves
}
