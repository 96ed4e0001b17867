import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { isSourceFailure, type SourceFailure } from '../../../src/sources/failure.ts'
import { NO_FLAGS } from '../../../src/sources/live/kubeconfig/target.ts'
import { type LiveState, openLive } from '../../../src/sources/live/open.ts'
import { openSource } from '../../../src/sources/open.ts'
import { createAuthority } from './certificates.ts'
import { cluster, flowSchema, forbidden, LEVELS, list, PF, priorityLevel, SCHEMAS, VERSION } from './cluster-answers.ts'
import { base64, kubeconfig, options, surroundings, type Workplace, workplace } from './connect-helpers.ts'
import { type Answer, type Handler, type StubServer, startStub } from './stub-server.ts'

const authority = createAuthority('test authority')
const certificate = authority.issue({ commonName: 'kube-apiserver', names: ['127.0.0.1', 'kubernetes'] })
const opened: (() => unknown)[] = []
let place: Workplace

beforeAll(() => {
  place = workplace()
})
afterEach(async () => {
  for (const close of opened.splice(0)) await close()
})
afterAll(() => place.remove())

async function serve(
  handler: Handler,
  tls = { cert: certificate.certificate, key: certificate.key },
): Promise<StubServer> {
  const stub = await startStub(handler, tls)
  opened.push(() => stub.close())
  return stub
}

function trusted(stub: StubServer): object {
  return { server: stub.url, 'certificate-authority-data': base64(authority.certificate) }
}

async function openStub(
  handler: Handler,
  user: object = { token: 'secret-token' },
): Promise<LiveState | SourceFailure> {
  const stub = await serve(handler)
  return remember(
    await openLive(options(place.write('config', kubeconfig(trusted(stub), user, { namespace: 'shop' })))),
  )
}

function remember(state: LiveState | SourceFailure): LiveState | SourceFailure {
  if (!isSourceFailure(state)) opened.push(() => state.live.client.close())
  return state
}

function succeeded(result: LiveState | SourceFailure): LiveState {
  if (isSourceFailure(result)) throw new Error(JSON.stringify(result))
  return result
}

function failed(result: LiveState | SourceFailure): SourceFailure {
  if (!isSourceFailure(result)) throw new Error('opened')
  return result
}

