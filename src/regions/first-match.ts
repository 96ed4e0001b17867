/**
 * Who answers for which part of a space, when of an ordered list of boxes the first that holds a point answers for it.
 *
 * Subtracting box from box multiplies the pieces with every clause. Here the dimensions are decided one after the other,
 * over the set of clauses that can still answer: strings that leave the same clauses take the same way, and what remains to
 * be decided between the same clauses is decided once. The ways through this decision diagram are disjoint boxes.
 */
import { type Box, boxKey, joinSets, mergeBoxes } from './box.ts'
import { everything, has, hasFamily, isEverything, makeSet, type StringSet, type StringSpace } from './string-set.ts'

export interface Clause {
  box: Box
  /** Number of the answer; several clauses may give one. */
  answer: number
}

export interface Shares {
  /** The disjoint, merged boxes of every answer that any point gets. */
  boxes: Map<number, Box[]>
  /** Indices of the clauses that are the first for at least one point. */
  deciding: Set<number>
}

/**
 * Shares out what the clauses hold. The order in which the dimensions are decided does not change the shares, but how many
 * boxes describe them: of all orders tried, each answer gets its shortest description.
 *
 * @param spaces  one per dimension, in the order of the boxes' sets
 * @param orders  of the dimensions' indices; at least one
 */
export function firstMatch(
  clauses: readonly Clause[],
  spaces: readonly StringSpace[],
  orders: readonly (readonly number[])[],
): Shares {
  const shortest: Shares = { boxes: new Map(), deciding: new Set() }
  for (const order of orders) {
    const { boxes, deciding } = firstMatchInOrder(clauses, spaces, order)
    for (const [answer, found] of boxes) {
      const known = shortest.boxes.get(answer)
      if (!known || found.length < known.length) shortest.boxes.set(answer, found)
    }
    shortest.deciding = deciding
  }
  return shortest
}

function firstMatchInOrder(
  clauses: readonly Clause[],
  spaces: readonly StringSpace[],
  order: readonly number[],
): Shares {
  const reordered = clauses.map(({ box, answer }) => ({ box: rearranged(box, order), answer }))
  const diagram = new Diagram(reordered, rearranged(spaces, order))
  const root = diagram.decide(0, (1n << BigInt(clauses.length)) - 1n)
  const backwards = order.map((_, dimension) => order.indexOf(dimension))
  const boxes = mapValues(diagram.boxesFrom(0, root), (found) =>
    mergeBoxes(found).map((box) => rearranged(box, backwards)),
  )
  return { boxes, deciding: diagram.deciding }
}

function rearranged<T>(list: readonly T[], order: readonly number[]): T[] {
  return order.flatMap((index) => list.slice(index, index + 1))
}

/** Clauses by index, one bit each. */
type ClauseSet = bigint

/**
 * What is left to decide: ways by the value in the next dimension, or none and the answer; null where no clause answers.
 * Equal diagrams are one object.
 */
interface Node {
  id: number
  answer: number | null
  ways: readonly { set: StringSet; to: Node }[]
}

/** Which clauses hold the strings and families that any clause names in a dimension, and which hold all others. */
interface Holders {
  outside: ClauseSet
  families: ReadonlyMap<string, ClauseSet>
  exact: ReadonlyMap<string, ClauseSet>
}

class Diagram {
  readonly deciding = new Set<number>()
  readonly #clauses: readonly Clause[]
  readonly #spaces: readonly StringSpace[]
  readonly #holders: readonly Holders[]
  /** Per dimension: clauses that hold everything from it on. */
  readonly #settled: readonly ClauseSet[]
  readonly #indexOfBit: ReadonlyMap<ClauseSet, number>
  readonly #decided: readonly Map<ClauseSet, Node>[]
  readonly #nodes = new Map<string, Node>()
  readonly #boxes: readonly Map<Node, Map<number, Box[]>>[]

