import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { FieldPath } from '../../src/apf/problem.ts'
import { sourceText } from '../../src/sources/source-text.ts'
import { readYaml, YAML_TOKENS } from '../../src/sources/yaml.ts'

function read(text: string) {
  return readYaml(sourceText('f.yaml', text), 0, text.length, { tokens: YAML_TOKENS })
}

interface Recorded {
  yaml: string
  json?: unknown
  refused?: true
}

/** Answers of YAMLToJSON of sigs.k8s.io/yaml v1.6.0, which kubectl and the API server use. */
const recorded: Recorded[] = JSON.parse(
  readFileSync(new URL('testdata/yaml-as-kubectl-reads-it.json', import.meta.url), 'utf8'),
)

describe('YAML is read as kubectl reads it', () => {
  it.each(recorded.filter(({ refused }) => !refused))('$yaml', ({ yaml, json }) => {
    const { documents, problems } = read(yaml)
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([])
    expect(documents[0]?.value ?? null).toEqual(json)
  })

  it.each(recorded.filter(({ refused }) => refused))('refuses $yaml', ({ yaml }) => {
    const { documents, problems } = read(yaml)
    expect(documents).toEqual([])
    expect(problems).toMatchObject([{ severity: 'error', at: { file: 'f.yaml' } }])
  })
})

describe('positions', () => {
  const text = readFileSync(new URL('testdata/positions.yaml', import.meta.url), 'utf8')
  const cases: [string, FieldPath, string][] = [
    ['the document itself', [], '2:1'],
    ['a scalar', ['kind'], '3:7'],
    ['a block mapping, at its first key', ['metadata'], '5:3'],
    ['a quoted scalar', ['metadata', 'name'], '5:9'],
    ['an item of a block list', ['spec', 'rules', 0], '9:5'],
    ['a member of that item', ['spec', 'rules', 0, 'subjects', 0, 'kind'], '10:13'],
    ['an item of a flow list', ['spec', 'rules', 0, 'resourceRules', 0, 'verbs', 1], '13:21'],
    ['what an alias stands for', ['spec', 'rules', 1, 'subjects'], '14:15'],
    ['a member of what an alias stands for', ['spec', 'rules', 1, 'subjects', 0, 'user', 'name'], '11:20'],
    ['a merged member', ['spec', 'rules', 1, 'resourceRules', 0, 'apiGroups'], '12:40'],
    ['a member that overrides a merged one', ['spec', 'rules', 1, 'resourceRules', 0, 'verbs'], '17:16'],
    ['the last of two equal keys', ['spec', 'matchingPrecedence'], '19:23'],
    ['an empty value', ['spec', 'distinguisherMethod'], '20:23'],
    ['a missing field: its parent', ['spec', 'rules', 0, 'nonResourceRules', 3], '9:5'],
    ['a path through a scalar', ['kind', 'x', 'y'], '3:7'],
  ]
  it.each(cases)('%s', (_, path, position) => {
    for (const variant of [text, text.replaceAll('\n', '\r\n')]) {
      const place = read(variant).documents[0]?.locate(path)
      expect(`${place?.line}:${place?.column}`).toBe(position)
    }
  })
})

