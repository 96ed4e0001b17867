/** `simulate` on a real API server: every witness lands before and after as predicted, and seats are those of its metrics. */
import { writeFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isRefused, requestInfo } from '../../src/apf/request-info.ts'
import type { RequestLine, SimulatedMove, Simulation } from '../../src/report/contract.ts'
import { Random } from '../oracle/random.ts'
import { type Cluster, startCluster } from './cluster.ts'
import { generatedManifests } from './generated.ts'
import { eventually, nominalLimits } from './limits.ts'
import { type Probe, sendProbes } from './probes.ts'
import { API_VERSION, apfHere, missing, objectsYaml, programs, title } from './support.ts'

const SEED = 61_803
const BASE_SCHEMAS = 30
const CHANGES = 32
const WITNESSES_OF_CHANGE = 14
/** Until a change has reached every part of a server. */

interface Manifest {
  kind: string
  metadata: { name: string; annotations?: Record<string, string> }
  // biome-ignore lint/suspicious/noExplicitAny: manifests of tests are plain data
  spec: any
}

/** What is done, in the words of both programs. */
interface Change {
  /** Objects to create or replace. */
  objects: Manifest[]
  /** `flowschema/NAME` */
  deleted: string[]
  patches: { target: string; patch: object }[]
}

let cluster: Cluster
const random = new Random(SEED)

describe.skipIf(missing)(title(`simulated changes, seed ${SEED}`), () => {
  beforeAll(async () => {
    cluster = await startCluster(programs())
    await cluster.create(objectsYaml)
    await cluster.create(generatedManifests(SEED, BASE_SCHEMAS, API_VERSION))
  })
  afterAll(() => cluster?.stop())

  it('move what they are said to move, and nothing stays behind', { timeout: 600_000 }, async () => {
    const kubeconfig = cluster.kubeconfig()
    let changes = 0
    let witnesses = 0
    let unsendable = 0
    for (let number = 0; number < CHANGES; number++) {
      const change = await randomChange(number)
      const simulation = await simulated(change, kubeconfig)
      const moves = simulation.moves.filter(canBeSent)
      unsendable += simulation.moves.length - moves.length
      const probes = evenly(moves, WITNESSES_OF_CHANGE).map((move) => ({ move, probe: probeOf(move.witness) }))

      const before = await sendProbes(
        cluster,
        probes.map(({ probe }) => probe),
      )
      expect(before.map(({ probe, landing }) => inWords(probe, landing))).toEqual(
        probes.map(({ probe, move }) => inWords(probe, move.from)),
      )
      await carryOut(change)
      await eventually(async () => {
        const after = await sendProbes(
          cluster,
          probes.map(({ probe }) => probe),
        )
        expect(after.map(({ probe, landing }) => inWords(probe, landing))).toEqual(
          probes.map(({ probe, move }) => inWords(probe, move.to)),
        )
      })
      const predicted = simulation.seats.flatMap(({ level, after }) => (after === null ? [] : [[level, after.nominal]]))
      await eventually(async () => {
        const nominal = await nominalLimits(cluster)
        const inForce = Object.keys(nominal).filter((level) => predicted.some(([name]) => name === level))
        expect(Object.fromEntries(inForce.map((level) => [level, nominal[level]]))).toEqual(
          Object.fromEntries(predicted),
        )
      })
      changes++
      witnesses += probes.length
    }
    console.log(`${changes} changes, ${witnesses} witnesses as predicted, ${unsendable} that no client can send`)
    expect(changes).toBeGreaterThanOrEqual(30)
    expect(witnesses).toBeGreaterThanOrEqual(300)
  })

  it('are refused for the reasons of the server, and then nothing is simulated', async () => {
    const { code, stdout, stderr } = await apfHere(
      cluster,
      ['simulate', '--set', 'flowschema/catch-all.matchingPrecedence=9000'],
      cluster.kubeconfig(),
    )
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    const patch = '{"spec":{"matchingPrecedence":9000}}'
    const refused = await cluster.kubectl(['patch', 'flowschema', 'catch-all', '--type=merge', '-p', patch])
    expect(refused.code).not.toBe(0)
    expect(refused.stderr).toContain("spec of 'catch-all' must equal the fixed value")
    expect(stderr).toContain("spec of 'catch-all' must equal the fixed value")
  })

  it('bring deleted default objects back', { timeout: 300_000 }, async () => {
    const kubeconfig = cluster.kubeconfig()
    const run = await apfHere(cluster, ['simulate', '--delete', 'flowschema/system-nodes', '-o', 'json'], kubeconfig)
    const simulation: Simulation = JSON.parse(run.stdout)
    expect(simulation.moves).toEqual([])
    expect(simulation.change.rewrites).toMatchObject([{ kind: 'restored', object: { name: 'system-nodes' } }])
    await cluster.kubectl(['delete', 'flowschema', 'system-nodes'])
    await eventually(async () => {
      const schemas = await cluster.list<Manifest>('flowschemas')
      expect(schemas.map(({ metadata }) => metadata.name)).toContain('system-nodes')
    }, 200_000)
  })
})

