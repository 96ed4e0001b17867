/**
 * Decides the dimensions of a space one after the other, over the set of clauses that may still hold a point: strings that
 * leave the same clauses take the same way, and what remains to be decided between the same clauses is decided once. The
 * ways through this diagram are disjoint boxes. Subtracting box from box instead multiplies the pieces with every clause.
 */
import { type Bits, bitsKey, bitsWhere, clearBit, common, isSubset, noBits, numbersIn, setBit } from './bits.ts'
import { type Box, boxKey, joinSets, mergeBoxes } from './box.ts'
import { everything, has, hasFamily, isEverything, makeSet, type StringSet, type StringSpace } from './string-set.ts'

/** What clauses mean; they are known by their index. */
export interface Judge {
  /**
   * Takes out of `alive` what cannot matter any more.
   * @param alive    clauses that hold what has been decided; changed in place
   * @param settled  clauses that hold all that is left to be decided, alive or not
   */
  reduce(alive: Bits, settled: Bits): void
  /** Numbers of the answers where exactly these clauses matter. */
  answers(alive: Bits): readonly number[]
}

/**
 * The disjoint, merged boxes of every answer. Answers that are given for the same points share one list.
 *
 * @param boxes   one per clause
 * @param spaces  one per dimension, in the order of the boxes' sets
 * @param order   in which the dimensions are decided, by index. It does not change what the boxes of an answer hold, but
 *                how many there are
 */
export function decide(
  boxes: readonly Box[],
  spaces: readonly StringSpace[],
  order: readonly number[],
  judge: Judge,
): Map<number, Box[]> {
  const reordered = boxes.map((box) => rearranged(box, order))
  const found = new Diagram(reordered, rearranged(spaces, order), judge).boxes()
  const backwards = order.map((_, dimension) => order.indexOf(dimension))
  const merged = new Map<readonly Box[], Box[]>()
  for (const some of new Set(found.values())) {
    merged.set(
      some,
      mergeBoxes(sortedBoxes(some)).map((box) => rearranged(box, backwards)),
    )
  }
  return mapValues(found, (some) => merged.get(some) ?? [])
}

/** In an order that is theirs, whatever way they were found. */
function sortedBoxes(boxes: readonly Box[]): Box[] {
  if (boxes.length < 2) return [...boxes]
  return boxes
    .map((box) => ({ box, key: boxKey(box) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ box }) => box)
}

/** Answers by the boxes of whichever order described them with the fewest. */
export function shortestOf(attempts: readonly ReadonlyMap<number, Box[]>[]): Map<number, Box[]> {
  const shortest = new Map<number, Box[]>()
  for (const attempt of attempts) {
    for (const [answer, boxes] of attempt) {
      const known = shortest.get(answer)
      if (!known || boxes.length < known.length) shortest.set(answer, boxes)
    }
  }
  return shortest
}

function rearranged<T>(list: readonly T[], order: readonly number[]): T[] {
  return order.map((index) => list[index] as T)
}

/** What is left to decide: ways by the value in the next dimension, or none and the answers. Equal diagrams are one object. */
interface Node {
  id: number
  answers: readonly number[]
  ways: readonly Way<Node>[]
}

export interface Way<T> {
  set: StringSet
  to: T
}

class Diagram {
  readonly #spaces: readonly StringSpace[]
  readonly #judge: Judge
  readonly #size: number
  readonly #dimensions: readonly Dimension[]
  /** Per dimension: clauses that hold everything from it on. */
  readonly #settled: readonly Bits[]
  readonly #decided: readonly Map<string, Node>[]
  readonly #nodes = new Map<string, Node>()
  readonly #boxes: readonly Map<Node, Map<number, Box[]>>[]
  /** Answers for which boxes are made: of those that are alike one suffices. */
  #described: ReadonlySet<number> = new Set()

