import { describe, expect, it } from 'vitest'
import { chooseQueue } from '../../src/apf/queue-choice.ts'
import { rulesFor } from '../../src/apf/versions.ts'
import { vectors } from './vectors.ts'

interface Input {
  rule: string
  hand: number[]
  startOffset: number
  /** Missing: 0. */
  load: Record<string, number>
}

const MINORS: Readonly<Record<string, readonly number[]>> = {
  '1.20-1.21 waiting requests; 1.22 waiting seats': [20, 21, 22],
  '1.23+ waiting work in seat-seconds': [23, 28, 37],
}

describe.each(vectors<Input, { queue: number }>('classification', 'queueChoice'))('$note $input', (vector) => {
  const { rule, hand, startOffset, load } = vector.input
  it.each(MINORS[rule] ?? [])('is the queue that 1.%i takes', (minor) => {
    const chosen = chooseQueue(hand, (queue) => load[queue] ?? 0, startOffset, rulesFor({ minor }))
    expect(chosen).toBe(vector.expected.queue)
  })
})
