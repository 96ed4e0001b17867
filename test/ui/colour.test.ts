import { describe, expect, it } from 'vitest'
import { painter } from '../../src/ui/colour.ts'
import { symbolsFor } from '../../src/ui/symbols.ts'

const RED = '\x1b[31mx\x1b[39m'

describe('painter', () => {
  it.each([
    ['a terminal', true, {}, 'auto', RED],
    ['a pipe', false, {}, 'auto', 'x'],
    ['a terminal with NO_COLOR', true, { NO_COLOR: '1' }, 'auto', 'x'],
    ['a terminal with an empty NO_COLOR', true, { NO_COLOR: '' }, 'auto', RED],
    ['a dumb terminal', true, { TERM: 'dumb' }, 'auto', 'x'],
    ['a pipe with --color=always', false, { NO_COLOR: '1' }, 'always', RED],
    ['a terminal with --color=never', true, {}, 'never', 'x'],
  ] as const)('%s', (_, isTTY, env, when, shown) => expect(painter({ isTTY }, env, when).red('x')).toBe(shown))
})

describe('symbolsFor', () => {
  it.each([
    [{ LANG: 'de_DE.UTF-8' }, '→'],
    [{ LANG: 'C.utf8' }, '→'],
    [{ LANG: 'C' }, '->'],
    [{}, '->'],
    [{ LC_ALL: 'C', LANG: 'de_DE.UTF-8' }, '->'],
    [{ LC_ALL: '', LC_CTYPE: 'en_US.UTF-8', LANG: 'C' }, '→'],
  ])('%j', (env, arrow) => expect(symbolsFor(env).arrow).toBe(arrow))
})
