/** Which API servers are asked, over which connections, and who never gets credentials. */
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { isSourceFailure } from '../../../src/sources/failure.ts'
import { type AskOptions, askServers } from '../../../src/sources/live/ask-servers.ts'
import { type Connection, connect } from '../../../src/sources/live/connect.ts'
import { type Authority, createAuthority } from './certificates.ts'
import { PF, VERSION } from './cluster-answers.ts'
import { base64, kubeconfig, options, workplace } from './connect-helpers.ts'
import { type Answer, type Handler, type StubServer, startStub } from './stub-server.ts'

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases'
const SLICES = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices'

const place = workplace()
const authority = createAuthority('cluster')
const open: StubServer[] = []
const connections: Connection[] = []
afterEach(async () => {
  for (const { client } of connections.splice(0)) client.close()
  for (const stub of open.splice(0)) await stub.close()
})
afterAll(() => place.remove())

interface Stub {
  names?: readonly string[]
  by?: Authority
  answers?: Record<string, Answer | (() => Answer)>
}

/** An API server that answers its version and metrics of a process started at that time. */
async function server(startedAt: number | (() => number), { names, by = authority, answers = {} }: Stub = {}) {
  const { certificate, key } = by.issue({ commonName: 'server', names: names ?? ['127.0.0.1'] })
  const handler: Handler = ({ url }) => {
    const path = url.split('?', 1)[0] ?? ''
    const own = answers[path]
    if (own !== undefined) return typeof own === 'function' ? own() : own
    if (path === '/version') return { body: VERSION, headers: PF('a', 'b') }
    if (path === '/metrics') return { body: metrics(typeof startedAt === 'number' ? startedAt : startedAt()) }
    return { status: 404, body: '404 page not found\n' }
  }
  const stub = await startStub(handler, { cert: certificate, key })
  open.push(stub)
  return stub
}

function metrics(startedAt: number): string {
  return `kubernetes_build_info{git_version="v1.37.2",major="1",minor="37"} 1
apiserver_flowcontrol_nominal_limit_seats{priority_level="exempt"} 0
apiserver_flowcontrol_upper_limit_seats{priority_level="exempt"} 600
process_start_time_seconds ${startedAt}
`
}

function lease(name: string, renewTime = new Date().toISOString()): object {
  return {
    metadata: { name, labels: { 'kubernetes.io/hostname': `host-of-${name}` } },
    spec: { renewTime, leaseDurationSeconds: 3600 },
  }
}

function slice(...ports: number[]): object[] {
  return ports.map((port) => ({ endpoints: [{ addresses: ['127.0.0.1'] }], ports: [{ name: 'https', port }] }))
}

function directory(leases: readonly object[], slices: readonly object[]): Record<string, Answer> {
  return { [LEASES]: { body: { items: leases } }, [SLICES]: { body: { items: slices } } }
}

async function ask(home: StubServer, changes: Partial<AskOptions> = {}, cluster: object = {}) {
  const entry = { server: home.url, 'certificate-authority-data': base64(authority.certificate), ...cluster }
  const connection = await connect(options(place.write('config', kubeconfig(entry, { token: 'secret' }))))
  if (isSourceFailure(connection)) throw new Error(connection.what)
  connections.push(connection)
  const asked = await askServers(connection, {
    allServers: 'auto',
    urls: [],
    intervalMs: null,
    sleep: async () => {},
    ...changes,
  })
  const { readings, ...rest } = asked
  return { names: readings.map(({ observations }) => observations.name), readings, ...rest }
}

/** A name in its certificate that every API server has, and not its address. */
const IN_CLUSTER = { names: ['kubernetes.default.svc'] }

