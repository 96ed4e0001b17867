import { describe, expect, it } from 'vitest'
import { formatSeatSeconds, seatSeconds } from '../../src/apf/seat-seconds.ts'
import { vectors } from './vectors.ts'

interface Input {
  seats: number
  durationNs: number
}

describe.each(vectors<Input, { units: number; text: string }>('seats', 'seatSeconds'))(
  '$input.seats seats for $input.durationNs ns',
  ({ input, expected }) => {
    const work = seatSeconds(input.seats, input.durationNs)

    it('are so many seat-seconds', () => expect(work).toBe(BigInt(expected.units)))
    it('are written as in the dumps', () => expect(formatSeatSeconds(work)).toBe(expected.text))
  },
)
