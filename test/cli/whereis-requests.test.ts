import { spawn } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { apf, BIN, type Run } from '../support/cli.ts'
import { violations } from '../support/published-schemas.ts'

const PODS = '"verb":"list","resource":"pods","namespace":"shop"'

function answer(input: string | Uint8Array, ...args: string[]): Promise<Run> {
  return apf(['whereis', '--requests', '-', '--defaults', '1.37', '-o', 'jsonl', ...args], { stdin: input })
}

/** The answers as values; every line follows the published schema. */
async function answers(input: string | Uint8Array): Promise<{ code: number | null; lines: Record<string, unknown>[] }> {
  const { code, stdout } = await answer(input)
  const lines = stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
  for (const line of lines) expect(violations('AnswerLine', line)).toEqual([])
  return { code, lines }
}

describe('whereis --requests', () => {
  it('answers line by line, in order', async () => {
    const input = ['a', 'b', 'c'].map((id) => `{"id":"${id}","user":"jane",${PODS}}\n`).join('')
    const { code, lines } = await answers(input)
    expect(code).toBe(0)
    expect(lines.map(({ id }) => id)).toEqual(['a', 'b', 'c'])
    expect(lines[0]).toEqual({
      id: 'a',
      outcome: 'classified',
      flowSchema: 'global-default',
      priorityLevel: 'global-default',
      distinguisher: 'jane',
      hash: '6822407026147695384',
      hand: [24, 0, 86, 104, 74, 31],
    })
  })

  it('says of a long-running request that it bypasses APF', async () => {
    const { code, lines } = await answers('{"id":1,"user":"jane","url":"/api/v1/namespaces/shop/pods/web/log"}')
    expect(code).toBe(0)
    expect(lines).toEqual([
      { id: 1, outcome: 'bypass', flowSchema: null, priorityLevel: null, distinguisher: '', hash: null, hand: null },
    ])
  })

  it('counts a target that the server cannot parse as answered', async () => {
    const { code, lines } = await answers('{"id":1,"user":"jane","url":"/api/v1/%zz"}')
    expect(code).toBe(0)
    expect(lines).toEqual([
      {
        id: 1,
        outcome: 'error',
        flowSchema: null,
        priorityLevel: null,
        distinguisher: '',
        hash: null,
        hand: null,
        error: expect.stringContaining('a bad percent escape in the path'),
      },
    ])
  })

  it.each([
    ['a string', '"id":"a",', 'a'],
    ['a number', '"id":-7.5,', -7.5],
    ['true', '"id":true,', true],
    ['an object', '"id":{"a":[1,null]},', { a: [1, null] }],
    ['an array', '"id":[1,"b"],', [1, 'b']],
    ['null', '"id":null,', null],
    ['nothing', '', null],
    ['a lone surrogate', '"id":"\\ud800",', '\ud800'],
  ])('echoes an id that is %s', async (_, member, id) => {
    const { code, lines } = await answers(`{${member}"user":"jane",${PODS}}`)
    expect(code).toBe(0)
    expect(lines[0]).toMatchObject({ id, outcome: 'classified' })
  })

  it('skips blank lines and counts them', async () => {
    const { code, lines } = await answers(`\n  \n{"id":1,"user":"jane",${PODS}}\n\t\n\nx\n`)
    expect(code).toBe(2)
    expect(lines).toMatchObject([{ id: 1 }, { id: null, line: 6, error: 'not JSON' }])
  })

  it('reads CRLF, a byte order mark, and a last line without its end', async () => {
    const { code, lines } = await answers(`\ufeff{"id":1,"user":"jane",${PODS}}\r\n\r\n{"id":2,"user":"jane",${PODS}}`)
    expect(code).toBe(0)
    expect(lines.map(({ id }) => id)).toEqual([1, 2])
  })

  it.each<[what: string, line: string, id: unknown, error: string]>([
    ['text', 'nonsense', null, 'not JSON'],
    ['half a line', '{"id":1,"user":', null, 'not JSON'],
    ['an array', '[]', null, 'expected an object, found an array'],
    ['a number', '7', null, 'expected an object, found a number'],
    ['null', 'null', null, 'expected an object, found null'],
    ['no user', `{"id":1,${PODS}}`, 1, 'user: missing'],
    ['an empty user', `{"id":1,"user":"",${PODS}}`, 1, 'user: must not be empty'],
    ['a user that is a number', `{"id":1,"user":7,${PODS}}`, 1, 'user: expected a string, found a number'],
    [
      'groups that are a string',
      `{"id":1,"user":"jane","groups":"dev",${PODS}}`,
      1,
      'groups: expected an array of strings, found a string',
    ],
    [
      'a group that is a number',
      `{"id":1,"user":"jane","groups":["a",1],${PODS}}`,
      1,
      'groups[1]: expected a string, found a number',
    ],
    [
      'a method that is a number',
      '{"id":1,"user":"jane","method":7,"url":"/"}',
      1,
      'method: expected a string, found a number',
    ],
    [
      'a resource that is a list',
      '{"id":1,"user":"jane","verb":"get","resource":[]}',
      1,
      'resource: expected a string, found an array',
    ],
    [
      'two forms',
      '{"id":1,"user":"jane","verb":"get","path":"/healthz","url":"/healthz"}',
      1,
      'verb: not together with url, which is another form of a request',
    ],
    [
      'a path and a resource',
      '{"id":1,"user":"jane","verb":"get","path":"/healthz","resource":"pods"}',
      1,
      'resource: not together with path, which is another form of a request',
    ],
    ['no form', '{"id":1,"user":"jane"}', 1, 'no request: expected url, or verb and resource, or verb and path'],
    [
      'a verb alone',
      '{"id":1,"user":"jane","verb":"get"}',
      1,
      'no request: expected url, or verb and resource, or verb and path',
    ],
  ])('answers %s in place and exits with 2', async (_, line, id, error) => {
    const good = `{"id":"good","user":"jane",${PODS}}`
    const { code, stdout, stderr } = await answer(`${good}\n${line}\n${good}\n`)
    expect({ code, stderr }).toEqual({ code: 2, stderr: 'error: 1 malformed line, answered in place\n' })
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((text) => JSON.parse(text))
    expect(lines).toEqual([
      expect.objectContaining({ outcome: 'classified' }),
      { id, line: 2, error },
      expect.objectContaining({ outcome: 'classified' }),
    ])
  })

  it('answers what is not UTF-8 in place', async () => {
    const bytes = Buffer.concat([
      Buffer.from('{"user":"'),
      Buffer.from([0xff]),
      Buffer.from(`",${PODS}}\n{"id":2,"user":"größe",${PODS}}\n`),
    ])
    expect(await answers(bytes)).toMatchObject({
      code: 2,
      lines: [
        { id: null, line: 1, error: 'not UTF-8' },
        { id: 2, distinguisher: 'größe' },
      ],
    })
  })

  it('answers a line of 10 MB in place, and those behind it', async () => {
    const long = `{"id":1,"user":"${'a'.repeat(10_000_000)}",${PODS}}`
    expect(await answers(`${long}\n{"id":2,"user":"jane",${PODS}}\n`)).toMatchObject({
      code: 2,
      lines: [
        { id: null, line: 1, error: `${long.length} bytes long, more than 1048576` },
        { id: 2, outcome: 'classified' },
      ],
    })
  })

  it.each<[what: string, line: string, answer: object]>([
    [
      'control characters',
      `{"user":"a\\u0000\\u001b[2J",${PODS}}`,
      { distinguisher: 'a\u0000\u001b[2J', hash: '9524248747748874662' },
    ],
    // As Go decodes JSON.
    ['a lone surrogate', `{"user":"a\\ud800",${PODS}}`, { distinguisher: 'a\ufffd' }],
    ['a byte that is not UTF-8 in a URL', '{"user":"jane","url":"/api/v1/%ff"}', { outcome: 'classified' }],
    ['no groups at all', `{"user":"jane","groups":[],${PODS}}`, { flowSchema: 'catch-all', hash: null, hand: null }],
    ['groups that are null', `{"user":"jane","groups":null,${PODS}}`, { flowSchema: 'global-default' }],
    ['keys of no form', '{"user":"jane","url":"/","note":1}', { outcome: 'classified' }],
    ['a key twice', `{"user":"jane","user":"bob",${PODS}}`, { distinguisher: 'bob' }],
    ['a slash in the resource', '{"user":"jane","verb":"get","resource":"pods/log","name":"a"}', { outcome: 'bypass' }],
  ])('answers a request with %s', async (_, line, expected) => {
    expect(await answers(line)).toMatchObject({ code: 0, lines: [expected] })
  })

  it('answers nothing with nothing', async () => {
    expect(await answer('')).toEqual({ code: 0, stdout: '', stderr: '' })
  })

  it('reads a file', async () => {
    const { code, stdout } = await apf(['whereis', '--requests', 'examples/requests.jsonl', '--defaults', '1.37'])
    expect(code).toBe(0)
    expect(stdout).toContain('"outcome":"classified"')
  })

  it.each([
    [['--requests', 'nowhere.jsonl'], 'cannot read nowhere.jsonl\n  no such file or folder\n  → check the path'],
    [['--requests', 'src'], 'cannot read src\n  it is a folder\n  → check the path'],
    [['--requests', ''], 'cannot read ""\n  no such file or folder\n  → check the path'],
    [
      ['--requests', '-', '--from', '-'],
      '--requests - with --from -\n  standard input can be read only once\n  → give one of them as a file',
    ],
    [
      ['--requests', '-', '-o', 'json'],
      '-o json with --requests\n  answers to many requests are JSON lines\n  → use -o jsonl',
    ],
    [['--requests', '-', '--as', 'jane'], '--requests with --as\n  each line names its own user\n  → leave --as out'],
    [
      ['--requests', '-', 'list', 'pods'],
      'a request in words and --requests together\n  each of them is a request\n  → give one',
    ],
  ])('%j is refused', async (args, message) => {
    expect(await apf(['whereis', '--defaults', '1.37', ...args])).toEqual({
      code: 2,
      stdout: '',
      stderr: `error: ${message}\n`,
    })
  })

  it('spells out what could steer a terminal, in names and in ids', async () => {
    const line = JSON.stringify({ id: 'a\u009b31m', user: 'b\u202egnp', verb: 'get', path: '/version' })
    const { stdout } = await apf(['whereis', '--requests', '-', '--defaults', '1.37'], { stdin: `${line}\n` })
    expect(stdout).toContain('{"id":"a\\u009b31m","outcome":"classified"')
    expect(stdout).toContain('"distinguisher":"b\\u202egnp"')
    expect(stdout).not.toMatch(/[\u009b\u202e]/)
  })

  it('ends without a word when its reader has gone', async () => {
    const line = `{"user":"jane",${PODS}}\n`
    const child = spawn(BIN, ['whereis', '--requests', '-', '--defaults', '1.37'], {
      env: { PATH: process.env['PATH'] ?? '', LANG: 'C.UTF-8' },
    })
    const errors: Buffer[] = []
    child.stderr.on('data', (chunk) => errors.push(chunk))
    child.stdin.on('error', () => {})
    child.stdout.once('data', () => child.stdout.destroy())
    child.stdin.end(line.repeat(50_000))
    const code = await new Promise((resolve) => child.on('close', resolve))
    expect({ code, stderr: Buffer.concat(errors).toString() }).toEqual({ code: 0, stderr: '' })
  })
})