async function simulated(change: Change, kubeconfig: string): Promise<Simulation> {
  const file = cluster.file('change.json')
  writeFileSync(file, listOf(change.objects))
  const args = [
    ...(change.objects.length > 0 ? ['-f', file] : []),
    ...change.deleted.flatMap((target) => ['--delete', target]),
    ...change.patches.flatMap(({ target, patch }) => ['--patch', `${target}=${JSON.stringify(patch)}`]),
  ]
  const { code, stdout, stderr } = await apfHere(
    cluster,
    ['simulate', '-o', 'json', '--server-seats=600', ...args],
    kubeconfig,
  )
  expect({ code, stderr }).toMatchObject({ code: 0 })
  const simulation: Simulation = JSON.parse(stdout)
  expect(simulation.undecided).toEqual([])
  return simulation
}

async function carryOut({ objects, deleted, patches }: Change): Promise<void> {
  const schemas = await namesOf('flowschemas')
  const levels = await namesOf('prioritylevelconfigurations')
  const exists = ({ kind, metadata }: Manifest) => (kind === 'FlowSchema' ? schemas : levels).includes(metadata.name)
  await kubectl(
    ['create', '-f', '-'],
    objects.filter((object) => !exists(object)),
  )
  await kubectl(['replace', '-f', '-'], objects.filter(exists))
  for (const { target, patch } of patches) {
    await kubectl(['patch', target, '--type=merge', '-p', JSON.stringify(patch)])
  }
  if (deleted.length > 0)
    await kubectl(['delete', ...deleted.map((target) => target.replace('plc/', 'prioritylevelconfiguration/'))])
}

async function kubectl(args: readonly string[], objects?: readonly Manifest[]): Promise<void> {
  if (objects?.length === 0) return
  const { code, stderr } = await cluster.kubectl(args, objects ? { stdin: listOf(objects) } : {})
  if (code !== 0) throw new Error(stderr)
}

function listOf(items: readonly Manifest[]): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'List',
    items: items.map((item) => ({ apiVersion: API_VERSION, ...item })),
  })
}

async function namesOf(resource: string): Promise<string[]> {
  return (await cluster.list<Manifest>(resource)).map(({ metadata }) => metadata.name)
}

/** One to three edits of different objects. */
async function randomChange(number: number): Promise<Change> {
  const schemas = (await cluster.list<Manifest>('flowschemas')).map(plain)
  const own = schemas.filter(({ metadata }) => metadata.name.startsWith('generated-'))
  const fresh = generatedManifests(SEED + number + 1, 4, API_VERSION) as Manifest[]
  const change: Change = { objects: [], deleted: [], patches: [] }
  const edits = random.integer(1, 3)
  const used = new Set<string>()
  for (let edit = 0; edit < edits; edit++) {
    const target = random.pick(own)
    if (used.has(target.metadata.name)) continue
    used.add(target.metadata.name)
    const kind = random.integer(0, 6)
    if (kind === 0 && own.length > BASE_SCHEMAS / 2) change.deleted.push(`flowschema/${target.metadata.name}`)
    else if (kind === 1) {
      const patch = { spec: { matchingPrecedence: 50 * random.integer(1, 20) } }
      change.patches.push({ target: `flowschema/${target.metadata.name}`, patch })
    } else if (kind === 2) {
      const level = random.pick(['level-0', 'level-1', 'exempt', 'workload-high', 'closed-door'])
      change.patches.push({
        target: `flowschema/${target.metadata.name}`,
        patch: { spec: { priorityLevelConfiguration: { name: level } } },
      })
    } else if (kind === 3) change.objects.push(...randomLevel(number))
    else if (kind === 4) change.patches.push(editOfDefault())
    else {
      const schema = fresh.find(({ kind }) => kind === 'FlowSchema')
      const name = random.chance(0.5) ? target.metadata.name : `generated-new-${number}-${edit}`
      if (schema) change.objects.push({ ...schema, metadata: { name } })
    }
  }
  return isEmpty(change) ? randomChange(number + CHANGES) : change
}

