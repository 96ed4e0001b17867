import { chmodSync, closeSync, openSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, connect as connectTcp } from 'node:net'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { isSourceFailure, type SourceFailure } from '../../../src/sources/failure.ts'
import { type Connection, connect, type Surroundings } from '../../../src/sources/live/connect.ts'
import { isFault, type Reply } from '../../../src/sources/live/exchange.ts'
import { type ConnectionFlags, NO_FLAGS } from '../../../src/sources/live/kubeconfig/target.ts'
import { createAuthority } from './certificates.ts'
import { base64, kubeconfig, surroundings, type Workplace, workplace } from './connect-helpers.ts'
import { type StubServer, startStub } from './stub-server.ts'

const authority = createAuthority('test authority')
const serverCertificate = authority.issue({ commonName: 'kube-apiserver', names: ['127.0.0.1', 'api.example.com'] })
const TLS = {
  cert: serverCertificate.certificate,
  key: serverCertificate.key,
  ca: authority.certificate,
  requestCert: true,
  rejectUnauthorized: false,
}

let place: Workplace
let stub: StubServer
let plain: StubServer
const opened: (() => unknown)[] = []

beforeAll(async () => {
  place = workplace()
  stub = await startStub(() => ({ body: { ok: true } }), TLS)
  plain = await startStub(() => ({ body: { ok: true } }), null)
})
afterEach(() => {
  for (const close of opened.splice(0)) close()
  stub.asked.length = 0
  plain.asked.length = 0
})
afterAll(async () => {
  await stub.close()
  await plain.close()
  place.remove()
})

const trusted = () => ({ server: stub.url, 'certificate-authority-data': base64(authority.certificate) })

async function connected(
  cluster: object,
  user: object,
  flags: Partial<ConnectionFlags> = {},
  around: Partial<Surroundings> = {},
): Promise<Connection | SourceFailure> {
  const path = place.write('config', kubeconfig(cluster, user))
  const connection = await connect({
    flags: { ...NO_FLAGS, kubeconfig: path, ...flags },
    requestTimeout: '5s',
    surroundings: surroundings({ env: { PATH: process.env['PATH'] }, ...around }),
  })
  if (!isSourceFailure(connection)) opened.push(() => connection.client.close())
  return connection
}

async function get(connection: Connection | SourceFailure, path = '/version'): Promise<Reply> {
  if (isSourceFailure(connection)) throw new Error(JSON.stringify(connection))
  const reply = await connection.client.send('GET', path)
  if (isFault(reply)) throw new Error(JSON.stringify(reply))
  return reply
}

/** The values of one header as they were sent, line by line. */
function sent(name: string, server = stub): string[] {
  const raw = server.asked[0]?.rawHeaders ?? []
  return raw.filter((_value, index) => index % 2 === 1 && raw[index - 1]?.toLowerCase() === name.toLowerCase())
}

describe('the one function that sends', () => {
  it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'get', ''])('refuses %j', async (method) => {
    const connection = await connected(trusted(), {})
    if (isSourceFailure(connection)) throw new Error('not connected')
    const { client } = connection
    const call = async () => Reflect.apply(client.send, client, [method, '/version'])
    await expect(call()).rejects.toThrow(`only GET is ever sent, never ${method}`)
    expect(stub.asked).toEqual([])
  })

  it('uses one connection again', async () => {
    const connection = await connected(trusted(), {})
    await get(connection)
    await get(connection, '/api')
    expect(stub.asked.map(({ url }) => url)).toEqual(['/version', '/api'])
  })
})

