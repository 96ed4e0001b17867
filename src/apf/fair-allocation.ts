/**
 * Shares a number of seats in proportion to targets, within bounds.
 * Source: kubernetes/apiserver pkg/util/flowcontrol/conc_alloc.go (computeConcurrencyAllocation)
 */
import { sum } from './sum.ts'

/** All in seats, real numbers. Sound items have 0 ≤ lower ≤ target and lower ≤ upper. */
export interface AllocationItem {
  lower: number
  upper: number
  target: number
}

export interface FairAllocation {
  /** Real seats of each item, in the order given. */
  seats: number[]
  /** Seats for each seat of target, where no bound interferes. */
  proportion: number
}

/** Why there is no allocation. */
export interface ImpossibleAllocation {
  error: string
}

const TOLERANCE = 1e-7
/** Targets below it count as it, so that idle items share what nobody wants. */
export const LEAST_TARGET = 0.001

/**
 * The one proportion p for which the sum of `clamp(p × target, lower, upper)` is `required`, and the seats that it gives. Of
 * several such proportions, all with the same seats, the smallest.
 *
 * @param required  seats to share
 */
export function allocateFairly(
  required: number,
  items: readonly AllocationItem[],
): FairAllocation | ImpossibleAllocation {
  const error = faultOf(required, items)
  if (error !== null) return { error }
  const lowerSum = sum(items.map(({ lower }) => lower))
  const upperSum = sum(items.map(({ upper }) => upper))
  if (lowerSum - required > TOLERANCE) return { error: 'the lower bounds exceed what there is to share' }
  if (required - upperSum > TOLERANCE) return { error: 'there is more to share than the upper bounds admit' }

  if (required === 0) return { seats: items.map(() => 0), proportion: 0 }
  const positive = items.map((item) => ({ ...item, target: Math.max(item.target, LEAST_TARGET) }))
  const lowest = positive.map(({ lower, target }) => lower / target)
  const highest = positive.map(({ upper, target }) => upper / target)
  if (lowerSum - required > -TOLERANCE) return { seats: items.map(({ lower }) => lower), proportion: least(lowest) }
  if (required - upperSum > -TOLERANCE) return { seats: items.map(({ upper }) => upper), proportion: most(highest) }

  const unbounded = required / sum(positive.map(({ target }) => target))
  if (most(lowest) <= unbounded && unbounded <= least(highest)) {
    return { seats: positive.map(({ target }) => unbounded * target), proportion: unbounded }
  }
  const proportion = sweep(required, lowerSum, positive)
  const seats = positive.map(({ lower, upper, target }) => Math.max(lower, Math.min(upper, proportion * target)))
  return { seats, proportion }
}

function faultOf(required: number, items: readonly AllocationItem[]): string | null {
  if (required < 0) return 'there are less than no seats to share'
  for (const { lower, upper, target } of items) {
    if (lower < 0) return 'a lower bound is negative'
    if (target < lower) return 'a target is below its lower bound'
    if (upper < lower) return 'an upper bound is below its lower bound'
  }
  return null
}

/** Raises the proportion from bound to bound until the seats suffice. An item moves between its lower and its upper bound. */
function sweep(required: number, lowerSum: number, items: readonly AllocationItem[]): number {
  const bounds = items
    .flatMap(({ lower, upper, target }) => [
      { at: lower / target, slope: target, moving: 1 },
      { at: upper / target, slope: -target, moving: -1 },
    ])
    .sort((a, b) => a.at - b.at)
  let proportion = bounds[0]?.at ?? 0
  let shared = lowerSum
  let slope = 0
  // Counted apart, because the slope need not come back to 0 in floating point.
  let moving = 0
  for (const bound of bounds) {
    if (shared >= required) break
    if (bound.at > proportion) {
      if (moving > 0) {
        const enough = proportion + (required - shared) / slope
        if (enough <= bound.at) return enough
        shared += (bound.at - proportion) * slope
      }
      proportion = bound.at
    }
    slope += bound.slope
    moving += bound.moving
  }
  return proportion
}

function least(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY)
}

function most(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => Math.max(a, b), 0)
}
