/** More than 2,000 lines in which nothing is throttled. */
import { readdirSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { attributeText } from '../../src/limiters/evidence/document.ts'
import { ROOT } from '../support/cli.ts'
import { findingsIn } from '../support/evidence.ts'

const FOLDER = `${ROOT}test/fixtures/quiet-logs/`
const logs = readdirSync(FOLDER)
  .filter((name) => !name.endsWith('.md'))
  .map((name) => {
    const bytes = readFileSync(FOLDER + name)
    return { name, text: (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString() }
  })

it('are enough', () => {
  expect(logs.reduce((sum, { text }) => sum + text.split('\n').length, 0)).toBeGreaterThan(4000)
})

describe.each(logs)('$name', ({ text }) => {
  it('has no finding', async () => {
    expect((await findingsIn(text)).items).toEqual([])
  })

  // The search passes over most lines; those that it would let through must be quiet as well.
  it('has none in any line by itself', () => {
    const found = text.split('\n').filter((line) => attributeText(line, () => null).length > 0)
    expect(found).toEqual([])
  })
})
