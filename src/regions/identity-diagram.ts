/**
 * Decision diagrams over literals ("is in group dev", "is named jane"), every one of which is true or false of an identity.
 * Tests stand in ascending order of literals, and equal diagrams are one object, so that equality is identity.
 */

/** The answer for all that is left. */
export interface Leaf {
  readonly id: number
  readonly literal: number
  readonly answer: number
  readonly namesUsers: false
}

export interface Test {
  readonly id: number
  /** Number of the literal that is asked for. */
  readonly literal: number
  readonly yes: Diagram
  readonly no: Diagram
  /** Whether a literal about user names occurs in it. */
  readonly namesUsers: boolean
}

export type Diagram = Leaf | Test

const NO_LITERAL = 2 ** 30

export function isLeaf(diagram: Diagram): diagram is Leaf {
  return diagram.literal === NO_LITERAL
}

/** What two diagrams are combined to, where that can be said at once. */
type Rule = (a: Diagram, b: Diagram) => Diagram | null

/** A way to combine diagrams. Its number keeps its results apart from those of others. */
interface Operation {
  number: number
  rule: Rule
}

/** Makes diagrams and keeps them. */
export class Diagrams {
  /** Of sets, which are diagrams with these two answers. */
  readonly none: Diagram
  readonly all: Diagram
  readonly #isUserName: (literal: number) => boolean
  readonly #leaves = new Map<number, Leaf>()
  readonly #tests = new TestTable()
  readonly #results = new ResultCache()
  readonly #overrides = new Map<Leaf, Operation>()
  readonly #and: Operation
  readonly #or: Operation
  readonly #without: Operation
  readonly #within: Operation
  #operations = 0
  #size = 0

