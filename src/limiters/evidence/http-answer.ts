/**
 * An answer over HTTP as programs print it, line by line: raw or from `curl -i`, with `< ` in front from `curl -v`, and in
 * the three forms of `kubectl -v=6` to `-v=9`.
 * Source: kubernetes/client-go transport/round_trippers.go, rest/request.go (logBody)
 */
import { parseJson } from '../plain-data.ts'
import { type Answer, answerHeaders } from './answer.ts'
import { readRecord } from './log-record.ts'

/** `curl`: a status line, headers, an empty line, the body; `lines`, `block`: client-go up to 1.32 and since. */
type Form = 'curl' | 'lines' | 'block'

const STATUS_LINE = /^(?:< | {2})?HTTP\/(?:1\.[01]|2(?:\.0)?|3) ([45]\d\d)(?:\s|$)/
const RESPONSE_STATUS = /^Response Status: ([45]\d\d) /
const ROUND_TRIP = /^(?:GET|POST|PUT|PATCH|DELETE|HEAD) (https?:\/\/\S+) ([45]\d\d) [^"]* in \d+ milliseconds$/
const HEADER = /^(?:<|)\s*([!#$%&'*+\-.^_`|~0-9A-Za-z]+): ?(.*)$/

/** How far back the request may stand. */
const REQUEST_REACH = 80
const REQUEST_PATTERNS = [
  /^(?:> )?(?:GET|POST|PUT|PATCH|DELETE|HEAD) (\/\S*) HTTP\/[\d.]+$/,
  /^(?:GET|POST|PUT|PATCH|DELETE|HEAD) https?:\/\/[^/\s]+(\/\S*)$/,
] as const

const MAX_HEADERS = 200
const MAX_BODY = 1 << 20
/** Lines between headers and body that tell nothing. */
const MAX_BETWEEN = 5

export class HttpAnswer {
  readonly line: number
  readonly time: string | null
  private readonly first: string
  private readonly form: Form
  private readonly code: number
  private readonly requestPath: string | null
  private readonly headers: [string, string][] = []
  private body: string | null = null
  private part: 'status' | 'headers' | 'between' | 'body'
  private between = 0

  private constructor(start: Start, text: string, line: number, requestPath: string | null) {
    this.line = line
    this.time = start.time
    this.first = text
    this.form = start.form
    this.code = start.code
    this.part = start.form === 'lines' ? 'status' : 'headers'
    this.requestPath = start.path ?? requestPath
  }

  /** Begins an answer with a status of 400 or more; null where the line is no such beginning. */
  static start(text: string, line: number, before: () => Iterable<string>): HttpAnswer | null {
    const start = startOf(text)
    return start === null ? null : new HttpAnswer(start, text, line, start.path ?? requestPathIn(before()))
  }

  /**
   * `more`: the line belongs to the answer, which may go on; `done`: it was the last; `other`: it does not belong to it.
   *
   * @param line  without what carried it
   */
  add(line: string): 'more' | 'done' | 'other' {
    if (this.form === 'curl') return this.addOfCurl(line)
    const { message, fields } = readRecord(line)
    return this.form === 'lines' ? this.addOfLines(message) : this.addOfBlock(line, message, fields)
  }

  answer(): Omit<Answer, 'aggregatedApis'> {
    const { code, requestPath, body } = this
    const hasHeaders = this.headers.length > 0
    return { code, requestPath, body, headers: hasHeaders ? answerHeaders(this.headers, true) : null }
  }

  hasHeaders(): boolean {
    return this.headers.length > 0
  }

  excerpt(): string {
    return this.body === null || this.body === '' ? this.first : `${this.first.trim()} … ${this.body.trim()}`
  }

  private addOfLines(line: string): 'more' | 'done' | 'other' {
    if (line === 'Response Headers:') {
      this.part = 'headers'
      return 'more'
    }
    if (line.startsWith('Response Body: ')) {
      this.body = line.slice('Response Body: '.length)
      return 'done'
    }
    const header = this.part === 'headers' && line.startsWith('    ') ? HEADER.exec(line) : null
    if (header && this.headers.length < MAX_HEADERS) return this.addHeader(header)
    const isBetween = /^HTTP (?:Statistics|Trace): /.test(line)
    return isBetween && this.between++ < MAX_BETWEEN ? 'more' : 'other'
  }

  private addOfBlock(line: string, message: string, fields: ReadonlyMap<string, string>): 'more' | 'done' | 'other' {
    if (this.part === 'headers') {
      if (/^ >(?:\s|$)/.test(line)) {
        this.part = 'between'
        return 'more'
      }
      const header = line.startsWith('\t') ? HEADER.exec(line.slice(1)) : null
      return header && this.headers.length < MAX_HEADERS ? this.addHeader(header) : 'other'
    }
    if (this.part === 'body') {
      if (/^ >(?:\s|$)/.test(line)) return 'done'
      this.body = `${this.body ?? ''}${line.replace(/^\t/, '')}\n`
      return this.body.length > MAX_BODY ? 'done' : 'more'
    }
    if (message !== 'Response Body') return 'other'
    const body = fields.get('body')
    if (body !== '<') {
      this.body = body ?? ''
      return 'done'
    }
    this.part = 'body'
    return 'more'
  }

  private addOfCurl(line: string): 'more' | 'done' | 'other' {
    if (this.part === 'headers') {
      // What curl says about the connection may stand between.
      if (line.startsWith('* ')) return 'more'
      if (line === '' || line === '<' || line === '< ') {
        this.part = 'body'
        return 'more'
      }
      const header = HEADER.exec(line)
      return header && this.headers.length < MAX_HEADERS ? this.addHeader(header) : 'other'
    }
    // What curl says about the transfer stands in front of the body.
    if (/^(?:\* |[{}] \[\d+ bytes data\])/.test(line) && this.body === null) return 'more'
    if (STATUS_LINE.test(line)) return 'other'
    if (this.body === null && line === '') return 'done'
    this.body = `${this.body ?? ''}${line}\n`
    return this.isBodyComplete() ? 'done' : 'more'
  }

  private isBodyComplete(): boolean {
    const body = this.body ?? ''
    if (body.length > MAX_BODY) return true
    const length = Number(this.headers.find(([name]) => name.toLowerCase() === 'content-length')?.[1] ?? Number.NaN)
    if (new TextEncoder().encode(body).length >= length) return true
    if (/^\s*[{[]/.test(body)) return parseJson(body) !== undefined
    if (/^\s*</.test(body)) return /<\/html>\s*$/i.test(body)
    return true
  }

  private addHeader([, name = '', value = '']: RegExpExecArray): 'more' {
    this.headers.push([name, value.trim()])
    return 'more'
  }
}

interface Start {
  form: Form
  code: number
  time: string | null
  path: string | null
}

function startOf(text: string): Start | null {
  // Most lines show at once that they are none.
  if (!MAY_START.test(text)) return null
  const { message, fields, time } = readRecord(text)
  const raw = STATUS_LINE.exec(message)
  if (raw) return { form: 'curl', code: Number(raw[1]), time, path: null }
  const status = RESPONSE_STATUS.exec(message)
  if (status) return { form: 'lines', code: Number(status[1]), time, path: null }
  const trip = ROUND_TRIP.exec(message)
  if (trip) return { form: 'lines', code: Number(trip[2]), time, path: pathOf(trip[1]) }
  if (message !== 'Response' || fields.get('headers') !== '<') return null
  const code = /^([45]\d\d) /.exec(fields.get('status') ?? '')?.[1]
  return code === undefined ? null : { form: 'block', code: Number(code), time, path: pathOf(fields.get('url')) }
}

const MAY_START = /HTTP\/[123]|Response|milliseconds/

function requestPathIn(before: Iterable<string>): string | null {
  let count = 0
  for (const line of before) {
    if (++count > REQUEST_REACH) return null
    const { message, fields } = readRecord(line)
    if (message === 'Request' && fields.has('url')) return pathOf(fields.get('url'))
    const path = REQUEST_PATTERNS.map((pattern) => pattern.exec(message)?.[1]).find((each) => each !== undefined)
    if (path !== undefined) return path
    // An earlier answer had another request.
    if (STATUS_LINE.test(message) || message === 'Response' || RESPONSE_STATUS.test(message)) return null
  }
  return null
}

function pathOf(url: string | undefined): string | null {
  return /^https?:\/\/[^/\s]+(\/\S*)/.exec(url ?? '')?.[1] ?? null
}
