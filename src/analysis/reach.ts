/**
 * What each FlowSchema, and each of its rules, gets of all requests of all identities once the schemas before it have taken
 * theirs: complete, by regions, with a witness for each claim.
 */
import type { Classifier } from '../apf/classify.ts'
import { compileClassifier } from '../apf/compiled-classifier.ts'
import type { EffectiveConfiguration, EffectiveSchema } from '../apf/order.ts'
import { isRefused } from '../apf/request-info.ts'
import { isMalformed, readRequestLine } from '../apf/request-line.ts'
import type { VersionRules } from '../apf/versions.ts'
import {
  cubeContains,
  EVERY_IDENTITY,
  type IdentityCube,
  type IdentityFacts,
  identityCube,
  subjectIdentities,
} from '../regions/identity.ts'
import type { Diagram } from '../regions/identity-diagram.ts'
import { IdentitySets, type SubjectSet } from '../regions/identity-set.ts'
import { exampleIdentity } from '../regions/identity-witness.ts'
import {
  EVERY_REQUEST,
  intersectRegions,
  isEmptyRegion,
  type Region,
  regionsMeet,
  subtractRegion,
} from '../regions/region.ts'
import { Budget, decideTable, findInTable, type Row, type Table } from '../regions/rule-table.ts'
import { bypassRegion } from '../regions/rules.ts'
import { intersect } from '../regions/string-set.ts'
import { type RequestLine, witness } from '../regions/witness.ts'
import { ruleClauses } from './rule-clauses.ts'

export type { IdentityFacts } from '../regions/identity.ts'

/** Requests of identities: every request of `requests` by every identity of one of `identities`. */
export interface Share {
  identities: readonly IdentityCube[]
  requests: Region
}

/** How much of what a rule names it gets. `undecided`: the budget did not suffice to tell. */
export type Extent = 'all' | 'part' | 'nothing' | 'undecided'

/** What is costly to tell is worked out when it is read first. */
export interface RuleReach {
  readonly ruleIndex: number
  /** Of what it names, long-running requests left out; `nothing` also where that leaves nothing. */
  readonly extent: Extent
  /** Disjoint; together exactly what the rule takes, long-running requests left out. Less where the budget did not suffice. */
  readonly shares: readonly Share[]
  /** A request that it takes; null for `nothing`, and where none was found within the budget. */
  readonly witness: RequestLine | null
  /**
   * Names of earlier schemas that together take the rest of what it names, none of them needlessly; in server order. Its own
   * schema is among them where an earlier rule of it is needed.
   */
  readonly coveredBy: readonly string[]
}

export interface SchemaReach {
  readonly entry: EffectiveSchema
  readonly extent: Extent
  readonly witness: RequestLine | null
  readonly coveredBy: readonly string[]
  readonly rules: readonly RuleReach[]
}

export interface ReachOptions {
  identities: IdentityFacts
  rules: VersionRules
  /** Only these requests of these identities; absent: all. */
  within?: Share
  /** Names of the schemas asked about; absent: all in force. */
  schemas?: ReadonlySet<string>
  /** Steps of work for one question about one rule. */
  budget?: number
}

const DEFAULT_BUDGET = 200_000

/**
 * What the schemas of a configuration get, in server order. Requests that match no rule and are left to catch-all belong to
 * no rule.
 */
export function reachOf(configuration: EffectiveConfiguration, options: ReachOptions): SchemaReach[] {
  const question = new ReachQuestion(configuration, options)
  return configuration.order
    .filter(({ schema }) => options.schemas?.has(schema.metadata.name) ?? true)
    .map((entry) => question.schemaReach(entry))
}

/** What all questions about one configuration have in common. */
interface Context {
  configuration: EffectiveConfiguration
  facts: IdentityFacts
  sets: IdentitySets
  bypass: Region
  /** Requests and identities that are asked about. */
  requests: Region
  who: readonly IdentityCube[]
  asked: Diagram
  classifier: Classifier
  /** By the ids of two lists of subjects: whether the first is part of the second. */
  parts: Map<number, boolean>
  limit: number
}

const MOST_SUBJECTS = 2 ** 26

interface PlacedClause {
  entry: EffectiveSchema
  ruleIndex: number
  subjects: SubjectSet
  requests: Region
}

class ReachQuestion {
  readonly #context: Context
  /** By schema. */
  readonly #clauses = new Map<EffectiveSchema, PlacedClause[]>()

