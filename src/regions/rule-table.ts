/**
 * First-match lists over requests and identities: which of them get which answers.
 *
 * Nobody has two names, so names are told apart first, one after the other: rules about one name have nothing to do with rules
 * about another. Then requests are decided, and groups last: there would be a way for each combination of groups. What is left
 * of the rules for a name and a request is a short list of groups.
 */
import {
  add,
  type Bits,
  bitsMeet,
  bitsWhere,
  common,
  isClear,
  keepOnly,
  noBits,
  numbersIn,
  remove,
  setBit,
} from './bits.ts'
import { type Box, boxesMeet, boxKey, mergeBoxes, subtractBox } from './box.ts'
import { decide, type Judge } from './decision-diagram.ts'
import type { Diagram } from './identity-diagram.ts'
import type { IdentitySet, IdentitySets, NameClass, SubjectSet } from './identity-set.ts'
import {
  DECISION_ORDERS,
  NO_REQUEST,
  PLANE_NAMES,
  type Plane,
  perPlane,
  type Region,
  regionKey,
  spacesOf,
} from './region.ts'
import { USERS } from './spaces.ts'

/** A rule in the lists. Rows stand in the order in which they are tried. */
export interface Row {
  subjects: SubjectSet
  requests: Region
  /** Per list, what the row answers there (from 1), or null where the list lacks it. */
  answers: readonly (number | null)[]
  /** Where no such row matches, nothing is asked. */
  matters: boolean
}

/** Counts work, so that the same question always gives up at the same point, on every machine. */
export class Budget {
  readonly limit: number
  #spent = 0

