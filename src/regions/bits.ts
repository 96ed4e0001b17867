/** Sets of small numbers, one bit each: of the clauses that may still hold a point. */
export type Bits = Int32Array<ArrayBuffer>

/** The empty set with room for the numbers below `size`. */
export function noBits(size: number): Bits {
  return new Int32Array((size + 31) >> 5)
}

export function bitsWhere(size: number, holds: (index: number) => boolean): Bits {
  const bits = noBits(size)
  for (let index = 0; index < size; index++) if (holds(index)) setBit(bits, index)
  return bits
}

export function setBit(bits: Bits, index: number): void {
  bits[index >> 5] = word(bits, index >> 5) | (1 << (index & 31))
}

export function clearBit(bits: Bits, index: number): void {
  bits[index >> 5] = word(bits, index >> 5) & ~(1 << (index & 31))
}

export function hasBit(bits: Bits, index: number): boolean {
  return (word(bits, index >> 5) & (1 << (index & 31))) !== 0
}

export function isClear(bits: Bits): boolean {
  for (let w = 0; w < bits.length; w++) if (bits[w] !== 0) return false
  return true
}

export function isSubset(part: Bits, whole: Bits): boolean {
  for (let w = 0; w < part.length; w++) if ((word(part, w) & ~word(whole, w)) !== 0) return false
  return true
}

export function bitsMeet(a: Bits, b: Bits): boolean {
  for (let w = 0; w < a.length; w++) if ((word(a, w) & word(b, w)) !== 0) return true
  return false
}

export function common(a: Bits, b: Bits): Bits {
  const both = new Int32Array(a.length)
  for (let w = 0; w < a.length; w++) both[w] = word(a, w) & word(b, w)
  return both
}

/** Leaves in `bits` what is in `kept` too. */
export function keepOnly(bits: Bits, kept: Bits): void {
  for (let w = 0; w < bits.length; w++) bits[w] = word(bits, w) & word(kept, w)
}

export function remove(bits: Bits, removed: Bits): void {
  for (let w = 0; w < bits.length; w++) bits[w] = word(bits, w) & ~word(removed, w)
}

export function add(bits: Bits, added: Bits): void {
  for (let w = 0; w < bits.length; w++) bits[w] = word(bits, w) | word(added, w)
}

/** The lowest number in both sets, or null. */
export function lowest(a: Bits, b: Bits = a): number | null {
  for (let w = 0; w < a.length; w++) {
    const both = word(a, w) & word(b, w)
    if (both !== 0) return w * 32 + lowestInWord(both)
  }
  return null
}

/** Leaves in `bits` what is not above `last`; everything if that is null. */
export function keepOnlyUpTo(bits: Bits, last: number | null): void {
  if (last === null) return
  const w = last >> 5
  bits[w] = word(bits, w) & (-1 >>> (31 - (last & 31)))
  bits.fill(0, w + 1)
}

/** The numbers in the set, ascending. */
export function numbersIn(bits: Bits): number[] {
  const numbers: number[] = []
  for (let w = 0; w < bits.length; w++) {
    for (let rest = word(bits, w); rest !== 0; rest &= rest - 1) numbers.push(w * 32 + lowestInWord(rest))
  }
  return numbers
}

/** Equal for equal sets of one size, and only for them. */
export function bitsKey(bits: Bits): string {
  let key = ''
  for (let w = 0; w < bits.length; w++) key += String.fromCharCode(word(bits, w) & 0xffff, word(bits, w) >>> 16)
  return key
}

function lowestInWord(bits: number): number {
  return 31 - Math.clz32(bits & -bits)
}

/** Indices here are always in range; the type system cannot know. */
function word(bits: Bits, index: number): number {
  return bits[index] as number
}
