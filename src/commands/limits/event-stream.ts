/** Writes of events, read from Event objects or from lines of an audit log. */
import { createReadStream } from 'node:fs'
import { CliError, EXIT } from '../../cli/errors.ts'
import type { Io } from '../../cli/io.ts'
import type { EventWrite, LimitType } from '../../limiters/event-rate-limit.ts'
import { isObject, parseJson } from '../../limiters/plain-data.ts'
import { unreadable } from '../../sources/input.ts'
import { MAX_LINE_BYTES, readLines } from '../../sources/lines.ts'
import { readSettings } from './read.ts'

/** A write with what there is to say of it. */
export interface ReadWrite {
  /** `at` is nanoseconds since the first of the writes: Unix time in nanoseconds is no exact number here. */
  write: EventWrite
  /** Microseconds of Unix time. */
  time: number
  /** Null: it is not known who wrote it. */
  user: string | null
  /** What it is about: `Pod/web-1`. */
  object: string
}

export interface EventStream {
  writes: ReadWrite[]
  /** Entries that never reach the plugin, by reason. */
  left: Map<string, number>
  /** What was assumed where the input does not say, with the only type of limits that it matters to; null: to all. */
  assumptions: { text: string; type: LimitType | null }[]
  /** Lines that could not be read. */
  malformed: number
}

/**
 * Reads them all, in the order of time.
 * @throws CliError (exit 2) where nothing can be read
 */
export async function readEventStream(path: string, io: Io): Promise<EventStream> {
  const reader = new EventReader()
  const isLines = path === '-' ? await readStdin(io, reader) : await readAsLines(path, reader)
  if (!isLines) {
    const { documents } = await readSettings(path, io)
    for (const { value } of documents) reader.add(value)
  }
  const stream = reader.result()
  if (stream.writes.length === 0 && stream.left.size === 0) {
    throw new CliError({
      exitCode: EXIT.usage,
      what: `${path} has no event in it`,
      why: 'Event objects of v1, lists of them, or audit events were expected',
      next: 'kubectl get events -A -o json, or the audit log of the API server',
    })
  }
  return stream
}

/** Reads a file of JSON lines in constant memory; false, and nothing read, if its first line is no JSON value. */
async function readAsLines(path: string, reader: EventReader): Promise<boolean> {
  if (/\.(?:ya?ml)$/.test(path)) return false
  try {
    return await readJsonLines(createReadStream(path, { highWaterMark: 1 << 18 }), reader)
  } catch (error) {
    const { message, fix } = unreadable(path, error)
    throw new CliError({
      exitCode: EXIT.usage,
      what: `${path}: ${message}`,
      ...(fix === undefined ? {} : { next: fix }),
    })
  }
}

const NEWLINE = 10

/** Standard input as lines or as documents, which its first line tells: it can be read only once. */
async function readStdin(io: Io, reader: EventReader): Promise<boolean> {
  const chunks = io.stdin[Symbol.asyncIterator]()
  const seen: Uint8Array[] = []
  let size = 0
  for (let next = await chunks.next(); !next.done; next = await chunks.next()) {
    seen.push(next.value)
    size += next.value.length
    if (size > MAX_LINE_BYTES || (next.value.includes(NEWLINE) && /\S.*\n/.test(Buffer.concat(seen).toString()))) break
  }
  const whole = async function* () {
    yield* seen
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value
  }
  const [line = ''] = /\S.*/.exec(Buffer.concat(seen).toString()) ?? []
  if (line.length <= MAX_LINE_BYTES && parseJson(line) !== undefined) return readJsonLines(whole(), reader)
  const { documents } = await readSettings('-', { ...io, stdin: whole() })
  for (const { value } of documents) reader.add(value)
  return true
}

/** @returns false, and nothing read, if the first line is no JSON value */
async function readJsonLines(chunks: AsyncIterable<Uint8Array>, reader: EventReader): Promise<boolean> {
  let first = true
  for await (const lines of readLines(chunks)) {
    for (const { text, problem } of lines) {
      const value = problem === null ? parseJson(text) : undefined
      if (value === undefined && first) return false
      first = false
      if (value === undefined) reader.malformed()
      else reader.add(value)
    }
  }
  return true
}

type Json = Record<string, unknown>

/** Repetitions of Event objects that are played: a count may be any number, and each takes memory. */
const MOST_REPETITIONS = 200_000