describe('a cluster that answers', () => {
  it('is read with three GETs and described by context and version', async () => {
    const stub = await serve(cluster())
    const state = succeeded(
      remember(await openLive(options(place.write('config', kubeconfig(trusted(stub), { token: 't' }))))),
    )
    expect(stub.asked.map(({ method, url }) => `${method} ${url}`).sort()).toEqual([
      `GET ${SCHEMAS}?limit=500`,
      `GET ${LEVELS}?limit=500`,
      'GET /version',
    ])
    expect(state.source).toEqual({ kind: 'live', text: 'context test, server v1.37.2', complete: true })
    expect(state.flowSchemas.map(({ metadata }) => metadata.uid)).toEqual(['uid-shop'])
    expect(state.priorityLevels.map(({ metadata }) => metadata.uid)).toEqual(['uid-shop'])
    expect(state.rules.minor).toBe(37)
    expect(state.problems).toEqual([])
    expect(state.live.mode.mode).toBe('APF')
    expect(state.live.levelsUnknown).toBeNull()
  })

  it('is asked for the namespace of the context', async () => {
    expect(succeeded(await openStub(cluster())).live.namespace).toEqual({ name: 'shop', from: 'context' })
  })

  it('is what openSource reads without --from and --defaults', async () => {
    const stub = await serve(cluster({ '/version': { status: 403 } }))
    const live = options(place.write('config', kubeconfig(trusted(stub), { token: 't' })))
    const state = await openSource({ from: [], overlayDefaults: false, serverVersion: '1.31', live })
    expect(state).toMatchObject({ source: { kind: 'live' }, serverVersion: { basis: 'given' }, rules: { minor: 31 } })
  })

  it('follows the emulated minor', async () => {
    const version = { ...VERSION, emulationMajor: '1', emulationMinor: '34' }
    const state = succeeded(await openStub(cluster({ '/version': { body: version } })))
    expect(state.rules.minor).toBe(34)
  })

  it('is read with the newest version that it serves', async () => {
    const old = (resource: string) => `/apis/flowcontrol.apiserver.k8s.io/v1beta2/${resource}`
    const level = {
      metadata: { name: 'shop', uid: 'u' },
      spec: { type: 'Limited', limited: { assuredConcurrencyShares: 7, limitResponse: { type: 'Reject' } } },
    }
    const state = succeeded(
      await openStub(
        cluster({
          '/version': { body: { major: '1', minor: '24+', gitVersion: 'v1.24.17-eks-1' } },
          [SCHEMAS]: { status: 404, body: '404 page not found\n' },
          [LEVELS]: { status: 404, body: '404 page not found\n' },
          '/apis/flowcontrol.apiserver.k8s.io': {
            body: { kind: 'APIGroup', versions: [{ version: 'v1beta1' }, { version: 'v1beta2' }] },
          },
          [old('flowschemas')]: { body: list([flowSchema('shop', 'shop')]), headers: PF('a', 'b') },
          [old('prioritylevelconfigurations')]: { body: list([level]), headers: PF('a', 'b') },
        }),
      ),
    )
    expect(state.rules.minor).toBe(24)
    expect(state.flowSchemas.map(({ apiVersion }) => apiVersion)).toEqual(['v1beta2'])
    expect(state.priorityLevels[0]?.spec.limited?.nominalConcurrencyShares).toBe(7)
  })

  it('is read page by page', async () => {
    const page = (asked: { url: string }): Answer => {
      const query = new URL(asked.url, 'http://x').searchParams
      const rest = query.get('continue') === 'a=/+b'
      return {
        body: rest
          ? list([flowSchema('two', 'shop')])
          : list([flowSchema('one', 'shop')], { resourceVersion: '100', continue: 'a=/+b' }),
      }
    }
    const state = succeeded(await openStub(cluster({ [SCHEMAS]: page })))
    expect(state.flowSchemas.map(({ metadata }) => metadata.name)).toEqual(['one', 'two'])
  })

  it.each([
    ['an expired continuation', { status: 410, body: { kind: 'Status', reason: 'Expired', message: 'too old' } }],
    ['a page of another moment', { body: list([flowSchema('stale', 'shop')], { resourceVersion: '101' }) }],
  ])('is read anew after %s', async (_what, disturbance) => {
    let disturbed = false
    const page = (asked: { url: string }): Answer => {
      if (!asked.url.includes('continue='))
        return { body: list([flowSchema('one', 'shop')], { resourceVersion: '100', continue: 'x' }) }
      if (disturbed) return { body: list([flowSchema('two', 'shop')]) }
      disturbed = true
      return disturbance
    }
    const state = succeeded(await openStub(cluster({ [SCHEMAS]: page })))
    expect(state.flowSchemas.map(({ metadata }) => metadata.name)).toEqual(['one', 'two'])
  })

  it('is read in one piece when its pages never fit together', async () => {
    const page = (asked: { url: string }): Answer => {
      if (!asked.url.includes('limit=')) return { body: list([flowSchema('whole', 'shop')]) }
      if (asked.url.includes('continue=')) return { status: 410 }
      return { body: list([flowSchema('part', 'shop')], { resourceVersion: '100', continue: 'x' }) }
    }
    const state = succeeded(await openStub(cluster({ [SCHEMAS]: page })))
    expect(state.flowSchemas.map(({ metadata }) => metadata.name)).toEqual(['whole'])
  })

  it('may keep its version to itself', async () => {
    const state = succeeded(await openStub(cluster({ '/version': { status: 403 } })))
    expect(state.serverVersion).toEqual({ text: '1.37', basis: 'assumed-newest', newerThanKnown: false })
    expect(state.notes).toContain('the server does not tell its version: rules of 1.37 used')
  })

  it('may stand behind a path', async () => {
    const answers = cluster()
    const stub = await serve((asked) => answers({ ...asked, url: asked.url.replace('/k8s/clusters/c-1', '') }))
    const config = kubeconfig({ ...trusted(stub), server: `${stub.url}/k8s/clusters/c-1/` }, { token: 't' })
    succeeded(remember(await openLive(options(place.write('config', config)))))
    expect(stub.asked.every(({ url }) => url.startsWith('/k8s/clusters/c-1/'))).toBe(true)
  })
})

