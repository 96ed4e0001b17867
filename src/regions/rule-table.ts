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
import { type Box, boxesMeet, boxKey, intersectBoxes, mergeBoxes, subtractBox } from './box.ts'
import { decide, type Judge } from './decision-diagram.ts'
import type { Diagram } from './identity-diagram.ts'
import type { IdentitySets, SubjectSet } from './identity-set.ts'
import { type IdentitySet, type NameClass, NameClasses } from './name-classes.ts'
import { DECISION_ORDERS, NO_REQUEST, PLANE_NAMES, type Plane, perPlane, type Region, spacesOf } from './region.ts'

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
  const foundFor = (one: NameClass) => perPlaneFound.map((byClass) => byClass.get(one) ?? NOTHING_FOUND)
  const distinct = new NameClasses(classes).distinct((one) => [one.possible, ...foundFor(one)])
  const entries = new Entries()
  for (const one of distinct.classes) entries.add(one, foundFor(one))
  const shorten = shortener(EFFORT_FOR_BREVITY * PLANE_NAMES.reduce((sum, plane) => sum + budgets[plane].spent, 0))
  return entries.all.map(({ answer, requests, members }) => ({
    answer,
    identities: distinct.setOf(members, sets.diagrams.none),
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
          identities: new NameClasses(classes).setOf(new Map([[one, groups]]), sets.diagrams.none),
          requests: { ...NO_REQUEST, [plane]: boxes },
        }
      }
    }
  }
  return null
}

/** What a class of names gets on one plane, by answer and groups. */
class Found {
  readonly #parts: ReadonlyMap<string, Part>
  /** What it is but for the changes. */
  readonly base: Found
  readonly #changes: ReadonlyMap<string, Part | null>

  private constructor(parts: ReadonlyMap<string, Part>, changes: ReadonlyMap<string, Part | null>, base: Found | null) {
    this.#parts = parts
    this.#changes = changes
    this.base = base ?? this
  }

  static of(parts: ReadonlyMap<string, Part>): Found {
    return new Found(parts, new Map(), null)
  }

  /** With other parts, or (null) without them. */
  changed(changes: ReadonlyMap<string, Part | null>): Found {
    return changes.size === 0 ? this : new Found(this.#parts, changes, this)
  }

  /** Those of the base. */
  get parts(): ReadonlyMap<string, Part> {
    return this.#parts
  }

  get changedKeys(): Iterable<string> {
    return this.#changes.keys()
  }

  part(key: string): Part | null {
    const changed = this.#changes.get(key)
    return changed === undefined ? (this.#parts.get(key) ?? null) : changed
  }
}

interface Part {
  answer: number
  groups: Diagram
  boxes: readonly Box[]
}

const NOTHING_FOUND = Found.of(new Map())

interface Entry {
  answer: number
  requests: Readonly<Record<Plane, readonly Box[]>>
  members: Map<NameClass, Diagram>
}

/**
 * What is found on the planes, put together: the same answer for the same groups becomes one; so do, for one answer, all who
 * get it for the same requests.
 */
class Entries {
  readonly #entries = new Map<string, Entry>()
  /** By the numbers of what most classes have in common on the planes. */
  readonly #ofBases = new Map<string, ReadonlyMap<string, Place>>()
  readonly #lists = new BoxLists()
  readonly #bases = new Map<Found, number>()

  get all(): Entry[] {
    return [...this.#entries.values()].filter(({ members }) => members.size > 0)
  }

  /** @param found  on each plane */
  add(one: NameClass, found: readonly Found[]): void {
    const changed = new Set(found.flatMap(({ changedKeys }) => [...changedKeys]))
    for (const [key, { entry, groups }] of this.#common(found.map(({ base }) => base))) {
      if (!changed.has(key)) entry.members.set(one, groups)
    }
    for (const key of changed) {
      const place = this.#place(key, found)
      place?.entry.members.set(one, place.groups)
    }
  }

  #common(bases: readonly Found[]): ReadonlyMap<string, Place> {
    const id = bases.map((base) => this.#numberOf(base)).join(' ')
    const known = this.#ofBases.get(id)
    if (known) return known
    const keys = new Set(bases.flatMap(({ parts }) => [...parts.keys()]))
    const places = new Map<string, Place>()
    for (const key of keys) {
      const place = this.#place(key, bases)
      if (place) places.set(key, place)
    }
    this.#ofBases.set(id, places)
    return places
  }

  #numberOf(base: Found): number {
    const number = this.#bases.get(base) ?? this.#bases.size
    this.#bases.set(base, number)
    return number
  }

  /** Of an answer for some groups; null where there is none of these. */
  #place(key: string, found: readonly Found[]): Place | null {
    const parts = found.map((one) => one.part(key))
    const [some] = parts.filter((part) => part !== null)
    if (!some) return null
    const { answer, groups } = some
    const lists = parts.map((part) => this.#lists.find(part?.boxes ?? NO_BOXES))
    const entryKey = `${answer} ${lists.map(({ number }) => number).join(' ')}`
    const [namespaced = NO_BOXES, cluster = NO_BOXES, nonResource = NO_BOXES] = lists.map(({ boxes }) => boxes)
    const entry = this.#entries.get(entryKey) ?? {
      answer,
      requests: { namespaced, cluster, nonResource },
      members: new Map<NameClass, Diagram>(),
    }
    this.#entries.set(entryKey, entry)
    return { entry, groups }
  }
}

interface Place {
  entry: Entry
  groups: Diagram
}

const NO_BOXES: readonly Box[] = []

interface NumberedBoxes {
  number: number
  boxes: readonly Box[]
}

/** Makes one list of equal lists of boxes. */
class BoxLists {
  readonly #byKey = new Map<string, NumberedBoxes>()
  readonly #known = new WeakMap<readonly Box[], NumberedBoxes>()

