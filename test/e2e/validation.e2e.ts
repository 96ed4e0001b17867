/**
 * What a server answers to objects with faults, one by one against what we say it answers. Nothing is stored: all requests
 * are dry runs.
 */
import { Agent, request } from 'node:https'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { decodeObject } from '../../src/apf/decode.ts'
import type { ApfObject } from '../../src/apf/objects.ts'
import { type Cause, type ServerAnswer, type ServerRequest, serverAnswer } from '../../src/apf/server-answer.ts'
import { resolveVersion, type VersionRules } from '../../src/apf/versions.ts'
import { readDocuments } from '../../src/sources/documents.ts'
import { sourceText } from '../../src/sources/source-text.ts'
import { Random } from '../oracle/random.ts'
import { storedForm, withoutEmpty, withoutSpec } from '../support/stored-form.ts'
import { brokenObject, type Json } from './broken-objects.ts'
import { type ApiServer, type Cluster, startCluster } from './cluster.ts'
import { API_VERSION, API_VERSIONS, apf, missing, objectsYaml, programs, RELEASE, title } from './support.ts'
import { tokenOf } from './users.ts'

const SEED = Number(process.env['APF_E2E_SEED'] ?? 20_261)
/** Take about a minute; 100,000 on demand. */
const OBJECTS = Number(process.env['APF_E2E_OBJECTS'] ?? 8000)
const AT_ONCE = 6

const RESOURCES = { FlowSchema: 'flowschemas', PriorityLevelConfiguration: 'prioritylevelconfigurations' } as const

let cluster: Cluster
let rules: VersionRules
/** Objects that are on the server, by kind and name. */
const stored = new Map<string, ApfObject>()

interface Sent {
  kind: keyof typeof RESOURCES
  apiVersion: string
  operation: ServerRequest['operation']
  fieldValidation: ServerRequest['fieldValidation']
  name: string
  body: unknown
}

