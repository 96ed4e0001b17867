import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isSourceFailure, type SourceFailure } from '../../../src/sources/failure.ts'
import {
  type ConnectionFlags,
  NO_FLAGS,
  resolveTarget,
  type Target,
} from '../../../src/sources/live/kubeconfig/target.ts'
import { type Workplace, workplace } from './connect-helpers.ts'

let place: Workplace
beforeAll(() => {
  place = workplace()
})
afterAll(() => place.remove())

const FIRST = `
apiVersion: v1
kind: Config
current-context: ""
contexts:
- name: shop
  context: {cluster: shop, user: ann, namespace: orders}
clusters:
- name: shop
  cluster:
    server: https://first.example.com
    certificate-authority: pki/ca.crt
users:
- name: ann
  user: {tokenFile: ../token}
`

const SECOND = `
current-context: bare
contexts:
- name: shop
  context: {cluster: other, user: other}
- name: bare
  context: {cluster: other, user: ben}
- name: broken
  context: {cluster: nowhere, user: ben}
clusters:
- name: shop
  cluster: {server: https://never.example.com, tls-server-name: never}
- name: other
  cluster: {server: https://second.example.com, insecure-skip-tls-verify: yes, proxy-url: http://proxy:3128}
users:
- name: ann
  user: {token: never}
- name: ben
  user:
    token: ben-token
    as: deputy
    as-uid: "42"
    as-groups: [a, b]
    as-user-extra: {reason: [x, y]}
- name: plugin
  user:
    exec:
      apiVersion: client.authentication.k8s.io/v1
      command: ./bin/plugin
      args: [get]
      env: [{name: A, value: "1"}]
      interactiveMode: Never
      provideClusterInfo: true
`

function target(flags: Partial<ConnectionFlags>, env: Record<string, string> = {}, folder = '/nonexistent') {
  return resolveTarget({ ...NO_FLAGS, ...flags }, { env, home: place.folder, serviceAccountFolder: folder })
}

function resolved(result: Target | SourceFailure): Target {
  if (isSourceFailure(result)) throw new Error(JSON.stringify(result))
  return result
}

describe('KUBECONFIG with several files', () => {
  const listed = () => ({
    KUBECONFIG: [join(place.folder, 'missing'), '', place.write('first', FIRST), place.write('second', SECOND)].join(
      delimiter,
    ),
  })

  it('passes over missing files and takes the first current context that is not empty', () => {
    const { context, cluster, user, namespace } = resolved(target({}, listed()))
    expect([context, cluster.server, user.token, namespace]).toEqual([
      'bare',
      'https://second.example.com',
      'ben-token',
      { name: 'default', from: 'default' },
    ])
  })

  it('takes entries of one name whole from the first file that has them', () => {
    const { cluster, user, namespace } = resolved(target({ context: 'shop' }, listed()))
    expect(cluster).toMatchObject({ server: 'https://first.example.com', tlsServerName: '' })
    expect(user.token).toBe('')
    expect(namespace).toEqual({ name: 'orders', from: 'context' })
  })

  it('counts relative paths from the file that has them', () => {
    const { cluster, user } = resolved(target({ context: 'shop' }, listed()))
    expect(cluster.certificateAuthority).toBe(join(place.folder, 'pki/ca.crt'))
    expect(user.tokenFile).toBe(join(place.folder, '../token'))
    expect(resolved(target({ user: 'plugin' }, listed())).user.exec?.command).toBe(join(place.folder, 'bin/plugin'))
  })

  it('reads whom the user impersonates, and a proxy, and the booleans of YAML 1.1', () => {
    const { cluster, user } = resolved(target({}, listed()))
    expect(user.impersonate).toEqual({ user: 'deputy', uid: '42', groups: ['a', 'b'], extra: { reason: ['x', 'y'] } })
    expect(cluster).toMatchObject({ insecureSkipTlsVerify: true, proxyUrl: 'http://proxy:3128' })
  })

  it('is left alone by --kubeconfig', () => {
    expect(
      resolved(target({ kubeconfig: join(place.folder, 'first'), context: 'shop' }, listed())).user.tokenFile,
    ).not.toBe('')
    expect(target({ kubeconfig: join(place.folder, 'first') }, listed())).toMatchObject({
      what: 'no current context is set',
    })
  })
})