  /** @param limit  steps: sets of rules looked at, and diagrams made */
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

/** Turns what the lists answer, as diagrams of groups with 0 for no answer, into the answers to the question. */
export type Question = (lists: readonly Diagram[]) => Diagram

export interface Answered {
  answer: number
  identities: IdentitySet
  requests: Region
}

export interface Table {
  rows: readonly Row[]
  sets: IdentitySets
  /** Whom it is asked about. */
  asked: Diagram
  question: Question
  /** Only rows that matter give an answer that is asked for; all others take some of it away. */
  othersOnlyTake?: boolean
}

/**
 * All answers with exactly the requests and identities that get them: one of each set of requests. For one answer no two have
 * the same identities either.
 *
 * @param budgets  for each plane; where it is spent, what is found is true but not all there is
 */
export function decideTable(table: Table, budgets: Readonly<Record<Plane, Budget>>): Answered[] {
  const { rows, sets, asked } = table
  const classes = sets.nameClasses(new Set(rows.map(({ subjects }) => subjects)), asked)
  const perPlaneFound = PLANE_NAMES.map((plane) => new PlaneTable(table, plane, budgets[plane]).answersOf(classes))
  const distinct = distinctClasses(classes, (one) => [
    one.possible,
    ...perPlaneFound.map((byClass) => byClass.get(one) ?? NOTHING_FOUND),
  ])
  const entries = new Map<string, { answer: number; requests: Region; members: Map<NameClass, Diagram> }>()
  const known = new Map<string, { key: string; answer: number; groups: Diagram; requests: Region }[]>()
  for (const one of distinct) {
    const found = perPlaneFound.map((byClass) => byClass.get(one) ?? NOTHING_FOUND)
    const key = found.map(({ id }) => id).join(' ')
    const joined = known.get(key) ?? joinPlanes(found)
    known.set(key, joined)
    for (const { key: entryKey, answer, groups, requests } of joined) {
      const entry = entries.get(entryKey) ?? { answer, requests, members: new Map<NameClass, Diagram>() }
      entries.set(entryKey, entry)
      entry.members.set(one, groups)
    }
  }
  const shorten = shortener(EFFORT_FOR_BREVITY * PLANE_NAMES.reduce((sum, plane) => sum + budgets[plane].spent, 0))
  return [...entries.values()].map(({ answer, requests, members }) => ({
    answer,
    identities: sets.setOf(distinct, members),
    requests: perPlane((plane) => shorten(plane, requests[plane])),
  }))
}

/** Some identities and requests that get an answer, or null if none do. */
export function findInTable(table: Table, budget: Budget): Answered | null {
  const { rows, sets, asked } = table
  const classes = sets.nameClasses(new Set(rows.map(({ subjects }) => subjects)), asked)
  for (const plane of PLANE_NAMES) {
    const planeTable = new PlaneTable(table, plane, budget)
    for (const one of classes) {
      const found = planeTable.someOf(one)
      if (found) {
        const { answer, groups, boxes } = found
        return {
          answer,
          identities: sets.setOf(classes, new Map([[one, groups]])),
          requests: { ...NO_REQUEST, [plane]: boxes },
        }
      }
    }
  }
  return null
}

/** Without the names that differ in nothing from those around them. */
function distinctClasses(classes: readonly NameClass[], traits: (one: NameClass) => readonly object[]): NameClass[] {
  const kept = new Map<string | null, readonly object[]>()
  return classes.filter((one) => {
    const own = traits(one)
    const { name } = one
    if (name !== null) {
      const around = (one.isFamily ? USERS.enclosing(name) : USERS.familiesOf(name)).find((family) => kept.has(family))
      const theirs = kept.get(around ?? null)
      if (theirs && own.every((trait, index) => trait === theirs[index])) return false
    }
    if (name === null || one.isFamily) kept.set(name, own)
    return true
  })
}

/** What a class of names gets on one plane. */
interface Found {
  id: number
  byKey: ReadonlyMap<string, Part>
}

interface Part {
  answer: number
  groups: Diagram
  boxes: readonly Box[]
}

const NOTHING_FOUND: Found = { id: -1, byKey: new Map() }

/** The same answer for the same groups becomes one; so do, for one answer, the groups of the same requests: they cannot differ. */
function joinPlanes(found: readonly Found[]) {
  const joined = new Map<string, { answer: number; groups: Diagram; requests: Record<Plane, readonly Box[]> }>()
  for (const [index, plane] of PLANE_NAMES.entries()) {
    for (const [key, { answer, groups, boxes }] of found[index]?.byKey ?? []) {
      const part = joined.get(key) ?? { answer, groups, requests: { ...NO_REQUEST } }
      joined.set(key, part)
      part.requests[plane] = boxes
    }
  }
  return [...joined.values()].map((part) => ({ key: `${part.answer} ${regionKey(part.requests)}`, ...part }))
}

/** A row as it is for some names. */
interface ClassRow {
  subjects: SubjectSet
  box: Box
  answers: readonly (number | null)[]
  matters: boolean
  /** It takes everybody of the class for the name alone. */
  isOwn: boolean
}

class PlaneTable {
  readonly #table: Table
  readonly #plane: Plane
  readonly #budget: Budget
  readonly #rows: readonly Omit<ClassRow, 'isOwn'>[]
  /** Indices of the rows that take somebody by a group, or everyone. */
  readonly #byGroup: readonly number[]
  readonly #byName = new Map<number, number[]>()
  /** By the identities asked about. */
  readonly #ofOthers = new Map<Diagram, Found>()
  readonly #unions = new Map<string, readonly Box[]>()
  readonly #someFound = new Map<Diagram, Part | null>()
  #unlimited: Found | null = null
  #ids = 0