  find(boxes: readonly Box[]): NumberedBoxes {
    const known = this.#known.get(boxes)
    if (known) return known
    const key = boxes.map(boxKey).join('\n\n')
    const found = this.#byKey.get(key) ?? { number: this.#byKey.size, boxes }
    this.#byKey.set(key, found)
    this.#known.set(boxes, found)
    return found
  }
}

interface RowOfPlane {
  subjects: SubjectSet
  box: Box
  answers: readonly (number | null)[]
  matters: boolean
}

/** A row as it is for some names. */
interface ClassRow extends RowOfPlane {
  /** It takes everybody of the class for the name alone. */
  isOwn: boolean
}

class PlaneTable {
  readonly #table: Table
  readonly #plane: Plane
  readonly #budget: Budget
  readonly #rows: readonly RowOfPlane[]
  /** Indices of the rows that take somebody by a group, or everyone. */
  readonly #byGroup: readonly number[]
  /** Those of them that matter. */
  readonly #mattering: readonly number[]
  readonly #byName = new Map<number, number[]>()
  /** By the identities asked about. */
  readonly #ofOthers = new Map<Diagram, Found>()
  readonly #unions = new Map<string, readonly Box[]>()
  readonly #someFound = new Map<Diagram, Part | null>()
  #unlimited: ReadonlyMap<string, Part> | null = null

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
    this.#mattering = this.#byGroup.filter((index) => this.#row(index).matters)
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
    const { own, rows } = this.#rowsOf(one)
    const elsewhere = this.#answersOfOthers(one.asked)
    if (own.length === 0) return elsewhere
    const canAdd = !this.#table.othersOnlyTake || own.some(({ matters }) => matters)
    if (!canAdd && elsewhere.parts.size === 0) return NOTHING_FOUND
    const cut = own.map(({ box }) => box)
    return elsewhere.changed(this.#changes(elsewhere.parts, cut, this.#decided(rows, one.asked)))
  }