describe('the mode', () => {
  const bare = (otherwise: Record<string, Answer>) =>
    cluster({
      '/version': { body: VERSION },
      [SCHEMAS]: { body: list([flowSchema('shop', 'shop')]) },
      [LEVELS]: { body: list([priorityLevel('shop')]) },
      ...otherwise,
    })

  it.each([
    [
      'APF by headers that are empty: a stand-in answered',
      { '/version': { body: VERSION, headers: PF('', '') } },
      'APF',
    ],
    [
      'APF by two values each',
      { '/version': { body: VERSION, headers: { 'x-kubernetes-pf-flowschema-uid': ['a', 'b'] } } },
      'APF',
    ],
    [
      'APF by its hook where headers are stripped',
      { '/livez': { body: '[+]poststarthook/priority-and-fairness-filter ok\n' } },
      'APF',
    ],
    [
      'not APF by the hook of the plain limiter',
      {
        '/livez': {
          body: '[+]poststarthook/max-in-flight-filter ok\n[+]poststarthook/priority-and-fairness-config-producer ok\n',
        },
      },
      'NotAPF',
    ],
    ['unknown where nothing decides', { '/livez': { status: 403 } }, 'Unknown'],
  ] satisfies [string, Record<string, Answer>, string][])('is %s', async (_what, answers, mode) => {
    expect(succeeded(await openStub(bare(answers))).live.mode.mode).toBe(mode)
  })

  it('takes the first of two values for the server that was asked', async () => {
    const headers = {
      'X-Kubernetes-Pf-Flowschema-Uid': ['front', 'back'],
      'X-Kubernetes-Pf-Prioritylevel-Uid': ['l1', 'l2'],
    }
    const state = succeeded(await openStub(bare({ '/version': { body: VERSION, headers } })))
    expect(state.live.ownRequests[0]).toEqual({
      path: '/version',
      status: 200,
      headers: { flowSchemaUID: 'front', priorityLevelUID: 'l1', fromBackendToo: true },
    })
  })
})

describe('levels that may not be read', () => {
  const dangling = {
    status: {
      conditions: [{ type: 'Dangling', status: 'True', reason: 'NotFound', message: '', lastTransitionTime: null }],
    },
  }

  it('are assumed, but for those of schemas that the server calls dangling', async () => {
    const schemas = [
      flowSchema('a', 'workload-low'),
      flowSchema('b', 'own'),
      { ...flowSchema('c', 'gone'), ...dangling },
    ]
    const state = succeeded(
      await openStub(
        cluster({ [SCHEMAS]: { body: list(schemas) }, [LEVELS]: forbidden('jane', 'prioritylevelconfigurations') }),
      ),
    )
    expect(state.priorityLevels.map(({ metadata }) => metadata.name)).toEqual(['own', 'workload-low'])
    expect(state.source.complete).toBe(false)
    expect(state.live.levelsUnknown).toMatchObject({
      exitCode: 3,
      what: 'the server refused to list PriorityLevelConfigurations (403)',
      why: 'user jane may not list prioritylevelconfigurations.flowcontrol.apiserver.k8s.io at cluster scope',
    })
  })

  it('make the answer partial when they take too long', async () => {
    const stub = await serve(cluster({ [LEVELS]: { hang: true } }))
    const path = place.write('config', kubeconfig(trusted(stub), { token: 't' }))
    const state = succeeded(remember(await openLive(options(path, { requestTimeout: '200ms' }))))
    expect(state.live.levelsUnknown?.what).toBe(`the server ${stub.url} did not answer within 0.2 s`)
  })
})