describe('credentials', () => {
  it('a token', async () => {
    await get(await connected(trusted(), { token: 'abc' }))
    expect(sent('authorization')).toEqual(['Bearer abc'])
  })

  it('a token file, without its line break, before a token', async () => {
    place.write('tok', 'from-file\n')
    await get(await connected(trusted(), { tokenFile: 'tok', token: 'abc' }))
    expect(sent('authorization')).toEqual(['Bearer from-file'])
  })

  it('a token where its file is missing', async () => {
    await get(await connected(trusted(), { tokenFile: '/nonexistent/t', token: 'abc' }))
    expect(sent('authorization')).toEqual(['Bearer abc'])
  })

  it('user name and password', async () => {
    await get(await connected(trusted(), { username: 'u', password: 'p' }))
    expect(sent('authorization')).toEqual([`Basic ${base64('u:p')}`])
  })

  it.each(['data', 'files'])('a client certificate in %s', async (form) => {
    const { certificate, key } = authority.issue({ commonName: 'ann' })
    place.write('ann.crt', certificate)
    place.write('ann.key', key)
    const user =
      form === 'data'
        ? { 'client-certificate-data': base64(certificate), 'client-key-data': base64(key) }
        : { 'client-certificate': 'ann.crt', 'client-key': 'ann.key' }
    await get(await connected(trusted(), user))
    expect(stub.asked[0]?.certificateName).toBe('ann')
  })

  it('none over plain HTTP, as with kubectl, but the impersonation', async () => {
    await get(await connected({ server: plain.url }, { token: 'abc', as: 'deputy' }))
    expect(sent('authorization', plain)).toEqual([])
    expect(sent('impersonate-user', plain)).toEqual(['deputy'])
  })

  it('and whom the kubeconfig user impersonates, with groups, UID and extra', async () => {
    const user = {
      as: 'jané',
      'as-groups': ['a', 'b,c'],
      'as-uid': '7',
      'as-user-extra': { 'example.com/reason': ['x', 'y'] },
    }
    await get(await connected(trusted(), user))
    expect(sent('impersonate-user')).toEqual([Buffer.from('jané').toString('latin1')])
    expect(sent('impersonate-group')).toEqual(['a', 'b,c'])
    expect(sent('impersonate-uid')).toEqual(['7'])
    expect(sent('impersonate-extra-example.com%2Freason')).toEqual(['x', 'y'])
  })

  it.each<[string, object, Partial<SourceFailure>]>([
    [
      'a token file that is missing',
      { tokenFile: '/nonexistent/t' },
      { exitCode: 2, what: 'the token file /nonexistent/t cannot be read' },
    ],
    [
      'a token file that is empty',
      { tokenFile: '/dev/null' },
      { exitCode: 2, what: 'the token file /dev/null is empty' },
    ],
    [
      'a certificate that is not base64',
      { 'client-certificate-data': '-----geheim', 'client-key-data': base64('geheim') },
      { exitCode: 2, what: 'the client certificate of the kubeconfig cannot be read', why: 'its data is not base64' },
    ],
    ['a token with a line break', { token: 'geheim\nx' }, { exitCode: 2, what: 'the token cannot be sent' }],
    [
      'a certificate without key',
      { 'client-certificate-data': base64('geheim') },
      { exitCode: 2, why: 'client-key is missing' },
    ],
    [
      'a key that is none',
      { 'client-certificate-data': base64('geheim'), 'client-key-data': base64('geheim') },
      { exitCode: 2, what: 'the client certificate cannot be used' },
    ],
    [
      'an auth provider of old',
      { 'auth-provider': { name: 'oidc' } },
      { exitCode: 2, what: "the kubeconfig's auth provider oidc is not supported" },
    ],
    [
      'groups to impersonate without a user',
      { 'as-groups': ['a'] },
      { exitCode: 2, why: 'groups, UID or extra are given without a user' },
    ],
    [
      'a user to impersonate with a line break',
      { as: 'a\nb' },
      { exitCode: 2, what: 'the identity to impersonate cannot be sent' },
    ],
  ])('%s', async (_what, user, expected) => {
    const failure = await connected(trusted(), user)
    expect(failure).toMatchObject(expected)
    expect(JSON.stringify(failure)).not.toContain('geheim')
  })

  it.each<[string, object, string]>([
    [
      'an authority that is no certificate',
      { 'certificate-authority-data': base64('x') },
      'the certificate authority cannot be used',
    ],
    [
      'an authority that is not base64, before the system is trusted in its place',
      { 'certificate-authority-data': '!!' },
      'the certificate authority of the kubeconfig cannot be read',
    ],
    [
      'a proxy whose password is not escaped',
      { 'proxy-url': 'http://me:50%off@proxy' },
      'the proxy of proxy-url of the cluster cannot be used',
    ],
    [
      'an authority that is not to be asked',
      { 'insecure-skip-tls-verify': true },
      'the cluster entry names a certificate authority and says not to verify',
    ],
    ['no address', { server: '' }, 'the address of the API server cannot be used'],
    ['another scheme', { server: 'ftp://x' }, 'the address of the API server cannot be used'],
    ['a SOCKS proxy', { 'proxy-url': 'socks5://x' }, 'the proxy of proxy-url of the cluster cannot be used'],
  ])('%s', async (_what, cluster, what) => {
    expect(await connected({ ...trusted(), ...cluster }, {})).toMatchObject({ exitCode: 2, what })
  })
})