describe.skipIf(missing)(title('validation'), () => {
  beforeAll(async () => {
    const version = resolveVersion(RELEASE)
    if (!version.known) throw new Error(RELEASE)
    rules = version.rules
    cluster = await startCluster(programs())
    await cluster.create(objectsYaml)
    for (const [kind, resource] of Object.entries(RESOURCES)) {
      for (const item of await cluster.list<object>(resource)) {
        const { object } = decodeObject({ apiVersion: API_VERSION, kind, ...item }, null, rules, { fromServer: true })
        if (object !== null) stored.set(`${kind}/${object.metadata.name}`, object)
      }
    }
  })
  afterAll(() => cluster?.stop())

  it(`answers to ${OBJECTS} objects of seed ${SEED} as we say`, { timeout: 3_600_000 }, async () => {
    const random = new Random(SEED)
    const sent = Array.from({ length: OBJECTS }, () => randomSent(random))
    const differences: object[] = []
    const statuses = new Map<number, number>()
    await inTurns(sent, async (one) => {
      const theirs = await answerOf(cluster.server, one)
      const ours = expectedAnswer(one)
      statuses.set(theirs.status, (statuses.get(theirs.status) ?? 0) + 1)
      const [a, b] = [comparable(theirs, one), comparable(ours, one)]
      if (JSON.stringify(a) !== JSON.stringify(b)) differences.push({ sent: one, theirs: a, ours: b })
    })
    console.log(`answers by status: ${JSON.stringify(Object.fromEntries([...statuses].sort()))}`)
    expect(differences.slice(0, 5)).toEqual([])
    for (const status of [200, 201, 400, 422]) expect(statuses.get(status)).toBeGreaterThan(OBJECTS / 100)
  })

  it.each([
    [[{ type: 'Dangling' }, { type: 'Odd' }], 200],
    [[{ type: '' }, { type: 'Odd' }, { type: 'Odd' }, { type: '' }], 422],
  ])('answers to the conditions %j as we say', async (conditions, status) => {
    const body = {
      apiVersion: API_VERSION,
      kind: 'FlowSchema',
      metadata: { name: 'shop-reports' },
      status: { conditions },
    }
    const sent: Sent = {
      kind: 'FlowSchema',
      apiVersion: API_VERSION,
      operation: 'updateStatus',
      fieldValidation: 'Strict',
      name: 'shop-reports',
      body,
    }
    const theirs = await answerOf(cluster.server, sent)
    expect(theirs.status).toBe(status)
    expect(comparable(expectedAnswer(sent), sent)).toEqual(comparable(theirs, sent))
  })

  describe('kubectl', () => {
    const meta = `apiVersion: ${API_VERSION}\nkind: FlowSchema\nmetadata: {name: night-jobs}\n`
    const spec = 'spec:\n  priorityLevelConfiguration: {name: shop}\n'
    const good = `${meta}${spec}  matchingPrecedence: 500\n`
    const files: [what: string, file: string][] = [
      ['a good object', good],
      ['a key that stands twice', `${good}  matchingPrecedence: 700\n`],
      ['an octal number', `${meta}${spec}  matchingPrecedence: 0500\n`],
      ['other spellings of a number', `${meta}${spec}  matchingPrecedence: 1e3\n`],
      ['a number with underscores', `${meta}${spec}  matchingPrecedence: 1_000\n`],
      ['a whole number with a fraction in JSON', jsonOf({ matchingPrecedence: 0 }).replace(':0', ':500.0')],
      ['a zero', jsonOf({ matchingPrecedence: 0 })],
      ['sixties', `${meta}${spec}  matchingPrecedence: 10:30\n`],
      ['a quoted number', `${meta}${spec}  matchingPrecedence: "500"\n`],
      ['an unknown field', `${good}  surprise: 1\n`],
      ['a field in another case', `${meta}${spec}  matchingprecedence: 500\n`],
      ['a kind in another case', good.replace('FlowSchema', 'Flowschema')],
      ['no kind', good.replace('kind: FlowSchema\n', '')],
      ['no apiVersion', good.replace(/^.*\n/, '')],
      ['a group that has no such kind', good.replace(API_VERSION, 'apps/v1')],
      ['a version that never was', good.replace(/\/v\S+/, '/v9')],
      ['no name', good.replace('{name: night-jobs}', '{}')],
      ['a generated name', good.replace('{name: night-jobs}', '{generateName: night-}')],
      ['a namespace', good.replace('{name', '{namespace: shop, name')],
      ['a level called off', good.replace('{name: shop}', '{name: off}')],
      ['a level called null', good.replace('{name: shop}', '{name: null}')],
      ['no spec', meta],
      ['a merge that is overridden', `${good}  distinguisherMethod: {<<: {type: ByUser}, type: ByNamespace}\n`],
      ['a tab', good.replace('  matching', '\tmatching')],
      ['Windows line ends', good.replaceAll('\n', '\r\n')],
      ['two documents of which the second is refused', `${good}---\n${good.replace('night-jobs', 'Night')}`],
    ]
    it.each(files)('refuses %s where lint finds an error, and nothing else', { timeout: 60_000 }, async (_, file) => {
      const { code, stdout } = await cluster.kubectl(['create', '--dry-run=server', '-o', 'json', '-f', '-'], {
        stdin: file,
      })
      const linted = await apf(
        cluster,
        ['lint', '--from', '-', '--target', RELEASE.replace(/^(1\.\d+).*/, '$1'), '-o', 'json'],
        {
          stdin: file,
        },
      )
      expect(linted.code === 0).toBe(code === 0)
      if (code !== 0) return
      const { object } = decodeObject(JSON.parse(stdout), null, rules, { fromServer: true })
      const read = await readHere(file)
      expect(read?.spec).toEqual(object?.spec)
    })
  })
})

function jsonOf(spec: object): string {
  const metadata = { name: 'night-jobs' }
  const level = { priorityLevelConfiguration: { name: 'shop' } }
  return JSON.stringify({ apiVersion: API_VERSION, kind: 'FlowSchema', metadata, spec: { ...level, ...spec } })
}

/** The object of a text as we read it, with or without a name. */
async function readHere(text: string): Promise<ApfObject | null> {
  const { documents } = await readDocuments(sourceText('file', text))
  return decodeObject(documents[0]?.value, null, rules).object
}

function randomSent(random: Random): Sent {
  const kind = random.pick(['FlowSchema', 'PriorityLevelConfiguration'] as const)
  const apiVersion = random.pick(API_VERSIONS)
  const operation = random.chance(0.3) ? 'update' : 'create'
  const names = ['exempt', 'catch-all', kind === 'FlowSchema' ? 'shop-reports' : 'shop']
  const name = operation === 'update' ? random.pick(names) : random.pick(['night-jobs', 'night-jobs', ...names])
  const fieldValidation = random.pick(['Strict', 'Strict', 'Strict', 'Warn', 'Ignore', ''] as const)
  const known = stored.get(`${kind}/${name}`)
  const base = known && random.chance(0.5) ? encodedSpec(known, apiVersion) : undefined
  const body = brokenObject(random, kind, apiVersion, name, base)
  return { kind, apiVersion, operation, fieldValidation, name, body }
}

