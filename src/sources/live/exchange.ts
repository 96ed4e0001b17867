/** One HTTP request and its answer, bounded in time and size. Whatever goes wrong is a value. */
import {
  type ClientRequest,
  request as httpRequest,
  type IncomingMessage,
  maxHeaderSize,
  type RequestOptions,
} from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'

/** An answer with any status. */
export interface Reply {
  status: number
  headers: ReplyHeaders
  /** '' where the headers were enough. */
  body: string
  /** Of a 429: how often it was asked again before, and how long was waited in all. */
  askedAgain?: { times: number; waitedSeconds: number }
}

export interface ReplyHeaders {
  /** Every value of a header, in the order received; names are compared without case. */
  values(name: string): string[]
}

/** No answer. */
export interface Fault {
  fault:
    | 'unreachable'
    /** This request took too long. */
    | 'timeout'
    /** The time of the whole command is used up. */
    | 'command-timeout'
    | 'tls'
    | 'proxy'
    /** The connection ended before the answer did. */
    | 'cut-off'
    /** The body is not compressed as its header says. */
    | 'not-gzip'
    | 'too-large'
    | 'not-http'
  /** Error code of Node, or a number with its unit; never anything secret. */
  detail: string
  /** Where the certificate is not for this server: the names that it is for. */
  certificateNames?: string
}

export function isFault(value: Reply | Fault): value is Fault {
  return 'fault' in value
}

export interface ExchangeOptions {
  secure: boolean
  request: RequestOptions
  /** Milliseconds for everything, connecting included; null: no limit. */
  timeoutMs: number | null
  /** Bytes of the body after decompression. */
  maxBodyBytes: number
  /** Ends the connection at the headers where these are all that is wanted. */
  enough(headers: ReplyHeaders): boolean
  /** Milliseconds for connecting, handshake included; null: within `timeoutMs`. */
  connectMs?: number | null
  /** Takes the body of a 200 as it comes, decompressed and of any size; without it the body is kept as text. */
  consume?: Consumer | undefined
}

/** Rejects where the body ends early. */
export type Consumer = (chunks: AsyncIterable<Uint8Array>) => Promise<unknown>

export function exchange(options: ExchangeOptions): Promise<Reply | Fault> {
  return new Promise((resolve) => {
    let request: ClientRequest
    let response: IncomingMessage | null = null
    const { connectMs = null, consume } = options
    const finish = (result: Reply | Fault, end: 'keep' | 'close') => {
      clearTimeout(timer)
      clearTimeout(connectTimer)
      if (end === 'close') request.destroy()
      resolve(result)
    }
    const timer =
      options.timeoutMs === null
        ? undefined
        : setTimeout(() => finish({ fault: 'timeout', detail: `${options.timeoutMs} ms` }, 'close'), options.timeoutMs)

    const connectTimer =
      connectMs === null
        ? undefined
        : setTimeout(() => finish({ fault: 'unreachable', detail: 'ETIMEDOUT' }, 'close'), connectMs)

    request = (options.secure ? httpsRequest : httpRequest)(options.request)
    request.on('socket', (socket) => {
      const connected = () => clearTimeout(connectTimer)
      if (request.reusedSocket || !socket.connecting) connected()
      else socket.once(options.secure ? 'secureConnect' : 'connect', connected)
    })
    request.on('error', (error) => {
      // A kept connection that the server has closed meanwhile says nothing about the server: a new one is tried.
      if (response === null && request.reusedSocket && codeOf(error) === 'ECONNRESET') {
        clearTimeout(timer)
        clearTimeout(connectTimer)
        resolve(exchange(options))
      } else if (response === null) finish(faultOf(error), 'close')
      else finish({ fault: 'cut-off', detail: codeOf(error) }, 'close')
    })
    request.on('response', (message) => {
      response = message
      const reply = { status: message.statusCode ?? 0, headers: replyHeaders(message.rawHeaders), body: '' }
      if (options.enough(reply.headers)) {
        finish(reply, 'close')
        return
      }
      if (consume !== undefined && reply.status === 200) {
        consume(bodyStream(message)).then(
          () => finish(reply, message.complete ? 'keep' : 'close'),
          (error: Error) => finish(bodyFault(error), 'close'),
        )
        return
      }
      readBody(message, options.maxBodyBytes).then((body) => {
        if (typeof body === 'string') finish({ ...reply, body }, 'keep')
        else finish(body, 'close')
      })
    })
    request.end()
  })
}

/** The body, decompressed. An end of the connection before that of the body is an error of the stream. */
function bodyStream(message: IncomingMessage): Readable {
  if (message.headers['content-encoding'] !== 'gzip') return message
  const unzipped = createGunzip()
  message.on('error', (error) => unzipped.destroy(error))
  return message.pipe(unzipped)
}

function readBody(message: IncomingMessage, maxBytes: number): Promise<string | Fault> {
  return new Promise((resolve) => {
    const stream = bodyStream(message)
    const chunks: Buffer[] = []
    let size = 0
    stream.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= maxBytes) chunks.push(chunk)
      else resolve({ fault: 'too-large', detail: `${maxBytes} bytes` })
    })
    stream.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')))
    stream.on('error', (error) => resolve(bodyFault(error)))
  })
}

function bodyFault(error: Error): Fault {
  const detail = codeOf(error)
  return { fault: detail === 'Z_DATA_ERROR' ? 'not-gzip' : 'cut-off', detail }
}

function replyHeaders(raw: readonly string[]): ReplyHeaders {
  return {
    values(name) {
      const wanted = name.toLowerCase()
      return raw.filter((_value, index) => index % 2 === 1 && raw[index - 1]?.toLowerCase() === wanted)
    },
  }
}

/** Codes of OpenSSL's verification and of Node's check of names. */
const TLS_CODE =
  /^(?:ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED|ERROR_IN_CERT|EPROTO$)/

/** Whether a code is about certificates or the handshake. */
export function isTlsFault(code: string): boolean {
  return TLS_CODE.test(code)
}

function faultOf(error: Error): Fault {
  const detail = codeOf(error)
  if (detail === 'EPROXY') return { fault: 'proxy', detail: error.message }
  if (detail === 'HPE_HEADER_OVERFLOW') return { fault: 'too-large', detail: `${maxHeaderSize >> 10} KiB of headers` }
  if (detail.startsWith('HPE_')) return { fault: 'not-http', detail }
  if (isTlsFault(detail)) {
    const names = 'cert' in error ? Reflect.get(Object(error.cert), 'subjectaltname') : undefined
    return typeof names === 'string' ? { fault: 'tls', detail, certificateNames: names } : { fault: 'tls', detail }
  }
  return { fault: 'unreachable', detail }
}

function codeOf(error: Error): string {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name
  // Node 20 keeps OpenSSL's reason in the message: `…:SSL routines:ssl3_get_record:wrong version number:…`.
  const reason = code === 'EPROTO' ? /SSL routines:[^:]*:([^:]+)/.exec(error.message)?.[1] : undefined
  return reason === undefined ? code : `ERR_SSL_${reason.toUpperCase().replaceAll(' ', '_')}`
}
