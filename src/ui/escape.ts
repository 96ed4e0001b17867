/**
 * What could steer a terminal, hide or reorder what follows: the C0 and C1 control characters (ESC, CSI, tab and line ends
 * among them), the bidirectional marks, embeddings, overrides and isolates, zero-width and invisible characters, line and
 * paragraph separators, tag characters, and lone surrogates.
 */
export const HOSTILE =
  /[\0-\x1f\x7f-\x9f\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e007f}]|[\u034f\p{Cs}]/gu

/**
 * Makes a text of foreign origin safe to print: hostile characters become `\u{…}`. A lone surrogate U+DC80…U+DCFF stands
 * for a byte that is not UTF-8 and becomes `\x…`.
 */
export function escapeForTerminal(text: string): string {
  if (PRINTABLE_ASCII.test(text)) return text
  return text.replace(HOSTILE, (found) => {
    const point = found.codePointAt(0) ?? 0
    if (point >= 0xdc80 && point <= 0xdcff) return `\\x${(point & 0xff).toString(16)}`
    return `\\u{${point.toString(16)}}`
  })
}

/** Nearly every name there is. */
const PRINTABLE_ASCII = /^[ -~]*$/

/** `\uXXXX` for each UTF-16 unit: how JSON, and YAML in double quotes, spell a character. */
export function codePointEscape(text: string): string {
  let escaped = ''
  for (let i = 0; i < text.length; i++) escaped += `\\u${text.charCodeAt(i).toString(16).padStart(4, '0')}`
  return escaped
}