describe('API servers with addresses of their own', () => {
  it('are asked by them, and the common address counts as one of them', async () => {
    const [a, b] = [await server(100, IN_CLUSTER), await server(200, IN_CLUSTER)]
    const home = await server(100, { answers: directory([lease('a'), lease('b')], slice(a.port, b.port)) })
    const { names, reached, total, unreachable } = await ask(home)
    expect(names.toSorted()).toEqual([`127.0.0.1:${a.port}`, `127.0.0.1:${b.port}`].toSorted())
    expect({ reached, total, unreachable }).toEqual({ reached: 2, total: 2, unreachable: [] })
    expect(b.asked.map(({ headers }) => headers.authorization)).toContain('Bearer secret')
  })

  it('get nothing from us unless the authority of the kubeconfig has signed them', async () => {
    const other = await server(200, { ...IN_CLUSTER, by: createAuthority('another cluster') })
    const home = await server(100, { answers: directory([lease('a'), lease('b')], slice(other.port)) })
    const { names, unreachable } = await ask(home)
    expect(names).toEqual(['127.0.0.1'])
    expect(unreachable).toEqual([
      {
        name: '127.0.0.1',
        why: expect.stringMatching(/^its certificate does not prove that it belongs to the cluster/),
      },
    ])
    expect(other.asked).toEqual([])
  })

  it('get nothing from us if their certificate is for another name', async () => {
    const other = await server(200, { names: ['etcd.example'] })
    const home = await server(100, { answers: directory([lease('a'), lease('b')], slice(other.port)) })
    expect((await ask(home)).unreachable).toHaveLength(1)
    expect(other.asked).toEqual([])
  })

  it('are not asked where the kubeconfig verifies nothing', async () => {
    const other = await server(200, IN_CLUSTER)
    const home = await server(100, { answers: directory([lease('a'), lease('b')], slice(other.port)) })
    const insecure = { 'certificate-authority-data': '', 'insecure-skip-tls-verify': true }
    const { reached, total, unreachable } = await ask(home, {}, insecure)
    expect({ reached, total, unreachable }).toEqual({
      reached: 1,
      total: 2,
      unreachable: [{ name: '1 other API server', why: 'the kubeconfig says not to verify certificates' }],
    })
    expect(other.asked).toEqual([])
  })

  it('are named if nothing listens there', async () => {
    const gone = await server(200, IN_CLUSTER)
    await gone.close()
    open.pop()
    const home = await server(100, { answers: directory([lease('a'), lease('b')], slice(gone.port)) })
    expect((await ask(home)).unreachable).toEqual([{ name: '127.0.0.1', why: 'cannot be reached (ECONNREFUSED)' }])
  })

  it('are not waited for once the one at the common address has answered', async () => {
    const other = await server(200, { ...IN_CLUSTER, answers: { '/metrics': { hang: true } } })
    const home = await server(100, { answers: directory([lease('a'), lease('b')], slice(other.port)) })
    const { names, unreachable } = await ask(home)
    expect(names).toEqual(['127.0.0.1'])
    expect(unreachable).toEqual([{ name: '127.0.0.1', why: 'no answer within 3 s after the others' }])
  })

  it('are left alone on demand', async () => {
    const other = await server(200, IN_CLUSTER)
    const home = await server(100, { answers: directory([lease('a'), lease('b')], slice(other.port)) })
    const { names, total } = await ask(home, { allServers: 'never' })
    expect({ names, total }).toEqual({ names: ['127.0.0.1'], total: null })
    expect(other.asked).toEqual([])
  })

  it('may be named instead, https alone', async () => {
    const [a, b] = [await server(100), await server(200)]
    const { names, unreachable } = await ask(a, { urls: [a.url, b.url, 'http://127.0.0.1:1'] })
    expect(names).toEqual([`127.0.0.1:${a.port}`, `127.0.0.1:${b.port}`])
    expect(unreachable).toEqual([
      { name: '127.0.0.1:1', why: 'it is no https URL: credentials are shown over TLS alone' },
    ])
  })
})

describe('API servers behind one address', () => {
  it('are told apart by when they were started', async () => {
    const starts = [100, 100, 200]
    const home = await server(() => starts.shift() ?? 200, { answers: directory([lease('a'), lease('b')], []) })
    const { names, reached, total, unreachable } = await ask(home)
    expect(names).toEqual(['127.0.0.1', '127.0.0.1#2'])
    expect({ reached, total, unreachable }).toEqual({ reached: 2, total: 2, unreachable: [] })
  })

  it('are looked for a bounded number of times', async () => {
    const home = await server(100, { answers: directory([lease('a'), lease('b'), lease('c')], []) })
    const { reached, total, unreachable } = await ask(home)
    expect({ reached, total, unreachable }).toEqual({
      reached: 1,
      total: 3,
      unreachable: [{ name: '2 other API servers', why: 'no address of theirs is known' }],
    })
    expect(home.asked.filter(({ url }) => url === '/metrics')).toHaveLength(7)
  })

  it('that are gone do not count', async () => {
    const old = lease('b', '2020-01-01T00:00:00.000000Z')
    const home = await server(100, { answers: directory([lease('a'), old], []) })
    expect(await ask(home)).toMatchObject({ reached: 1, total: 1, unreachable: [] })
  })

  it('are counted by their addresses where the leases may not be read', async () => {
    const forbidden = { [LEASES]: { status: 403, body: {} } }
    const [a, b] = [await server(100, IN_CLUSTER), await server(200, IN_CLUSTER)]
    const home = await server(100, { answers: { ...directory([], slice(a.port, b.port)), ...forbidden } })
    expect(await ask(home)).toMatchObject({ reached: 2, total: 2 })
  })

  it('are of unknown number without rights', async () => {
    expect(await ask(await server(100))).toMatchObject({ reached: 1, total: null, unreachable: [] })
  })
})

describe('two samples', () => {
  it('are taken so far apart, of one process', async () => {
    const home = await server(100)
    const waits: number[] = []
    const sleep = async (ms: number) => void waits.push(ms)
    const { readings } = await ask(home, { allServers: 'never', intervalMs: 5000, sleep })
    expect(readings[0]?.later?.metrics.startedAt).toBe(100)
    expect(waits).toHaveLength(1)
    expect(waits[0]).toBeGreaterThan(3000)
    expect(waits[0]).toBeLessThanOrEqual(5000)
  })
})
