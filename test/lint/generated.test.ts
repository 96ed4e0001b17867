/** What `npm run rules` writes is up to date. */
import { existsSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { generatedFiles, ruleFiles, stalePages } from '../../scripts/rules.mjs'
import { RULES } from '../../src/lint/rules/index.ts'
import { ROOT } from '../support/cli.ts'

const files = await generatedFiles()

describe('npm run rules', () => {
  it.each([...files].map(([path, text]) => [relative(ROOT, path), text] as const))('has written %s', (path, text) => {
    expect(existsSync(ROOT + path)).toBe(true)
    expect(readFileSync(ROOT + path, 'utf8')).toBe(text)
  })

  it('has left no page of a rule that is no more', () => {
    expect(stalePages(files)).toEqual([])
  })
})

describe('a file of a rule', () => {
  it.each(ruleFiles())('%s has the id and the name of its rule', (file) => {
    const [, id = '', name = ''] = /^(apf\d{3})-(.*)\.ts$/.exec(file) ?? []
    const rule = RULES.find((each) => each.id === id.toUpperCase())
    expect(rule?.name).toBe(name)
  })
})
