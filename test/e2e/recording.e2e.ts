/** Where requests land, answered from the objects of a running server and told by that server itself. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Configuration } from '../oracle/process.ts'
import type { FlowSchemaJson, PriorityLevelJson } from '../support/objects.ts'
import { type Cluster, startCluster } from './cluster.ts'
import { generatedManifests } from './generated.ts'
import { type Landing, type Probed, randomProbes, sendProbes } from './probes.ts'
import { API_VERSION, apf, missing, objectsYaml, programs, title } from './support.ts'

const SEED = 20_261
const GENERATED_SCHEMAS = 60
const PROBES = 900

describe.skipIf(missing)(title('random requests'), () => {
  let cluster: Cluster
  let probed: Probed[]
  let answers: (Landing & { id: string })[]

  beforeAll(async () => {
    cluster = await startCluster(programs())
    await cluster.create(objectsYaml)
    await cluster.create(generatedManifests(SEED, GENERATED_SCHEMAS, API_VERSION))
    const recording = await record(cluster)
    probed = await sendProbes(cluster, randomProbes(SEED, recording.configuration, PROBES))
    answers = await answersOf(cluster, recording.folder, probed)
  })
  afterAll(() => cluster?.stop())

  it('land where the server puts them', () => {
    const disagreements = probed.flatMap(({ probe, caller, status, landing }, index) => {
      const { outcome, flowSchema, priorityLevel } = answers[index] ?? { outcome: 'none' }
      const ours = { outcome, flowSchema, priorityLevel }
      return JSON.stringify(ours) === JSON.stringify(landing) ? [] : [{ probe, caller, status, landing, ours }]
    })
    expect(disagreements).toEqual([])
    expect(answers).toHaveLength(PROBES)
  })

  it('are varied', () => {
    const share = (chosen: (probed: Probed) => boolean): number => probed.filter(chosen).length / PROBES
    const bootstrap =
      /^(exempt|catch-all|global-default|probes|service-accounts|kube-.*|system-.*|workload-.*|endpoint-.*)$/
    expect(share(({ landing }) => !bootstrap.test(landing.flowSchema ?? 'exempt'))).toBeGreaterThan(0.4)
    expect(new Set(probed.map(({ landing }) => landing.flowSchema)).size).toBeGreaterThan(20)
    expect(share(({ probe }) => probe.how !== 'impersonation')).toBeGreaterThan(0.1)
    expect(share(({ landing }) => landing.outcome === 'bypass')).toBeGreaterThan(0.01)
    expect(share(({ landing }) => landing.outcome === 'error')).toBeGreaterThan(0.005)
  })
})

/** Writes what kubectl reads from the server to a folder that `--from` takes as a recording. */
async function record(cluster: Cluster): Promise<{ folder: string; configuration: Configuration }> {
  const folder = cluster.file('recording')
  mkdirSync(folder)
  const saved = async (name: string, args: readonly string[]): Promise<string> => {
    const { stdout } = await cluster.kubectl(args)
    writeFileSync(join(folder, name), stdout)
    return stdout
  }
  await saved('version.json', ['get', '--raw', '/version'])
  const schemas = await saved('flowschemas.json', ['get', 'flowschemas', '-o', 'json'])
  const levels = await saved('prioritylevelconfigurations.json', ['get', 'prioritylevelconfigurations', '-o', 'json'])
  const flowSchemas: FlowSchemaJson[] = JSON.parse(schemas).items
  const priorityLevels: PriorityLevelJson[] = JSON.parse(levels).items
  return { folder, configuration: { flowSchemas, priorityLevels } }
}

async function answersOf(cluster: Cluster, folder: string, probed: readonly Probed[]) {
  const lines = probed.map(({ probe: { method, url }, caller }, index) =>
    JSON.stringify({ id: String(index), ...caller, method, url }),
  )
  const args = ['whereis', '--requests', '-', '--from', folder, '-o', 'jsonl']
  const { code, stdout, stderr } = await apf(cluster, args, { stdin: `${lines.join('\n')}\n` })
  expect({ code, stderr }).toMatchObject({ code: 0 })
  return stdout
    .trim()
    .split('\n')
    .map((line): Landing & { id: string } => JSON.parse(line))
}
