/**
 * First-match lists over requests and identities. Requests are decided first, identities last: by groups there would be a way
 * for each combination of groups. What is left of the rules when a request is known is a short list of subjects.
 */
import { add, type Bits, bitsWhere, hasBit, isClear, keepOnly, noBits, numbersIn, remove, setBit } from './bits.ts'
import { type Box, boxesMeet } from './box.ts'
import { decide, type Judge, shortestOf } from './decision-diagram.ts'
import type { Diagram } from './identity-diagram.ts'
import type { IdentitySets, SubjectSet } from './identity-set.ts'
import { DECISION_ORDERS, type Plane, spacesOf } from './region.ts'

/** One box of a rule on one plane of requests. Rows stand in the order in which they are tried. */
export interface Row {
  subjects: SubjectSet
  box: Box
  /** Per list, what the row answers there (from 1), or null where the list lacks it. */
  answers: readonly (number | null)[]
  /** Where no such row matches, nothing is asked. */
  matters: boolean
}

/** Counts work, so that the same question always gives up at the same point, on every machine. */
export class Budget {
  readonly limit: number
  #spent = 0

  /** @param limit  steps: subjects looked at, and diagrams made */
  constructor(limit: number) {
    this.limit = limit
  }

  get spent(): number {
    return this.#spent
  }

  get isSpent(): boolean {
    return this.#spent > this.limit
  }

  spend(steps: number): void {
    this.#spent += steps
  }
}

/**
 * Turns what the lists answer, as diagrams of identities with 0 for no answer, into numbers of answers. `last` ends the
 * search: nothing more is asked or found.
 */
export type Answers = (lists: readonly Diagram[]) => readonly number[] | { last: number }

const EFFORT_FOR_BREVITY = 2

/**
 * For which requests on a plane the lists give which answers. If the budget is spent on the way, what is found is true but
 * not all there is.
 */
export function decideRows(
  plane: Plane,
  rows: readonly Row[],
  sets: IdentitySets,
  budget: Budget,
  answers: Answers,
): Map<number, Box[]> {
  const relevant = relevantRows(rows, sets)
  const [order, ...others] = DECISION_ORDERS[plane]
  if (relevant.length === 0 || !order) return new Map()
  const boxes = relevant.map(({ box }) => box)
  const decideIn = (some: readonly number[], limited: Budget) =>
    decide(boxes, spacesOf(plane), some, new RowJudge(relevant, sets, limited, answers))
  const before = budget.spent
  const complete = decideIn(order, budget)
  if (budget.isSpent) return complete
  // Another order may describe the same more shortly. That is not worth many times the work.
  const limit = EFFORT_FOR_BREVITY * (budget.spent - before)
  return shortestOf([
    complete,
    ...others.flatMap((some) => {
      const limited = new Budget(limit)
      const found = decideIn(some, limited)
      return limited.isSpent ? [] : [found]
    }),
  ])
}

/** Some requests on a plane for which the lists give the last of all answers; none if they never do. */
export function findRows(
  plane: Plane,
  rows: readonly Row[],
  sets: IdentitySets,
  budget: Budget,
  answers: Answers,
): Box[] {
  const relevant = relevantRows(rows, sets)
  const [order] = DECISION_ORDERS[plane]
  if (relevant.length === 0 || !order) return []
  const judge = new RowJudge(relevant, sets, budget, answers)
  const boxes = relevant.map(({ box }) => box)
  return [...decide(boxes, spacesOf(plane), order, judge).values()].flat()
}

/** The rows that matter, and those that may take something from them. */
function relevantRows(rows: readonly Row[], sets: IdentitySets): Row[] {
  const mattering = rows.filter(({ matters }) => matters)
  return rows.filter(
    (row) =>
      row.matters ||
      mattering.some((other) => sets.mayMeet(row.subjects, other.subjects) && boxesMeet(row.box, other.box)),
  )
}