function isEmpty({ objects, deleted, patches }: Change): boolean {
  return objects.length + deleted.length + patches.length === 0
}

/** A level with a schema of its own. */
function randomLevel(number: number): Manifest[] {
  const [level] = (generatedManifests(SEED + 1000 + number, 1, API_VERSION) as Manifest[]).filter(
    ({ kind }) => kind === 'PriorityLevelConfiguration',
  )
  if (!level) return []
  level.spec.limited.nominalConcurrencyShares = random.integer(1, 60)
  return [{ ...level, metadata: { name: random.pick(['level-0', 'level-1', 'level-2', `level-new-${number}`]) } }]
}

/** Opted out, so that the server leaves it alone. */
function editOfDefault(): Change['patches'][number] {
  const annotations = { 'apf.kubernetes.io/autoupdate-spec': 'false' }
  const name = random.pick(['service-accounts', 'global-default', 'kube-system-service-accounts'])
  const spec = { matchingPrecedence: random.integer(700, 9999) }
  return { target: `flowschema/${name}`, patch: { metadata: { annotations }, spec } }
}

function plain({ kind, metadata: { name }, spec }: Manifest): Manifest {
  return { kind, metadata: { name }, spec }
}

// Probes

const METHODS: Readonly<Record<string, string>> = {
  get: 'GET',
  list: 'GET',
  watch: 'GET',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  deletecollection: 'DELETE',
  '': 'OPTIONS',
}
const WITH_NAME = ['get', 'update', 'patch', 'delete']

/** Verbs and names that no URL makes, and writes that would be carried out, are left out. */
function canBeSent({ witness }: SimulatedMove): boolean {
  const { user, groups } = witness
  const names = [user, ...(groups ?? [])]
  if (!('verb' in witness) || names.some((name) => name !== name.trim() || name === '')) return false
  if (names.includes('system:masters') && !['get', 'list', 'watch'].includes(witness.verb)) return false
  const { method, url } = probeOf(witness)
  if (!/^[A-Z]+$/.test(method) || !/^\/\S*$/.test(url)) return false
  const info = requestInfo(method, url)
  if (isRefused(info) || info.verb !== witness.verb) return false
  if ('path' in witness) return !info.isResourceRequest && info.path === witness.path
  const { apiGroup = '', resource, subresource = '', namespace = '' } = witness
  return isDeepStrictEqual(
    [info.apiGroup, info.resource, info.subresource, info.namespace],
    [apiGroup, resource, subresource, namespace],
  )
}

function probeOf(witness: RequestLine): Probe {
  const { user, groups } = witness
  const caller = { user, groups: groups ?? [], how: 'impersonation' as const }
  if ('path' in witness) return { ...caller, method: witness.verb.toUpperCase(), url: encodeURI(witness.path) }
  if (!('resource' in witness)) throw new Error('witnesses are given in words')
  const { verb, apiGroup = '', resource, subresource = '', namespace = '' } = witness
  const named = WITH_NAME.includes(verb) || subresource !== ''
  const group = apiGroup === '' ? '/api/v1' : `/apis/${apiGroup}/v1`
  const isNamespace = resource === 'namespaces' && namespace !== ''
  const place = namespace === '' || isNamespace ? '' : `/namespaces/${namespace}`
  const name = isNamespace ? `/${namespace}` : named ? '/example' : ''
  const tail = subresource === '' ? '' : `/${subresource}`
  const query = verb === 'watch' ? '?watch=1&timeoutSeconds=1' : ''
  return {
    ...caller,
    method: METHODS[verb] ?? 'GET',
    url: encodeURI(`${group}${place}/${resource}${name}${tail}`) + query,
  }
}

/** One line, for a difference that can be understood. */
function inWords(probe: Probe, place: { flowSchema: string | null; priorityLevel: string | null }): string {
  const who = `${probe.user} in ${probe.groups.join(', ')}`
  return `${probe.method} ${probe.url} by ${who}: ${place.flowSchema} into ${place.priorityLevel}`
}

function evenly<T>(values: readonly T[], most: number): T[] {
  const step = Math.max(1, values.length / most)
  return Array.from({ length: Math.min(most, values.length) }, (_, index) => values[Math.floor(index * step)]).flatMap(
    (value) => (value === undefined ? [] : [value]),
  )
}
