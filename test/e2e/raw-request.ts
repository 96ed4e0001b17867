/** HTTP requests byte for byte as given, which no HTTP client would send, and the head of their answers. */
import { connect } from 'node:tls'

export interface RawRequest {
  method: string
  /** The request target as it stands in the request line. */
  url: string
  headers: readonly (readonly [name: string, value: string])[]
}

export interface RawAnswer {
  status: number
  /** Values by lower-case name, in the order of the answer. */
  headers: ReadonlyMap<string, readonly string[]>
}

const MOST_BYTES = 1 << 20
const PATIENCE_MS = 30_000

/** Sends a request without a body over a connection of its own, which is closed as soon as the headers have come. */
export function rawRequest(server: { port: number; ca: string }, request: RawRequest): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port: server.port, ca: server.ca })
    let received = ''
    const fail = (why: string): void => {
      socket.destroy()
      reject(new Error(`${request.method} ${request.url}: ${why}`))
    }
    socket.setEncoding('latin1')
    socket.setTimeout(PATIENCE_MS, () => fail('no answer in time'))
    socket.on('secureConnect', () => socket.write(textOf(request)))
    socket.on('data', (chunk: string) => {
      received += chunk
      const end = received.indexOf('\r\n\r\n')
      if (end >= 0) {
        socket.destroy()
        resolve(parseHead(received.slice(0, end)))
      } else if (received.length > MOST_BYTES) fail('no end of the headers')
    })
    socket.on('error', ({ message }) => fail(message))
    socket.on('end', () => fail('closed without an answer'))
  })
}

function textOf({ method, url, headers }: RawRequest): string {
  const lines = [['Host', 'e2e.example'], ['Connection', 'close'], ['Content-Length', '0'], ...headers]
  return `${method} ${url} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`
}

function parseHead(text: string): RawAnswer {
  const [statusLine = '', ...lines] = text.split('\r\n')
  const headers = new Map<string, string[]>()
  for (const line of lines) {
    const colon = line.indexOf(':')
    const name = line.slice(0, colon).toLowerCase()
    headers.set(name, [...(headers.get(name) ?? []), line.slice(colon + 1).trim()])
  }
  return { status: Number(statusLine.split(' ')[1]), headers }
}
