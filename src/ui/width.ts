/**
 * Columns that a text takes on a terminal: 2 for East Asian wide and emoji characters, 0 for combining marks, else 1.
 * Hostile characters are expected to be escaped already. Source of the wide blocks: Unicode EastAsianWidth (W and F).
 */
export function displayWidth(text: string): number {
  if (ASCII.test(text)) return text.length
  let width = 0
  for (const character of text) width += widthOf(character)
  return width
}

/** The text, or what of it fits with an ellipsis behind it. `width` is at least that of the ellipsis. */
export function cutToWidth(text: string, width: number, ellipsis: string): string {
  if (displayWidth(text) <= width) return text
  let room = width - displayWidth(ellipsis)
  let kept = ''
  for (const character of text) {
    room -= widthOf(character)
    if (room < 0) break
    kept += character
  }
  return `${kept.trimEnd()}${ellipsis}`
}

function widthOf(character: string): number {
  if (ZERO.test(character)) return 0
  return isWide(character) ? 2 : 1
}

const ASCII = /^[\0-\x7f]*$/
const ZERO = /^[\p{Mn}\p{Me}]$/u
const EMOJI = /^\p{Emoji_Presentation}$/u

const WIDE_BLOCKS: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x17000, 0x18cff],
  [0x1b000, 0x1b2ff],
  [0x1f200, 0x1f2ff],
  [0x20000, 0x3fffd],
]

function isWide(character: string): boolean {
  const point = character.codePointAt(0) ?? 0
  return (
    point >= 0x1100 && (EMOJI.test(character) || WIDE_BLOCKS.some(([first, last]) => point >= first && point <= last))
  )
}
