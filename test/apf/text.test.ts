import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareBytes, textOfBytes, utf8Bytes } from '../../src/apf/text.ts'

const bytes = fc.uint8Array({ maxLength: 40 })
/** Bytes among which sequences of UTF-8, whole and broken, are likely. */
const nearlyUtf8 = fc
  .array(fc.constantFrom(0x41, 0x80, 0xa0, 0xbf, 0xc3, 0xe2, 0xed, 0xf0, 0xf4, 0x8f, 0x90), { maxLength: 12 })
  .map((units) => new Uint8Array(units))

describe('bytes', () => {
  it.each([
    ['é€😀', [0xc3, 0xa9, 0xe2, 0x82, 0xac, 0xf0, 0x9f, 0x98, 0x80]],
    ['\udcff', [0xff]],
    ['a\udcc3', [0x61, 0xc3]],
    ['\udced\udca0\udc80', [0xed, 0xa0, 0x80]],
    ['\udcc0\udc80', [0xc0, 0x80]],
    ['\udcf0\udc9f\udc98', [0xf0, 0x9f, 0x98]],
  ])('%j are kept', (text, kept) => {
    expect(textOfBytes(new Uint8Array(kept))).toBe(text)
    expect([...utf8Bytes(text)]).toEqual(kept)
  })

  it('survive in a string, whatever they are', () =>
    fc.assert(
      fc.property(fc.oneof(bytes, nearlyUtf8), (given) => {
        expect([...utf8Bytes(textOfBytes(given))]).toEqual([...given])
      }),
    ))

  it('are read as any decoder of UTF-8 reads them, where they are UTF-8', () =>
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 20 }), (text) => {
        expect(textOfBytes(new TextEncoder().encode(text))).toBe(text)
      }),
    ))

  it('of a long text are all read', () => {
    const text = 'é'.repeat(20_000)
    expect(textOfBytes(utf8Bytes(text))).toBe(text)
  })

  it('give strings their order', () =>
    fc.assert(
      fc.property(nearlyUtf8, nearlyUtf8, (a, b) => {
        expect(Math.sign(compareBytes(textOfBytes(a), textOfBytes(b)))).toBe(Buffer.compare(a, b))
      }),
    ))
})
