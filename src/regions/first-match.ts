/** Who answers for which part of a space, when of an ordered list of boxes the first that holds a point answers for it. */
import { keepOnlyUpTo, lowest } from './bits.ts'
import type { Box } from './box.ts'
import { decide, type Judge, shortestOf } from './decision-diagram.ts'
import type { StringSpace } from './string-set.ts'

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
  const boxes = clauses.map(({ box }) => box)
  const deciding = new Set<number>()
  const judge: Judge = {
    // Behind a clause that holds all that is left, no other can answer.
    reduce: (alive, settled) => keepOnlyUpTo(alive, lowest(alive, settled)),
    answers: (alive) => {
      const first = lowest(alive)
      const clause = first === null ? undefined : clauses[first]
      if (first === null || !clause) return []
      deciding.add(first)
      return [clause.answer]
    },
  }
  return { boxes: shortestOf(orders.map((order) => decide(boxes, spaces, order, judge))), deciding }
}