describe('where a field is written', () => {
  const text = [
    '# objects',
    'base: &base',
    '  a: !!int 1 # one',
    'list: # of two',
    '- "500"',
    '- x: 0500',
    '  z:',
    '# the end of the list',
    'merged: {<<: *base, "c": 1e3}',
    'alias: *base',
    'note: |-',
    '  two',
    '  lines',
    '',
  ]
  const cases: [string, FieldPath, string | null, string, boolean?][] = [
    ['a scalar behind its tag, without its comment', ['base', 'a'], 'a', '1'],
    ['a mapping behind its anchor, without its comment', ['base'], 'base', 'a: !!int 1'],
    ['a list without the comment that follows', ['list'], 'list', '- "500"\n- x: 0500\n  z:'],
    ['a quoted item', ['list', 0], null, '"500"'],
    ['a mapping as an item', ['list', 1], null, 'x: 0500\n  z:'],
    ['a scalar as it was spelt', ['list', 1, 'x'], 'x', '0500'],
    ['a value that is not there', ['list', 1, 'z'], 'z', ''],
    ['a quoted key', ['merged', 'c'], '"c"', '1e3'],
    ['a merged member', ['merged', 'a'], 'a', '1', true],
    ['an alias', ['alias'], 'alias', '*base'],
    ['a member of what an alias stands for', ['alias', 'a'], 'a', '1', true],
    ['a block', ['note'], 'note', '|-\n  two\n  lines'],
  ]
  it.each(cases)('%s', (_, path, key, value, shared = false) => {
    for (const lineEnd of ['\n', '\r\n']) {
      const file = `first: 1\n---\n${text.join(lineEnd)}`
      const source = sourceText('f.yaml', file)
      const [document] = readYaml(source, 'first: 1\n---'.length, file.length, { tokens: YAML_TOKENS }).documents
      const field = document?.writtenAt(path)
      const written = value.replaceAll('\n', lineEnd)
      expect(field?.text).toBe(written)
      expect(file.slice(field?.value.start, field?.value.end)).toBe(written)
      expect(field?.key ? file.slice(field.key.start, field.key.end) : null).toBe(key)
      expect(field?.shared ?? false).toBe(shared)
    }
  })

  it('is nowhere for a field that is not there', () => {
    const [document] = read(text.join('\n')).documents
    for (const path of [
      ['base', 'b'],
      ['list', 2],
      ['base', 'a', 'b'],
    ]) {
      expect(document?.writtenAt(path)).toBeUndefined()
    }
  })
})

describe('duplicate keys', () => {
  it('are reported with both places, and the last value counts', () => {
    const { documents } = read('a: 1\nb:\n  - c: 1\n    "c": 2\na: 3\n')
    expect(documents[0]?.value).toEqual({ a: 3, b: [{ c: 2 }] })
    expect(documents[0]?.duplicateKeys).toEqual([
      { path: ['b', 0, 'c'], at: { line: 4, column: 5 }, first: { line: 3, column: 5 } },
      { path: ['a'], at: { line: 5, column: 1 }, first: { line: 1, column: 1 } },
    ])
  })

  it('are found where two spellings mean one key', () => {
    expect(read('yes: 1\non: 2').documents[0]?.duplicateKeys).toMatchObject([{ path: ['true'] }])
  })

  it('of a repeated alias are reported once', () => {
    expect(read('x: &x {a: 1, a: 2}\nb: [*x, *x]').documents[0]?.duplicateKeys).toHaveLength(1)
  })
})

describe('hostile YAML ends with a message', () => {
  const bomb = ['a: &a [x, x, x, x, x, x, x, x, x]', ...bombLines('abcdefghij')].join('\n')
  const cases: [string, string, string][] = [
    ['aliases of aliases', bomb, 'not valid YAML: aliases repeat so much that the document outgrows all bounds'],
    ['deep flow nesting', '['.repeat(100_000), 'nested more than 500 levels deep'],
    ['deep block nesting', '- '.repeat(20_000), 'nested more than 500 levels deep'],
    [
      'an endless row of tokens',
      `[${','.repeat(YAML_TOKENS)}]`,
      'more YAML in one input than is read: the rest is left out',
    ],
    ['a control character', 'a: b\u0007', 'not valid YAML: found the control character U+0007'],
    ['an anchor inside of itself', 'a: &a [*a]', 'not valid YAML: found the alias *a inside of its own anchor'],
  ]
  it.each(cases)('%s', (_, text, message) => {
    expect(read(text).problems).toMatchObject([{ severity: 'error', message }])
  })

  it('keeps keys that JavaScript treats specially as data', () => {
    const value = read('__proto__: {x: 1}\nconstructor: 2').documents[0]?.value
    expect(JSON.stringify(value)).toBe('{"__proto__":{"x":1},"constructor":2}')
  })
})

function bombLines(names: string): string[] {
  return [...names.slice(1)].map((name, index) => {
    const aliases = Array.from({ length: 9 }, () => `*${names[index]}`)
    return `${name}: &${name} [${aliases.join(', ')}]`
  })
}
