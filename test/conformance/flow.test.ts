import { describe, expect, it } from 'vitest'
import { flowHash, formatHash } from '../../src/apf/flow.ts'
import { dealerRefusal, dealHand, entropyBits, type Uint64 } from '../../src/apf/shuffle-sharding.ts'
import { vectors } from './vectors.ts'

interface FlowInput {
  flowSchema: string
  distinguisher: string
}
interface HandInput {
  hash: string
  queues: number
  handSize: number
}

describe.each([
  ...vectors<FlowInput, { decimal?: string; hash?: string }>('classification', 'flowHash'),
  ...vectors<FlowInput, { decimal?: string; hash?: string }>('seats', 'flowHash'),
])('flow hash of $input', ({ input, expected }) => {
  it('is upstream’s', () =>
    expect(formatHash(flowHash(input.flowSchema, input.distinguisher))).toBe(expected.decimal ?? expected.hash))
})

describe.each([
  ...vectors<HandInput, { hand: number[] }>('classification', 'shuffleShardHand'),
  ...vectors<HandInput, { hand: number[] }>('seats', 'deal'),
])('hand of $input', ({ input, expected }) => {
  it('is dealt as upstream deals it', () =>
    expect(dealHand(uint64(input.hash), input.queues, input.handSize)).toEqual(expected.hand))
})

describe.each([
  ...vectors<HandInput, { bits: number; allowed?: boolean; valid?: boolean }>('classification', 'entropyBits'),
  ...vectors<HandInput, { bits: number; allowed?: boolean; valid?: boolean }>('seats', 'entropyBits'),
])('entropy of $input', ({ input, expected }) => {
  it('is what upstream computes, and hands that need too much are refused', () => {
    expect(entropyBits(input.queues, input.handSize)).toBe(expected.bits)
    expect(dealerRefusal(input.queues, input.handSize) === null).toBe(expected.allowed ?? expected.valid)
  })
})

function uint64(decimal: string): Uint64 {
  const value = BigInt(decimal)
  return { high: Number(value >> 32n), low: Number(value & 0xffffffffn) }
}