class EventReader {
  readonly #writes: ReadWrite[] = []
  readonly #left = new Map<string, number>()
  readonly #assumptions = new Map<string, LimitType | null>()
  /** Audit events of one request come in stages. */
  readonly #seen = new Set<string>()
  #malformed = 0
  #repetitions = MOST_REPETITIONS

  malformed(): void {
    this.#malformed += 1
  }

  add(value: unknown): void {
    if (Array.isArray(value)) for (const item of value) this.add(item)
    if (!isObject(value)) return
    const group = text(value, 'apiVersion')
    const items = value['items']
    if (Array.isArray(items)) for (const item of items) this.add(withKind(item, value))
    else if (group.startsWith('audit.k8s.io/')) this.#addAudit(value)
    else if (text(value, 'kind') === 'Event') this.#addObject(value, group.startsWith('events.k8s.io/'))
  }

  result(): EventStream {
    const writes = this.#writes.sort((a, b) => a.time - b.time)
    const start = writes[0]?.time ?? 0
    for (const { write, time } of writes) write.at = (time - start) * 1000
    return {
      writes,
      left: this.#left,
      assumptions: [...this.#assumptions].map(([text, type]) => ({ text, type })),
      malformed: this.#malformed,
    }
  }

  #leave(why: string, count = 1): void {
    this.#left.set(why, (this.#left.get(why) ?? 0) + count)
  }

  /** An object stands for as many writes as it counts: it was created once, and patched since. */
  #addObject(object: Json, isOfNewApi: boolean): void {
    const metadata = part(object, 'metadata')
    const series = part(object, 'series')
    const first =
      timeOf(object, ['firstTimestamp', 'eventTime', 'deprecatedFirstTimestamp']) ??
      timeOf(metadata, ['creationTimestamp'])
    const last =
      timeOf(series, ['lastObservedTime']) ?? timeOf(object, ['lastTimestamp', 'deprecatedLastTimestamp']) ?? first
    if (first === null || last === null) {
      this.#leave('an Event without any time')
      return
    }
    const source = isObject(object['source']) ? part(object, 'source') : part(object, 'deprecatedSource')
    const involved = isObject(object['involvedObject']) ? part(object, 'involvedObject') : part(object, 'regarding')
    const count = Math.max(
      1,
      Math.trunc(number(series, 'count') ?? number(object, 'count') ?? number(object, 'deprecatedCount') ?? 1),
    )
    const played = 1 + Math.min(count - 1, this.#repetitions)
    this.#repetitions -= played - 1
    if (played < count)
      this.#leave(`repetitions beyond the first ${MOST_REPETITIONS.toLocaleString('en')}`, count - played)
    // The newer API leaves the older source empty; what is stored does not tell through which API it was written.
    const hasNoSource = text(source, 'component') === '' && text(object, 'reportingComponent') !== ''
    if (hasNoSource) {
      this.#assumptions.set('events with a reportingComponent and no source were written through events.k8s.io', null)
    }
    const isNewApi = isOfNewApi || hasNoSource
    if (count > 1)
      this.#assumptions.set('repeated events were written at even intervals between their first and last time', null)
    const user = guessedUser(source)
    if (!isNewApi) this.#assumptions.set('objects do not say who wrote them: the source stands for the user', 'User')
    const write: Omit<EventWrite, 'at' | 'operation'> = {
      group: isNewApi ? 'events.k8s.io' : '',
      kind: 'Event',
      dryRun: false,
      namespace: text(metadata, 'namespace'),
      user,
      source: sourceOf(source),
      involvedObject: involvedOf(involved),
    }
    for (let index = 0; index < played; index++) {
      const time = Math.round(first + ((last - first) * index) / Math.max(1, count - 1))
      this.#push(null, time, { ...write, at: 0, operation: index === 0 ? 'CREATE' : 'UPDATE' })
    }
  }

