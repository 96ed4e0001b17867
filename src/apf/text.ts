/**
 * Go strings are bytes, JavaScript strings are UTF-16. Where the API server can hold bytes that are not UTF-8 (percent
 * escapes in a URL), such a byte b is kept as the lone surrogate U+DC00 + b, so that it survives and can be written out again.
 */

/** Order of Go's `<` on strings: by UTF-8 bytes. UTF-16 order differs from it only around surrogates. */
export function compareBytes(a: string, b: string): number {
  if (a === b) return 0
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const left = a.charCodeAt(i)
    const right = b.charCodeAt(i)
    if (left !== right) return byteRank(left) - byteRank(right)
  }
  return a.length - b.length
}

/** Surrogates stand for code points above U+FFFF, so they sort after U+E000…U+FFFF. */
function byteRank(unit: number): number {
  if (unit < 0xd800) return unit
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800
}

/** The bytes that Go holds for a string, kept raw bytes included. */
export function utf8Bytes(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length * 3)
  return bytes.subarray(0, writeUtf8(text, bytes, 0))
}

/**
 * Writes the UTF-8 bytes of `text` into `target` at `offset`, which must have room for three bytes a UTF-16 unit.
 * @returns the offset behind the last byte
 */
export function writeUtf8(text: string, target: Uint8Array, offset: number): number {
  let at = offset
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit < 0x80) {
      target[at++] = unit
    } else if (unit < 0x800) {
      target[at++] = 0xc0 | (unit >> 6)
      target[at++] = 0x80 | (unit & 0x3f)
    } else if (unit >= 0xd800 && unit < 0xdc00 && isLowSurrogate(text.charCodeAt(i + 1))) {
      const point = 0x10000 + ((unit - 0xd800) << 10) + (text.charCodeAt(++i) - 0xdc00)
      target[at++] = 0xf0 | (point >> 18)
      target[at++] = 0x80 | ((point >> 12) & 0x3f)
      target[at++] = 0x80 | ((point >> 6) & 0x3f)
      target[at++] = 0x80 | (point & 0x3f)
    } else if (unit >= 0xdc80 && unit <= 0xdcff) {
      target[at++] = unit & 0xff
    } else {
      const kept = unit >= 0xd800 && unit < 0xe000 ? 0xfffd : unit
      target[at++] = 0xe0 | (kept >> 12)
      target[at++] = 0x80 | ((kept >> 6) & 0x3f)
      target[at++] = 0x80 | (kept & 0x3f)
    }
  }
  return at
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000
}