class RowJudge implements Judge {
  readonly #rows: readonly Row[]
  readonly #sets: IdentitySets
  readonly #budget: Budget
  readonly #answers: Answers
  readonly #lists: number
  readonly #mattering: Bits
  /** Per mattering row, the rows whose subjects may be the same. */
  readonly #met: ReadonlyMap<number, Bits>
  readonly #covered = new Map<number, Bits>()
  readonly #answered = new Map<string, readonly number[]>()
  #isOver = false

  constructor(rows: readonly Row[], sets: IdentitySets, budget: Budget, answers: Answers) {
    this.#rows = rows
    this.#sets = sets
    this.#budget = budget
    this.#answers = answers
    this.#lists = rows[0]?.answers.length ?? 0
    this.#mattering = bitsWhere(rows.length, (index) => rows[index]?.matters ?? false)
    this.#met = new Map(
      numbersIn(this.#mattering).map((index) => [
        index,
        bitsWhere(rows.length, (other) => this.#test(index, other, (a, b) => sets.mayMeet(a.subjects, b.subjects))),
      ]),
    )
  }

  reduce(alive: Bits, settled: Bits): void {
    this.#budget.spend(1)
    if (this.#isOver || this.#budget.isSpent) alive.fill(0)
    for (let unchanged = false; !unchanged; ) {
      unchanged = true
      this.#keepMet(alive)
      for (const index of numbersIn(settled)) {
        if (!hasBit(alive, index)) continue
        const covered = this.#coveredBy(index)
        const before = alive.slice()
        remove(alive, covered)
        if (before.some((word, at) => word !== alive[at])) unchanged = false
      }
    }
  }

  /** Leaves the rows that may take somebody from a row that matters. */
  #keepMet(alive: Bits): void {
    const met = noBits(this.#rows.length)
    for (const index of numbersIn(this.#mattering)) {
      const own = this.#met.get(index)
      if (own && hasBit(alive, index)) add(met, own)
    }
    keepOnly(alive, met)
  }

  /** Rows that nobody reaches where this one holds everything: later in every list that has them, with no other subjects. */
  #coveredBy(index: number): Bits {
    const known = this.#covered.get(index)
    if (known) return known
    const covered = noBits(this.#rows.length)
    for (let later = index + 1; later < this.#rows.length; later++) {
      if (this.#test(index, later, (first, second) => this.#covers(first, second))) setBit(covered, later)
    }
    this.#covered.set(index, covered)
    return covered
  }

  #covers(first: Row, second: Row): boolean {
    const isInAllLists = second.answers.every((answer, list) => answer === null || first.answers[list] !== null)
    return isInAllLists && this.#sets.isPart(second.subjects, first.subjects)
  }

  #test(a: number, b: number, holds: (a: Row, b: Row) => boolean): boolean {
    const first = this.#rows[a]
    const second = this.#rows[b]
    return first !== undefined && second !== undefined && holds(first, second)
  }

  answers(alive: Bits): readonly number[] {
    if (isClear(alive)) return []
    const { diagrams } = this.#sets
    const before = diagrams.size
    const lists = Array.from({ length: this.#lists }, (_, list) => this.#listOf(alive, list))
    const key = lists.map(({ id }) => id).join(' ')
    const known = this.#answered.get(key)
    if (known) return known
    const answers = this.#answers(lists)
    this.#isOver = 'last' in answers
    const found = 'last' in answers ? [answers.last] : answers
    this.#budget.spend(diagrams.size - before)
    this.#answered.set(key, found)
    return found
  }

  #listOf(alive: Bits, list: number): Diagram {
    const { diagrams } = this.#sets
    let diagram = diagrams.none
    for (const index of numbersIn(alive).reverse()) {
      const row = this.#rows[index]
      const answer = row?.answers[list] ?? null
      if (row && answer !== null) diagram = diagrams.override(row.subjects.diagram, diagrams.leaf(answer), diagram)
    }
    return diagram
  }
}