  #addAudit(event: Json): void {
    const reference = part(event, 'objectRef')
    if (text(reference, 'resource') !== 'events' || text(reference, 'subresource') !== '') return
    const verb = text(event, 'verb')
    if (!['create', 'update', 'patch', 'delete', 'deletecollection'].includes(verb)) return
    const stage = text(event, 'stage')
    if (stage !== '' && stage !== 'ResponseComplete') return
    const id = text(event, 'auditID')
    if (id !== '' && this.#seen.has(id)) return
    this.#seen.add(id)
    const at = timeOf(event, ['requestReceivedTimestamp', 'stageTimestamp'])
    const unreached = this.#unreached(event) ?? (at === null ? 'an audit event without a time' : null)
    if (at === null || unreached !== null) {
      if (unreached !== null) this.#leave(unreached)
      return
    }
    const user = text(part(event, 'impersonatedUser'), 'username') || text(part(event, 'user'), 'username')
    const sent = part(event, 'requestObject')
    const involved = part(sent, 'involvedObject')
    if (text(reference, 'apiGroup') === '' && text(involved, 'kind') === '') {
      this.#assumptions.set(
        'lines without a requestObject tell no source and object: the name of the event stands for them',
        'SourceAndObject',
      )
    }
    this.#push(user, at, {
      at: 0,
      group: text(reference, 'apiGroup'),
      kind: 'Event',
      operation: verb === 'create' ? 'CREATE' : verb === 'delete' || verb === 'deletecollection' ? 'DELETE' : 'UPDATE',
      dryRun: /[?&]dryRun=/.test(text(event, 'requestURI')),
      namespace: text(reference, 'namespace'),
      user,
      source: sourceOf(part(sent, 'source')),
      involvedObject:
        text(involved, 'kind') === ''
          ? { ...NOTHING, name: objectName(text(reference, 'name')) }
          : involvedOf(involved),
    })
  }

  /** Why a request did not come as far as to the plugin. */
  #unreached(event: Json): string | null {
    const status = part(event, 'responseStatus')
    const code = number(status, 'code') ?? 0
    const decision = text(part(event, 'annotations'), 'authorization.k8s.io/decision')
    if (code === 401 || code === 403 || decision === 'forbid') return `refused before, with ${code}`
    if (code === 400 || code === 422) return `invalid, refused with ${code}`
    if (code === 404) return 'of an event or namespace that is not there, refused with 404'
    if (code === 429 && decision === '') return 'refused by APF or MaxInFlight, with 429'
    return null
  }

  #push(user: string | null, time: number, write: EventWrite): void {
    const { kind, name } = write.involvedObject
    this.#writes.push({ write, time, user, object: kind === '' ? name || '?' : `${kind}/${name}` })
  }
}

const NOTHING = { kind: '', namespace: '', name: '', uid: '', apiVersion: '' }

/** A list of v1 leaves out the kind of its items. */
function withKind(item: unknown, list: Json): unknown {
  if (!isObject(item) || text(item, 'kind') !== '') return item
  const kind = text(list, 'kind').replace(/List$/, '') || 'Event'
  return { apiVersion: list['apiVersion'], ...item, kind }
}

/** The name of an event is that of its object with a number behind it. */
function objectName(event: string): string {
  return event.replace(/\.[0-9a-f]{12,}$/, '')
}

/** kubelets have users by name of their node; of all others the component has to do. */
function guessedUser(source: Json): string {
  const component = text(source, 'component')
  const host = text(source, 'host')
  return component === 'kubelet' && host !== '' ? `system:node:${host}` : component
}

function sourceOf(source: Json): EventWrite['source'] {
  return { component: text(source, 'component'), host: text(source, 'host') }
}

function involvedOf(object: Json): EventWrite['involvedObject'] {
  return {
    kind: text(object, 'kind'),
    namespace: text(object, 'namespace'),
    name: text(object, 'name'),
    uid: text(object, 'uid'),
    apiVersion: text(object, 'apiVersion'),
  }
}

/** Microseconds of Unix time, of the first of the fields that has one. */
function timeOf(object: Json, names: readonly string[]): number | null {
  for (const name of names) {
    const written = text(object, name)
    const time = Date.parse(written)
    // A Date has milliseconds alone.
    const [, micros = ''] = /\.\d{3}(\d{1,3})/.exec(written) ?? []
    if (!Number.isNaN(time)) return time * 1000 + Number(micros.padEnd(3, '0'))
  }
  return null
}

function part(object: Json, name: string): Json {
  const value = object[name]
  return isObject(value) ? value : {}
}

function text(object: Json, name: string): string {
  const value = object[name]
  return typeof value === 'string' ? value : ''
}

function number(object: Json, name: string): number | null {
  const value = object[name]
  return typeof value === 'number' ? value : null
}
