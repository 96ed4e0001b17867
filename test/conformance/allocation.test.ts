import { describe, expect, it } from 'vitest'
import { borrowingRound } from '../../src/apf/allocation.ts'
import { type AllocationItem, allocateFairly } from '../../src/apf/fair-allocation.ts'
import { versionRules } from '../support/versions.ts'
import { vectors } from './vectors.ts'

/** The vectors have nine digits. */
const RELATIVE_TOLERANCE = 1e-6

interface AllocationInput {
  requiredSum: number
  classes: AllocationItem[]
}
type Allocation = { alloc: number[]; fairProp: number; rounded: number[] } | { error: string }

describe.each(vectors<AllocationInput, Allocation>('seats', 'allocation'))('$note', ({ input, expected }) => {
  const result = allocateFairly(input.requiredSum, input.classes)

  it('is shared as upstream shares it', () => {
    if ('error' in expected || 'error' in result) {
      expect('error' in result).toBe('error' in expected)
      return
    }
    expectClose(result.seats, expected.alloc)
    expectClose([result.proportion], [expected.fairProp])
    expect(result.seats.map(Math.round)).toEqual(expected.rounded)
  })
})

interface LevelInput {
  type: 'Exempt' | 'Limited'
  nominal: number
  lower: number
  upper: number
  highWatermark: number
  smoothed: number
  current: number
}
interface Round {
  branch: string
  nominalSum: number
  fairFrac: number
  targets: Record<string, number>
  current: Record<string, number>
}

describe.each(vectors<{ variant: string; levels: Record<string, LevelInput> }, Round>('seats', 'borrowing'))(
  '$input.variant: $note',
  ({ input, expected }) => {
    const levels = Object.entries(input.levels).map(([name, { type, smoothed, ...level }]) => {
      return { name, exempt: type === 'Exempt', smoothedDemand: smoothed, ...level }
    })
    const round = borrowingRound(levels, versionRules(input.variant))

    it('takes the way of the server', () => {
      expect(round.branch).toBe(expected.branch)
      expect(round.nominalSum).toBe(expected.nominalSum)
      expectClose([round.fairFraction], [expected.fairFrac])
    })

    it('sets the limits of the server', () => {
      expect(Object.fromEntries(round.levels.map(({ name, current }) => [name, current]))).toEqual(expected.current)
    })

    it('aims at the targets of the server', () => {
      const targets = new Map(round.levels.flatMap(({ name, target }) => (target === null ? [] : [[name, target]])))
      const names = Object.keys(expected.targets)
      expect([...targets.keys()].sort()).toEqual([...names].sort())
      expectClose(
        names.map((name) => targets.get(name) ?? Number.NaN),
        Object.values(expected.targets),
      )
    })
  },
)

function expectClose(actual: readonly number[], expected: readonly number[]): void {
  expect(actual).toHaveLength(expected.length)
  const far = expected.filter((value, index) => !isClose(actual[index] ?? Number.NaN, value))
  expect(far, `of ${actual.join(' ')}`).toEqual([])
}

function isClose(actual: number, expected: number): boolean {
  return Math.abs(actual - expected) <= RELATIVE_TOLERANCE * Math.max(1e-3, Math.abs(expected))
}
