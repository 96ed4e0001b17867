import { mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { FlowSchema } from '../../src/apf/objects.ts'
import type { Place, Problem } from '../../src/apf/problem.ts'
import type { ClusterState } from '../../src/sources/cluster-state.ts'
import { isSourceFailure, type SourceFailure } from '../../src/sources/failure.ts'
import { openSource, type SourceOptions } from '../../src/sources/open.ts'

const INPUTS = fileURLToPath(new URL('testdata/inputs/', import.meta.url))
const DEFAULT_SCHEMAS = 11
const DEFAULT_LEVELS = 8

let temporary: string

beforeAll(() => {
  temporary = mkdtempSync(join(tmpdir(), 'apf-sources-'))
})

afterAll(() => rmSync(temporary, { recursive: true }))

async function open(options: Partial<SourceOptions>): Promise<ClusterState | SourceFailure> {
  return await openSource({ from: [], overlayDefaults: false, ...options })
}

async function opened(options: Partial<SourceOptions>): Promise<ClusterState> {
  const state = await open(options)
  if (isSourceFailure(state)) throw new Error(state.what)
  return state
}

/** Opens test inputs, given by their names. */
async function openInputs(names: readonly string[], options: Partial<SourceOptions> = {}): Promise<ClusterState> {
  return await opened({ ...options, from: names.map((name) => INPUTS + name) })
}

async function* bytesOf(content: string | readonly number[]): AsyncGenerator<Uint8Array> {
  const bytes = typeof content === 'string' ? Buffer.from(content) : Uint8Array.from(content)
  // In two pieces, so that nothing relies on one.
  const middle = bytes.length >> 1
  yield bytes.subarray(0, middle)
  yield bytes.subarray(middle)
}

/** `warning f.yaml:1:2: message; fix`, without the folder of the test. */
function printed(problems: readonly Problem[]): string[] {
  return problems.map(({ severity, at, message, fix }) =>
    withoutFolder(`${severity} ${placeText(at)}: ${message}${fix === undefined ? '' : `; ${fix}`}`),
  )
}

/** The schemas of the files themselves, without those that every server has. */
function fromFiles(state: ClusterState): FlowSchema[] {
  return state.flowSchemas.filter(({ origin }) => !origin?.file.startsWith('defaults '))
}

function placeText({ file, line, column }: Place = {}): string {
  return [file, line, column].filter((part) => part !== undefined).join(':')
}

function withoutFolder(text: string): string {
  return text.replaceAll(INPUTS, '').replaceAll(`${temporary}/`, '')
}

/** Names of the schemas of the files themselves. */
function schemaNames(state: ClusterState): string[] {
  return fromFiles(state).map(({ metadata }) => metadata.name)
}

describe('problems of files are told in one line, and the rest is read', () => {
  const cases: [string, string[], string[], string[]][] = [
    ['a file without fault', ['shop.yaml'], ['shop'], []],
    [
      'a broken document in the middle',
      ['broken-middle.yaml'],
      ['first', 'third'],
      ['error broken-middle.yaml:14:21: not valid YAML: found a bare *, which starts an alias; write "*"'],
    ],
    [
      'a chart that was not rendered',
      ['chart'],
      ['whole'],
      [
        'error chart/templates/fence.yaml:1:1: not YAML yet: found the template {{- if .Values.fence }}; render it first, as in: helm template CHART | kubectl apf … --from -',
        'error chart/templates/parts.yaml:4:9: not YAML yet: found the template {{ .Release.Name }}; render it first, as in: helm template CHART | kubectl apf … --from -',
        'error chart/templates/parts.yaml:22:23: not YAML yet: found the template {{ .Values.precedence }}; render it first, as in: helm template CHART | kubectl apf … --from -',
      ],
    ],
    [
      'a duplicate key and an unknown field',
      ['doubtful.yaml'],
      ['doubtful'],
      [
        'warning doubtful.yaml:9:3: the key matchingPrecedence is there twice in spec, first on line 6; the last value counts; remove one of them',
        'warning doubtful.yaml:10:18: v1 has no field spec.distinguisher; write distinguisherMethod',
      ],
    ],
    [
      'a missing file beside a good one',
      ['nowhere.yaml', 'shop.yaml'],
      ['shop'],
      ['error nowhere.yaml: cannot be read: no such file or folder; check the path'],
    ],
    [
      'a kind of ours in another group',
      ['many-kinds'],
      ['listed'],
      [
        'warning many-kinds/all.yaml:20:13: skipped: this PriorityLevelConfiguration is of the API group capacity.example.com, another kind than that of flowcontrol.apiserver.k8s.io; where API Priority and Fairness is meant, write apiVersion: flowcontrol.apiserver.k8s.io/v1',
      ],
    ],
    [
      'one name in two files',
      ['shop.yaml', 'twice'],
      ['shop'],
      [
        'warning twice/later.yaml:1:1: FlowSchema shop is defined twice, in shop.yaml:1:1 and in twice/later.yaml:1:1; the one in twice/later.yaml:1:1 counts, as given last; remove or rename one of them',
      ],
    ],
    ['one file given twice', ['shop.yaml', 'shop.yaml'], ['shop'], []],
  ]
  it.each(cases)('%s', async (_, names, schemas, problems) => {
    const state = await openInputs(names)
    expect(schemaNames(state)).toEqual(schemas)
    expect(printed(state.problems)).toEqual(problems)
  })

  it('takes the object that was given last', async () => {
    const levelOf = async (...names: string[]) => {
      const state = await openInputs(names)
      return fromFiles(state).map(({ spec }) => spec.priorityLevelConfiguration.name)
    }
    expect(await levelOf('shop.yaml', 'twice')).toEqual(['catch-all'])
    expect(await levelOf('twice', 'shop.yaml')).toEqual(['shop'])
  })

  it('names what makes an object unusable', async () => {
    const { problems } = await openInputs(['mistyped.yaml'], { defaults: '1.37' })
    expect(problems.map(({ severity }) => severity)).toEqual(Array(7).fill('error'))
    expect(problems.map(({ at }) => withoutFolder(placeText(at)))).toEqual([
      'mistyped.yaml:6:23',
      'mistyped.yaml:9:1',
      'mistyped.yaml:12:1',
      'mistyped.yaml:15:1',
      'mistyped.yaml:19:1',
      'mistyped.yaml:23:1',
      'mistyped.yaml:27:8',
    ])
  })

  it('keeps the place of every field', async () => {
    const { flowSchemas } = await openInputs(['shop.yaml'])
    expect(flowSchemas[0]?.origin?.locate(['spec', 'rules', 0, 'resourceRules', 0, 'namespaces'])).toEqual({
      line: 19,
      column: 19,
    })
  })
})

describe('standard input', () => {
  const SCHEMA =
    '{"apiVersion": "flowcontrol.apiserver.k8s.io/v1", "kind": "FlowSchema", "metadata": {"name": "x"}, "spec": {"priorityLevelConfiguration": {"name": "low"}}}'
  const YAML_SCHEMA =
    'apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: FlowSchema\nmetadata:\n  name: x\nspec:\n  priorityLevelConfiguration:\n    name: low\n'

  const readable: [string, string, string[]][] = [
    ['JSON', SCHEMA, []],
    ['JSON lines', `${SCHEMA}\n{"apiVersion": "v1", "kind": "Pod"}\n`, []],
    ['a JSON array', `[${SCHEMA}]`, []],
    ['JSON and YAML documents', `${SCHEMA}\n---\nkind: Pod\napiVersion: v1\n`, []],
    ['a flow mapping of YAML', SCHEMA.replaceAll('"', ''), []],
    ['a comma too many, which YAML allows', SCHEMA.replace('"low"}}', '"low"},}'), []],
    ['YAML with CRLF', YAML_SCHEMA.replaceAll('\n', '\r\n'), []],
    ['a byte order mark', `\ufeff${YAML_SCHEMA}`, []],
    ['a byte order mark before JSON', `\ufeff${SCHEMA}`, []],
    ['separators with comments', `--- # first\n${YAML_SCHEMA}---   \n# nothing\n---\n`, []],
    [
      'content behind a separator',
      `--- {a: b}\n${YAML_SCHEMA}`,
      [
        'error <stdin>:1:4: found {a: b} behind the separator ---, expected the end of the line; put it on a line of its own',
      ],
    ],
    [
      'a document that kubectl does not read',
      `${YAML_SCHEMA}...\nkind: Pod\n`,
      [
        'warning <stdin>:9:1: found another document after "...", which kubectl does not read; separate documents with ---',
      ],
    ],
    [
      'a comma too few',
      `${SCHEMA.replace('"kind"', '"kind')}\n---\n${SCHEMA}`,
      ['error <stdin>:1:59: not valid JSON: found FlowSchema", "metada…, expected ":" after the key'],
    ],
    [
      'a large document of another kind',
      `${YAML_SCHEMA}---\napiVersion: v1\nkind: ConfigMap\ndata:\n  a: ${'x'.repeat(40_000)}\n`,
      [],
    ],
    ['no final line break', YAML_SCHEMA.trimEnd(), []],
  ]
  it.each(readable)('reads %s', async (_, text, problems) => {
    const state = await opened({ from: ['-'], stdin: bytesOf(text) })
    expect(schemaNames(state)).toEqual(['x'])
    expect(printed(state.problems)).toEqual(problems)
  })

  const empty: [string, string][] = [
    ['nothing', ''],
    ['white space', ' \n\n'],
    ['comments', '# nothing yet\n---\n# here neither\n'],
  ]
  it.each(empty)('warns about %s', async (_, text) => {
    const state = await opened({ from: ['-'], stdin: bytesOf(text) })
    expect(printed(state.problems)).toEqual(['warning <stdin>: empty: no object in it; check what should be there'])
    expect(state.noObjects).toMatchObject({
      exitCode: 2,
      what: 'no FlowSchema and no PriorityLevelConfiguration in the given files',
    })
  })

  const FINISHED = 'apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: FlowSchema\nmetadata: {name: kept}\n'
  const unfinished: [string, string, string][] = [
    [
      'a chart template in quotes as its name',
      'metadata: {name: "{{ .Release.Name }}-x"}',
      'error <stdin>:6:18: not a value yet: found the template {{ .Release.Name }} in metadata.name; render it first, as in: helm template CHART | kubectl apf … --from -',
    ],
    [
      'a chart template in quotes in its rules',
      'metadata: {name: x}\nspec: {rules: [{subjects: [{kind: User, user: {name: \'{{ .Values.user | default "ada" }}\'}}]}]}',
      'error <stdin>:7:54: not a value yet: found the template {{ .Values.user | default "ada" }} in spec.rules[0].subjects[0].user.name; render it first, as in: helm template CHART | kubectl apf … --from -',
    ],
    [
      'a variable of a shell',
      `metadata: {name: x}\nspec: {priorityLevelConfiguration: {name: "\${LEVEL}"}}`,
      `error <stdin>:7:43: not a value yet: found the template \${LEVEL} in spec.priorityLevelConfiguration.name; put in its value first, as in: envsubst < FILE | kubectl apf … --from -`,
    ],
    ['no name', 'metadata: {}', 'error <stdin>:6:11: this FlowSchema has no metadata.name; give it a metadata.name'],
    [
      'a name that the server makes',
      'metadata: {generateName: x-}',
      'error <stdin>:6:26: metadata.generateName leaves the name of this FlowSchema to the server; order and references rest on it; give it a metadata.name',
    ],
  ]
  it.each(unfinished)('does not take an object with %s', async (_, rest, problem) => {
    const text = `${FINISHED}---\napiVersion: flowcontrol.apiserver.k8s.io/v1\n${rest}\nkind: FlowSchema\n`
    const state = await opened({ from: ['-'], stdin: bytesOf(text) })
    expect(schemaNames(state)).toEqual(['kept'])
    expect(printed(state.problems).filter((line) => line.startsWith('error'))).toEqual([problem])
  })

  it('takes braces in annotations as they are', async () => {
    const text = `${FINISHED.replace('{name: kept}', '{name: kept, annotations: {a: "{{ x }}"}}')}spec: {}\n`
    const state = await opened({ from: ['-'], stdin: bytesOf(text) })
    expect(schemaNames(state)).toEqual(['kept'])
  })

  const unusable: [string, string | number[], string][] = [
    ['binary data', [0x7f, 0x45, 0x4c, 0x46, 0, 0, 1], '<stdin>: a binary file, expected YAML or JSON'],
    ['UTF-16', [0xff, 0xfe, 0x61, 0, 0x3a, 0], '<stdin>: text in UTF-16, expected UTF-8'],
    ['Latin-1', [0x61, 0x0a, 0x23, 0xc3, 0xa9, 0xe9, 0x0a], '<stdin>:2:3: found the byte 0xE9, which is not UTF-8'],
    ['text', 'Not Found', '<stdin>:1:1: not an object of the Kubernetes API: no mapping with apiVersion and kind'],
    ['JSON cut off', SCHEMA.slice(0, -1), '<stdin>:1:155: not valid JSON: found the end, expected "," or "}"'],
    [
      'infinite precedence',
      YAML_SCHEMA.replace('name: low', 'name: .inf'),
      '<stdin>:7:11: not valid YAML: found .inf, which is not a JSON number',
    ],
    [
      'a tab',
      YAML_SCHEMA.replace('    name', '\tname'),
      '<stdin>:7:1: not valid YAML: tabs are not allowed as indentation; found name: low',
    ],
  ]
  it.each(unusable)('refuses %s', async (_, content, what) => {
    expect(await open({ from: ['-'], stdin: bytesOf(content) })).toMatchObject({ exitCode: 2, what })
  })

  it('is read once', async () => {
    const { problems } = await opened({ from: ['-', '-'], stdin: bytesOf(SCHEMA) })
    expect(printed(problems)).toEqual([
      'error <stdin>: standard input is given twice, and can be read only once; give - once',
    ])
  })

  it('counts all errors of an input from which nothing could be read', async () => {
    expect(await open({ from: ['-'], stdin: bytesOf('a: *\n---\nb: *\n---\nc: *\n') })).toMatchObject({
      what: '<stdin>:1:4: not valid YAML: found a bare *, which starts an alias',
      why: 'and 2 more errors; no object could be read',
      next: 'write "*"',
    })
  })

  it('keeps control characters and marks of direction in names', async () => {
    const text = SCHEMA.replace('"x"', '"a\\u0007\u202eb"')
    expect(schemaNames(await opened({ from: ['-'], stdin: bytesOf(text) }))).toEqual(['a\u0007\u202eb'])
  })
})

describe('files and folders', () => {
  it('are read in the order of their names, without hidden folders', async () => {
    const state = await openInputs(['folder/'])
    expect(schemaNames(state)).toEqual(['upper', 'a-two', 'a-json', 'b-one'])
    expect(fromFiles(state).map(({ origin }) => withoutFolder(origin?.file ?? ''))).toEqual([
      'folder/Z.yaml',
      'folder/a.d/two.yaml',
      'folder/a.json',
      'folder/b/one.yml',
    ])
    expect(state.source).toEqual({ kind: 'files', text: '4 files', complete: false })
  })

  it('count what they skip', async () => {
    expect((await openInputs(['many-kinds'])).notes).toContain(
      'skipped 4 objects of other kinds: 2 Deployment, 1 PriorityLevelConfiguration, 1 Service',
    )
    expect((await openInputs(['chart'])).notes.map(withoutFolder)).toContain(
      'skipped what is no Kubernetes object in chart/Chart.yaml, chart/values.yaml',
    )
  })

  it('may be linked in circles', async () => {
    symlinkSync(`${INPUTS}folder`, join(temporary, 'to-folder'))
    symlinkSync(temporary, join(temporary, 'to-itself'))
    expect(schemaNames(await opened({ from: [temporary] }))).toEqual(['upper', 'a-two', 'a-json', 'b-one'])
  })

  it('that do not exist behind a link are errors', async () => {
    symlinkSync(join(temporary, 'gone'), join(temporary, 'dangling.yaml'))
    const state = await opened({ from: [temporary] })
    rmSync(join(temporary, 'dangling.yaml'))
    expect(printed(state.problems)).toEqual([
      'error dangling.yaml: cannot be read: no such file or folder; check the path',
    ])
  })

  it('larger than the limit are refused before they are read', async () => {
    const file = join(temporary, 'large.yml')
    writeFileSync(file, '')
    truncateSync(file, 100 * 1024 * 1024)
    const failure = await open({ from: [file] })
    rmSync(file)
    expect(failure).toMatchObject({
      exitCode: 2,
      what: expect.stringMatching(/large\.yml: 100 MiB, expected at most 64 MiB$/),
      next: 'give only the FlowSchemas and PriorityLevelConfigurations',
    })
  })

  it.skipIf(process.platform === 'win32')('without an end are refused', async () => {
    expect(await open({ from: ['/dev/zero'] })).toMatchObject({
      exitCode: 2,
      what: '/dev/zero: more than 64 MiB, expected at most 64 MiB',
    })
  })

  it('of a URL are not fetched', async () => {
    expect(await open({ from: ['https://example.com/fs.yaml'] })).toMatchObject({
      exitCode: 2,
      next: 'URLs are not fetched; use: curl -s https://example.com/fs.yaml | kubectl apf … --from -',
    })
  })

  it('without manifests are warned about', async () => {
    expect(printed((await openInputs(['folder/.hidden/..'])).problems)).toEqual([])
    const state = await openInputs(['lone-recording'], { overlayDefaults: true })
    expect(state.noObjects).toBeUndefined()
    expect(printed(state.problems)).toEqual([
      'warning : no FlowSchema and no PriorityLevelConfiguration in the given files; check the paths',
    ])
  })
})

describe('recordings', () => {
  it('tell the version, and their objects are shared', async () => {
    const state = await openInputs(['recordings'])
    expect(schemaNames(state)).toEqual(['of-a'])
    expect(state.source).toMatchObject({ kind: 'snapshot', complete: true })
    expect(state.serverVersion).toEqual({ text: 'v1.34.2', basis: 'read', newerThanKnown: false })
    expect(state.rules).toMatchObject({ minor: 34, patch: 2 })
    expect(state.problems).toEqual([])
    expect(state.notes.map(withoutFolder)).toEqual([
      '2 recordings (recordings/server-a, recordings/server-b); API servers share their objects: taken from recordings/server-a',
      'their versions differ (v1.34.2, v1.34.4): the rules of v1.34.2 are used',
    ])
  })

  it('keep the UIDs of their objects', async () => {
    const { flowSchemas } = await openInputs(['recordings/server-b'])
    expect(flowSchemas[0]?.metadata.uid).toBe('00000000-0000-0000-0000-000000000004')
  })

  it('take another version when told so, and say it', async () => {
    const state = await openInputs(['recordings/server-a'], { defaults: '1.31' })
    expect(state.rules.minor).toBe(31)
    expect(state.notes.map(withoutFolder)).toContain(
      'recordings/server-a was recorded from Kubernetes v1.34.2; rules of 1.31 used',
    )
  })

  it('may have no objects', async () => {
    const state = await openInputs(['lone-recording'])
    expect(state.serverVersion.text).toBe('v1.31.14')
    expect(state.notes.map(withoutFolder)).toEqual(['no FlowSchemas were recorded in lone-recording'])
    expect(state.noObjects).toMatchObject({
      exitCode: 3,
      what: expect.stringContaining('no FlowSchemas were recorded'),
    })
  })

  it('with other files are not known to be complete', async () => {
    const { source } = await openInputs(['recordings/server-a', 'shop.yaml'])
    expect(source).toEqual({ kind: 'files', text: '3 files', complete: false })
  })
})

describe('default objects', () => {
  it('are a source of their own', async () => {
    const state = await opened({ defaults: '1.37' })
    expect(state.source).toEqual({ kind: 'defaults', text: 'defaults 1.37', complete: true })
    expect(state.flowSchemas).toHaveLength(DEFAULT_SCHEMAS)
    expect(state.priorityLevels).toHaveLength(DEFAULT_LEVELS)
    expect(state.serverVersion).toEqual({ text: '1.37', basis: 'given', newerThanKnown: false })
    expect(state.notes).toEqual([])
  })

  it('lie under the files with --defaults', async () => {
    const state = await openInputs(['shop.yaml'], { defaults: '1.37' })
    expect(state.flowSchemas).toHaveLength(DEFAULT_SCHEMAS + 1)
    expect(withoutFolder(state.source.text)).toBe('shop.yaml over defaults 1.37')
    expect(state.notes).toEqual(['laid over the default objects of Kubernetes 1.37'])
  })

  it('are replaced by objects of their names', async () => {
    const own =
      'apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: FlowSchema\nmetadata: {name: service-accounts}\nspec: {priorityLevelConfiguration: {name: mine}}\n'
    const state = await opened({ from: ['-'], stdin: bytesOf(own), defaults: '1.37' })
    expect(state.flowSchemas).toHaveLength(DEFAULT_SCHEMAS)
    expect(state.notes).toEqual([
      'laid over the default objects of Kubernetes 1.37; replaced: FlowSchema service-accounts',
    ])
    const replaced = state.flowSchemas.find(({ metadata }) => metadata.name === 'service-accounts')
    expect(replaced?.spec.priorityLevelConfiguration.name).toBe('mine')

    const alone = await opened({ from: ['-'], stdin: bytesOf(own), overlayDefaults: true })
    expect(schemaNames(alone)).toEqual(['service-accounts'])
    expect(alone.notes).toContain(
      'no default objects added: the files have suggested ones already, such as FlowSchema service-accounts',
    )
  })

  it('are offered for files without any', async () => {
    const state = await openInputs(['shop.yaml'])
    expect(schemaNames(state)).toEqual(['shop'])
    expect(state.notes).toEqual([
      'server version not given: rules of 1.37 used',
      'none of the suggested objects of a cluster is in the files: only their own and the mandatory exempt and catch-all are in force; --overlay-defaults adds those of 1.37',
    ])
  })

  const overlays: [string, Partial<SourceOptions>, number, string][] = [
    ['of the newest version', {}, 37, 'assumed-newest'],
    ['of --server-version', { serverVersion: 'v1.30.5-gke.1014001' }, 30, 'given'],
    ['of --defaults', { defaults: '1.28' }, 28, 'given'],
  ]
  it.each(overlays)('are added by --overlay-defaults: those %s', async (_, options, minor, basis) => {
    const state = await openInputs(['shop.yaml'], { overlayDefaults: true, ...options })
    expect(state.flowSchemas.map(({ metadata }) => metadata.name)).toContain('global-default')
    expect(state.rules.minor).toBe(minor)
    expect(state.serverVersion.basis).toBe(basis)
    expect(state.notes).toContain(`laid over the default objects of Kubernetes 1.${minor}`)
  })
})

describe('versions', () => {
  it('without a patch mean the last patch', async () => {
    expect((await opened({ defaults: '1.31' })).rules.patch).toBe(14)
    expect((await opened({ defaults: '1.31', serverVersion: '1.31.2' })).rules.patch).toBe(2)
  })

  it('newer than known get the newest rules, and it is said', async () => {
    const state = await openInputs(['shop.yaml'], { serverVersion: '1.40.1' })
    expect(state.rules.minor).toBe(37)
    expect(state.serverVersion).toEqual({ text: '1.40.1', basis: 'given', newerThanKnown: true })
    expect(state.notes).toContain('Kubernetes 1.40.1 is newer than what is known: rules of 1.37 used')
  })

  const failures: [string, Partial<SourceOptions>, number, string, string][] = [
    [
      'newer defaults than known',
      { defaults: '1.99' },
      2,
      '--defaults 1.99: no Kubernetes version that is known',
      'nearest: 1.36, 1.37',
    ],
    [
      'older defaults than known',
      { defaults: '1.18' },
      2,
      '--defaults 1.18: no Kubernetes version that is known',
      'nearest: 1.20, 1.21',
    ],
    [
      'no version',
      { serverVersion: 'new' },
      2,
      '--server-version new: no Kubernetes version that is known',
      'nearest: 1.20, 1.37',
    ],
    [
      'two minors',
      { defaults: '1.34', serverVersion: '1.31' },
      2,
      '--defaults 1.34 with --server-version 1.31',
      'give one of them, or both of one minor',
    ],
    [
      '--overlay-defaults over nothing',
      { overlayDefaults: true },
      2,
      '--overlay-defaults without --from',
      'add --from PATH',
    ],
    [
      'no source',
      {},
      3,
      'no configuration to work on',
      'give --defaults 1.37 for the default objects, or --from PATH for files',
    ],
  ]
  it.each(failures)('fails for %s', async (_, options, exitCode, what, next) => {
    expect(await open(options)).toMatchObject({ exitCode, what, next })
  })
})
