import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { schemaFiles } from '../../scripts/schemas.mjs'
import { apf, ROOT } from '../support/cli.ts'
import { violations } from '../support/published-schemas.ts'

describe('the published JSON Schemas', () => {
  it('are those of the types (npm run schemas writes them)', () => {
    for (const [path, text] of schemaFiles()) expect(readFileSync(path, 'utf8'), path).toBe(text)
  })

  it.each([
    [['--defaults', '1.37']],
    [['--defaults', '1.20']],
    [['--from', 'examples/shop.yaml']],
    [['--from', 'examples/shop.yaml', '--defaults', '1.30']],
  ])('describe the answer of schemas %j', async (source) => {
    const { stdout } = await apf(['schemas', ...source, '-o', 'json'])
    expect(violations('FlowSchemas', JSON.parse(stdout))).toEqual([])
  })

  const reporter = '--as=system:serviceaccount:shop:reporter'
  it.each([
    ['Whereis', ['list', 'pods', '-n', 'shop', reporter, '--defaults', '1.37']],
    ['Whereis', ['list', 'pods', '-A', reporter, '--from', 'examples/shop.yaml', '--defaults', '1.37']],
    ['Whereis', ['create', 'jobs.batch', '-n', 'shop', reporter, '--from', 'examples/shop.yaml']],
    ['Whereis', ['get', '/healthz', '--as=jane', '--as-group=system:masters', '--defaults', '1.20']],
    ['Whereis', ['watch', 'pods', '-n', 'shop', '--as=jane', '--defaults', '1.37']],
    ['Whereis', ['get', 'pods/log', 'a', '-n', 'shop', '--as=jane', '--defaults', '1.37']],
    ['WhereisMap', [reporter, '--defaults', '1.37']],
    ['WhereisMap', [reporter, '--from', 'examples/shop.yaml', '--defaults', '1.37']],
  ])('describe the %s of %j', async (type, args) => {
    const { stdout } = await apf(['whereis', ...args, '-o', 'json'])
    expect(violations(type, JSON.parse(stdout))).toEqual([])
  })

  it('describe the answers to a batch', async () => {
    const { stdout } = await apf(['whereis', '--requests', 'examples/requests.jsonl', '--defaults', '1.37'])
    const lines = stdout.trim().split('\n')
    expect(lines).toHaveLength(4)
    for (const line of lines) expect(violations('AnswerLine', JSON.parse(line)), line).toEqual([])
  })

  it.each<[string, object, valid: boolean]>([
    ['a URL', { user: 'jane', url: '/api/v1/pods' }, true],
    ['a URL with all keys', { id: 7, user: 'jane', groups: [], method: 'GET', url: '/' }, true],
    ['implied groups', { user: 'jane', groups: null, verb: 'get', path: '/healthz' }, true],
    [
      'attributes',
      { user: 'jane', verb: 'get', apiGroup: '', resource: 'pods/log', namespace: 'shop', name: 'a' },
      true,
    ],
    ['no user', { verb: 'get', path: '/healthz' }, false],
    ['an empty user', { user: '', verb: 'get', path: '/healthz' }, false],
    ['no form', { user: 'jane' }, false],
    ['two forms', { user: 'jane', url: '/', verb: 'get', path: '/' }, false],
    ['a wrong type', { user: 'jane', verb: 'get', resource: 7 }, false],
  ])('of request lines: %s', (_, line, valid) => expect(violations('RequestLine', line).length === 0).toBe(valid))

  it('describe the example request lines', () => {
    const lines = readFileSync(`${ROOT}examples/requests.jsonl`, 'utf8').trim().split('\n')
    for (const line of lines) expect(violations('RequestLine', JSON.parse(line)), line).toEqual([])
  })

  it.each<[string, object]>([
    [
      'classified',
      { id: 'a', outcome: 'classified', flowSchema: 'x', priorityLevel: 'y', distinguisher: 'u', hash: '1', hand: [1] },
    ],
    [
      'bypass',
      { id: null, outcome: 'bypass', flowSchema: null, priorityLevel: null, distinguisher: '', hash: null, hand: null },
    ],
    ['malformed', { id: null, line: 3, error: 'not JSON' }],
  ])('of answer lines: %s', (_, line) => expect(violations('AnswerLine', line)).toEqual([]))
})
