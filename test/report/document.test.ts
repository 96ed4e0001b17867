import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { toJson, toJsonLine, toYaml } from '../../src/report/document.ts'

const HOSTILE_NAMES = { name: 'a\u202eb', list: ['\x9b2J', 'line\u2028', 'byte \udcff', 'größe 大'] }

describe('documents', () => {
  it('JSON is two spaces deep and ends its last line', () => {
    expect(toJson({ kind: 'X', list: [1] })).toBe('{\n  "kind": "X",\n  "list": [\n    1\n  ]\n}\n')
  })

  it('JSON spells what could steer a terminal as escapes', () => {
    const text = toJson(HOSTILE_NAMES)
    expect(text).toContain('"a\\u202eb"')
    expect(text).toContain('"\\u009b2J"')
    expect(text).toContain('"größe 大"')
    expect(JSON.parse(text)).toEqual(HOSTILE_NAMES)
  })

  it('YAML does the same and reads back', async () => {
    const text = await toYaml(HOSTILE_NAMES)
    expect(text).toContain('name: "a\\u202eb"')
    expect(text).toContain('- größe 大')
    expect(parse(text)).toEqual(HOSTILE_NAMES)
  })

  it('YAML repeats values instead of aliasing them', async () => {
    const shared = { in: ['get'] }
    expect(await toYaml({ a: shared, b: shared })).toBe('a:\n  in:\n    - get\nb:\n  in:\n    - get\n')
  })

  it('a JSON line spells them too', () => expect(toJsonLine(['\u202e'])).toBe('["\\u202e"]\n'))

  it('a JSON line is one line', () => expect(toJsonLine({ id: 'a\nb' })).toBe('{"id":"a\\nb"}\n'))
})
