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
    if (left === right) continue
    return isSurrogate(left) || isSurrogate(right) ? compareArrays(utf8Bytes(a), utf8Bytes(b)) : left - right
  }
  return a.length - b.length
}

function compareArrays(a: Uint8Array, b: Uint8Array): number {
  const at = a.findIndex((byte, i) => byte !== b[i])
  if (at < 0 || at >= b.length) return a.length - b.length
  return (a[at] ?? 0) - (b[at] ?? 0)
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xe000
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

/** The string that Go holds as these bytes: the inverse of {@link utf8Bytes}. */
export function textOfBytes(bytes: Uint8Array): string {
  const units = new Uint16Array(bytes.length)
  let length = 0
  for (let at = 0; at < bytes.length; ) {
    const lead = bytes[at] ?? 0
    const size = sequenceLength(bytes, at)
    if (size === 0) {
      units[length++] = 0xdc00 + lead
      at += 1
      continue
    }
    let point = size === 1 ? lead : lead & (0xff >> (size + 1))
    for (let i = 1; i < size; i++) point = (point << 6) | ((bytes[at + i] ?? 0) & 0x3f)
    if (point > 0xffff) {
      units[length++] = 0xd7c0 + (point >> 10)
      units[length++] = 0xdc00 + (point & 0x3ff)
    } else units[length++] = point
    at += size
  }
  let text = ''
  for (let at = 0; at < length; at += FROM_CHAR_CODE_LIMIT) {
    text += Reflect.apply(String.fromCharCode, null, units.subarray(at, Math.min(length, at + FROM_CHAR_CODE_LIMIT)))
  }
  return text
}

/** Arguments that one call takes safely on every engine. */
const FROM_CHAR_CODE_LIMIT = 8192

/** Bytes of the UTF-8 sequence that starts at `at`; 0 where none does (then Go, too, takes the byte alone). */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const lead = bytes[at] ?? 0
  if (lead < 0x80) return 1
  if (lead < 0xc2 || lead > 0xf4) return 0
  const second = bytes[at + 1] ?? 0
  const least = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80
  const most = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf
  if (second < least || second > most) return 0
  if (lead < 0xe0) return 2
  if (!isContinuation(bytes[at + 2])) return 0
  if (lead < 0xf0) return 3
  return isContinuation(bytes[at + 3]) ? 4 : 0
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80
}

/** What stands before and behind the first `separator`; without one, all and nothing. */
export function cut(text: string, separator: string): [before: string, behind: string] {
  const at = text.indexOf(separator)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + separator.length)]
}