  /** Something that a class of names gets, or null. */
  someOf(one: NameClass): Part | null {
    const { sets, othersOnlyTake } = this.#table
    if (one.asked === sets.diagrams.none) return null
    const { own, rows } = this.#rowsOf(one)
    if (own.length === 0) return this.#someOfOthers(one.asked)
    const canAdd = !othersOnlyTake || own.some(({ matters }) => matters)
    const nothingElsewhere = this.#someOfOthers(sets.diagrams.all) === null
    if (nothingElsewhere && !canAdd) return null
    const [inside] = this.#decided(rows, one.asked, true).values()
    if (inside || nothingElsewhere) return inside ?? null
    const cut = own.map(({ box }) => box)
    const elsewhere = this.#answersOfOthers(one.asked)
    const left = elsewhere.changed(this.#changes(elsewhere.parts, cut, new Map()))
    for (const key of elsewhere.parts.keys()) {
      const outside = left.part(key)
      if (outside) return outside
    }
    return null
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
    this.#unlimited ??= this.#decided(this.#rowsOfOthers(), all)
    const found = Found.of(this.#limited(this.#unlimited, asked))
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

  /** What is different from what holds outside of some boxes, where something else holds inside. */
  #changes(
    outside: ReadonlyMap<string, Part>,
    cut: readonly Box[],
    inside: ReadonlyMap<string, Part>,
  ): Map<string, Part | null> {
    const changes = new Map<string, Part | null>()
    const known = new Map<readonly Box[], Map<readonly Box[], readonly Box[]>>()
    for (const [key, part] of outside) {
      const within = inside.get(key)?.boxes ?? NO_BOXES
      const alike = known.get(part.boxes) ?? new Map<readonly Box[], readonly Box[]>()
      known.set(part.boxes, alike)
      const boxes = alike.get(within) ?? this.#replaced(part.boxes, cut, within)
      alike.set(within, boxes)
      if (boxes !== part.boxes) changes.set(key, boxes.length > 0 ? { ...part, boxes } : null)
    }
    for (const [key, part] of inside) if (!outside.has(key)) changes.set(key, part)
    return changes
  }

  /** The boxes themselves where nothing changes. */
  #replaced(boxes: readonly Box[], cut: readonly Box[], within: readonly Box[]): readonly Box[] {
    const touching = cut.filter((box) => boxes.some((other) => boxesMeet(box, other)))
    if (touching.length === 0 && within.length === 0) return boxes
    const kept = touching.reduce<readonly Box[]>((rest, box) => rest.flatMap((other) => subtractBox(other, box)), boxes)
    const united = this.#united([...kept, ...within])
    return sameBoxes(united, boxes) ? boxes : united
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

  /**
   * The rows that are about names which rules tell apart, as far as they make a difference, and all rows that are to be looked
   * at where one of these matches.
   */
  #rowsOf({ literals }: NameClass): { own: RowOfPlane[]; rows: ClassRow[] } {
    const named = new Set(literals.flatMap((literal) => this.#byName.get(literal) ?? []))
    if (named.size === 0) return { own: [], rows: [] }
    const isMattering = (index: number) => this.#row(index).matters
    const mattering = [...new Set([...[...named].filter(isMattering), ...this.#mattering])]
    const own = [...named].filter(
      (index) => isMattering(index) || mattering.some((other) => this.#rowsMeet(other, index)),
    )
    // Where a row stands before all that matter, these are as good as absent.
    const isFirst = (index: number) =>
      !isMattering(index) &&
      this.#row(index).answers.every((answer) => answer !== null) &&
      !mattering.some((other) => other < index && this.#rowsMeet(other, index))
    const places = own
      .filter((index) => !isFirst(index))
      .flatMap((index) => mattering.flatMap((other) => intersectBoxes(this.#row(index).box, this.#row(other).box)))
    const isAtPlace = (index: number) => places.some((place) => boxesMeet(place, this.#row(index).box))
    const isOwn = new Set(own)
    const rows = [...new Set([...own, ...this.#byGroup])]
      .filter(isAtPlace)
      .sort((a, b) => a - b)
      .map((index) => {
        const row = this.#row(index)
        return isOwn.has(index)
          ? { ...row, subjects: this.#table.sets.everyone(), isOwn: true }
          : { ...row, isOwn: false }
      })
    return { own: own.map((index) => this.#row(index)), rows }
  }

  #rowsMeet(a: number, b: number): boolean {
    return boxesMeet(this.#row(a).box, this.#row(b).box)
  }

  #row(index: number): RowOfPlane {
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

function sameBoxes(a: readonly Box[], b: readonly Box[]): boolean {
  return a === b || (a.length === b.length && a.every((box, index) => boxKey(box) === boxKey(b[index] ?? [])))
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
  const known = new Map<readonly Box[], readonly Box[]>()
  let left = Math.max(effort, LEAST_EFFORT)
  return (plane, boxes) => {
    if (boxes.length < 2) return boxes
    const before = known.get(boxes)
    if (before) return before
    let shortest = boxes
    for (const order of DECISION_ORDERS[plane].slice(1)) {
      if (left <= 0) break
      left -= boxes.length
      const other = reordered(plane, boxes, order)
      if (other.length < shortest.length) shortest = other
    }
    known.set(boxes, shortest)
    return shortest
  }
}
