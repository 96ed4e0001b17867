import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apf } from '../support/cli.ts'

const SHOP = 'apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: FlowSchema\nmetadata: {name: shop}\n'
const EXEMPT = 'priorityLevelConfiguration: {name: exempt}'
const OVERLAY = 'laid over the default objects of Kubernetes 1.37\n'
const ALIASES = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']

/** Files by name: what is said of each, the exit code, and the FlowSchemas that are read all the same. */
const files: [what: string, name: string, content: string | number[], code: number, said: string, read: string[]][] = [
  [
    'an empty file',
    'empty.yaml',
    '',
    0,
    'empty.yaml: warning: empty: no object in it\n  → check what should be there\n',
    [],
  ],
  [
    'a binary file',
    'binary.yaml',
    [0x7f, 0x45, 0x4c, 0x46, 0, 0],
    2,
    'binary.yaml: error: a binary file, expected YAML or JSON\n  → give manifests\n',
    [],
  ],
  [
    'a file that is not UTF-8',
    'latin.yaml',
    [0x61, 0x3a, 0x20, 0xe9],
    2,
    'latin.yaml:1:4: error: found the byte 0xE9, which is not UTF-8\n  → save it as UTF-8\n',
    [],
  ],
  [
    'aliases that multiply',
    'bomb.yaml',
    `a: &a [x,x,x,x,x,x,x,x,x]\n${ALIASES.slice(1)
      .map((name, i) => `${name}: &${name} [${Array(9).fill(`*${ALIASES[i]}`).join(',')}]\n`)
      .join('')}`,
    2,
    'bomb.yaml:1:8: error: not valid YAML: aliases repeat so much that the document outgrows all bounds\n  → write the values out\n',
    [],
  ],
  [
    'a key that is there twice',
    'twice.yaml',
    `${SHOP}spec:\n  matchingPrecedence: 1\n  matchingPrecedence: 5\n  ${EXEMPT}\n`,
    0,
    'twice.yaml:6:3: warning: the key matchingPrecedence is there twice in spec, first on line 5; the last value counts\n  → remove one of them\n',
    ['shop'],
  ],
  [
    'a kind of ours in another API group',
    'capacity.yaml',
    'apiVersion: capacity.example.com/v1\nkind: PriorityLevelConfiguration\nmetadata: {name: shop}\n',
    0,
    'capacity.yaml:1:13: warning: skipped: this PriorityLevelConfiguration is of the API group capacity.example.com, another kind than that of flowcontrol.apiserver.k8s.io\n  → where API Priority and Fairness is meant, write apiVersion: flowcontrol.apiserver.k8s.io/v1\nskipped 1 object of another kind: 1 PriorityLevelConfiguration\n',
    [],
  ],
  [
    'a name that steers a terminal',
    'name.yaml',
    `${SHOP.replace('shop', '"a\\u0007\\u202eb\\u001b[31m"')}spec: {${EXEMPT}}\n`,
    0,
    '',
    ['a\\u{7}\\u{202e}b\\u{1b}[31m'],
  ],
  [
    'a precedence that is no number',
    'nan.yaml',
    `${SHOP}spec: {matchingPrecedence: .nan, ${EXEMPT}}\n`,
    2,
    'nan.yaml:4:28: error: not valid YAML: found .nan, which is not a JSON number\n',
    [],
  ],
  [
    'a precedence that is huge',
    'huge.yaml',
    `${SHOP}spec: {matchingPrecedence: 99999999999999999999, ${EXEMPT}}\n`,
    2,
    'huge.yaml:4:28: error: spec.matchingPrecedence is the number 100000000000000000000, must be a whole number of 32 bits\n',
    [],
  ],
  [
    'a precedence in quotes',
    'quotes.yaml',
    `${SHOP}spec: {matchingPrecedence: "7", ${EXEMPT}}\n`,
    2,
    'quotes.yaml:4:28: error: spec.matchingPrecedence is the string "7", must be a whole number of 32 bits\n  → remove the quotes\n',
    [],
  ],
  [
    'no spec',
    'nospec.yaml',
    SHOP,
    0,
    'nospec.yaml:1:1: warning: spec is missing; the server reads an empty one\n',
    ['shop'],
  ],
  [
    'a spec that is null',
    'null.yaml',
    `${SHOP}spec: null\n`,
    0,
    'null.yaml:4:7: warning: spec is missing; the server reads an empty one\n',
    ['shop'],
  ],
  [
    'a template that was not rendered',
    'chart.yaml',
    `${SHOP}spec:\n  {{- if .Values.fence }}\n---\n${SHOP.replace('shop', 'rest')}spec: {${EXEMPT}}\n`,
    2,
    'chart.yaml:5:3: error: not YAML yet: found the template {{- if .Values.fence }}\n  → render it first, as in: helm template CHART | kubectl apf … --from -\n',
    ['rest'],
  ],
  [
    'CRLF and a byte order mark',
    'windows.yaml',
    `\ufeff${SHOP}spec: {${EXEMPT}}\n`.replaceAll('\n', '\r\n'),
    0,
    '',
    ['shop'],
  ],
]

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'bad-input-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const write = (name: string, content: string | number[]) =>
  writeFileSync(join(folder, name), typeof content === 'string' ? content : Buffer.from(content))

