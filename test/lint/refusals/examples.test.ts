import { describe, expect, it } from 'vitest'
import { minorText, NEWEST_MINOR, OLDEST_MINOR } from '../../../src/apf/versions.ts'
import { lint } from '../../../src/lint/engine.ts'
import { RULES } from '../../../src/lint/rules/index.ts'
import { briefly, contextOf, exampleOf, type LintedAs } from '../routing/lint-yaml.ts'

const REFUSAL_RULES = RULES.filter(({ id }) => id.startsWith('APF1'))

async function findings(yaml: string | null, as: LintedAs = {}) {
  return lint([await contextOf(yaml, as)], REFUSAL_RULES)
}

describe.each(REFUSAL_RULES.map((rule) => ({ name: `${rule.id} ${rule.name}`, rule })))('$name', ({ rule }) => {
  it('finds its failing example, and no other rule finds more than information in it', async () => {
    const { yaml, ...as } = exampleOf(rule.documentation.fails)
    const found = await findings(yaml, as)
    const others = found.filter((finding) => finding.rule.id !== rule.id && finding.severity !== 'info')
    expect(others.map(briefly)).toEqual([])
    expect(found.find((finding) => finding.rule.id === rule.id)?.severity).toBe(rule.severity)
  })

  it('and its colleagues pass its passing example', async () => {
    const { yaml, ...as } = exampleOf(rule.documentation.passes)
    expect((await findings(yaml, as)).map(briefly)).toEqual([])
  })
})

const MINORS = Array.from({ length: NEWEST_MINOR - OLDEST_MINOR + 1 }, (_, index) => minorText(OLDEST_MINOR + index))

it.each(MINORS)('finds nothing in the default objects of %s', async (defaults) => {
  expect((await findings(null, { defaults })).map(briefly)).toEqual([])
})
