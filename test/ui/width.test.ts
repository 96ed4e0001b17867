import { describe, expect, it } from 'vitest'
import { displayWidth } from '../../src/ui/width.ts'

describe('displayWidth', () => {
  it.each([
    ['', 0],
    ['exempt', 6],
    ['größe', 5],
    ['e\u0301', 1],
    ['大阪', 4],
    ['한국', 4],
    ['ｆｕｌｌ', 8],
    ['👍', 2],
    ['→ · …', 5],
  ])('%j takes %d columns', (text, width) => expect(displayWidth(text)).toBe(width))
})