describe('flags', () => {
  const env = () => ({ KUBECONFIG: place.write('second', SECOND) })

  it('choose cluster, user and namespace', () => {
    const { cluster, user, namespace } = resolved(target({ cluster: 'shop', user: 'plugin', namespace: 'x' }, env()))
    expect([cluster.server, user.exec?.args, namespace]).toEqual([
      'https://never.example.com',
      ['get'],
      { name: 'x', from: 'flag' },
    ])
  })

  it('--server keeps credentials but not the expected name of the other server', () => {
    const { cluster, user } = resolved(target({ cluster: 'shop', server: 'https://flag.example.com' }, env()))
    expect([cluster.server, cluster.tlsServerName, user.token]).toEqual(['https://flag.example.com', '', 'ben-token'])
  })

  it('--server does without any kubeconfig', () => {
    expect(resolved(target({ server: 'http://127.0.0.1:8001' })).cluster.server).toBe('http://127.0.0.1:8001')
  })

  it('--certificate-authority asks for verification again', () => {
    const { cluster } = resolved(target({ certificateAuthority: '/ca.crt' }, env()))
    expect(cluster).toMatchObject({ certificateAuthority: '/ca.crt', insecureSkipTlsVerify: false })
  })

  it('--insecure-skip-tls-verify forgets the authority', () => {
    const { cluster } = resolved(
      target({ kubeconfig: place.write('first', FIRST), context: 'shop', insecureSkipTlsVerify: true }),
    )
    expect(cluster).toMatchObject({ certificateAuthority: '', insecureSkipTlsVerify: true })
  })

  it('--token beats the token file', () => {
    const { user } = resolved(target({ kubeconfig: place.write('first', FIRST), context: 'shop', token: 'flag' }))
    expect([user.token, user.tokenFile]).toEqual(['flag', ''])
  })

  it('--client-certificate and --client-key take the place of those in the kubeconfig', () => {
    const kubeconfig = place.write(
      'certificates',
      `contexts: [{name: a, context: {cluster: a, user: a}}]
clusters: [{name: a, cluster: {server: https://a.example.com}}]
users: [{name: a, user: {client-certificate-data: eA==, client-key-data: eA==}}]`,
    )
    const files = { clientCertificate: '/pki/ann.crt', clientKey: '/pki/ann.key' }
    const { user } = resolved(target({ kubeconfig, context: 'a', ...files }))
    expect(user).toMatchObject({ ...files, clientCertificateData: '', clientKeyData: '' })
  })

  it('--connect-as takes the place of the impersonation in the kubeconfig', () => {
    const connectAs = { user: 'other', uid: '', groups: [], extra: {} }
    expect(resolved(target({ connectAs }, env())).user.impersonate).toEqual(connectAs)
  })
})

