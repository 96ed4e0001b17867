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

const NO_LITERAL = Number.MAX_SAFE_INTEGER
/** More diagrams than fit into memory. */
const ID_LIMIT = 2 ** 26

export function isLeaf(diagram: Diagram): diagram is Leaf {
  return diagram.literal === NO_LITERAL
}

/** Makes diagrams and keeps them. */
export class Diagrams {
  /** Of sets, which are diagrams with these two answers. */
  readonly none: Diagram
  readonly all: Diagram
  readonly #isUserName: (literal: number) => boolean
  readonly #leaves = new Map<number, Leaf>()
  readonly #tests: Map<number, Test>[] = []
  readonly #overrides = new Map<number, Map<number, Diagram>>()
  readonly #and = new Map<number, Diagram>()
  readonly #or = new Map<number, Diagram>()
  readonly #without = new Map<number, Diagram>()
  #size = 0

  constructor(isUserName: (literal: number) => boolean) {
    this.#isUserName = isUserName
    this.none = this.leaf(0)
    this.all = this.leaf(1)
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
    this.#tests[literal] ??= new Map()
    const alike = this.#tests[literal]
    const key = yes.id * ID_LIMIT + no.id
    const known = alike.get(key)
    if (known) return known
    const namesUsers = yes.namesUsers || no.namesUsers || this.#isUserName(literal)
    const made: Test = { id: this.#size++, literal, yes, no, namesUsers }
    alike.set(key, made)
    return made
  }

  /** The set of all to whom one literal applies. */
  literal(literal: number): Diagram {
    return this.test(literal, this.all, this.none)
  }

  /** What a first-match list answers: `answer` for everything in `set`, for the others what the `rest` of the list says. */
  override(set: Diagram, answer: Leaf, rest: Diagram): Diagram {
    if (isLeaf(set)) return set === this.all ? answer : rest
    const known = this.#overrides.get(answer.id) ?? new Map<number, Diagram>()
    this.#overrides.set(answer.id, known)
    return this.#apply(set, rest, known, (a, b) => {
      if (a === this.none) return b
      return a === this.all || b === answer ? answer : null
    })
  }

  and(a: Diagram, b: Diagram): Diagram {
    return this.#apply(a, b, this.#and, (x, y) => {
      if (x === y || y === this.all) return x
      if (x === this.all) return y
      return x === this.none || y === this.none ? this.none : null
    })
  }

  or(a: Diagram, b: Diagram): Diagram {
    return this.#apply(a, b, this.#or, (x, y) => {
      if (x === y || y === this.none) return x
      if (x === this.none) return y
      return x === this.all || y === this.all ? this.all : null
    })
  }

  /** What is in `a` and not in `b`. */
  without(a: Diagram, b: Diagram): Diagram {
    return this.#apply(a, b, this.#without, (x, y) => {
      if (y === this.none) return x
      return x === y || x === this.none || y === this.all ? this.none : null
    })
  }

  /**
   * Both answers at once.
   * @param known  results of this very `pair`, kept for the next call
   * @param pair   the answer for two answers; the same diagrams have the answer 0
   */
  pairs(a: Diagram, b: Diagram, known: Map<number, Diagram>, pair: (a: number, b: number) => number): Diagram {
    return this.#apply(a, b, known, (x, y) => {
      if (x === y) return this.none
      return isLeaf(x) && isLeaf(y) ? this.leaf(pair(x.answer, y.answer)) : null
    })
  }

  /** The set of those who get each answer, without those who get `none`. */
  byAnswer(diagram: Diagram): Map<number, Diagram> {
    const found = new Map<number, Diagram>()
    for (const answer of this.#answersOf(diagram)) {
      if (answer !== 0) found.set(answer, this.#where(diagram, answer, new Map()))
    }
    return found
  }

  #answersOf(diagram: Diagram): Set<number> {
    const answers = new Set<number>()
    const seen = new Set<Diagram>()
    const visit = (node: Diagram): void => {
      if (seen.has(node)) return
      seen.add(node)
      if (isLeaf(node)) answers.add(node.answer)
      else {
        visit(node.yes)
        visit(node.no)
      }
    }
    visit(diagram)
    return answers
  }

  #where(node: Diagram, answer: number, known: Map<Diagram, Diagram>): Diagram {
    if (isLeaf(node)) return node.answer === answer ? this.all : this.none
    const before = known.get(node)
    if (before) return before
    const made = this.test(node.literal, this.#where(node.yes, answer, known), this.#where(node.no, answer, known))
    known.set(node, made)
    return made
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

  #apply(
    a: Diagram,
    b: Diagram,
    known: Map<number, Diagram>,
    decided: (a: Diagram, b: Diagram) => Diagram | null,
  ): Diagram {
    const outright = decided(a, b)
    if (outright) return outright
    const key = a.id * ID_LIMIT + b.id
    const before = known.get(key)
    if (before) return before
    const literal = Math.min(a.literal, b.literal)
    const made = this.test(
      literal,
      this.#apply(branch(a, literal, true), branch(b, literal, true), known, decided),
      this.#apply(branch(a, literal, false), branch(b, literal, false), known, decided),
    )
    known.set(key, made)
    return made
  }
}

function branch(diagram: Diagram, literal: number, value: boolean): Diagram {
  if (isLeaf(diagram) || diagram.literal !== literal) return diagram
  return value ? diagram.yes : diagram.no
}
