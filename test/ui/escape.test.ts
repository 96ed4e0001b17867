import { describe, expect, it } from 'vitest'
import { escapeForTerminal } from '../../src/ui/escape.ts'

describe('escapeForTerminal', () => {
  it.each([
    ['shop-reports', 'shop-reports'],
    ['größe 大 👍', 'größe 大 👍'],
    ['\x1b[31mred', '\\u{1b}[31mred'],
    ['\x9b31m', '\\u{9b}31m'],
    ['a\nb\tc\r', 'a\\u{a}b\\u{9}c\\u{d}'],
    ['\0\x7f', '\\u{0}\\u{7f}'],
    ['ab\u202edc', 'ab\\u{202e}dc'],
    ['\u2066x\u2069', '\\u{2066}x\\u{2069}'],
    ['\u200e\u200f\u061c', '\\u{200e}\\u{200f}\\u{61c}'],
    ['zero\u200bwidth\u200d\ufeff', 'zero\\u{200b}width\\u{200d}\\u{feff}'],
    ['line\u2028paragraph\u2029', 'line\\u{2028}paragraph\\u{2029}'],
    ['tag\u{e0041}', 'tag\\u{e0041}'],
    ['lone \ud800', 'lone \\u{d800}'],
    ['byte \udcff', 'byte \\xff'],
  ])('%j is shown as %s', (text, shown) => expect(escapeForTerminal(text)).toBe(shown))
})