describe('a pod', () => {
  const pod = { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443' }
  beforeAll(() => {
    place.write('token', 'pod-token')
    place.write('ca.crt', 'x')
    place.write('namespace', 'pod-ns\n')
  })

  it('is enough without a kubeconfig', () => {
    const { cluster, user, namespace, description } = resolved(target({}, pod, place.folder))
    expect(cluster).toMatchObject({
      server: 'https://[fd00::1]:443',
      certificateAuthority: join(place.folder, 'ca.crt'),
    })
    expect(user.tokenFile).toBe(join(place.folder, 'token'))
    expect(namespace).toEqual({ name: 'pod-ns', from: 'pod' })
    expect(description).toBe("the pod's ServiceAccount")
  })

  it('gives way to a kubeconfig', () => {
    expect(resolved(target({}, { ...pod, KUBECONFIG: place.write('second', SECOND) }, place.folder)).context).toBe(
      'bare',
    )
  })

  it('says its namespace by POD_NAMESPACE too', () => {
    expect(resolved(target({}, { ...pod, POD_NAMESPACE: 'set' }, place.folder)).namespace.name).toBe('set')
  })
})

describe('what is wrong', () => {
  it.each<[string, Partial<ConnectionFlags>, string, Partial<SourceFailure>]>([
    ['no kubeconfig', {}, '', { exitCode: 3, what: 'no cluster to ask' }],
    [
      'no current context',
      {},
      FIRST,
      {
        exitCode: 3,
        what: 'no current context is set',
        next: 'choose one with --context: shop, or answer from stock objects: --defaults 1.37',
      },
    ],
    [
      'unknown --context',
      { context: 'shpo' },
      SECOND,
      { exitCode: 2, what: 'there is no context shpo', next: 'choose one with --context: bare, broken, shop' },
    ],
    [
      'unknown current context',
      {},
      'current-context: gone',
      { exitCode: 2, what: 'the current context gone is not defined' },
    ],
    [
      'context without its cluster',
      { context: 'broken' },
      SECOND,
      { exitCode: 2, what: 'context broken names cluster nowhere, which is not defined' },
    ],
    ['unknown --user', { user: 'eve' }, SECOND, { exitCode: 2, what: 'there is no user eve' }],
    [
      'broken YAML',
      {},
      'users:\n- name: a\n  user: {token: "geheim\n',
      { exitCode: 2, why: expect.stringMatching(/^it is not valid YAML \(line \d\)/) },
    ],
    [
      'a tag that is none of YAML',
      {},
      'users:\n- name: a\n  user:\n    token: !geheim x\n',
      { exitCode: 2, why: 'it is not valid YAML (line 4): unknown scalar tag !…' },
    ],
    [
      'a tag that no tag can be',
      {},
      'users:\n- name: a\n  user:\n    token: !<geheim{> x\n',
      { exitCode: 2, why: 'it is not valid YAML (line 4): tag name cannot contain such characters' },
    ],
    ['broken JSON', {}, '{"users": [{"token": "geheim"', { exitCode: 2, why: 'it is not valid JSON' }],
    [
      'a token that is a number',
      {},
      'users: [{name: a, user: {token: 12345}}]',
      { exitCode: 2, why: 'users[0].user.token is not a string' },
    ],
    [
      'two users of one name',
      {},
      'users: [{name: a, user: {token: geheim}}, {name: a, user: {}}]',
      { exitCode: 2, why: 'users has two entries of the name a' },
    ],
    ['a list that is none', {}, 'users: geheim', { exitCode: 2, why: 'users is not a list' }],
    ['a text that is no mapping', {}, 'geheim', { exitCode: 2, why: 'it is not a mapping' }],
  ])('%s', (_what, flags, text, expected) => {
    const env: Record<string, string> = text === '' ? {} : { KUBECONFIG: place.write('wrong', text) }
    const failure = target(flags, env)
    expect(failure).toMatchObject(expected)
    expect(JSON.stringify(failure)).not.toMatch(/geheim|12345/)
  })

  it.each(['', '\n', '# nothing yet\n  # nor here', '---\n', 'null\n', '\n'.repeat(100_000)])(
    'nothing, in a file that says %j: an empty kubeconfig, which others complete',
    (text) => {
      const empty = place.write('empty', text)
      expect(target({}, { KUBECONFIG: empty })).toMatchObject({ exitCode: 3, what: 'no current context is set' })
      const both = `${empty}:${place.write('first', FIRST)}`
      expect(target({ context: 'shop' }, { KUBECONFIG: both })).toMatchObject({ context: 'shop' })
    },
  )

  it('a --kubeconfig that is missing', () => {
    const file = join(place.folder, 'missing')
    expect(target({ kubeconfig: file })).toMatchObject({
      exitCode: 2,
      what: `kubeconfig ${file} cannot be read`,
      why: 'there is no such file',
    })
  })

  it('a folder in the place of a file', () => {
    expect(target({}, { KUBECONFIG: place.folder })).toMatchObject({ exitCode: 2, why: 'reading failed (EISDIR)' })
  })
})