describe('a credential plugin', () => {
  const V1 = 'client.authentication.k8s.io/v1'
  const V1BETA1 = 'client.authentication.k8s.io/v1beta1'

  /** Writes a plugin in shell and gives the user entry that names it. */
  function plugin(script: string, entry: object = {}): object {
    chmodSync(place.write('plugin.sh', `#!/bin/sh\n${script}\n`), 0o700)
    return { exec: { apiVersion: V1, command: './plugin.sh', interactiveMode: 'Never', ...entry } }
  }
  const credential = (status: object, apiVersion = V1) => JSON.stringify({ kind: 'ExecCredential', apiVersion, status })
  const prints = (text: string) => `cat <<'END'\n${text}\nEND`

  it('gives a token', async () => {
    await get(await connected(trusted(), plugin(prints(credential({ token: 'from-plugin' })))))
    expect(sent('authorization')).toEqual(['Bearer from-plugin'])
  })

  it('gives a certificate', async () => {
    const { certificate, key } = authority.issue({ commonName: 'by-plugin' })
    const status = { clientCertificateData: certificate, clientKeyData: key }
    await get(await connected(trusted(), plugin(prints(credential(status)))))
    expect(stub.asked[0]?.certificateName).toBe('by-plugin')
  })

  it('is told the cluster if it wants to know, by its variables and by KUBERNETES_EXEC_INFO', async () => {
    const out = join(place.folder, 'seen')
    const script = `printf '%s\\n%s\\n%s' "$KUBERNETES_EXEC_INFO" "$OWN" "$1" > ${out}\n${prints(credential({ token: 't' }))}`
    const cluster = {
      ...trusted(),
      'tls-server-name': 'api.example.com',
      extensions: [{ name: 'client.authentication.k8s.io/exec', extension: { audience: 'x' } }],
    }
    await get(
      await connected(
        cluster,
        plugin(script, { provideClusterInfo: true, env: [{ name: 'OWN', value: 'v' }], args: ['arg'] }),
      ),
    )
    const [info = '', own, argument] = readFileSync(out, 'utf8').split('\n')
    expect([own, argument]).toEqual(['v', 'arg'])
    expect(JSON.parse(info)).toEqual({
      kind: 'ExecCredential',
      apiVersion: V1,
      spec: {
        interactive: false,
        cluster: {
          server: stub.url,
          'tls-server-name': 'api.example.com',
          'certificate-authority-data': base64(authority.certificate),
          config: { audience: 'x' },
        },
      },
    })
  })

  it('is not told the cluster otherwise, and finds its input empty', async () => {
    const out = join(place.folder, 'seen')
    const script = `printf '%s' "$KUBERNETES_EXEC_INFO" > ${out}; cat >> ${out}\n${prints(credential({ token: 't' }))}`
    await get(await connected(trusted(), plugin(script)))
    expect(JSON.parse(readFileSync(out, 'utf8'))).toEqual({
      kind: 'ExecCredential',
      apiVersion: V1,
      spec: { interactive: false },
    })
  })

  it('may write messages past us', async () => {
    const log = join(place.folder, 'messages')
    const stderr = openSync(log, 'w')
    await get(
      await connected(trusted(), plugin(`echo hello >&2\n${prints(credential({ token: 't' }))}`), {}, { stderr }),
    )
    closeSync(stderr)
    expect(readFileSync(log, 'utf8')).toBe('hello\n')
  })

  it('does not run where another credential is given', async () => {
    await get(await connected(trusted(), plugin('exit 1'), { token: 'flag' }))
    expect(sent('authorization')).toEqual(['Bearer flag'])
  })

  it.each<[string, string, object, Partial<SourceFailure>]>([
    [
      'that fails',
      'exit 3',
      {},
      { exitCode: 3, what: expect.stringMatching(/plugin\.sh failed$/), why: 'exit code 3' },
    ],
    ['that prints nothing', 'true', {}, { exitCode: 3, why: 'it printed nothing' }],
    ['that prints garbage', 'echo geheim', {}, { exitCode: 3, why: 'what it printed is not JSON' }],
    [
      'of another API version',
      prints(credential({ token: 'geheim' }, V1BETA1)),
      {},
      { exitCode: 3, why: `its apiVersion is ${V1BETA1}, the kubeconfig asks for ${V1}` },
    ],
    [
      'that prints a secret as its API version',
      prints(credential({ token: 'x' }, 'geheim')),
      {},
      { exitCode: 3, why: `its apiVersion is another one, the kubeconfig asks for ${V1}` },
    ],
    [
      'that gives a token with a blank',
      prints(credential({ token: 'geheim x' })),
      {},
      { exitCode: 3, why: 'its token holds blanks, line breaks or other characters that no token has' },
    ],
    [
      'that gives a certificate that is none',
      prints(credential({ clientCertificateData: 'geheim', clientKeyData: 'geheim' })),
      {},
      { exitCode: 3, why: expect.stringMatching(/^certificate and key are not PEM/) },
    ],
    [
      'whose child prints for ever',
      'yes geheim 2>/dev/null; true',
      {},
      { exitCode: 3, why: 'it printed more than 1 MiB' },
    ],
    [
      'with a NUL in its variables',
      '',
      { env: [{ name: 'A', value: 'geheim\0' }] },
      { exitCode: 2, why: 'command, args or env hold a NUL character' },
    ],
    ['of another kind', prints('{"kind":"Status"}'), {}, { exitCode: 3, why: 'its kind is not ExecCredential' }],
    [
      'without status',
      prints(`{"kind":"ExecCredential","apiVersion":"${V1}"}`),
      {},
      { exitCode: 3, why: 'it has no status' },
    ],
    ['without credential', prints(credential({})), {}, { exitCode: 3, why: 'it has neither token nor certificate' }],
    [
      'with half a certificate',
      prints(credential({ clientKeyData: 'geheim' })),
      {},
      { exitCode: 3, why: 'of client certificate and key it has only one' },
    ],
    [
      'with a token that is a number',
      prints(credential({ token: 12345 })),
      {},
      { exitCode: 3, why: 'status.token is not a string' },
    ],
    [
      'that is not installed',
      '',
      { command: 'no-such-plugin-anywhere', installHint: 'get it from your administrator\nsecond line' },
      {
        exitCode: 3,
        what: 'credential plugin no-such-plugin-anywhere is not installed',
        next: 'get it from your administrator',
      },
    ],
    [
      'that must have a terminal',
      '',
      { interactiveMode: 'Always' },
      { exitCode: 3, why: 'standard input is not a terminal' },
    ],
    [
      'of v1 without interactiveMode',
      '',
      { interactiveMode: '' },
      { exitCode: 2, why: 'interactiveMode (none) is not one of Never, IfAvailable, Always' },
    ],
    ['of an API version that is gone', '', { apiVersion: 'client.authentication.k8s.io/v1alpha1' }, { exitCode: 2 }],
    [
      'without a command',
      '',
      { command: '' },
      { exitCode: 2, what: 'the credential plugin of the kubeconfig has no command' },
    ],
  ])('%s', async (_what, script, entry, expected) => {
    const failure = await connected(trusted(), plugin(script, entry))
    expect(failure).toMatchObject(expected)
    expect(JSON.stringify(failure)).not.toMatch(/geheim|12345/)
  })

  it('whose interpreter is missing', async () => {
    const path = place.write('plugin.sh', '#!/no/such/shell\n', 0o700)
    chmodSync(path, 0o700)
    const user = { exec: { apiVersion: V1, command: './plugin.sh', interactiveMode: 'Never' } }
    expect(await connected(trusted(), user)).toMatchObject({
      exitCode: 3,
      what: `credential plugin ${path} does not run`,
      why: 'the file is there, but the program that its first line names is not',
    })
  })

  it('that wants a terminal while this command reads standard input', async () => {
    const user = plugin('', { interactiveMode: 'Always' })
    const failure = await connected(trusted(), user, {}, { stdinIsTerminal: true, stdinTaken: true })
    expect(failure).toMatchObject({ exitCode: 3, why: 'standard input is read by this command' })
  })
})