  constructor(
    configuration: EffectiveConfiguration,
    { identities, rules, within = EVERYTHING, budget = DEFAULT_BUDGET }: ReachOptions,
  ) {
    const sets = new IdentitySets(identities)
    for (const entry of configuration.order) {
      const clauses = ruleClauses(entry, sets).map((clause) => ({ entry, ...clause }))
      this.#clauses.set(entry, clauses)
    }
    this.#context = {
      configuration,
      facts: identities,
      sets,
      bypass: bypassRegion(rules),
      requests: within.requests,
      who: within.identities,
      asked: sets.diagramOf(within.identities),
      classifier: compileClassifier(configuration),
      parts: new Map(),
      limit: budget,
    }
  }

  schemaReach(entry: EffectiveSchema): SchemaReach {
    const { order } = this.#context.configuration
    const earlier = order.slice(0, order.indexOf(entry)).flatMap((other) => this.#clauses.get(other) ?? [])
    const own = this.#clauses.get(entry) ?? []
    const rules = entry.schema.spec.rules.map((_, ruleIndex) => {
      const clauses = own.filter((clause) => clause.ruleIndex === ruleIndex)
      const before = own.filter((clause) => clause.ruleIndex < ruleIndex)
      return ruleReach(ruleIndex, new ClausesReach(this.#context, clauses, [...earlier, ...before]))
    })
    const whole = new ClausesReach(this.#context, own, earlier)
    return {
      entry,
      rules,
      get extent() {
        const extents = rules.map(({ extent }) => extent)
        if (extents.some((extent) => extent === 'all' || extent === 'part')) return whole.isTouched ? 'part' : 'all'
        return extents.includes('undecided') ? 'undecided' : 'nothing'
      },
      get witness() {
        return rules.find(({ witness: example }) => example !== null)?.witness ?? null
      },
      get coveredBy() {
        return whole.coveredBy
      },
    }
  }
}

const EVERYTHING: Share = { identities: EVERY_IDENTITY, requests: EVERY_REQUEST }

function ruleReach(ruleIndex: number, reach: ClausesReach): RuleReach {
  return {
    ruleIndex,
    get extent() {
      if (reach.example === 'undecided') return 'undecided'
      if (reach.example === null) return 'nothing'
      return reach.isTouched ? 'part' : 'all'
    },
    get shares() {
      return reach.shares
    },
    get witness() {
      return reach.example === 'undecided' ? null : reach.example
    },
    get coveredBy() {
      return reach.coveredBy
    },
  }
}

/** Answers of the lists: the clauses in question take it, or something before them does. */
const TAKEN = 1
const MISSED = 2

/** What some clauses of one schema get once others have taken theirs. Everything is worked out once, when it is asked for. */
class ClausesReach {
  readonly #context: Context
  readonly #clauses: readonly PlacedClause[]
  readonly #earlier: readonly PlacedClause[]
  readonly #memo = new Map<string, unknown>()

  constructor(context: Context, clauses: readonly PlacedClause[], earlier: readonly PlacedClause[]) {
    this.#context = context
    this.#clauses = clauses
    this.#earlier = earlier
  }

  /** A request that the clauses take, or null. */
  get example(): RequestLine | 'undecided' | null {
    return this.#once('example', () => this.#findExample())
  }

  /** Whether something before takes anything of what the clauses name. */
  get isTouched(): boolean {
    return this.#once('touched', () => this.#rivals.some((other) => this.#meets(other)))
  }

  get shares(): Share[] {
    return this.#once('shares', () => this.#allShares())
  }

  get coveredBy(): string[] {
    return this.#once('covered', () => this.#coveringSchemas().map(({ schema }) => schema.metadata.name))
  }

  #once<T>(name: string, work: () => T): T {
    if (!this.#memo.has(name)) this.#memo.set(name, work())
    return this.#memo.get(name) as T
  }

  #findExample(): RequestLine | 'undecided' | null {
    const { sets, facts, limit } = this.#context
    const obvious = this.#obviousExample()
    if (obvious !== null) return obvious
    if (this.#areCovering(this.#rivalSchemas)) return null
    const budget = new Budget(limit)
    const found = findInTable(this.#table(this.#rows(this.#rivals)), budget)
    if (!found) return budget.isSpent ? 'undecided' : null
    const identity = exampleIdentity(sets.cubesOf(found.identities), facts)
    const line = identity && witness(found.requests, identity)
    if (!line) throw new Error('a rule that takes something without a witness')
    return this.#confirmed(line)
  }

  /** The plainest request of each clause, if the classifier says that it is taken: mostly nothing has to be searched. */
  #obviousExample(): RequestLine | null {
    const { facts, who } = this.#context
    for (const { entry, ruleIndex } of this.#clauses) {
      for (const subject of entry.schema.spec.rules[ruleIndex]?.subjects ?? []) {
        const identity = exampleIdentity(subjectIdentities(subject), facts)
        if (!identity || !who.some((cube) => cubeContains(cube, identity))) continue
        for (const { requests } of this.#named) {
          const line = witness(requests, identity)
          if (line && this.#isTaken(line)) return line
        }
      }
    }
    return null
  }

  #isTaken(line: RequestLine): boolean {
    const read = readRequestLine(line)
    if (isMalformed(read) || isRefused(read.request)) throw new Error(`no request: ${JSON.stringify(line)}`)
    const { entry, ruleIndex } = this.#context.classifier.find(read.identity, read.request)
    return this.#clauses.some((clause) => clause.entry === entry && clause.ruleIndex === ruleIndex)
  }

  /** Whether these schemas take everything, as far as that can be seen without a search. */
  #areCovering(entries: readonly EffectiveSchema[]): boolean {
    return this.#coverable.every(({ requests, covering }) => {
      const left = covering.reduce(
        (rest, clause) => (entries.includes(clause.entry) ? subtractRegion(rest, clause.requests) : rest),
        requests,
      )
      return isEmptyRegion(left)
    })
  }

  /** What is named for each subject, with the rivals that take all whom the subject means. */
  get #coverable(): { requests: Region; covering: PlacedClause[] }[] {
    return this.#once('coverable', () =>
      this.#named.flatMap(({ entry, ruleIndex, requests }) =>
        (entry.schema.spec.rules[ruleIndex]?.subjects ?? []).flatMap((subject) => {
          const meant = this.#context.sets.subjects([subject])
          if (!meant.isEveryone && meant.names.length + meant.groups.length === 0) return []
          const covering = this.#rivals.filter(
            (clause) => regionsMeet(clause.requests, requests) && this.#isPart(meant, clause.subjects),
          )
          return [{ requests, covering }]
        }),
      ),
    )
  }

  get #rivalSchemas(): EffectiveSchema[] {
    return this.#once('schemas', () => [...new Set(this.#rivals.map(({ entry }) => entry))])
  }

  /** Whether everybody asked about who is in `part` is in `whole`. */
  #isPart(part: SubjectSet, whole: SubjectSet): boolean {
    const { sets, asked, parts } = this.#context
    if (sets.isPart(part, whole)) return true
    const key = part.id * MOST_SUBJECTS + whole.id
    const known = parts.get(key)
    if (known !== undefined) return known
    const { diagrams } = sets
    const isPart = !sets.isPossible(diagrams.and(diagrams.without(part.diagram, whole.diagram), asked))
    parts.set(key, isPart)
    return isPart
  }

  /** What the clauses name, as far as it is asked about and APF sees it. */
  get #named(): PlacedClause[] {
    return this.#once('named', () => {
      const { bypass, requests: within } = this.#context
      return this.#clauses
        .map((clause) => ({
          ...clause,
          requests: subtractRegion(
            within === EVERY_REQUEST ? clause.requests : intersectRegions(clause.requests, within),
            bypass,
          ),
        }))
        .filter(({ requests }) => !isEmptyRegion(requests))
    })
  }

  /** Earlier clauses that may take something of it. */
  get #rivals(): PlacedClause[] {
    return this.#once('rivals', () =>
      this.#earlier.filter((other) =>
        this.#named.some(
          (clause) =>
            this.#context.sets.mayMeet(other.subjects, clause.subjects) && regionsMeet(other.requests, clause.requests),
        ),
      ),
    )
  }

  /** Asks the classifier: if it denies what was found, that is a fault of ours. */
  #confirmed(line: RequestLine): RequestLine {
    if (!this.#isTaken(line)) throw new Error(`the classifier denies that a rule takes ${JSON.stringify(line)}`)
    return line
  }

  #allShares(): Share[] {
    const { sets, limit } = this.#context
    const budgets = { namespaced: new Budget(limit), cluster: new Budget(limit), nonResource: new Budget(limit) }
    return decideTable(this.#table(this.#rows(this.#rivals)), budgets).map(({ identities, requests }) => ({
      identities: sets.cubesOf(identities),
      requests,
    }))
  }

  #table(rows: readonly Row[]): Table {
    const { sets, asked } = this.#context
    const question = ([list]: readonly Diagram[]) => groupsWith(sets, list, TAKEN)
    return { rows, sets, asked, question, othersOnlyTake: true }
  }

  /** What is earlier, then the clauses themselves. */
  #rows(earlier: readonly PlacedClause[]): Row[] {
    return [
      ...earlier.map(({ subjects, requests }) => ({ subjects, requests, answers: [MISSED], matters: false })),
      ...this.#named.map(({ subjects, requests }) => ({ subjects, requests, answers: [TAKEN], matters: true })),
    ]
  }

  /** Whether a clause takes something of what these clauses name and what does not bypass. */
  #meets(other: PlacedClause): boolean {
    const { sets, asked } = this.#context
    return this.#named.some((clause) => {
      if (!regionsMeet(other.requests, clause.requests)) return false
      const both = sets.diagrams.and(other.subjects.diagram, clause.subjects.diagram)
      return sets.isPossible(sets.diagrams.and(both, asked))
    })
  }

  #coveringSchemas(): EffectiveSchema[] {
    if (this.#named.length === 0) return []
    let kept = this.#seenCovering()
    if (kept.length === 1) return kept
    if (kept.length === 0) {
      const meeting = new Set(this.#rivals.filter((other) => this.#meets(other)).map(({ entry }) => entry))
      kept = [...meeting]
    }
    // The first ones stay where there is a choice: nothing that is changed behind them matters then.
    for (const entry of kept.toReversed()) {
      if (!this.#isNeeded(entry, kept)) kept = kept.filter((other) => other !== entry)
    }
    return kept
  }

  /** Few schemas that take everything, one if possible; none where that cannot be seen without a search. */
  #seenCovering(): EffectiveSchema[] {
    let kept = this.#rivalSchemas
    if (!this.#areCovering(kept)) return []
    const single = kept.find((entry) => this.#areCovering([entry]))
    if (single) return [single]
    for (const entry of kept.toReversed()) {
      const others = kept.filter((other) => other !== entry)
      if (this.#areCovering(others)) kept = others
    }
    return kept
  }

  /** Whether a schema takes something from the clauses that no other one of these does. */
  #isNeeded(entry: EffectiveSchema, among: readonly EffectiveSchema[]): boolean {
    const { sets, asked, limit } = this.#context
    const others = this.#rivals.filter((clause) => clause.entry !== entry && among.includes(clause.entry))
    const own = this.#rivals.filter((clause) => clause.entry === entry)
    if (this.#isObviouslyNeeded(own, others)) return true
    const budget = new Budget(limit)
    const named = this.#named.map(({ requests }) => requests)
    const rows: Row[] = [
      ...own.flatMap(({ subjects, requests }) =>
        named.map((region) => ({
          subjects,
          requests: intersectRegions(requests, region),
          answers: [null, MISSED],
          matters: true,
        })),
      ),
      ...this.#rows(others).map(({ answers, ...row }) => ({
        ...row,
        answers: [...answers, ...answers],
        matters: false,
      })),
    ]
    const question = ([without, withIt]: readonly Diagram[]) => {
      return sets.diagrams.and(groupsWith(sets, without, TAKEN), groupsWith(sets, withIt, MISSED))
    }
    return findInTable({ rows, sets, asked, question }, budget) !== null || budget.isSpent
  }

  /** Whether of the plainest of those whom both name the others leave anything: mostly nothing has to be searched. */
  #isObviouslyNeeded(own: readonly PlacedClause[], others: readonly PlacedClause[]): boolean {
    const { facts, who } = this.#context
    return own.some((clause) =>
      this.#named.some((named) => {
        const requests = intersectRegions(clause.requests, named.requests)
        if (isEmptyRegion(requests)) return false
        return commonIdentities(clause, named).some((cube) => {
          const identity = exampleIdentity([cube], facts)
          if (!identity || !who.some((asked) => cubeContains(asked, identity))) return false
          const left = others.reduce(
            (rest, other) =>
              cubesOf(other).some((taken) => cubeContains(taken, identity))
                ? subtractRegion(rest, other.requests)
                : rest,
            requests,
          )
          return !isEmptyRegion(left)
        })
      }),
    )
  }
}

/** Identities whom the subjects of both rules mean. */
function commonIdentities(a: PlacedClause, b: PlacedClause): IdentityCube[] {
  return cubesOf(a).flatMap((one) =>
    cubesOf(b).map((other) =>
      identityCube({ users: intersect(one.users, other.users), has: [...one.has, ...other.has] }),
    ),
  )
}

function cubesOf({ entry, ruleIndex }: PlacedClause): IdentityCube[] {
  return entry.schema.spec.rules[ruleIndex]?.subjects.flatMap(subjectIdentities) ?? []
}

/** Who gets an answer from a list; none if nobody does. TAKEN is the answer for everybody in a set, too. */
function groupsWith({ diagrams }: IdentitySets, list: Diagram | undefined, answer: number): Diagram {
  return (list && diagrams.byAnswer(list).get(answer)) ?? diagrams.none
}
