/**
 * Shuffle sharding: which queues of a level a flow may use.
 * Source: kubernetes/apiserver pkg/util/shufflesharding/shufflesharding.go
 */

/** An unsigned 64-bit number as two unsigned 32-bit halves: JavaScript numbers are exact only up to 2^53. */
export interface Uint64 {
  high: number
  low: number
}

/** Most bits of entropy that a 64-bit hash can give a hand, as upstream limits it. */
export const MAX_HAND_ENTROPY_BITS = 60
const MAX_DECK_SIZE = 2 ** 26

/** 64 bits as limbs of 12, 26 and 26 bits: a remainder below 2^26 and a limb fit into 52 bits. */
const LIMB = 2 ** 26

/**
 * The hand of a flow: `handSize` different queue numbers out of `queues`, in dealing order.
 *
 * @param hash      flow hash
 * @param queues    deck size, 1…2^26
 * @param handSize  1…queues
 */
export function dealHand(hash: Uint64, queues: number, handSize: number): number[] {
  let top = hash.high >>> 20
  let middle = (hash.high & 0xfffff) * 64 + (hash.low >>> 26)
  let bottom = hash.low & 0x3ffffff
  const remainders: number[] = []
  for (let i = 0; i < handSize; i++) {
    const divisor = queues - i
    const topQuotient = Math.floor(top / divisor)
    const middleDividend = (top - topQuotient * divisor) * LIMB + middle
    const middleQuotient = Math.floor(middleDividend / divisor)
    const bottomDividend = (middleDividend - middleQuotient * divisor) * LIMB + bottom
    const bottomQuotient = Math.floor(bottomDividend / divisor)
    remainders.push(bottomDividend - bottomQuotient * divisor)
    top = topQuotient
    middle = middleQuotient
    bottom = bottomQuotient
  }
  return remainders.map((remainder, i) => {
    // Compared with the earlier remainders, not with the cards made of them.
    let card = remainder
    for (let j = i - 1; j >= 0; j--) if (card >= (remainders[j] as number)) card++
    return card
  })
}

/** Bits of entropy that dealing needs by upstream's formula, which ignores that the deck shrinks. */
export function entropyBits(queues: number, handSize: number): number {
  return Math.ceil(Math.log2(queues) * handSize)
}

/** Why the dealer cannot deal such hands, or null. Deck and hand that the API accepted can always be dealt. */
export function dealerRefusal(queues: number, handSize: number): string | null {
  if (handSize < 1) return `handSize ${handSize} is not positive`
  if (queues < 1) return `queues ${queues} is not positive`
  if (handSize > queues) return `handSize ${handSize} is greater than queues ${queues}`
  if (queues > MAX_DECK_SIZE) return `queues ${queues} is greater than ${MAX_DECK_SIZE}`
  const bits = entropyBits(queues, handSize)
  return bits > MAX_HAND_ENTROPY_BITS
    ? `queues ${queues} and handSize ${handSize} need ${bits} bits of entropy, more than ${MAX_HAND_ENTROPY_BITS}`
    : null
}
