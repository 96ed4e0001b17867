import { describe, expect, it } from 'vitest'
import type { ApfObject } from '../../src/apf/objects.ts'
import type { FieldPath } from '../../src/apf/problem.ts'
import { applyEdits, compatibleEdits, editsOf } from '../../src/lint/edits.ts'
import type { LintFinding } from '../../src/lint/engine.ts'
import type { FieldEdit, Rule } from '../../src/lint/rule.ts'
import { STDIN_NAME } from '../../src/sources/input.ts'
import { lintText } from '../support/lint.ts'

const HEAD = 'apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: FlowSchema\nmetadata:\n  name: shop\n'
const JSON_TEXT = `{
  "apiVersion": "flowcontrol.apiserver.k8s.io/v1", "kind": "FlowSchema",
  "metadata": {"name": "shop"},
  "spec": {
    "matchingPrecedence": 1500,
    "rules": []
  }
}
`

async function edited(text: string, ...edits: FieldEdit[]): Promise<string> {
  const { source } = await lintText(text)
  const [object] = source.states[0].own?.flowSchemas ?? []
  const fix = editsOf(finding(object ?? null, edits), source.texts)
  return applyEdits(text, compatibleEdits([fix]).edits.get(STDIN_NAME) ?? [])
}

/** The engine fills in the rest; edits depend on the object and the fix alone. */
function finding(object: ApfObject | null, edits: readonly FieldEdit[]): LintFinding {
  const rule = {} as Rule
  const fix = { text: '', edits }
  return {
    rule,
    severity: 'error',
    object,
    about: null,
    path: [],
    at: {},
    message: '',
    note: null,
    fix,
    targets: [],
    maintainedBy: null,
  }
}

const set = (path: FieldPath, value: unknown): FieldEdit => ({ path, set: value })
const remove = (path: FieldPath): FieldEdit => ({ path, remove: true })
const LEVEL = ['spec', 'priorityLevelConfiguration', 'name']

describe('a value is replaced', () => {
  const cases: [string, string, string][] = [
    ['and its comment stays', 'name: shop # here', 'name: workload-low # here'],
    ['in its single quotes', "name: 'shop'", "name: 'workload-low'"],
    ['in its double quotes', 'name: "shop"', 'name: "workload-low"'],
    ['where none is written', 'name: # here', 'name: workload-low # here'],
    ['behind an anchor', 'name: &level shop', 'name: &level workload-low'],
  ]
  it.each(cases)('%s', async (_, before, after) => {
    const text = (line: string) => `${HEAD}spec:\n  priorityLevelConfiguration:\n    ${line}\n  matchingPrecedence: 1\n`
    expect(await edited(text(before), set(LEVEL, 'workload-low'))).toBe(text(after))
  })

  it.each([
    ['on', "'on'"],
    ['0500', "'0500'"],
    ['*', "'*'"],
    ["it's", "'it''s'"],
    ['a:b', 'a:b'],
    ['a\nb', '"a\\nb"'],
    ['', "''"],
  ])('by %j, which stays a text', async (value, written) => {
    expect(await edited(`${HEAD}spec: {priorityLevelConfiguration: {name: x}}\n`, set(LEVEL, value))).toBe(
      `${HEAD}spec: {priorityLevelConfiguration: {name: ${written}}}\n`,
    )
  })

  it('with a list in place of a block', async () => {
    const before = `${HEAD}spec:\n  rules:\n  - subjects: []\n  # the rest\n  matchingPrecedence: 5\n`
    expect(await edited(before, set(['spec', 'rules'], []))).toBe(
      `${HEAD}spec:\n  rules: []\n  # the rest\n  matchingPrecedence: 5\n`,
    )
  })
})