describe('a cluster that does not answer', () => {
  const html = { headers: { 'content-type': 'text/html' }, body: '<html>log in</html>' }
  const everything =
    (answer: Answer): Handler =>
    () =>
      answer

  it.each<[string, Handler, Partial<SourceFailure>]>([
    [
      'schemas forbidden',
      cluster({ [SCHEMAS]: forbidden('jane', 'flowschemas') }),
      {
        what: 'the server refused to list FlowSchemas (403)',
        why: 'user jane may not list flowschemas.flowcontrol.apiserver.k8s.io at cluster scope',
        next: 'ask for a role such as: kubectl create clusterrole apf-reader --verb=list --resource=flowschemas.flowcontrol.apiserver.k8s.io,prioritylevelconfigurations.flowcontrol.apiserver.k8s.io; or answer from stock objects: --defaults 1.37',
      },
    ],
    [
      'taken for anonymous',
      cluster({ [SCHEMAS]: forbidden('system:anonymous', 'flowschemas') }),
      {
        why: 'it takes us for system:anonymous: no credentials were sent, or none that it knows',
        next: 'log in, or give --token, --user or --context',
      },
    ],
    [
      'credentials refused',
      everything({ status: 401, body: { kind: 'Status', message: 'Unauthorized', code: 401 } }),
      {
        what: 'the server does not accept the credentials (401)',
        why: 'they are missing, expired, or of another cluster',
      },
    ],
    [
      'API switched off',
      cluster({ [SCHEMAS]: { status: 404 }, [LEVELS]: { status: 404 } }),
      {
        what: 'the server has no API group flowcontrol.apiserver.k8s.io (404)',
        why: 'it is v1.37.2, which has it: the API is switched off (--runtime-config or a feature gate)',
      },
    ],
    [
      'a server before 1.20',
      cluster({
        '/version': { body: { gitVersion: 'v1.19.3' } },
        [SCHEMAS]: { status: 404 },
        [LEVELS]: { status: 404 },
      }),
      { what: 'the server is Kubernetes v1.19.3', why: 'APF is an alpha feature there; known are 1.20 to 1.37' },
    ],
    [
      'no API server at all',
      everything({ status: 404, body: 'not found' }),
      { why: 'it does not tell its version either: this may be no API server' },
    ],
    ['a login page', everything(html), { why: 'a login page or a proxy stands between us and the API server' }],
    [
      'a redirect to a login page',
      everything({ status: 302, headers: { location: 'https://login.example.com/x?state=1' } }),
      { why: 'an API server does not: a login proxy stands in between' },
    ],
    [
      'truncated JSON',
      cluster({ [SCHEMAS]: { body: '{"items": [{"meta' } }),
      { why: 'the JSON ends in the middle: something between us and the server cuts answers off' },
    ],
    [
      'a connection that ends in the middle',
      cluster({ [SCHEMAS]: { body: list([]), cutAfter: 10 } }),
      { what: 'the answer was cut off' },
    ],
    [
      'an error of the server',
      cluster({ [SCHEMAS]: { status: 500, body: { message: 'etcdserver: leader changed' } } }),
      {
        what: 'the server answered 500 when asked to list FlowSchemas',
        why: 'etcdserver: leader changed',
        next: 'answer from stock objects: --defaults 1.37',
      },
    ],
    [
      'a proxy for servers without TLS that wants to know its user',
      cluster({ [SCHEMAS]: { status: 407 } }),
      { what: expect.stringMatching(/^the proxy on the way to https:\S+ wants to know who we are \(407\)$/) },
    ],
    [
      'too busy for good, refused by APF',
      cluster({
        [SCHEMAS]: {
          status: 429,
          headers: { ...PF('uid-shop', 'uid-shop'), 'retry-after': '2' },
          body: 'Too many requests',
        },
      }),
      {
        what: 'the server is too busy to list FlowSchemas (429)',
        why: 'APF refused it in priority level shop; asked again 3 times within 6 s',
      },
    ],
    [
      'too busy for everything, of which each was asked again',
      everything({ status: 429, headers: { 'retry-after': '1' }, body: 'Too many requests' }),
      { why: 'another limiter than APF refused it (no APF headers); asked again 3 times within 3 s' },
    ],
    [
      'pages that go round in a circle',
      cluster({ [SCHEMAS]: { body: list([], { resourceVersion: '1', continue: 'x' }) } }),
      { why: 'it is JSON, but not what the API answers; 1 page of 500 had been read before' },
    ],
    [
      'a body that is not compressed as it says',
      cluster({ [SCHEMAS]: { headers: { 'content-encoding': 'gzip' }, body: 'plain' } }),
      { what: 'the answer cannot be unpacked' },
    ],
    [
      'too busy, refused by another limiter that gives no time',
      cluster({ [SCHEMAS]: { status: 429, body: 'Too many requests' } }),
      {
        why: 'another limiter than APF refused it (no APF headers); it gave no time to wait that is left to this command',
      },
    ],
  ])('%s', async (_what, handler, expected) => {
    expect(failed(await openStub(handler))).toMatchObject({ exitCode: 3, ...expected })
  })

  it('too busy for a moment: waits as it was told and says so', async () => {
    let refusals = 2
    const busy = (): Answer =>
      refusals-- > 0
        ? { status: 429, headers: { ...PF('uid-shop', 'uid-shop'), 'retry-after': '1' } }
        : { body: list([flowSchema('shop', 'shop')]) }
    const state = succeeded(await openStub(cluster({ [SCHEMAS]: busy })))
    expect(state.notes.filter((note) => note.includes('429'))).toEqual([
      `the server was too busy for ${SCHEMAS} (429, priority level shop): asked again after 1 s`,
      `the server was too busy for ${SCHEMAS} (429, priority level shop): asked again after 1 s`,
    ])
  })

  it('says which pages had been read when a later one fails', async () => {
    const page = (asked: { url: string }): Answer =>
      asked.url.includes('continue=') ? { status: 500 } : { body: list([], { resourceVersion: '1', continue: 'x' }) }
    expect(failed(await openStub(cluster({ [SCHEMAS]: page }))).why).toBe('1 page of 500 had been read before')
  })

  it('says that the client certificate has expired, by our clock', async () => {
    const issued = authority.issue({
      commonName: 'ann',
      notBefore: new Date('2020-01-01T00:00:00Z'),
      notAfter: new Date('2020-02-01T00:00:00Z'),
    })
    const user = { 'client-certificate-data': base64(issued.certificate), 'client-key-data': base64(issued.key) }
    expect(failed(await openStub(() => ({ status: 401 }), user))).toMatchObject({
      exitCode: 3,
      what: 'the server does not accept the credentials (401)',
      why: 'the client certificate expired on 2020-02-01',
    })
  })

  it('nothing listens', async () => {
    const stub = await startStub(cluster(), null)
    await stub.close()
    const path = place.write('config', kubeconfig({ server: `https://127.0.0.1:${stub.port}` }))
    expect(failed(await openLive(options(path)))).toMatchObject({
      exitCode: 3,
      what: `the server https://127.0.0.1:${stub.port} cannot be reached`,
      why: 'connection refused: nothing listens there',
    })
  })

  it('a server that hangs', async () => {
    const stub = await serve(() => ({ hang: true }))
    const path = place.write('config', kubeconfig(trusted(stub)))
    expect(failed(await openLive(options(path, { requestTimeout: '150ms' })))).toMatchObject({
      exitCode: 3,
      what: `the server ${stub.url} did not answer within 0.15 s`,
      why: 'asked to list FlowSchemas',
    })
  })
})

