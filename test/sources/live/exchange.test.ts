import { Agent, createServer as createHttpServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import { isSourceFailure } from '../../../src/sources/failure.ts'
import { createClient, type Limits } from '../../../src/sources/live/client.ts'
import { type ExchangeOptions, exchange } from '../../../src/sources/live/exchange.ts'
import { NO_CLUSTER, NOBODY } from '../../../src/sources/live/kubeconfig/model.ts'

const opened: (() => unknown)[] = []
afterEach(() => {
  for (const close of opened.splice(0)) close()
})

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  opened.push(() => server.close())
  return (server.address() as AddressInfo).port
}

async function serve(listener: RequestListener): Promise<number> {
  const server = createHttpServer(listener)
  opened.push(() => server.closeAllConnections())
  return listen(server)
}

function get(port: number, changes: Partial<ExchangeOptions> = {}) {
  return exchange({
    secure: false,
    request: { host: '127.0.0.1', port, path: '/' },
    timeoutMs: 5000,
    maxBodyBytes: 1000,
    enough: () => false,
    ...changes,
  })
}

describe('an exchange', () => {
  it('gives status, body and every value of a header', async () => {
    const port = await serve((_request, response) => {
      response.writeHead(404, { 'X-A': ['1', '2'] }).end('text')
    })
    const reply = await get(port)
    expect(reply).toMatchObject({ status: 404, body: 'text' })
    expect('headers' in reply && reply.headers.values('x-a')).toEqual(['1', '2'])
  })

  it('unpacks a compressed body', async () => {
    const port = await serve((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('packed'))
    })
    expect(await get(port)).toMatchObject({ body: 'packed' })
  })

  it.each<[string, RequestListener, object]>([
    [
      'a body that is too large',
      (_request, response) => response.end('x'.repeat(2000)),
      { fault: 'too-large', detail: '1000 bytes' },
    ],
    [
      'a body that is too large when it is unpacked',
      (_request, response) =>
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('x'.repeat(100_000))),
      { fault: 'too-large', detail: '1000 bytes' },
    ],
    [
      'a compressed body that is broken',
      (_request, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('no gzip'),
      { fault: 'not-gzip', detail: 'Z_DATA_ERROR' },
    ],
    [
      'a compressed body that ends early',
      (_request, response) =>
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('packed').subarray(0, 12)),
      { fault: 'cut-off', detail: 'Z_BUF_ERROR' },
    ],
    [
      'headers that are too large',
      (_request, response) => response.writeHead(200, { 'x-a': 'a'.repeat(100_000) }).end(),
      { fault: 'too-large', detail: '16 KiB of headers' },
    ],
    [
      'a connection that is closed at once',
      (request) => request.socket.destroy(),
      { fault: 'unreachable', detail: 'ECONNRESET' },
    ],
    [
      'a body that stops',
      (_request, response) => response.writeHead(200, { 'content-length': '10' }).write('x', () => response.destroy()),
      { fault: 'cut-off', detail: 'ECONNRESET' },
    ],
  ])('is told of %s', async (_what, listener, fault) => {
    expect(await get(await serve(listener))).toEqual(fault)
  })

  it('is told of something that is not HTTP', async () => {
    const port = await listen(createTcpServer((socket: Socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n')))
    expect(await get(port)).toMatchObject({ fault: 'not-http' })
  })

  it('tries a new connection where a kept one was closed meanwhile', async () => {
    const used = new Set<Socket>()
    const port = await serve((request, response) => {
      if (used.has(request.socket)) request.socket.destroy()
      else {
        used.add(request.socket)
        response.end('ok')
      }
    })
    const agent = new Agent({ keepAlive: true })
    opened.push(() => agent.destroy())
    const request = { host: '127.0.0.1', port, path: '/', agent }
    expect(await get(port, { request })).toMatchObject({ body: 'ok' })
    expect(await get(port, { request })).toMatchObject({ body: 'ok' })
    expect(used.size).toBe(2)
  })
})

describe('the time of the whole command', () => {
  function client(port: number, limits: Limits, sleep = async (_ms: number) => {}) {
    const created = createClient(
      { ...NO_CLUSTER, server: `http://127.0.0.1:${port}` },
      { certificateAuthority: null, certificate: null, token: '', basic: '' },
      NOBODY,
      { env: {}, limits, userAgent: 'test', log: null, sleep },
    )
    if (isSourceFailure(created)) throw new Error(created.what)
    opened.push(() => created.close())
    return created
  }

  it('ends a request, and then no other is sent', async () => {
    const asked: (string | undefined)[] = []
    const port = await serve(({ url }) => {
      asked.push(url)
    })
    const { send } = client(port, { requestMs: 60_000, commandMs: 100 })
    const usedUp = { fault: 'command-timeout', detail: '100 ms' }
    expect(await send('GET', '/a')).toEqual(usedUp)
    expect(await send('GET', '/b')).toEqual(usedUp)
    expect(asked).not.toContain('/b')
  })

  it('is not spent on waiting longer than it lasts', async () => {
    const waited: number[] = []
    const port = await serve((_request, response) => response.writeHead(429, { 'retry-after': '60' }).end())
    const busy = client(port, { requestMs: 1000, commandMs: 10_000 }, async (ms) => {
      waited.push(ms)
    })
    expect(await busy.send('GET', '/')).toMatchObject({ status: 429 })
    expect(waited).toEqual([])
    expect(busy.throttled).toEqual([{ path: '/', waitedSeconds: null, priorityLevelUID: null }])
  })
})
