/**
 * SHA-256 (FIPS 180-4) of short messages, in plain code because the core imports nothing of Node; only the first eight
 * bytes of the digest are wanted here.
 */

const ROUND_CONSTANTS = new Int32Array([
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98,
  0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
  0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8,
  0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
  0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819,
  0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
  0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
  0xc67178f2,
])

const INITIAL_STATE = [
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
] as const

const BLOCK_BYTES = 64
const LENGTH_BYTES = 8

const schedule = new Int32Array(64)
const state = new Int32Array(8)

/**
 * The first two 32-bit words of the SHA-256 digest of `buffer[0..length)`.
 *
 * @param buffer  the message; it is padded in place, so it must have room for `paddedLength(length)` bytes
 * @returns unsigned words as FIPS numbers them (big-endian reading of digest bytes 0–3 and 4–7)
 */
export function sha256FirstWords(buffer: Uint8Array, length: number): [number, number] {
  const end = paddedLength(length)
  buffer.fill(0, length, end)
  buffer[length] = 0x80
  const bits = length * 8
  for (let i = 0; i < 4; i++) buffer[end - 1 - i] = bits >>> (8 * i)
  buffer[end - 5] = Math.floor(bits / 2 ** 32)
  state.set(INITIAL_STATE)
  for (let offset = 0; offset < end; offset += BLOCK_BYTES) compress(buffer, offset)
  return [word(state, 0) >>> 0, word(state, 1) >>> 0]
}

/** Bytes of a message of `length` bytes after padding to whole blocks. */
export function paddedLength(length: number): number {
  return Math.ceil((length + 1 + LENGTH_BYTES) / BLOCK_BYTES) * BLOCK_BYTES
}

function compress(block: Uint8Array, offset: number): void {
  const w = schedule
  for (let i = 0; i < 16; i++) {
    const at = offset + 4 * i
    w[i] = (word(block, at) << 24) | (word(block, at + 1) << 16) | (word(block, at + 2) << 8) | word(block, at + 3)
  }
  for (let i = 16; i < 64; i++) {
    const w15 = word(w, i - 15)
    const w2 = word(w, i - 2)
    const s0 = rotate(w15, 7) ^ rotate(w15, 18) ^ (w15 >>> 3)
    const s1 = rotate(w2, 17) ^ rotate(w2, 19) ^ (w2 >>> 10)
    w[i] = (word(w, i - 16) + s0 + word(w, i - 7) + s1) | 0
  }
  let a = word(state, 0)
  let b = word(state, 1)
  let c = word(state, 2)
  let d = word(state, 3)
  let e = word(state, 4)
  let f = word(state, 5)
  let g = word(state, 6)
  let h = word(state, 7)
  for (let i = 0; i < 64; i++) {
    const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + word(ROUND_CONSTANTS, i) + word(w, i)) | 0
    const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0
    h = g
    g = f
    f = e
    e = (d + t1) | 0
    d = c
    c = b
    b = a
    a = (t1 + t2) | 0
  }
  state[0] = word(state, 0) + a
  state[1] = word(state, 1) + b
  state[2] = word(state, 2) + c
  state[3] = word(state, 3) + d
  state[4] = word(state, 4) + e
  state[5] = word(state, 5) + f
  state[6] = word(state, 6) + g
  state[7] = word(state, 7) + h
}

function rotate(value: number, bits: number): number {
  return (value >>> bits) | (value << (32 - bits))
}

/** Indices here are always in range; the type system cannot know. */
function word(array: Int32Array | Uint8Array, index: number): number {
  return array[index] as number
}
