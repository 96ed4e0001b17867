import { describe, expect, it } from 'vitest'
import { levelSeats, maxSeatsOfLevel } from '../../src/apf/seats.ts'
import { priorityLevel } from '../support/objects.ts'
import { versionRules } from '../support/versions.ts'
import { vectors } from './vectors.ts'

interface Input {
  version: string
  serverCL: number
  priorityLevels: LevelInput[]
}
interface LevelInput {
  name: string
  type: string
  shares: number
  lendablePercent: number | null
  borrowingLimitPercent: number | null
  handSize: number | null
}
interface Limits {
  nominal: number
  lendable?: number
  lower?: number
  upper?: number
  maxSeats?: number
}

describe.each(vectors<Input, { levels: Record<string, Limits>; nominalSum: number }>('seats', 'nominal'))(
  '$note',
  ({ input, expected }) => {
    const rules = versionRules(input.version)
    const limits = levelSeats(input.priorityLevels.map(level), input.serverCL, rules)

    it('gives every level that takes part the limits of the server', () => {
      expect(limits.map(({ name }) => name).sort()).toEqual(Object.keys(expected.levels).sort())
      for (const { name, nominal, lendable, lower, upper } of limits) {
        const wanted = expected.levels[name]
        expect({ name, nominal }).toEqual({ name, nominal: wanted?.nominal })
        if (wanted?.lower === undefined) continue
        expect({ name, lendable, lower, upper }).toEqual({
          name,
          lendable: wanted.lendable,
          lower: wanted.lower,
          upper: wanted.upper,
        })
      }
    })

    it('adds up as on the server, rounding included', () =>
      expect(limits.reduce((total, { nominal }) => total + nominal, 0)).toBe(expected.nominalSum))
  },
)

describe.each(vectors<{ nominal: number; handSize: number | null }, { maxSeats: number }>('seats', 'maxSeats'))(
  'of $input.nominal seats and hands of $input.handSize',
  ({ input, expected }) => {
    it('one request takes no more than upstream allows', () =>
      expect(maxSeatsOfLevel(input.nominal, input.handSize) ?? 0).toBe(expected.maxSeats))
  },
)

function level({ name, type, shares, lendablePercent, borrowingLimitPercent, handSize }: LevelInput) {
  const lendable = lendablePercent === null ? {} : { lendablePercent }
  if (type === 'Exempt') {
    return priorityLevel({
      metadata: { name },
      spec: { type, exempt: { nominalConcurrencyShares: shares, ...lendable } },
    })
  }
  const limitResponse =
    handSize === null ? { type: 'Reject' } : { type: 'Queue', queuing: { queues: 64, handSize, queueLengthLimit: 50 } }
  const limited = { nominalConcurrencyShares: shares, ...lendable, borrowingLimitPercent, limitResponse }
  return priorityLevel({ metadata: { name }, spec: { type, limited } })
}