  constructor(isUserName: (literal: number) => boolean) {
    this.#isUserName = isUserName
    this.none = this.leaf(0)
    this.all = this.leaf(1)
    const { none, all } = this
    this.#and = this.#operation((a, b) => {
      if (a === b || b === all) return a
      if (a === all) return b
      return a === none || b === none ? none : null
    })
    this.#or = this.#operation((a, b) => {
      if (a === b || b === none) return a
      if (a === none) return b
      return a === all || b === all ? all : null
    })
    this.#without = this.#operation((a, b) => {
      if (b === none) return a
      return a === b || a === none || b === all ? none : null
    })
    this.#within = this.#operation((a, b) => {
      if (b === all) return a
      return a === none || b === none ? none : null
    })
  }

  /** How many different diagrams have been made: a measure of work. */
  get size(): number {
    return this.#size
  }

  leaf(answer: number): Leaf {
    const known = this.#leaves.get(answer)
    if (known) return known
    const leaf: Leaf = { id: this.#size++, literal: NO_LITERAL, answer, namesUsers: false }
    this.#leaves.set(answer, leaf)
    return leaf
  }

  test(literal: number, yes: Diagram, no: Diagram): Diagram {
    if (yes === no) return yes
    const known = this.#tests.find(literal, yes, no)
    if (known) return known
    const namesUsers = yes.namesUsers || no.namesUsers || this.#isUserName(literal)
    const made: Test = { id: this.#size++, literal, yes, no, namesUsers }
    this.#tests.add(made)
    this.#results.makeRoomFor(this.#size)
    return made
  }

  /** The set of all to whom one literal applies. */
  literal(literal: number): Diagram {
    return this.test(literal, this.all, this.none)
  }

  /** What a first-match list answers: `answer` for everything in `set`, for the others what the `rest` of the list says. */
  override(set: Diagram, answer: Leaf, rest: Diagram): Diagram {
    if (isLeaf(set)) return set === this.all ? answer : rest
    const known = this.#overrides.get(answer)
    if (known) return this.#apply(set, rest, known)
    const made = this.#operation((a, b) => {
      if (a === this.none) return b
      return a === this.all || b === answer ? answer : null
    })
    this.#overrides.set(answer, made)
    return this.#apply(set, rest, made)
  }

  and(a: Diagram, b: Diagram): Diagram {
    return this.#apply(a, b, this.#and)
  }

  or(a: Diagram, b: Diagram): Diagram {
    return this.#apply(a, b, this.#or)
  }

  /** What is in `a` and not in `b`. */
  without(a: Diagram, b: Diagram): Diagram {
    return this.#apply(a, b, this.#without)
  }

  /** The answers for those in a set, 0 for all others. */
  within(diagram: Diagram, set: Diagram): Diagram {
    return this.#apply(diagram, set, this.#within)
  }

  /**
   * Makes an operation that gives both answers at once.
   * @param pair  the answer for two answers; the same diagrams have the answer 0
   */
  pairing(pair: (a: number, b: number) => number): (a: Diagram, b: Diagram) => Diagram {
    const operation = this.#operation((a, b) => {
      if (a === b) return this.none
      return isLeaf(a) && isLeaf(b) ? this.leaf(pair(a.answer, b.answer)) : null
    })
    return (a, b) => this.#apply(a, b, operation)
  }

  #operation(rule: Rule): Operation {
    return { number: this.#operations++, rule }
  }

  /** The set of those who get each answer, without those who get `none`. */
  byAnswer(diagram: Diagram): ReadonlyMap<number, Diagram> {
    const known = new Map<Diagram, ReadonlyMap<number, Diagram>>()
    const sets = (node: Diagram): ReadonlyMap<number, Diagram> => {
      const before = known.get(node)
      if (before) return before
      const made = isLeaf(node) ? this.#ofLeaf(node) : this.#ofTest(node.literal, sets(node.yes), sets(node.no))
      known.set(node, made)
      return made
    }
    return sets(diagram)
  }

  #ofLeaf(leaf: Leaf): Map<number, Diagram> {
    return new Map(leaf.answer === 0 ? [] : [[leaf.answer, this.all]])
  }

  #ofTest(
    literal: number,
    yes: ReadonlyMap<number, Diagram>,
    no: ReadonlyMap<number, Diagram>,
  ): ReadonlyMap<number, Diagram> {
    const found = new Map<number, Diagram>()
    for (const [answer, set] of yes) found.set(answer, this.test(literal, set, no.get(answer) ?? this.none))
    for (const [answer, set] of no) if (!yes.has(answer)) found.set(answer, this.test(literal, this.none, set))
    return found
  }

  /** The diagram for identities of whom is known which literals about user names apply. */
  ofUser(diagram: Diagram, applies: (literal: number) => boolean): Diagram {
    const known = new Map<Diagram, Diagram>()
    const specialised = (node: Diagram): Diagram => {
      if (isLeaf(node) || !node.namesUsers) return node
      if (this.#isUserName(node.literal)) return specialised(applies(node.literal) ? node.yes : node.no)
      const before = known.get(node)
      if (before) return before
      const made = this.test(node.literal, specialised(node.yes), specialised(node.no))
      known.set(node, made)
      return made
    }
    return specialised(diagram)
  }

  /** All literals that occur. */
  literalsOf(diagram: Diagram): number[] {
    const found = new Set<number>()
    const seen = new Set<Diagram>()
    const visit = (node: Diagram): void => {
      if (isLeaf(node) || seen.has(node)) return
      seen.add(node)
      found.add(node.literal)
      visit(node.yes)
      visit(node.no)
    }
    visit(diagram)
    return [...found].sort((a, b) => a - b)
  }

  /** The fewest literals, with their values, that lead into the set; null where it is empty. */
  shortestWay(set: Diagram): [literal: number, value: boolean][] | null {
    const known = new Map<Diagram, number>()
    const length = (node: Diagram): number => {
      if (isLeaf(node)) return node === this.none ? Infinity : 0
      const before = known.get(node)
      if (before !== undefined) return before
      const found = 1 + Math.min(length(node.yes), length(node.no))
      known.set(node, found)
      return found
    }
    if (length(set) === Infinity) return null
    const way: [number, boolean][] = []
    for (let node = set; !isLeaf(node); ) {
      const value: boolean = length(node.yes) <= length(node.no)
      way.push([node.literal, value])
      node = value ? node.yes : node.no
    }
    return way
  }

  /** Whether all that is `possible` where literals have these values is in `members`. */
  holdsWhere(values: ReadonlyMap<number, boolean>, possible: Diagram, members: Diagram): boolean {
    const seen = new Map<Diagram, Set<Diagram>>()
    const holds = (a: Diagram, b: Diagram): boolean => {
      if (a === this.none || b === this.all) return true
      if (b === this.none && a === this.all) return false
      const literal = Math.min(a.literal, b.literal)
      const value = values.get(literal)
      if (value !== undefined) return holds(branch(a, literal, value), branch(b, literal, value))
      const others = seen.get(a)
      if (others?.has(b)) return true
      if (others) others.add(b)
      else seen.set(a, new Set([b]))
      return (
        holds(branch(a, literal, true), branch(b, literal, true)) &&
        holds(branch(a, literal, false), branch(b, literal, false))
      )
    }
    return holds(possible, members)
  }

  #apply(a: Diagram, b: Diagram, operation: Operation): Diagram {
    const outright = operation.rule(a, b)
    if (outright) return outright
    const before = this.#results.get(operation.number, a, b)
    if (before) return before
    const literal = Math.min(a.literal, b.literal)
    const made = this.test(
      literal,
      this.#apply(branch(a, literal, true), branch(b, literal, true), operation),
      this.#apply(branch(a, literal, false), branch(b, literal, false), operation),
    )
    this.#results.set(operation.number, a, b, made)
    return made
  }
}

