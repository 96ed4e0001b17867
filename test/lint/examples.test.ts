/** Every rule finds what its documentation says, and nothing in the example that passes. */
import { describe, expect, it } from 'vitest'
import { resolveVersion, type VersionRules } from '../../src/apf/versions.ts'
import { applyEdits, compatibleEdits, editsOf } from '../../src/lint/edits.ts'
import type { Rule, RuleExample } from '../../src/lint/rule.ts'
import { RULES } from '../../src/lint/rules/index.ts'
import { STDIN_NAME } from '../../src/sources/input.ts'
import { lintText } from '../support/lint.ts'

/** The state that rules of live state are about is in no file. */
const ofFiles = RULES.flatMap((rule) => {
  const { fails, passes } = rule.documentation
  return typeof fails === 'string' || typeof passes === 'string' ? [] : [{ id: rule.id, rule, fails, passes }]
})

function lintExample({ yaml, defaults, options = {}, serverSeats, upgradeFrom }: RuleExample) {
  const upgrade = upgradeFrom === undefined ? {} : { upgrade: { from: rulesOf(upgradeFrom), to: rulesOf(defaults) } }
  return lintText(yaml, { targets: [defaults], options: { ...options, ...upgrade }, serverSeats: serverSeats ?? null })
}

function rulesOf(minor: string): VersionRules {
  const version = resolveVersion(minor)
  if (!version.known) throw new Error(minor)
  return version.rules
}

const findingsOf = async (rule: Rule, example: RuleExample) =>
  (await lintExample(example)).findings.filter((finding) => finding.rule.id === rule.id)

describe.each(ofFiles)('$id', ({ rule, fails, passes }) => {
  it('finds something in the example that fails', async () => {
    expect(await findingsOf(rule, fails)).not.toEqual([])
  })

  it('finds nothing in the example that passes', async () => {
    expect((await findingsOf(rule, passes)).map(({ message }) => message)).toEqual([])
  })

  it('finds nothing any more once its edits are made', async () => {
    const { findings, source } = await lintExample(fails)
    const own = findings.filter((finding) => finding.rule.id === rule.id)
    if (!own.some(({ fix }) => fix?.edits !== undefined)) return
    const edits = compatibleEdits(own.map((finding) => editsOf(finding, source.texts))).edits.get(STDIN_NAME) ?? []
    expect(edits).not.toEqual([])
    const left = await findingsOf(rule, { ...fails, yaml: applyEdits(fails.yaml, edits) })
    expect(left.map(({ message }) => message)).toEqual([])
  })
})

it.each(RULES)(
  '$id says what it finds in sentences',
  ({ summary, documentation: { what, why, fix, fails, passes } }) => {
    expect(summary).not.toMatch(/[.\n]$/)
    const states = [fails, passes].filter((example) => typeof example === 'string')
    for (const text of [what, why, fix, ...states]) expect(text).toMatch(/^(?:[A-Z`]|kubectl).*[.!?)`]$/s)
  },
)

describe('the catalogue', () => {
  it('has no id and no name twice', () => {
    for (const key of ['id', 'name'] as const) {
      const all = RULES.map((rule) => rule[key])
      expect(all).toEqual([...new Set(all)])
    }
  })

  it('names rules in kebab case', () => {
    expect(RULES.filter(({ name }) => !/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name)).map(({ name }) => name)).toEqual([])
  })
})