describe('a field is added', () => {
  it('behind the others of its block, past their comment', async () => {
    const before = `${HEAD}spec:\n  matchingPrecedence: 5 # low\n# end\n`
    expect(await edited(before, set(['spec', 'distinguisherMethod', 'type'], 'ByUser'))).toBe(
      `${HEAD}spec:\n  matchingPrecedence: 5 # low\n  distinguisherMethod:\n    type: ByUser\n# end\n`,
    )
  })

  it('to an item of a list', async () => {
    const before = `${HEAD}spec:\n  rules:\n  - resourceRules:\n    - verbs: [get]\n      resources:\n      - nodes`
    expect(await edited(before, set(['spec', 'rules', 0, 'resourceRules', 0, 'clusterScope'], true))).toBe(
      `${before}\n      clusterScope: true`,
    )
  })

  it('with the line ends of the file', async () => {
    const before = `${HEAD}spec:\n  matchingPrecedence: 5\n`.replaceAll('\n', '\r\n')
    expect(await edited(before, set(['spec', 'rules'], []))).toBe(`${before}  rules: []\r\n`)
  })

  it('between braces', async () => {
    expect(await edited(`${HEAD}spec: { matchingPrecedence: 5 }\n`, set(['spec', 'rules'], []))).toBe(
      `${HEAD}spec: { rules: [], matchingPrecedence: 5 }\n`,
    )
    expect(await edited(`${HEAD}spec: {}\n`, set(LEVEL, 'shop'))).toBe(
      `${HEAD}spec: {priorityLevelConfiguration: {name: shop}}\n`,
    )
  })

  it('to nothing', async () => {
    expect(await edited(`${HEAD}spec:\n`, set(['spec', 'rules'], []))).toBe(`${HEAD}spec: {rules: []}\n`)
  })

  it('to JSON', async () => {
    expect(await edited(JSON_TEXT, set(LEVEL, 'shop'))).toBe(
      JSON_TEXT.replace(
        '    "matchingPrecedence"',
        '    "priorityLevelConfiguration": {"name":"shop"},\n    "matchingPrecedence"',
      ),
    )
  })

  it('as an item behind the last one', async () => {
    const path = ['spec', 'rules', 0, 'resourceRules', 0, 'verbs', 1]
    const text = (verbs: string) =>
      `${HEAD}spec:\n  rules:\n  - resourceRules:\n    - verbs: ${verbs}\n      resources: []\n`
    expect(await edited(text('[get]'), set(path, 'list'))).toBe(text('[get, list]'))
    expect(await edited(text('\n      - get # one'), set(path, 'list'))).toBe(text('\n      - get # one\n      - list'))
  })
})

describe('a field is removed', () => {
  const verbs = ['spec', 'rules', 0, 'resourceRules', 0, 'verbs']
  const text = (rule: string) => `${HEAD}spec:\n  rules:\n  - resourceRules:\n${rule}`
  const cases: [string, FieldPath, string, string][] = [
    [
      'with its line',
      verbs.slice(0, 5).concat('resources'),
      '    - verbs: [get]\n      resources: [pods] # x\n',
      '    - verbs: [get]\n',
    ],
    ['behind the dash', verbs, '    - verbs: [get]\n      resources: [pods]\n', '    - resources: [pods]\n'],
    [
      'with the lines of its block',
      verbs,
      '    - resources: [pods]\n      verbs:\n      - get\n      - list\n',
      '    - resources: [pods]\n',
    ],
    [
      'as an item of a block',
      [...verbs, 0],
      '    - verbs:\n      - get # x\n      - list\n',
      '    - verbs:\n      - list\n',
    ],
    ['as the first item between brackets', [...verbs, 0], '    - verbs: [get, list]\n', '    - verbs: [list]\n'],
    ['as the last item between brackets', [...verbs, 1], '    - verbs: [get, list]\n', '    - verbs: [get]\n'],
    ['as the only item', [...verbs, 0], '    - verbs:\n      - get\n', '    - verbs: []\n'],
  ]
  it.each(cases)('%s', async (_, path, before, after) => {
    expect(await edited(text(before), remove(path))).toBe(text(after))
  })

  it('from JSON', async () => {
    expect(await edited(JSON_TEXT, remove(['spec', 'rules']))).toBe(JSON_TEXT.replace(',\n    "rules": []', ''))
  })
})

describe('a key is renamed', () => {
  it.each([
    ['matchingprecedence: 5', 'matchingPrecedence: 5'],
    ['"matchingprecedence": 5', '"matchingPrecedence": 5'],
  ])('%s', async (before, after) => {
    const edit = { path: ['spec', 'matchingprecedence'], rename: 'matchingPrecedence' }
    expect(await edited(`${HEAD}spec:\n  ${before} # x\n`, edit)).toBe(`${HEAD}spec:\n  ${after} # x\n`)
  })
})

describe('a text stays as it is', () => {
  it('where it stands for other fields too', async () => {
    const text = `x: &spec {matchingPrecedence: 5}\n${HEAD}spec: *spec\n`
    expect(await edited(text, set(['spec', 'matchingPrecedence'], 6))).toBe(text)
  })

  it('where one of several edits cannot be made', async () => {
    const text = `${HEAD}spec:\n  matchingPrecedence: 5\n`
    expect(await edited(text, set(['spec', 'matchingPrecedence'], 6), remove(['spec', 'rules']))).toBe(text)
  })
})

describe('fixes that touch each other', () => {
  const edit = (start: number, end: number, newText: string) => ({ file: 'f', start, end, newText })

  it('wait for the next round, whole', () => {
    const fixes = [[edit(0, 2, 'a')], [edit(1, 3, 'b'), edit(8, 9, 'c')], [edit(5, 6, 'd')]]
    expect(compatibleEdits(fixes).edits.get('f')).toEqual([edit(0, 2, 'a'), edit(5, 6, 'd')])
  })

  it('are one where they are the same', () => {
    expect(compatibleEdits([[edit(4, 4, 'a')], [edit(4, 4, 'a')]]).edits.get('f')).toEqual([edit(4, 4, 'a')])
  })
})
