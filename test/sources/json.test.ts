import { describe, expect, it } from 'vitest'
import type { FieldPath } from '../../src/apf/problem.ts'
import { readJson } from '../../src/sources/json.ts'
import { sourceText } from '../../src/sources/source-text.ts'

function read(text: string) {
  return readJson(sourceText('f.json', text), 0, text.length)
}

function documents(text: string) {
  const result = read(text)
  if ('fault' in result) throw new Error(result.fault.message)
  return result.documents
}

describe('JSON values', () => {
  const cases: [string, string, unknown[]][] = [
    ['one value', ' {"a": [1, -0.5e2, true, null, "x"]}\n', [{ a: [1, -50, true, null, 'x'] }]],
    ['JSON lines', '{"a":1}\n{"a":2}\r\n[]', [{ a: 1 }, { a: 2 }, []]],
    ['values without anything between', '{}[]{"a":{}}', [{}, [], { a: {} }]],
    ['white space alone', ' \n\t', []],
    ['escapes', '{"\\u0061\\n": "\\ud83d\\ude00\\/\\u0007"}', [{ 'a\n': '😀/\u0007' }]],
    ['the last of equal keys', '{"a": {"x": 1}, "a": {"y": 2}}', [{ a: { y: 2 } }]],
  ]
  it.each(cases)('%s', (_, text, values) => {
    expect(documents(text).map(({ value }) => value)).toEqual(values)
  })

  it('keeps keys that JavaScript treats specially as data', () => {
    expect(JSON.stringify(documents('{"__proto__": {"x": 1}}')[0]?.value)).toBe('{"__proto__":{"x":1}}')
  })
})

describe('positions', () => {
  const text = '{"kind": "List",\n "items": [\n  {"a": "}\\"]"},\n  {"a": {"b": [ 10,\n   20]}, "a": {"c": [1, 2]}}]}'
  const cases: [FieldPath, string][] = [
    [[], '1:1'],
    [['kind'], '1:10'],
    [['items'], '2:11'],
    [['items', 0, 'a'], '3:9'],
    [['items', 1], '4:3'],
    [['items', 1, 'a', 'c', 1], '5:25'],
    [['items', 1, 'a', 'b'], '5:15'],
    [['items', 7], '2:11'],
    [['kind', 'x'], '1:10'],
  ]
  it.each(cases)('%j', (path, position) => {
    const place = documents(text)[0]?.locate(path)
    expect(`${place?.line}:${place?.column}`).toBe(position)
  })
})

describe('where a field is written', () => {
  const text = '{"a": {"x" : [ 1e2 ,"}\\"", {"y":null} ] }, "b":true\n}'
  const cases: [FieldPath, string | null, string][] = [
    [[], null, text],
    [['a'], '"a"', '{"x" : [ 1e2 ,"}\\"", {"y":null} ] }'],
    [['a', 'x', 0], null, '1e2'],
    [['a', 'x', 1], null, '"}\\""'],
    [['a', 'x', 2, 'y'], '"y"', 'null'],
    [['b'], '"b"', 'true'],
  ]
  it.each(cases)('%j', (path, key, value) => {
    const file = `${text}\n${text}`
    const field = documents(file)[1]?.writtenAt(path)
    expect(field?.text).toBe(value)
    expect(file.slice(field?.value.start, field?.value.end)).toBe(value)
    expect(field?.value.start).toBeGreaterThan(text.length)
    expect(field?.key ? file.slice(field.key.start, field.key.end) : null).toBe(key)
  })

  it.each([[['c']], [['a', 'x', 3]], [['b', 'c']]])('is nowhere for %j', (path) => {
    expect(documents(text)[0]?.writtenAt(path)).toBeUndefined()
  })
})

describe('duplicate keys', () => {
  it('are reported with both places', () => {
    const [document] = documents('{"items": [{}, {"a": 1,\n"\\u0061": 2}],\n"b": 0, "b": 1}')
    expect(document?.duplicateKeys).toEqual([
      { path: ['items', 1, 'a'], at: { line: 2, column: 1 }, first: { line: 1, column: 17 } },
      { path: ['b'], at: { line: 3, column: 9 }, first: { line: 3, column: 1 } },
    ])
  })
})

describe('syntax errors name what was found and expected', () => {
  const cases: [string, string, number, string][] = [
    ['cut off in an object', '{"a": 1', 7, 'found the end, expected "," or "}"'],
    ['cut off in a list', '[1, 2', 5, 'found the end, expected "," or "]"'],
    ['cut off in a string', '{"a": "xy', 9, 'found the end, expected a closing quote'],
    ['a line break in a string', '{"a": "x\ny"}', 8, 'found a line break, expected a closing quote'],
    ['a key without quotes', '{a: 1}', 1, 'found a: 1}, expected a key in double quotes'],
    ['a comma too many', '{"a": 1,}', 8, 'found }, expected a key in double quotes'],
    ['a comma too few', '{"a": 1 "b": 2}', 8, 'found "b": 2}, expected "," or "}"'],
    ['no colon', '{"a" 1}', 5, 'found 1}, expected ":" after the key'],
    ['no value', '{"a": }', 6, 'found }, expected a value'],
    ['a word', '{"a": nil}', 6, 'found nil}, expected a value'],
    ['a number of another kind', '{"a": 010}', 7, 'found 10}, expected "," or "}"'],
    ['NaN', '[NaN]', 1, 'found NaN], expected a value'],
    ['an unknown escape', '["\\x41"]', 2, 'found \\x41"], expected an escape of JSON'],
    ['a broken code point', '["\\u00zz"]', 2, 'found \\u00zz"], expected four hexadecimal digits after \\u'],
    ['something behind the value', '{} x', 3, 'found x, expected a value'],
  ]
  it.each(cases)('%s', (_, text, offset, message) => {
    expect(read(text)).toEqual({ fault: { offset, code: 'syntax', message: `not valid JSON: ${message}` } })
  })

  it('refuses deep nesting', () => {
    expect(read('['.repeat(1_000_000))).toMatchObject({ fault: { message: 'nested more than 500 levels deep' } })
  })
})