describe('certificates', () => {
  const others = createAuthority('another authority')
  const hour = 3_600_000

  it.each<[string, () => object, object, Partial<SourceFailure>]>([
    [
      'of another authority',
      () => others.issue({ commonName: 'x', names: ['127.0.0.1'] }),
      {},
      { why: expect.stringContaining('did not sign it') },
    ],
    [
      'for another name',
      () => authority.issue({ commonName: 'x', names: ['kubernetes', '10.0.0.1'] }),
      {},
      { why: 'it is for other names: kubernetes, 10.0.0.1', next: expect.stringContaining('--tls-server-name') },
    ],
    [
      'that has expired',
      () =>
        authority.issue({
          commonName: 'x',
          names: ['127.0.0.1'],
          notBefore: new Date(Date.now() - 2 * hour),
          notAfter: new Date(Date.now() - hour),
        }),
      {},
      { why: 'it has expired' },
    ],
    [
      'that is not valid yet',
      () => authority.issue({ commonName: 'x', names: ['127.0.0.1'], notBefore: new Date(Date.now() + hour) }),
      {},
      { why: 'it is not valid yet' },
    ],
  ])('%s', async (_what, issue, extra, expected) => {
    const { certificate: cert, key } = issue() as { certificate: string; key: string }
    const stub = await serve(cluster(), { cert, key })
    const path = place.write('config', kubeconfig({ ...trusted(stub), ...extra }))
    expect(failed(await openLive(options(path)))).toMatchObject({
      exitCode: 3,
      what: `the certificate of ${stub.url} is not accepted`,
      ...expected,
    })
  })

  it('of an authority that this machine does not know, where the kubeconfig names none', async () => {
    const stub = await serve(cluster())
    const path = place.write('config', kubeconfig({ server: stub.url }))
    expect(failed(await openLive(options(path)))).toMatchObject({
      exitCode: 3,
      why: expect.stringMatching(
        /^no authority that this machine trusts has signed it, and the cluster entry names none/,
      ),
      next: 'add certificate-authority-data, or give --certificate-authority FILE',
    })
  })

  it('for another name that the user names', async () => {
    const { certificate: cert, key } = authority.issue({ commonName: 'x', names: ['kubernetes'] })
    const stub = await serve(cluster(), { cert, key })
    const path = place.write('config', kubeconfig({ ...trusted(stub), 'tls-server-name': 'kubernetes' }))
    succeeded(remember(await openLive(options(path))))
  })

  it('for another address that the user names', async () => {
    const { certificate: cert, key } = authority.issue({ commonName: 'x', names: ['10.0.0.1'] })
    const stub = await serve(cluster(), { cert, key })
    const path = place.write('config', kubeconfig({ ...trusted(stub), 'tls-server-name': '10.0.0.1' }))
    succeeded(remember(await openLive(options(path))))
  })

  it('of anybody, if the user says so', async () => {
    const { certificate: cert, key } = others.issue({ commonName: 'x' })
    const stub = await serve(cluster(), { cert, key })
    const path = place.write('config', kubeconfig({ server: stub.url }))
    const flags = { ...NO_FLAGS, kubeconfig: path, insecureSkipTlsVerify: true }
    succeeded(remember(await openLive(options(path, { flags }))))
  })

  it('are expected where the server speaks plain HTTP', async () => {
    const stub = await startStub(cluster(), null)
    opened.push(() => stub.close())
    const path = place.write('config', kubeconfig({ server: `https://127.0.0.1:${stub.port}` }))
    expect(failed(await openLive(options(path))).what).toBe(`https://127.0.0.1:${stub.port} does not speak TLS`)
  })
})

