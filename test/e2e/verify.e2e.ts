/** `whereis --verify`: the server's own word on every answer. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Cluster, startCluster } from './cluster.ts'
import { type Front, startFront } from './front.ts'
import { configurationOf, generatedManifests } from './generated.ts'
import { type Probe, randomProbes } from './probes.ts'
import { API_VERSION, apf, apfHere, missing, objectsYaml, programs, title, uidOf } from './support.ts'
import { tokenOf } from './users.ts'

const SEED = 20_262
const GENERATED_SCHEMAS = 60
const READS = 400
const AT_ONCE = 4

const REPORTER = 'system:serviceaccount:shop:reporter'
const REPORT = ['whereis', 'list', 'pods', '-n', 'shop', `--as=${REPORTER}`, '--verify']

let cluster: Cluster
const fronts: Front[] = []

describe.skipIf(missing)(title('verification'), () => {
  beforeAll(async () => {
    cluster = await startCluster(programs())
    await cluster.create(objectsYaml)
    await cluster.create(generatedManifests(SEED, GENERATED_SCHEMAS, API_VERSION))
  })
  afterEach(() => Promise.all(fronts.splice(0).map((front) => front.close())))
  afterAll(() => cluster?.stop())

  it('agrees with what is answered for random reads', { timeout: 600_000 }, async () => {
    const reads = randomProbes(SEED, await configurationOf(cluster), 20 * READS)
      .filter(({ method }) => method === 'GET')
      .slice(0, READS)
    const impersonator = cluster.kubeconfig({ user: { token: tokenOf('impersonator') } })
    const answers = await inTurns(reads, (read, index) =>
      index % 4 === 0 && canBeCertified(read) ? verifiedAsCaller(read) : verifiedAsOther(read, impersonator),
    )
    const open = answers.filter(({ agrees, note }) => agrees !== true && !note.startsWith('not sent: '))
    // What the server cannot parse lands nowhere.
    expect(open.filter(({ outcome }) => outcome !== 'error')).toEqual([])
    expect(answers.filter(({ agrees }) => agrees).length).toBeGreaterThanOrEqual(300)
    expect(answers.filter(({ agrees, asCaller }) => agrees && asCaller).length).toBeGreaterThan(20)
  })

  it('announces the request, and as whom, before it is sent', async () => {
    const { code, stdout, stderr } = await apf(cluster, REPORT)
    expect({ code, stderr }).toMatchObject({ code: 0 })
    expect(stderr).toMatch(`${cluster.server.url}/api/v1/namespaces/shop/pods?limit=1`)
    expect(stderr).toMatch(REPORTER)
    expect(stdout).toMatch('lands in shop through shop-reports (500)')
  })

  it('tells the UIDs that the server has sent', async () => {
    const { stdout } = await apf(cluster, [...REPORT, '-o', 'json'])
    expect(JSON.parse(stdout).verified).toEqual([
      {
        server: cluster.server.url,
        agrees: true,
        flowSchemaUID: await uidOf(cluster, 'flowschema/shop-reports'),
        priorityLevelUID: await uidOf(cluster, 'prioritylevelconfiguration/shop'),
        httpStatus: 403,
        note: expect.toSatisfy((note) => note === null || typeof note === 'string'),
      },
    ])
  })

  it('sends as ourselves without --as', async () => {
    const user = cluster.certified({ commonName: 'certified', organizations: ['dev'] })
    const certified = cluster.kubeconfig({ user })
    const args = ['whereis', 'list', 'pods', '-A', '--verify', '-o', 'json']
    const { code, stdout, stderr } = await apf(cluster, args, { kubeconfig: certified })
    expect({ code, stderr }).toMatchObject({ code: 0 })
    expect(JSON.parse(stdout)).toMatchObject({ flowSchema: { name: 'tie-b' }, verified: [{ agrees: true }] })
  })

  it.each([
    ['POST', '/api/v1/namespaces/shop/pods'],
    ['PUT', '/api/v1/namespaces/shop/pods/web'],
    ['PATCH', '/api/v1/namespaces/shop/pods/web'],
    ['DELETE', '/api/v1/namespaces/shop/pods/web'],
    ['DELETE', '/api/v1/namespaces/shop/pods'],
    ['GET', '/api/v1/namespaces/shop/pods/web/log'],
    ['GET', '/api/v1/nodes/n1/proxy/metrics'],
    ['GET', '/debug/pprof/heap'],
    ['GET', '/debug/api_priority_and_fairness/dump_queues'],
  ])('never sends %s %s', async (method, url) => {
    const impersonating: string[] = []
    const front = await startFront(cluster, {
      before({ url = '', headers }) {
        if ('impersonate-user' in headers) impersonating.push(url)
        return false
      },
    })
    fronts.push(front)
    const kubeconfig = cluster.kubeconfig({ cluster: { server: front.url } })
    const args = ['whereis', `--method=${method}`, `--url=${url}`, `--as=${REPORTER}`, '--verify', '-o', 'json']
    const { code, stdout } = await apf(cluster, args, { kubeconfig })
    expect(code).toBe(3)
    expect(JSON.parse(stdout).verified).toMatchObject([{ agrees: null, httpStatus: null }])
    expect(impersonating).toEqual([])
    expect(front.seen.filter((request) => !request.startsWith('GET '))).toEqual([])
    expect(front.seen.length).toBeGreaterThan(0)
  })

  it('agrees on one request of every region of a map', async () => {
    for (const subject of [REPORTER, 'ada', 'system:kube-scheduler']) {
      const args = ['whereis', `--as=${subject}`, '--verify', '-o', 'json']
      const { code, stdout, stderr } = await apf(cluster, args)
      expect({ subject, code, stderr }).toMatchObject({ code: 0 })
      const regions: MapRegion[] = JSON.parse(stdout).regions
      const classified = regions.filter(({ flowSchema }) => flowSchema !== null)
      expect(classified.length).toBeGreaterThan(1)
      // Nothing tells of a region without a harmless read.
      const told = classified.filter(({ verified }) => verified?.request !== null)
      expect(told.map(({ flowSchema, verified }) => [flowSchema, verified?.agrees])).toEqual(
        told.map(({ flowSchema }) => [flowSchema, true]),
      )
      expect(told.length).toBeGreaterThan(1)
    }
  })

  it('needs the right to impersonate', async () => {
    const reader = cluster.kubeconfig({ user: { token: tokenOf('reader') } })
    const run = await apf(cluster, REPORT, { kubeconfig: reader })
    expect(run.code).toBe(3)
    expect(run.stderr).toMatch(`the server does not let us impersonate ${REPORTER} (403)`)
    expect(run.stdout).toMatch('lands in shop through shop-reports (500)')
  })

  it('answers anew where the objects change between reading and probing', async () => {
    let changed = false
    const front = await startFront(cluster, {
      async before(request) {
        if (changed || !('impersonate-user' in request.headers)) return false
        changed = true
        const patch = JSON.stringify({ spec: { matchingPrecedence: 9500 } })
        await cluster.kubectl(['patch', 'flowschema', 'shop-reports', '--type=merge', '-p', patch])
        // A change takes some time to reach every part of the server.
        await new Promise((resolve) => setTimeout(resolve, 1000))
        return false
      },
    })
    fronts.push(front)
    const kubeconfig = cluster.kubeconfig({ cluster: { server: front.url } })
    const { code, stdout, stderr } = await apf(cluster, [...REPORT, '-o', 'json'], { kubeconfig })
    const back = JSON.stringify({ spec: { matchingPrecedence: 500 } })
    await cluster.kubectl(['patch', 'flowschema', 'shop-reports', '--type=merge', '-p', back])
    expect({ code, stderr }).toMatchObject({ code: 0 })
    expect(stderr).toMatch('the objects have changed since they were read')
    expect(JSON.parse(stdout)).toMatchObject({ flowSchema: { name: 'service-accounts' }, verified: [{ agrees: true }] })
  })
})

interface MapRegion {
  flowSchema: string | null
  verified?: { agrees: boolean | null; request: object | null }
}

interface Verified {
  read: Probe
  asCaller: boolean
  code: number | null
  outcome: string
  agrees: boolean | null
  note: string
  stderr: string
}

/** Groups that no certificate gives stay out. */
function canBeCertified({ user, groups }: Probe): boolean {
  return user !== 'system:anonymous' && groups.every((group) => group !== '' && !group.includes('authenticated'))
}