function branch(diagram: Diagram, literal: number, value: boolean): Diagram {
  if (isLeaf(diagram) || diagram.literal !== literal) return diagram
  return value ? diagram.yes : diagram.no
}

/** Spreads three small numbers over 32 bits. */
function scattered(a: number, b: number, c: number): number {
  const mixed = Math.imul(Math.imul(Math.imul(a, 0x9e3779b1) ^ b, 0x85ebca6b) ^ c, 0xc2b2ae35)
  return mixed ^ (mixed >>> 15)
}

/** All tests that have been made, by what they consist of. */
class TestTable {
  /** Its length is a power of two; where a place is taken, the next one is tried. */
  #places: (Test | undefined)[] = new Array(2 ** 10)
  #size = 0

  find(literal: number, yes: Diagram, no: Diagram): Test | undefined {
    const places = this.#places
    for (let at = scattered(literal, yes.id, no.id); ; at++) {
      const test = places[at & (places.length - 1)]
      if (!test || (test.literal === literal && test.yes === yes && test.no === no)) return test
    }
  }

  add(test: Test): void {
    if (++this.#size * 2 > this.#places.length) {
      const old = this.#places
      this.#places = new Array(old.length * 2)
      for (const other of old) if (other) this.#put(other)
    }
    this.#put(test)
  }

  #put(test: Test): void {
    const places = this.#places
    let at = scattered(test.literal, test.yes.id, test.no.id)
    while (places[at & (places.length - 1)]) at++
    places[at & (places.length - 1)] = test
  }
}

/** Results of operations; of two that want the same place the newer one gets it. That bounds the memory they take. */
class ResultCache {
  #size = 2 ** 10
  /** For each place: operation, ids of the two diagrams. */
  #keys = new Int32Array(3 * this.#size).fill(-1)
  #results: (Diagram | undefined)[] = new Array(this.#size)

  get(operation: number, a: Diagram, b: Diagram): Diagram | undefined {
    const place = scattered(operation, a.id, b.id) & (this.#size - 1)
    const keys = this.#keys
    const isSame = keys[3 * place] === operation && keys[3 * place + 1] === a.id && keys[3 * place + 2] === b.id
    return isSame ? this.#results[place] : undefined
  }

  set(operation: number, a: Diagram, b: Diagram, result: Diagram): void {
    const place = scattered(operation, a.id, b.id) & (this.#size - 1)
    this.#keys[3 * place] = operation
    this.#keys[3 * place + 1] = a.id
    this.#keys[3 * place + 2] = b.id
    this.#results[place] = result
  }

  /** Grows with the number of diagrams, and forgets all. */
  makeRoomFor(diagrams: number): void {
    if (diagrams <= this.#size) return
    this.#size *= 4
    this.#keys = new Int32Array(3 * this.#size).fill(-1)
    this.#results = new Array(this.#size)
  }
}
