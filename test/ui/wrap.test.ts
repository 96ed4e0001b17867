import { describe, expect, it } from 'vitest'
import { wrapped } from '../../src/ui/wrap.ts'

describe('a line that is too wide', () => {
  it.each<[what: string, line: string, indent: string, lines: string[]]>([
    ['is broken between words', 'one two three four', '  ', ['one two', '  three', '  four']],
    ['is left alone where it fits', 'one two t', '', ['one two t']],
    ['is empty where it was', '', '  ', ['']],
    ['keeps its own indent', '  one two three', '    ', ['  one two', '    three']],
    ['keeps words whole that are too long alone', 'a hippopotamus b', '', ['a', 'hippopotamus', 'b']],
    ['is not broken within what is aligned', 'one  two three', ' ', ['one  two', ' three']],
    ['is not broken behind what is aligned before the first word', '  when      now', '', ['  when      now']],
    ['counts columns', '日本 日本 日', '', ['日本 日本', '日']],
    ['counts no colours', '\x1b[31mone\x1b[0m two three', '', ['\x1b[31mone\x1b[0m two', 'three']],
  ])('%s', (_, line, indent, lines) => expect(wrapped(line, indent, 9)).toEqual(lines))
})