/** Names of what was read besides the default objects. */
async function schemas(...from: string[]) {
  const args = from.flatMap((path) => ['--from', path])
  const { code, stdout, stderr } = await apf(['schemas', ...args, '--defaults', '1.37', '--no-headers'], {
    cwd: folder,
  })
  const names = stdout
    .split('\n')
    .filter((line) => line !== '' && !/(?:mandatory|built-in)$/.test(line))
    .map((line) => line.trim().split(/ {2,}/)[2])
  return { code, names, stderr, lines: stdout.split('\n').length - 1 }
}

describe('a file with a fault is told in a line, and the rest is answered', () => {
  it.each(files)('%s', async (_, name, content, code, said, read) => {
    write(name, content)
    expect(await schemas(name)).toMatchObject({ code, names: read, stderr: said + OVERLAY })
  })

  it('a file of 100 MB', async () => {
    write('large.yaml', '')
    truncateSync(join(folder, 'large.yaml'), 100 * 1024 * 1024)
    expect(await schemas('large.yaml')).toEqual({
      code: 2,
      names: [],
      stderr: `large.yaml: error: 100 MiB, expected at most 64 MiB\n  → give only the FlowSchemas and PriorityLevelConfigurations\n${OVERLAY}`,
      lines: 11,
    })
  })

  it('a subject of an unknown kind', async () => {
    write(
      'robot.yaml',
      `${SHOP}spec: {matchingPrecedence: 7, ${EXEMPT}, rules: [{subjects: [{kind: Robot}], nonResourceRules: [{verbs: ["*"], nonResourceURLs: ["*"]}]}]}\n`,
    )
    const { stdout } = await apf(['whereis', 'get', '/x', '--as=ada', '--from', 'robot.yaml', '--defaults', '1.37'], {
      cwd: folder,
    })
    expect(stdout).toMatch(/^ +7 {2}shop +a subject of unknown kind Robot matches nobody$/m)
  })

  it('one name in two files: both places, and which one counts', async () => {
    write('one.yaml', `${SHOP}spec: {matchingPrecedence: 7, ${EXEMPT}}\n`)
    write('two.yaml', `# later\n${SHOP}spec: {matchingPrecedence: 8, ${EXEMPT}}\n`)
    expect(await schemas('one.yaml', 'two.yaml')).toMatchObject({
      code: 0,
      names: ['shop'],
      stderr: `two.yaml:2:1: warning: FlowSchema shop is defined twice, in one.yaml:1:1 and in two.yaml:2:1; the one in two.yaml:2:1 counts, as given last\n  → remove or rename one of them\n${OVERLAY}`,
    })
  })

  it('a path that is not there', async () => {
    expect(await schemas('nowhere.yaml')).toMatchObject({
      code: 2,
      names: [],
      stderr: `nowhere.yaml: error: cannot be read: no such file or folder\n  → check the path\n${OVERLAY}`,
    })
  })

  it('files of which nothing can be read, without defaults', async () => {
    write('broken.yaml', 'a: *\n')
    expect(await apf(['schemas', '--from', 'broken.yaml'], { cwd: folder })).toEqual({
      code: 2,
      stdout: '',
      stderr: 'error: broken.yaml:1:4: not valid YAML: found a bare *, which starts an alias\n  → write "*"\n',
    })
  })

  const NOTHING = 'error: no FlowSchema and no PriorityLevelConfiguration in the given files'
  const CHECK = '  → check the paths, or take the default objects with --overlay-defaults'
  it.each([
    ['empty.yaml', '', 2, NOTHING],
    ['no-items.yaml', 'apiVersion: v1\nkind: List\nitems: []\n', 2, NOTHING],
    ['recorded', { 'version.json': '{"major":"1","minor":"31","gitVersion":"v1.31.14"}' }, 3, 'recorded'],
  ])('no answer without an object to answer from: %s', async (name, content, code, said) => {
    if (typeof content === 'string') write(name, content)
    else {
      mkdirSync(join(folder, name))
      for (const [file, text] of Object.entries(content)) write(join(name, file), text)
    }
    for (const ask of [['schemas'], ['whereis', 'list', 'pods', '--as=ada'], ['whereis', '--as=ada']]) {
      const answer = await apf([...ask, '--from', name, '-q'], { cwd: folder })
      expect(answer).toMatchObject({ code, stdout: '' })
      const what = code === 3 ? `error: no FlowSchemas were recorded in ${said}` : said
      expect(answer.stderr.split('\n').slice(-3)).toEqual([what, CHECK, ''])
    }
  })
})

describe('versions', () => {
  it.each([
    ['1.4', '1.20, 1.21'],
    ['1.38', '1.36, 1.37'],
    ['2', '1.20, 1.37'],
    ['latest', '1.20, 1.37'],
  ])('%s is not known: the nearest are named', async (version, nearest) => {
    expect(await apf(['schemas', '--defaults', version])).toEqual({
      code: 2,
      stdout: '',
      stderr: `error: --defaults ${version}: no Kubernetes version that is known\n  known are 1.20 to 1.37\n  → nearest: ${nearest}\n`,
    })
  })
})