  constructor(boxes: readonly Box[], spaces: readonly StringSpace[], judge: Judge) {
    this.#spaces = spaces
    this.#judge = judge
    this.#size = boxes.length
    this.#dimensions = spaces.map((space, dimension) => new Dimension(space, boxes, dimension))
    this.#settled = [...spaces.keys(), spaces.length].map((dimension) =>
      bitsWhere(boxes.length, (index) => boxes[index]?.slice(dimension).every(isEverything) ?? false),
    )
    this.#decided = spaces.map(() => new Map())
    this.#boxes = [...spaces, null].map(() => new Map())
  }

  boxes(): Map<number, Box[]> {
    const root = this.#decide(
      0,
      bitsWhere(this.#size, () => true),
    )
    const alike = this.#alikeAnswers()
    this.#described = new Set([...alike.values()].flatMap((answers) => answers.slice(0, 1)))
    const boxes = this.#boxesFrom(0, root)
    return new Map(
      [...alike.values()].flatMap((answers) => {
        const shared = boxes.get(answers[0] ?? -1) ?? []
        return answers.map((answer): [number, Box[]] => [answer, shared])
      }),
    )
  }

  /** Answers that are given at the same leaves. */
  #alikeAnswers(): Map<string, number[]> {
    const leavesOf = new Map<number, string>()
    for (const { id, answers } of this.#nodes.values()) {
      for (const answer of answers) leavesOf.set(answer, `${leavesOf.get(answer) ?? ''} ${id}`)
    }
    const alike = new Map<string, number[]>()
    for (const [answer, leaves] of leavesOf) {
      const others = alike.get(leaves)
      if (others) others.push(answer)
      else alike.set(leaves, [answer])
    }
    return alike
  }

  /** The diagram from a dimension on, where the values before have left these clauses. Takes `alive` over. */
  #decide(dimension: number, alive: Bits): Node {
    const settled = this.#settled[dimension] ?? noBits(this.#size)
    this.#judge.reduce(alive, settled)
    if (isSubset(alive, settled)) return this.#leaf(alive)
    const key = bitsKey(alive)
    const known = this.#decided[dimension]?.get(key)
    if (known) return known
    const node = this.#branch(dimension, alive)
    this.#decided[dimension]?.set(key, node)
    return node
  }

  #leaf(alive: Bits): Node {
    const answers = this.#judge.answers(alive)
    return this.#unique(`=${answers.join(' ')}`, answers, [])
  }

  #branch(dimension: number, alive: Bits): Node {
    const space = this.#dimensions[dimension]
    if (!space) throw new Error(`no dimension ${dimension}`)
    const ways = space.ways(alive, (left) => this.#decide(dimension + 1, left))
    return this.#unique(`${dimension} ${ways.map(({ to, set }) => `${to.id} ${set.key}`).join('\n')}`, [], ways)
  }

  #unique(key: string, answers: Node['answers'], ways: Node['ways']): Node {
    const known = this.#nodes.get(key)
    if (known) return known
    const node = { id: this.#nodes.size, answers, ways }
    this.#nodes.set(key, node)
    return node
  }

  /** Per answer, the boxes over the dimensions from this one on. */
  #boxesFrom(dimension: number, node: Node): Map<number, Box[]> {
    const memo = this.#boxes[dimension]
    const known = memo?.get(node)
    if (known) return known
    const boxes = node.ways.length > 0 ? this.#boxesOfBranch(dimension, node) : this.#boxesOfLeaf(dimension, node)
    memo?.set(node, boxes)
    return boxes
  }

  #boxesOfLeaf(dimension: number, { answers }: Node): Map<number, Box[]> {
    const all = this.#spaces.slice(dimension).map(everything)
    return new Map(answers.filter((answer) => this.#described.has(answer)).map((answer) => [answer, [all]]))
  }

  /** Ways that go on alike become one box each. */
  #boxesOfBranch(dimension: number, node: Node): Map<number, Box[]> {
    const found = new Map<number, Map<string, { rest: Box; sets: StringSet[] }>>()
    for (const { set, to } of node.ways) {
      for (const [answer, rests] of this.#boxesFrom(dimension + 1, to)) {
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

/** Which clauses hold the strings and families that any clause names in a dimension, and which hold all others. */
class Dimension {
  readonly #space: StringSpace
  readonly #outside: Bits
  readonly #names: readonly Name[]
  /** Per clause, indices of the names that its set tells from others. */
  readonly #namedBy: readonly (readonly number[])[]
  /** Per name, the last question that came across it. */
  readonly #seen: Int32Array
  #questions = 0

  constructor(space: StringSpace, boxes: readonly Box[], dimension: number) {
    this.#space = space
    const sets = boxes.map((box) => {
      const set = box[dimension]
      if (!set) throw new Error(`no dimension ${dimension}`)
      return set
    })
    this.#outside = bitsWhere(sets.length, (index) => sets[index]?.outside ?? false)
    const names: Name[] = []
    const indexOf = new Map<string, number>()
    const withFamilies = [...sets.entries()].filter(([, set]) => set.families.size > 0)
    const indexed = (text: string, isFamily: boolean): number => {
      const key = `${isFamily ? 'f' : 'x'}${text}`
      const known = indexOf.get(key)
      if (known !== undefined) return known
      const held = this.#outside.slice()
      for (const [index, set] of withFamilies) {
        putBit(held, index, isFamily ? hasFamily(set, text) : has(set, text))
      }
      names.push({ text, isFamily, held })
      indexOf.set(key, names.length - 1)
      return names.length - 1
    }
    this.#namedBy = sets.map((set, index) => [
      ...[...set.families.keys()].map((family) => indexed(family, true)),
      ...[...set.exact].map(([value, inside]) => {
        const name = indexed(value, false)
        const held = names[name]?.held
        if (held) putBit(held, index, inside)
        return name
      }),
    ])
    this.#names = names
    this.#seen = new Int32Array(names.length)
  }

  /** One way for each different outcome of what a value leaves of these clauses. */
  ways<T extends { id: number }>(alive: Bits, decide: (left: Bits) => T): Way<T>[] {
    const outside = decide(common(alive, this.#outside))
    const families = new Map<string, T>()
    const exact = new Map<string, T>()
    for (const { text, isFamily, held } of this.#namesOf(alive)) {
      ;(isFamily ? families : exact).set(text, decide(common(alive, held)))
    }
    return waysBy(this.#space, outside, families, exact).sort((a, b) => a.to.id - b.to.id)
  }

  /** Strings that no clause still alive names go the way of the rest. */
  #namesOf(alive: Bits): Name[] {
    const question = ++this.#questions
    const found: Name[] = []
    for (const clause of numbersIn(alive)) {
      for (const index of this.#namedBy[clause] ?? []) {
        const name = this.#names[index]
        if (!name || this.#seen[index] === question) continue
        this.#seen[index] = question
        found.push(name)
      }
    }
    return found
  }
}

interface Name {
  text: string
  isFamily: boolean
  held: Bits
}

function putBit(bits: Bits, index: number, value: boolean): void {
  if (value) setBit(bits, index)
  else clearBit(bits, index)
}

/** One way for each target that any of the strings lead to. */
export function waysBy<T>(
  space: StringSpace,
  outside: T,
  families: ReadonlyMap<string, T>,
  exact: ReadonlyMap<string, T>,
): Way<T>[] {
  const wayOfFamily = (value: string) => {
    const family = space.familiesOf(value).find((name) => families.has(name))
    return (family === undefined ? undefined : families.get(family)) ?? outside
  }
  const exceptions = [...exact].filter(([value, target]) => target !== wayOfFamily(value))
  const targets = new Set([outside, ...families.values(), ...exceptions.map(([, target]) => target)])
  return [...targets].map((to) => ({
    to,
    set: makeSet(
      space,
      outside === to,
      mapValues(families, (target) => target === to),
      new Map(exceptions.map(([value, target]) => [value, target === to])),
    ),
  }))
}

function mapValues<K, A, B>(map: ReadonlyMap<K, A>, change: (value: A) => B): Map<K, B> {
  return new Map([...map].map(([key, value]) => [key, change(value)]))
}