describe('what is secret', () => {
  it.each<[string, object, number]>([
    ['a token', { token: 'secret-token' }, 403],
    ['a token', { token: 'secret-token' }, 500],
    ['a password', { username: 'u', password: 'secret-word' }, 500],
  ])('%s that a server repeats in its refusal is not shown', async (_what, user, status) => {
    const handler: Handler = ({ headers }) => ({ status, body: { message: `no: ${headers.authorization}` } })
    const failure = failed(await openStub(cluster({ [SCHEMAS]: handler }), user))
    expect(failure.why).toMatch(/^no: (?:Bearer|Basic) …$/)
  })

  it('is in no log line and in no failure', async () => {
    const lines: string[] = []
    const stub = await serve(cluster({ [SCHEMAS]: { status: 401 } }))
    const server = stub.url.replace('https://', 'https://someone:hidden@')
    const path = place.write('config', kubeconfig({ ...trusted(stub), server }, { token: 'secret-token' }))
    const log = (line: string) => lines.push(line)
    const failure = failed(await openLive(options(path, { surroundings: surroundings({ log }) })))
    expect(lines).toHaveLength(3)
    expect(lines.filter((line) => /^GET https:\/\/127\.0\.0\.1:\d+\/version 200 in \d+ ms$/.test(line))).toHaveLength(1)
    expect(`${lines.join('\n')}${JSON.stringify(failure)}`).not.toMatch(/secret-token|hidden/)
  })
})
