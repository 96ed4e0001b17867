/** A running oracle: questions as JSON lines in, answers as JSON lines out. See main.go. */
import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { FlowSchemaJson, PriorityLevelJson } from '../support/objects.ts'
import type { DefaultLists } from './build.ts'

export interface RequestLine {
  user: string
  groups: string[]
  method: string
  url: string
}

/** Go strings are bytes: those that are not UTF-8 come as base64. */
export type GoText = string | { bytes: string }

export interface UpstreamAttributes {
  isResourceRequest: boolean
  path: GoText
  verb: GoText
  apiPrefix: GoText
  apiGroup: GoText
  apiVersion: GoText
  namespace: GoText
  resource: GoText
  subresource: GoText
  name: GoText
  parts: GoText[]
}

/** See `answer` in request.go. */
export interface UpstreamAnswer {
  outcome: 'refused' | 'bypass' | 'classified' | 'panicked'
  status?: number
  attributes?: UpstreamAttributes
  schema?: GoText
  schemaStandIn?: boolean
  level?: GoText
  levelStandIn?: boolean
  distinguisher: GoText
  /** Unsigned decimal number. */
  hash: string
  hand?: number[]
  panic?: string
}

export interface Configuration {
  flowSchemas: FlowSchemaJson[]
  priorityLevels: PriorityLevelJson[]
}

export interface Classification {
  /** Names of the levels in force. */
  levels: GoText[]
  answers: UpstreamAnswer[]
}

/** What levels want between two borrowing rounds, one step after the other. */
export type BorrowingPeriod = { nanoseconds: number; seats: Record<string, number> }[]

/** Upstream's metrics after the digestion of the configuration or after a borrowing round. */
export interface UpstreamRound {
  fairFraction: number
  levels: Record<string, UpstreamLevel>
}

export interface UpstreamLevel {
  nominal: number
  lower: number
  upper: number
  current: number
  highWatermark: number
  average: number
  deviation: number
  smoothed: number
  target: number
  /** 0 for none. */
  maxSeats: number
}

interface Reply {
  id: number
  error?: string
  levels?: GoText[]
  answers?: UpstreamAnswer[]
  objects?: DefaultLists
  nanoseconds?: number
  rounds?: UpstreamRound[]
}

export class Oracle {
  readonly #child: ChildProcess
  readonly #waiting = new Map<number, { resolve: (reply: Reply) => void; reject: (error: Error) => void }>()
  #questions = 0
  #failure: Error | null = null
  #lastWords = ''

  constructor(program: string) {
    this.#child = spawn(program, { stdio: ['pipe', 'pipe', 'pipe'] })
    this.#child.on('error', (error) => this.#fail(error))
    this.#child.on('close', () => this.#fail(new Error(`the oracle has ended: ${this.#lastWords}`)))
    this.#child.stdin?.on('error', () => {})
    this.#child.stderr?.on('data', (chunk) => {
      this.#lastWords = (this.#lastWords + chunk).slice(0, 4000)
    })
    if (this.#child.stdout) createInterface({ input: this.#child.stdout }).on('line', (line) => this.#receive(line))
  }

  /** Runs upstream's controller over the objects and asks it about every request. */
  async classify(configuration: Configuration, requests: readonly RequestLine[]): Promise<Classification> {
    const { levels = [], answers = [] } = await this.#ask({ kind: 'classify', ...configuration, requests })
    return { levels, answers }
  }

  /** The default objects of the release that the oracle is built on. */
  async defaultObjects(): Promise<DefaultLists> {
    const { objects } = await this.#ask({ kind: 'bootstrap' })
    if (!objects) throw new Error('the oracle has no default objects')
    return objects
  }

  /** Runs upstream's controller over the levels. @returns one round after the digestion, and one after each period */
  async limits(
    serverSeats: number,
    priorityLevels: readonly PriorityLevelJson[],
    periods: readonly BorrowingPeriod[],
  ): Promise<UpstreamRound[]> {
    return (await this.#ask({ kind: 'limits', serverSeats, priorityLevels, periods })).rounds ?? []
  }

  /** Keeps schemas, in the order in which to try them, and requests for `benchRound`. */
  async benchLoad(flowSchemas: readonly FlowSchemaJson[], requests: readonly RequestLine[]): Promise<void> {
    await this.#ask({ kind: 'benchLoad', flowSchemas, requests })
  }

  /** Matches all loaded requests `passes` times. @returns nanoseconds a request */
  async benchRound(passes: number): Promise<number> {
    return (await this.#ask({ kind: 'benchRound', passes })).nanoseconds ?? 0
  }

  close(): void {
    this.#child.stdin?.end()
  }

  #ask(question: object): Promise<Reply> {
    if (this.#failure) return Promise.reject(this.#failure)
    const id = ++this.#questions
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
      this.#child.stdin?.write(`${JSON.stringify({ id, ...question })}\n`)
    })
  }

  #receive(line: string): void {
    const reply: Reply = JSON.parse(line)
    const asker = this.#waiting.get(reply.id)
    this.#waiting.delete(reply.id)
    if (reply.error) asker?.reject(new Error(`the oracle cannot answer: ${reply.error}`))
    else asker?.resolve(reply)
  }

  #fail(error: Error): void {
    this.#failure = error
    for (const asker of this.#waiting.values()) asker.reject(error)
    this.#waiting.clear()
  }
}

/** The string that the project holds for a Go string: a byte b outside of UTF-8 is U+DC00 + b. */
export function textOf(value: GoText): string {
  if (typeof value === 'string') return value
  const bytes = Buffer.from(value.bytes, 'base64')
  let text = ''
  for (let at = 0; at < bytes.length; ) {
    const length = sequenceLength(bytes, at)
    if (length === 0) text += String.fromCharCode(0xdc00 + (bytes[at] ?? 0))
    else text += bytes.toString('utf8', at, at + length)
    at += length || 1
  }
  return text
}

/** Length of the UTF-8 sequence at an offset, 0 if there is none. */
function sequenceLength(bytes: Buffer, at: number): number {
  for (let length = 1; length <= 4 && at + length <= bytes.length; length++) {
    const candidate = bytes.subarray(at, at + length)
    const text = candidate.toString('utf8')
    if (Buffer.from(text, 'utf8').equals(candidate)) return length
  }
  return 0
}