  constructor(table: Table, plane: Plane, budget: Budget) {
    this.#table = table
    this.#plane = plane
    this.#budget = budget
    this.#rows = table.rows.flatMap(({ subjects, requests, answers, matters }) =>
      requests[plane].map((box) => ({ subjects, box, answers, matters })),
    )
    this.#byGroup = [...this.#rows.entries()].flatMap(([index, { subjects }]) =>
      subjects.isEveryone || subjects.groups.length > 0 ? [index] : [],
    )
    for (const [index, { subjects }] of this.#rows.entries()) {
      for (const literal of subjects.names) {
        const known = this.#byName.get(literal)
        if (known) known.push(index)
        else this.#byName.set(literal, [index])
      }
    }
  }

  answersOf(classes: readonly NameClass[]): Map<NameClass, Found> {
    return new Map(classes.map((one) => [one, this.#answersOf(one)]))
  }

  #answersOf(one: NameClass): Found {
    if (one.asked === this.#table.sets.diagrams.none) return NOTHING_FOUND
    const rows = this.#rowsOf(one)
    const elsewhere = this.#answersOfOthers(one.asked)
    if (rows.length === 0) return elsewhere
    const canAdd = !this.#table.othersOnlyTake || rows.some(({ isOwn, matters }) => isOwn && matters)
    if (!canAdd && elsewhere.byKey.size === 0) return NOTHING_FOUND
    const boxes = rows.filter(({ isOwn }) => isOwn).map(({ box }) => box)
    return { id: this.#ids++, byKey: this.#patched(elsewhere.byKey, boxes, this.#decided(rows, one.asked)) }
  }

  /** Something that a class of names gets, or null. */
  someOf(one: NameClass): Part | null {
    const { sets, othersOnlyTake } = this.#table
    if (one.asked === sets.diagrams.none) return null
    const rows = this.#rowsOf(one)
    if (rows.length === 0) return this.#someOfOthers(one.asked)
    const canAdd = !othersOnlyTake || rows.some(({ isOwn, matters }) => isOwn && matters)
    const nothingElsewhere = this.#someOfOthers(sets.diagrams.all) === null
    if (nothingElsewhere && !canAdd) return null
    const [inside] = this.#decided(rows, one.asked, true).values()
    if (inside || nothingElsewhere) return inside ?? null
    const boxes = rows.filter(({ isOwn }) => isOwn).map(({ box }) => box)
    const [outside] = this.#patched(this.#answersOfOthers(one.asked).byKey, boxes, new Map()).values()
    return outside ?? null
  }

  #someOfOthers(asked: Diagram): Part | null {
    const known = this.#someFound.get(asked)
    if (known !== undefined) return known
    const [found = null] = this.#decided(this.#rowsOfOthers(), asked, true).values()
    this.#someFound.set(asked, found)
    return found
  }

  /** What names get that no rule tells apart. */
  #answersOfOthers(asked: Diagram): Found {
    const known = this.#ofOthers.get(asked)
    if (known) return known
    const { all } = this.#table.sets.diagrams
    this.#unlimited ??= { id: this.#ids++, byKey: this.#decided(this.#rowsOfOthers(), all) }
    const found = { id: this.#ids++, byKey: this.#limited(this.#unlimited.byKey, asked) }
    this.#ofOthers.set(asked, found)
    return found
  }

  /** The same for identities asked about alone. */
  #limited(parts: ReadonlyMap<string, Part>, asked: Diagram): Map<string, Part> {
    const { diagrams } = this.#table.sets
    const limited = new Map<string, { answer: number; groups: Diagram; pieces: Box[][] }>()
    for (const { answer, groups: unlimited, boxes } of parts.values()) {
      const groups = diagrams.and(unlimited, asked)
      if (groups === diagrams.none) continue
      const key = `${answer} ${groups.id}`
      const part = limited.get(key) ?? { answer, groups, pieces: [] }
      limited.set(key, part)
      part.pieces.push([...boxes])
    }
    return new Map(
      [...limited].map(([key, { answer, groups, pieces }]) => {
        const [first = [], ...others] = pieces
        return [key, { answer, groups, boxes: others.length === 0 ? first : this.#united(pieces.flat()) }]
      }),
    )
  }

  /** What holds outside of some boxes, together with what holds inside. */
  #patched(
    outside: ReadonlyMap<string, Part>,
    boxes: readonly Box[],
    inside: ReadonlyMap<string, Part>,
  ): Map<string, Part> {
    const patched = new Map<string, Part>()
    for (const [key, part] of outside) {
      const touching = boxes.filter((box) => part.boxes.some((other) => boxesMeet(box, other)))
      const within = inside.get(key)?.boxes ?? []
      if (touching.length === 0 && within.length === 0) {
        patched.set(key, part)
        continue
      }
      const kept = touching.reduce<readonly Box[]>(
        (rest, box) => rest.flatMap((other) => subtractBox(other, box)),
        part.boxes,
      )
      const united = this.#united([...kept, ...within])
      if (united.length > 0) patched.set(key, { ...part, boxes: united })
    }
    for (const [key, part] of inside) if (!patched.has(key) && !outside.has(key)) patched.set(key, part)
    return patched
  }

  /** The form that boxes have which are found by deciding. */
  #united(boxes: readonly Box[]): readonly Box[] {
    const [order] = DECISION_ORDERS[this.#plane]
    if (boxes.length < 2 || !order) return mergeBoxes(boxes)
    const key = boxes.map(boxKey).sort().join('\n\n')
    const known = this.#unions.get(key)
    if (known) return known
    this.#budget.spend(boxes.length)
    const united = reordered(this.#plane, boxes, order)
    this.#unions.set(key, united)
    return united
  }

  #rowsOfOthers(): ClassRow[] {
    const rows = this.#byGroup.map((index) => ({ ...this.#row(index), isOwn: false }))
    const mattering = rows.filter(({ matters }) => matters)
    return rows.filter((row) => row.matters || mattering.some(({ box }) => boxesMeet(box, row.box)))
  }

  /** The rows for names that rules tell apart, where these rules make a difference; none where they make none. */
  #rowsOf({ literals }: NameClass): ClassRow[] {
    const named = new Set(literals.flatMap((literal) => this.#byName.get(literal) ?? []))
    if (named.size === 0) return []
    const isMattering = (index: number) => this.#row(index).matters
    const mattering = [...[...named].filter(isMattering), ...this.#byGroup.filter(isMattering)].map(
      (index) => this.#row(index).box,
    )
    const own = [...named].filter(
      (index) => isMattering(index) || mattering.some((box) => boxesMeet(box, this.#row(index).box)),
    )
    if (own.length === 0) return []
    const meets = (index: number) => own.some((other) => boxesMeet(this.#row(other).box, this.#row(index).box))
    const isOwn = new Set(own)
    return [...new Set([...own, ...this.#byGroup.filter((index) => !isOwn.has(index) && meets(index))])]
      .sort((a, b) => a - b)
      .map((index) => {
        const row = this.#row(index)
        return isOwn.has(index)
          ? { ...row, subjects: this.#table.sets.everyone(), isOwn: true }
          : { ...row, isOwn: false }
      })
  }

  #row(index: number): Omit<ClassRow, 'isOwn'> {
    const row = this.#rows[index]
    if (!row) throw new Error(`no row ${index}`)
    return row
  }

  /** Answers by groups among those asked about. If some rows are a name's own: where one of these matches. */
  #decided(rows: readonly ClassRow[], asked: Diagram, onlyOne = false): Map<string, Part> {
    const [order] = DECISION_ORDERS[this.#plane]
    if (!order || rows.length === 0) return new Map()
    const judge = new RowJudge(rows, this.#table, this.#budget, asked, onlyOne)
    const boxes = decide(
      rows.map(({ box }) => box),
      spacesOf(this.#plane),
      order,
      judge,
    )
    return new Map(
      judge.parts.flatMap(({ answer, groups }, number) => {
        const found = boxes.get(number)
        return found ? [[`${answer} ${groups.id}`, { answer, groups, boxes: found }]] : []
      }),
    )
  }
}

class RowJudge implements Judge {
  readonly parts: { answer: number; groups: Diagram }[] = []
  readonly #rows: readonly ClassRow[]
  readonly #table: Table
  readonly #budget: Budget
  readonly #asked: Diagram
  readonly #onlyOne: boolean
  readonly #mattering: Bits
  /** Rows of which one must match; null if none has to. */
  readonly #own: Bits | null
  readonly #covered = new Map<number, Bits>()
  readonly #answered = new Map<string, readonly number[]>()
  readonly #numbers = new Map<string, number>()
  #isOver = false

  constructor(rows: readonly ClassRow[], table: Table, budget: Budget, asked: Diagram, onlyOne: boolean) {
    this.#rows = rows
    this.#table = table
    this.#budget = budget
    this.#asked = asked
    this.#onlyOne = onlyOne
    this.#mattering = bitsWhere(rows.length, (index) => rows[index]?.matters ?? false)
    const own = bitsWhere(rows.length, (index) => rows[index]?.isOwn ?? false)
    this.#own = isClear(own) ? null : own
  }

  reduce(alive: Bits, settled: Bits): void {
    this.#budget.spend(1)
    const isAsked = bitsMeet(alive, this.#mattering) && (this.#own === null || bitsMeet(alive, this.#own))
    if (!isAsked || this.#isOver || this.#budget.isSpent) {
      alive.fill(0)
      return
    }
    const covered = noBits(this.#rows.length)
    for (const index of numbersIn(common(alive, settled))) add(covered, this.#coveredBy(index))
    // Rows of the name stay even so: whether one of them matches is part of the question.
    if (this.#own) remove(covered, this.#own)
    remove(alive, covered)
    if (!bitsMeet(alive, this.#mattering)) alive.fill(0)
  }

  /** Rows that nobody reaches where this one holds everything: later in every list that has them, with no other subjects. */
  #coveredBy(index: number): Bits {
    const known = this.#covered.get(index)
    if (known) return known
    const covered = noBits(this.#rows.length)
    const first = this.#rows[index]
    for (let later = index + 1; later < this.#rows.length; later++) {
      const second = this.#rows[later]
      if (first && second && this.#covers(first, second)) setBit(covered, later)
    }
    this.#covered.set(index, covered)
    return covered
  }

  #covers(first: ClassRow, second: ClassRow): boolean {
    const isInAllLists = second.answers.every((answer, list) => answer === null || first.answers[list] !== null)
    return isInAllLists && this.#table.sets.isPartByGroup(second.subjects, first.subjects)
  }

  answers(alive: Bits): readonly number[] {
    if (isClear(alive)) return []
    const { sets, question } = this.#table
    const { diagrams } = sets
    const before = diagrams.size
    const lists = (this.#rows[0]?.answers ?? []).map((_, list) => this.#listOf(alive, list))
    const key = lists.map(({ id }) => id).join(' ')
    const known = this.#answered.get(key)
    if (known) return known
    const answers = diagrams.byAnswer(diagrams.within(question(lists), this.#asked))
    const found = [...answers].map(([answer, groups]) => this.#number(answer, groups))
    this.#budget.spend(diagrams.size - before)
    if (this.#onlyOne && found.length > 0) {
      this.#isOver = true
      found.length = 1
    }
    this.#answered.set(key, found)
    return found
  }

  #listOf(alive: Bits, list: number): Diagram {
    const { diagrams } = this.#table.sets
    let diagram = diagrams.none
    for (const index of numbersIn(alive).reverse()) {
      const row = this.#rows[index]
      const answer = row?.answers[list] ?? null
      if (row && answer !== null) diagram = diagrams.override(row.subjects.byGroup, diagrams.leaf(answer), diagram)
    }
    return diagram
  }

  #number(answer: number, groups: Diagram): number {
    const key = `${answer} ${groups.id}`
    const known = this.#numbers.get(key)
    if (known !== undefined) return known
    this.#numbers.set(key, this.parts.length)
    this.parts.push({ answer, groups })
    return this.parts.length - 1
  }
}

/** Boxes of the same points, as deciding the dimensions in this order finds them. */
function reordered(plane: Plane, boxes: readonly Box[], order: readonly number[]): Box[] {
  const judge: Judge = {
    reduce: (alive, settled) => {
      if (bitsMeet(alive, settled)) keepOnly(alive, settled)
    },
    answers: (alive) => (isClear(alive) ? [] : [0]),
  }
  return decide(boxes, spacesOf(plane), order, judge).get(0) ?? []
}

/** Another order may describe the same more shortly. That is not worth many times the work that it took to find it. */
const EFFORT_FOR_BREVITY = 2
const LEAST_EFFORT = 10_000

function shortener(effort: number): (plane: Plane, boxes: readonly Box[]) => readonly Box[] {
  const known = new Map<string, readonly Box[]>()
  let left = Math.max(effort, LEAST_EFFORT)
  return (plane, boxes) => {
    if (boxes.length < 2) return boxes
    const key = `${plane} ${boxes.map(boxKey).join('\n\n')}`
    const before = known.get(key)
    if (before) return before
    let shortest = boxes
    for (const order of DECISION_ORDERS[plane].slice(1)) {
      if (left <= 0) break
      left -= boxes.length
      const other = reordered(plane, boxes, order)
      if (other.length < shortest.length) shortest = other
    }
    known.set(key, shortest)
    return shortest
  }
}