function encodedSpec(object: ApfObject, apiVersion: string): Json {
  const spec: unknown = memberOf(storedForm(object, apiVersion, rules), 'spec')
  return JSON.parse(JSON.stringify(spec))
}

interface Answer extends Omit<ServerAnswer, 'stored' | 'accepted'> {
  stored: object | null
}

function expectedAnswer({ kind, apiVersion, operation, fieldValidation, name, body }: Sent): Answer {
  const answer = serverAnswer(body, {
    operation,
    resource: { apiVersion, kind },
    fieldValidation,
    existing: stored.get(`${kind}/${operation === 'create' ? nameIn(body) : name}`) ?? null,
    rules,
    dryRun: true,
  })
  return { ...answer, stored: answer.stored && storedForm(answer.stored, apiVersion, rules) }
}

function memberOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined
}

function nameIn(body: unknown): string {
  return String(memberOf(memberOf(body, 'metadata'), 'name'))
}

const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE })

function answerOf({ port, ca }: ApiServer, sent: Sent): Promise<Answer> {
  const { kind, apiVersion, operation, fieldValidation, name, body } = sent
  const validation = fieldValidation === '' ? '' : `&fieldValidation=${fieldValidation}`
  const item = { create: '', update: `/${name}`, updateStatus: `/${name}/status` }[operation]
  const path = `/apis/${apiVersion}/${RESOURCES[kind]}${item}?dryRun=All${validation}`
  const headers = { authorization: `Bearer ${tokenOf('admin')}`, 'content-type': 'application/json' }
  const method = operation === 'create' ? 'POST' : 'PUT'
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path, ca, headers, method, agent }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => {
        const answer: unknown = JSON.parse(Buffer.concat(chunks).toString())
        const status = response.statusCode ?? 0
        resolve({ ...answerIn(answer, status), warnings: warningsIn(response.headersDistinct['warning'] ?? []) })
      })
    })
    asked.on('error', reject)
    asked.end(JSON.stringify(body))
  })
}

function answerIn(answer: unknown, status: number): Omit<Answer, 'warnings'> {
  if (status < 300) return { status, message: null, causes: [], stored: answer as object }
  const causes = (memberOf(memberOf(answer, 'details'), 'causes') ?? []) as Cause[]
  return { status, message: String(memberOf(answer, 'message')), causes, stored: null }
}

/** `299 - "unknown field \\"spec.a\\""` */
function warningsIn(headers: readonly string[]): string[] {
  return headers.flatMap((header) =>
    [...header.matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)].map(([, text = '']) => text.replace(/\\(.)/g, '$1')),
  )
}

/** Without UIDs, times, values of whole specs, names that the server made up, and the order of maps. */
function comparable({ status, message, causes, warnings, stored: kept }: Answer, { body }: Sent): object {
  const listed = causes.map(({ field, reason, message: text }) => `${field} ${reason} ${withoutSpec(text)}`)
  return {
    status,
    // Errors are compared one by one; they come in random order where maps are walked.
    message:
      status === 422 ? null : (message?.replace(/scheme\.go:\d+/, 'scheme.go').replace(/ \([^()]*\)$/s, '') ?? null),
    // Some releases repeat errors of metadata on updates.
    causes: [...new Set(listed.map((text) => withoutMadeUpName(text, body)))].sort(),
    warnings,
    stored: kept && sortedKeys(withoutEmpty(storedPart(kept, body))),
  }
}

function withoutMadeUpName(text: string, body: unknown): string {
  const prefix = memberOf(memberOf(body, 'metadata'), 'generateName')
  return typeof prefix === 'string' && prefix !== '' ? text.replaceAll(/"[^"]*[a-z0-9]{5}"/g, '""') : text
}

function storedPart(kept: object, body: unknown): object {
  const { name, labels, annotations, finalizers, generation } = (memberOf(kept, 'metadata') ?? {}) as Record<
    string,
    unknown
  >
  const madeUp = memberOf(memberOf(body, 'metadata'), 'generateName') !== undefined
  return {
    apiVersion: memberOf(kept, 'apiVersion'),
    kind: memberOf(kept, 'kind'),
    metadata: { name: madeUp ? null : name, labels, annotations, finalizers, generation },
    spec: memberOf(kept, 'spec'),
  }
}

function sortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedKeys)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, part]) => [key, sortedKeys(part)]),
  )
}

async function inTurns<T>(items: readonly T[], act: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values()
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const item of queue) await act(item)
    }),
  )
}
