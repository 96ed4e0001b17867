/** Connections through a proxy: CONNECT to the server, then TLS inside the tunnel. */
import { Agent as HttpAgent, request as httpRequest } from 'node:http'
import { type AgentOptions, Agent as HttpsAgent, request as httpsRequest, type RequestOptions } from 'node:https'
import { Duplex } from 'node:stream'
import { type ConnectionOptions, connect as connectTls } from 'node:tls'
import { isTlsFault } from './exchange.ts'
import type { ProxyServer } from './proxy.ts'

/** The proxy refused, or could not reach the server. */
export class ProxyError extends Error {
  readonly code = 'EPROXY'
}

/** An agent whose connections to an https server go through the proxy. */
export class TunnelAgent extends HttpsAgent {
  readonly #proxy: ProxyServer
  readonly #tls: ConnectionOptions
  /** What is on its way to a connection: of that the agent itself knows nothing. */
  readonly #opening = new Set<Part>()

  constructor(proxy: ProxyServer, options: AgentOptions, tls: ConnectionOptions) {
    super(options)
    this.#proxy = proxy
    this.#tls = tls
  }

  override createConnection(
    { host, port, servername }: RequestOptions,
    connected?: (error: Error | null, stream: Duplex) => void,
  ): Duplex | undefined {
    const opens = (part: Part) => {
      this.#opening.add(part)
      part.once('close', () => this.#opening.delete(part))
    }
    openTunnel(this.#proxy, host ?? '', Number(port), opens).then(
      (socket) => {
        const secured = connectTls({ servername: servername ?? '', ...this.#tls, host: host ?? '', socket })
        opens(secured)
        secured.once('secureConnect', () => connected?.(null, secured))
        secured.once('error', (error) => connected?.(error, secured))
      },
      // Beside an error the stream is not looked at.
      (error: Error) => connected?.(error, new Duplex()),
    )
    return undefined
  }

  /** Also gives up the connections that are being opened, which would keep the process from ending. */
  override destroy(): void {
    super.destroy()
    for (const part of this.#opening) part.destroy(new ProxyError('given up'))
  }
}

interface Part {
  destroy(error: Error): unknown
  once(event: 'close', listener: () => void): unknown
}

/** @param opens  takes the request to the proxy, which waits as long as the proxy does */
function openTunnel(proxy: ProxyServer, host: string, port: number, opens: (request: Part) => void): Promise<Duplex> {
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
    opens(request)
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
    request.once('error', (error) => reject(new ProxyError(`proxy ${proxy.text} ${unusable(codeOf(error))}`)))
    request.end()
  })
}

export function proxyHeaders(proxy: ProxyServer): Record<string, string> {
  return proxy.authorization === '' ? {} : { 'proxy-authorization': proxy.authorization }
}

function unusable(code: string): string {
  if (code.startsWith('HPE_')) return `does not speak HTTP (${code})`
  return isTlsFault(code) ? `has no certificate that is accepted (${code})` : `cannot be reached (${code})`
}

function codeOf(error: Error): string {
  return 'code' in error ? String(error.code) : error.message
}