function verifiedAsCaller(read: Probe): Promise<Verified> {
  const organizations = [...read.groups, 'e2e-readers']
  const kubeconfig = cluster.kubeconfig({ user: cluster.certified({ commonName: read.user, organizations }) })
  return verified(read, true, [], kubeconfig)
}

function verifiedAsOther(read: Probe, kubeconfig: string): Promise<Verified> {
  return verified(read, false, [`--as=${read.user}`, ...read.groups.map((group) => `--as-group=${group}`)], kubeconfig)
}

async function verified(
  read: Probe,
  asCaller: boolean,
  subject: readonly string[],
  kubeconfig: string,
): Promise<Verified> {
  const args = ['whereis', `--url=${read.url}`, ...subject, '--verify', '-o', 'json']
  const { code, stdout, stderr } = await apfHere(cluster, args, kubeconfig)
  const answer = stdout === '' ? { outcome: 'none', verified: [] } : JSON.parse(stdout)
  const [verification] = answer.verified
  const { agrees = null, note = '' } = verification ?? {}
  return { read, asCaller, code, outcome: answer.outcome, agrees, note: note ?? '', stderr }
}

/** A few at a time. */
async function inTurns<T, R>(values: readonly T[], act: (value: T, index: number) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  const queue = values.entries()
  const worker = async (): Promise<void> => {
    for (const [index, value] of queue) results[index] = await act(value, index)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return results
}
