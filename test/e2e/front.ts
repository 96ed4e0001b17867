/** What may stand between a client and an API server: something that ends TLS, looks at requests and changes answers. */
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer, request as httpsRequest, type ServerOptions } from 'node:https'
import { type AddressInfo, connect, type Server } from 'node:net'
import type { ApiServer, Cluster } from './cluster.ts'

export interface Front {
  url: string
  /** Method and path of what came by, in order. */
  seen: string[]
  close(): Promise<void>
}

export interface FrontOptions {
  /** Its certificate; one of the cluster's authority for 127.0.0.1 unless given. */
  tls?: ServerOptions
  /** Answers itself and gives true, or does something before the request goes on. */
  before?(request: IncomingMessage, response: ServerResponse): Promise<boolean> | boolean
  /** Lower-case names of headers that it takes out of answers. */
  strips?: RegExp
}

/** A reverse proxy in front of the cluster's API server. */
export async function startFront(cluster: Cluster, { tls, before, strips }: FrontOptions = {}): Promise<Front> {
  const seen: string[] = []
  const issued = cluster.authority.issue({ commonName: 'front', names: ['127.0.0.1'] })
  const server = createServer(tls ?? { cert: issued.certificate, key: issued.key }, async (request, response) => {
    seen.push(`${request.method} ${request.url}`)
    if (await before?.(request, response)) return
    forward(cluster.server, request, response, strips)
  })
  return { url: `https://127.0.0.1:${await listen(server)}`, seen, close: () => closed(server) }
}

function forward(target: ApiServer, request: IncomingMessage, response: ServerResponse, strips: RegExp | undefined) {
  const { method = 'GET', url = '/', headers } = request
  const onward = httpsRequest(
    { host: '127.0.0.1', port: target.port, ca: target.ca, method, path: url, headers },
    (answer) => {
      const kept = Object.entries(answer.headers).filter(([name]) => !strips?.test(name))
      response.writeHead(answer.statusCode ?? 502, Object.fromEntries(kept))
      answer.pipe(response)
    },
  )
  onward.on('error', () => response.destroy())
  response.on('close', () => onward.destroy())
  request.pipe(onward)
}

/** A forward proxy, as `proxy-url` names one: it opens tunnels. */
export async function startTunnelProxy(): Promise<Front> {
  const seen: string[] = []
  const server = createHttpServer()
  server.on('connect', (request, socket) => {
    seen.push(`CONNECT ${request.url}`)
    const [host = '', port = ''] = (request.url ?? '').split(':')
    const onward = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      socket.pipe(onward).pipe(socket)
    })
    onward.on('error', () => socket.destroy())
    socket.on('error', () => onward.destroy())
  })
  return { url: `http://127.0.0.1:${await listen(server)}`, seen, close: () => closed(server) }
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })
}

/** Tunnels are not among the connections that a server can close: nobody waits for them. */
async function closed(server: Server & { closeAllConnections(): void }): Promise<void> {
  server.close()
  server.closeAllConnections()
}
