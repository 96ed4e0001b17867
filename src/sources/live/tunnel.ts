/** Connections through a proxy: CONNECT to the server, then TLS inside the tunnel. */
import { Agent as HttpAgent, request as httpRequest } from 'node:http'
import { type AgentOptions, Agent as HttpsAgent, request as httpsRequest, type RequestOptions } from 'node:https'
import { Duplex } from 'node:stream'
import { type ConnectionOptions, connect as connectTls } from 'node:tls'
import type { ProxyServer } from './proxy.ts'

/** The proxy refused, or could not reach the server. */
export class ProxyError extends Error {
  readonly code = 'EPROXY'
}

/** An agent whose connections to an https server go through the proxy. */
export class TunnelAgent extends HttpsAgent {
  readonly #proxy: ProxyServer
  readonly #tls: ConnectionOptions

  constructor(proxy: ProxyServer, options: AgentOptions, tls: ConnectionOptions) {
    super(options)
    this.#proxy = proxy
    this.#tls = tls
  }

  override createConnection(
    { host, port, servername }: RequestOptions,
    connected?: (error: Error | null, stream: Duplex) => void,
  ): Duplex | undefined {
    openTunnel(this.#proxy, host ?? '', Number(port)).then(
      (socket) => {
        const secured = connectTls({ servername: servername ?? '', ...this.#tls, host: host ?? '', socket })
        secured.once('secureConnect', () => connected?.(null, secured))
        secured.once('error', (error) => connected?.(error, secured))
      },
      // Beside an error the stream is not looked at.
      (error: Error) => connected?.(error, new Duplex()),
    )
    return undefined
  }
}

function openTunnel(proxy: ProxyServer, host: string, port: number): Promise<Duplex> {
  const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`
  return new Promise((resolve, reject) => {
    const request = (proxy.secure ? httpsRequest : httpRequest)({
      method: 'CONNECT',
      host: proxy.host,
      port: proxy.port,
      path: authority,
      headers: { host: authority, ...proxyHeaders(proxy) },
      agent: proxy.secure ? new HttpsAgent() : new HttpAgent(),
    })
    request.once('connect', (response, socket) => {
      if (response.statusCode === 200) resolve(socket)
      else {
        socket.destroy()
        reject(new ProxyError(`proxy ${proxy.text} answered ${response.statusCode} to CONNECT`))
      }
    })
    request.once('response', (response) => {
      response.destroy()
      reject(new ProxyError(`proxy ${proxy.text} answered ${response.statusCode} to CONNECT`))
    })
    request.once('error', (error) => reject(new ProxyError(`proxy ${proxy.text} cannot be reached (${codeOf(error)})`)))
    request.end()
  })
}

export function proxyHeaders(proxy: ProxyServer): Record<string, string> {
  return proxy.authorization === '' ? {} : { 'proxy-authorization': proxy.authorization }
}

function codeOf(error: Error): string {
  return 'code' in error ? String(error.code) : error.message
}
