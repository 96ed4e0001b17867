import { describe, expect, it } from 'vitest'
import { cutToWidth, displayWidth } from '../../src/ui/width.ts'

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

describe('cutToWidth', () => {
  it.each([
    ['masters', 7, '…', 'masters'],
    ['masters', 6, '…', 'maste…'],
    ['masters', 6, '...', 'mas...'],
    ['大阪城', 5, '…', '大阪…'],
    ['大阪城', 4, '…', '大…'],
    ['e\u0301e\u0301e\u0301', 2, '…', 'e\u0301…'],
    ['all the rest', 5, '…', 'all…'],
  ])('%s in %d columns with %s', (text, width, ellipsis, cut) => expect(cutToWidth(text, width, ellipsis)).toBe(cut))
})