describe('a proxy', () => {
  interface TestProxy {
    url: string
    seen: string[]
  }

  /** Tunnels to the stub whatever name is asked for, and forwards plain requests. */
  async function startProxy(status = 200): Promise<TestProxy> {
    const seen: string[] = []
    const server = createServer((request, response) => {
      seen.push(`${request.method} ${request.url} ${request.headers['proxy-authorization'] ?? ''}`)
      response.end('{}')
    })
    server.on('connect', (request, socket) => {
      seen.push(`CONNECT ${request.url} ${request.headers['proxy-authorization'] ?? ''}`)
      if (status !== 200) {
        socket.end(`HTTP/1.1 ${status} No\r\n\r\n`)
        return
      }
      const upstream = connectTcp(stub.port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Connection Established\r\n\r\n')
        upstream.pipe(socket)
        socket.pipe(upstream)
      })
      upstream.on('error', () => socket.destroy())
      socket.on('error', () => upstream.destroy())
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    opened.push(() => {
      server.close()
      server.closeAllConnections()
    })
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen }
  }
  const far = () => ({ ...trusted(), server: 'https://api.example.com:6443' })

  it('of the cluster entry carries TLS from end to end, with its own credentials', async () => {
    const proxy = await startProxy()
    const address = proxy.url.replace('http://', 'http://us%40er:p%3Aw@')
    await get(await connected({ ...far(), 'proxy-url': address }, { token: 'abc' }))
    expect(proxy.seen).toEqual([`CONNECT api.example.com:6443 Basic ${base64('us@er:p:w')}`])
    expect(sent('authorization')).toEqual(['Bearer abc'])
    expect(sent('proxy-authorization')).toEqual([])
  })

  it('of the environment is used', async () => {
    const proxy = await startProxy()
    await get(await connected(far(), {}, {}, { env: { https_proxy: proxy.url } }))
    expect(proxy.seen).toHaveLength(1)
  })

  it('of the environment is not used for loopback', async () => {
    const proxy = await startProxy()
    await get(await connected(trusted(), {}, {}, { env: { HTTPS_PROXY: proxy.url } }))
    expect(proxy.seen).toEqual([])
  })

  it.each([
    ['that does not answer', ''],
    ['behind which nothing answers', 'HTTP/1.1 200 Connection Established\r\n\r\n'],
  ])('%s is let go when the client closes, so that the process can end', async (_what, answer) => {
    const server = createServer()
    const asked = new Promise<Duplex>((resolve) => {
      server.on('connect', (_request, socket) => {
        socket.write(answer)
        // Behind the answer comes our half of the handshake.
        if (answer === '') resolve(socket)
        else socket.once('data', () => resolve(socket))
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    opened.push(() => server.close())
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const connection = await connected({ ...far(), 'proxy-url': address }, {})
    if (isSourceFailure(connection)) throw new Error(connection.what)
    const sending = connection.client.send('GET', '/version')
    const socket = await asked
    const ended = new Promise((resolve) => socket.once('end', resolve))
    socket.on('error', () => {})
    socket.resume()
    connection.client.close()
    await ended
    expect(isFault(await sending)).toBe(true)
  })

  it('is asked for the whole URL of a server without TLS', async () => {
    const proxy = await startProxy()
    await get(await connected({ server: 'http://api.example.com/base' }, {}, {}, { env: { HTTP_PROXY: proxy.url } }))
    expect(proxy.seen).toEqual(['GET http://api.example.com/base/version '])
  })

  it.each<[string, () => Promise<string>, RegExp]>([
    ['refuses', async () => (await startProxy(407)).url, /answered 407 to CONNECT$/],
    ['does not speak HTTP', async () => (await startProxy(Number.NaN)).url, /does not speak HTTP \(HPE_\w+\)$/],
    ['is not there', async () => 'http://127.0.0.1:1', /cannot be reached \(ECONNREFUSED\)$/],
  ])('that %s', async (_what, address, detail) => {
    const connection = await connected({ ...far(), 'proxy-url': await address() }, {})
    if (isSourceFailure(connection)) throw new Error('not connected')
    expect(await connection.client.send('GET', '/version')).toEqual({
      fault: 'proxy',
      detail: expect.stringMatching(detail),
    })
  })
})
