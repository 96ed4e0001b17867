import { describe, expect, it } from 'vitest'
import { minorText, NEWEST_MINOR, OLDEST_MINOR } from '../../../src/apf/versions.ts'
import { briefly, exampleOf, ROUTING_RULES, routingFindings } from './lint-yaml.ts'

describe.each(ROUTING_RULES.map((rule) => ({ name: `${rule.id} ${rule.name}`, rule })))('$name', ({ rule }) => {
  it('finds its failing example, and no other rule finds more than information in it', async () => {
    const { yaml, ...as } = exampleOf(rule.documentation.fails)
    const findings = await routingFindings(yaml, as)
    expect(findings.map((finding) => finding.rule.id)).toContain(rule.id)
    const others = findings.filter((finding) => finding.rule.id !== rule.id && finding.severity !== 'info')
    expect(others.map(briefly)).toEqual([])
  })

  it('and its colleagues pass its passing example', async () => {
    const { yaml, ...as } = exampleOf(rule.documentation.passes)
    const findings = await routingFindings(yaml, as)
    expect(findings.filter(({ severity }) => severity !== 'info').map(briefly)).toEqual([])
  })
})

const MINORS = Array.from({ length: NEWEST_MINOR - OLDEST_MINOR + 1 }, (_, index) => minorText(OLDEST_MINOR + index))

it.each(MINORS)('finds at most information in the default objects of %s', async (defaults) => {
  const findings = await routingFindings(null, { defaults })
  expect(findings.filter(({ severity }) => severity !== 'info').map(briefly)).toEqual([])
})
