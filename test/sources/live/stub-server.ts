/** A stand-in for an API server on loopback: tests say what each path answers, and look at what was asked. */
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http'
import { createServer as createHttpsServer, type ServerOptions } from 'node:https'
import type { AddressInfo } from 'node:net'

export interface Asked {
  method: string
  url: string
  headers: IncomingMessage['headers']
  rawHeaders: string[]
  /** Common name of the client's certificate; '' without. */
  certificateName: string
}

export interface Answer {
  status?: number
  headers?: Record<string, string | string[]>
  body?: unknown
  /** Never answers. */
  hang?: boolean
  /** Closes the connection after this many bytes of the body. */
  cutAfter?: number
  /** Answers with the headers and then never ends. */
  endless?: boolean
}

export type Handler = (asked: Asked) => Answer

export interface StubServer {
  url: string
  port: number
  asked: Asked[]
  close(): Promise<void>
}

/** @param tls  null for plain HTTP */
export async function startStub(handler: Handler, tls: ServerOptions | null): Promise<StubServer> {
  const asked: Asked[] = []
  const listener: RequestListener = (request, response) => {
    const entry = askedOf(request)
    asked.push(entry)
    reply(response, handler(entry))
  }
  const server = tls === null ? createHttpServer(listener) : createHttpsServer(tls, listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `${tls === null ? 'http' : 'https'}://127.0.0.1:${port}`,
    port,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function askedOf(request: IncomingMessage): Asked {
  const { socket } = request
  const certificate =
    'getPeerCertificate' in socket ? Object(Reflect.apply(Object(socket).getPeerCertificate, socket, [])) : {}
  return {
    method: request.method ?? '',
    url: request.url ?? '',
    headers: request.headers,
    rawHeaders: request.rawHeaders,
    certificateName: certificate.subject?.CN ?? '',
  }
}

function reply(response: ServerResponse, answer: Answer): void {
  if (answer.hang) return
  const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body ?? {})
  const type = typeof answer.body === 'string' ? 'text/plain' : 'application/json'
  response.writeHead(answer.status ?? 200, { 'content-type': type, ...answer.headers })
  if (answer.endless) {
    response.write(text)
    return
  }
  if (answer.cutAfter === undefined) response.end(text)
  else response.write(text.slice(0, answer.cutAfter), () => response.destroy())
}