  constructor(clauses: readonly Clause[], spaces: readonly StringSpace[]) {
    this.#clauses = clauses
    this.#spaces = spaces
    this.#holders = spaces.map((_, dimension) => holdersIn(clauses, dimension))
    this.#settled = [...spaces.keys(), spaces.length].map((dimension) =>
      clausesWhere(clauses, ({ box }) => box.slice(dimension).every(isEverything)),
    )
    this.#indexOfBit = new Map(clauses.map((_, index) => [1n << BigInt(index), index]))
    this.#decided = spaces.map(() => new Map())
    this.#boxes = [...spaces, null].map(() => new Map())
  }

  /** The diagram from a dimension on, where the values before have left these clauses. */
  decide(dimension: number, candidates: ClauseSet): Node {
    const settled = this.#settled[dimension] ?? 0n
    const firstSettled = lowestBit(candidates & settled)
    // Behind a clause that holds all that is left, no other can answer.
    const alive = firstSettled === 0n ? candidates : candidates & ((firstSettled << 1n) - 1n)
    const first = lowestBit(alive)
    if (first === firstSettled) return this.#answer(first)
    const known = this.#decided[dimension]?.get(alive)
    if (known) return known
    const node = this.#branch(dimension, alive)
    this.#decided[dimension]?.set(alive, node)
    return node
  }

  /** The answer of one clause, or of none, for all that is left. */
  #answer(clause: ClauseSet): Node {
    const index = this.#indexOfBit.get(clause)
    if (index !== undefined) this.deciding.add(index)
    const answer = index === undefined ? null : (this.#clauses[index]?.answer ?? null)
    return this.#unique(`=${answer}`, answer, [])
  }

  #branch(dimension: number, alive: ClauseSet): Node {
    const space = this.#spaces[dimension]
    const holders = this.#holders[dimension]
    if (!space || !holders) throw new Error(`no dimension ${dimension}`)
    const outside = this.decide(dimension + 1, alive & holders.outside)
    // Strings that no clause still alive tells from the rest go the way of the rest.
    const way = (held: ClauseSet) =>
      (alive & (held ^ holders.outside)) === 0n ? outside : this.decide(dimension + 1, alive & held)
    const families = mapValues(holders.families, way)
    const exact = mapValues(holders.exact, way)
    const ways = waysBy(space, outside, families, exact)
    return this.#unique(`${dimension} ${ways.map(({ to, set }) => `${to.id} ${set.key}`).join('\n')}`, null, ways)
  }

  #unique(key: string, answer: number | null, ways: Node['ways']): Node {
    const known = this.#nodes.get(key)
    if (known) return known
    const node = { id: this.#nodes.size, answer, ways }
    this.#nodes.set(key, node)
    return node
  }

  /** Per answer, the boxes over the dimensions from this one on. */
  boxesFrom(dimension: number, node: Node): Map<number, Box[]> {
    const memo = this.#boxes[dimension]
    const known = memo?.get(node)
    if (known) return known
    const boxes =
      node.ways.length > 0
        ? this.#boxesOfBranch(dimension, node)
        : new Map(node.answer === null ? [] : [[node.answer, [this.#allFrom(dimension)]]])
    memo?.set(node, boxes)
    return boxes
  }

  #allFrom(dimension: number): Box {
    return this.#spaces.slice(dimension).map(everything)
  }

  /** Ways that go on alike become one box each. */
  #boxesOfBranch(dimension: number, node: Node): Map<number, Box[]> {
    const found = new Map<number, Map<string, { rest: Box; sets: StringSet[] }>>()
    for (const { set, to } of node.ways) {
      for (const [answer, rests] of this.boxesFrom(dimension + 1, to)) {
        const ofAnswer = found.get(answer) ?? new Map<string, { rest: Box; sets: StringSet[] }>()
        found.set(answer, ofAnswer)
        for (const rest of rests) {
          const key = boxKey(rest)
          const alike = ofAnswer.get(key)
          if (alike) alike.sets.push(set)
          else ofAnswer.set(key, { rest, sets: [set] })
        }
      }
    }
    return mapValues(found, (ofAnswer) =>
      [...ofAnswer.values()].flatMap(({ rest, sets }) => joinSets(sets).map((set) => [set, ...rest])),
    )
  }
}

/** One way for each node that any of the strings lead to. */
function waysBy(
  space: StringSpace,
  outside: Node,
  families: ReadonlyMap<string, Node>,
  exact: ReadonlyMap<string, Node>,
): Node['ways'] {
  const wayOfFamily = (value: string) => {
    const family = space.familiesOf(value).find((name) => families.has(name))
    return (family === undefined ? undefined : families.get(family)) ?? outside
  }
  const exceptions = [...exact].filter(([value, node]) => node !== wayOfFamily(value))
  const targets = new Set([outside, ...families.values(), ...exceptions.map(([, node]) => node)])
  return [...targets]
    .map((to) => ({
      to,
      set: makeSet(
        space,
        outside === to,
        mapValues(families, (node) => node === to),
        new Map(exceptions.map(([value, node]) => [value, node === to])),
      ),
    }))
    .sort((a, b) => a.to.id - b.to.id)
}

function holdersIn(clauses: readonly Clause[], dimension: number): Holders {
  const sets = clauses.map(({ box }) => box[dimension])
  const families = new Set(sets.flatMap((set) => [...(set?.families.keys() ?? [])]))
  const exact = new Set(sets.flatMap((set) => [...(set?.exact.keys() ?? [])]))
  const holding = (test: (set: StringSet) => boolean) =>
    clausesWhere(clauses, ({ box }) => box.slice(dimension, dimension + 1).every(test))
  return {
    outside: holding((set) => set.outside),
    families: new Map([...families].map((family) => [family, holding((set) => hasFamily(set, family))])),
    exact: new Map([...exact].map((value) => [value, holding((set) => has(set, value))])),
  }
}

function clausesWhere(clauses: readonly Clause[], test: (clause: Clause) => boolean): ClauseSet {
  return clauses.reduce((set, clause, index) => (test(clause) ? set | (1n << BigInt(index)) : set), 0n)
}

function lowestBit(set: ClauseSet): ClauseSet {
  return set & -set
}

function mapValues<K, A, B>(map: ReadonlyMap<K, A>, change: (value: A) => B): Map<K, B> {
  return new Map([...map].map(([key, value]) => [key, change(value)]))
}
