/**
 * One line of a log, taken out of whatever wraps it: terminal colours, container runtimes, the journal, other loggers. The
 * same message reads the same whether klog wrote it as text, structured or as JSON, or another logger repeated it.
 */
import { isObject, parseJson } from '../plain-data.ts'
import { GO_STRING, keyValues, unquote } from './go-text.ts'

export interface LogRecord {
  /** The innermost message, without quotes, escapes and the logger's header. */
  message: string
  /** What stands beside it, unescaped; nested objects as their JSON. */
  fields: ReadonlyMap<string, string>
  /** First letter of the level, as klog has it. */
  severity: string | null
  /** As written: klog's has neither year nor zone. */
  time: string | null
  /** Who wrote it: the pod, or the unit and host, as what carried the record tells. */
  origin: string | null
  /** Process id in klog's header. */
  process: string | null
  format: 'text' | 'json'
  /** The logger that repeats a message of another. */
  wrapped: 'logrus' | null
  /** A JSON object that is no record of a logger; then the message is the whole line. */
  document: unknown
}

/** Records are wrapped in records: a journal has a container's output, which has a logger's JSON, which has klog's line. */
const MAX_DEPTH = 6

const TERMINAL = /\x1b(?:\[[0-9;?:]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])/g
const CONTAINER = /^(\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d)) (?:stdout|stderr) [PF] /
const STAMPED = /^(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?)[ \t]+/
/** `kubectl logs --timestamps`; behind its one blank the line may be indented. */
const TIMESTAMPS = /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d) /
const POD_PREFIX = /^\[(?:pod\/)?([^\]\s/]+\/[^\]\s]+)\] /
/** `Nov 30 14:47:25 node1 kubelet[15026]: ` of the journal and of syslog. */
const SYSLOG = /^[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d (\S+) ([^\s[:]+)(?:\[\d+\])?: /
const KLOG = /(?:^|[\s|])([IWEF])(\d\d)(\d\d) (\d\d:\d\d:\d\d\.\d{1,9})\s+(\d+) [^\s\]]+:\d+\] ?/
/** A header stands near the start; deeper it belongs to a text that is quoted. */
const HEADER_REACH = 200

/** Reads a line of any log; what is of no known form is a message without fields. */
export function readRecord(line: string): LogRecord {
  return read(line.includes('\x1b') ? line.replace(TERMINAL, '') : line, 0)
}

/**
 * The line without its end of Windows, its colours, and what carried it: a container runtime, the journal, syslog, kubectl.
 * The lines of a text over many lines come so, each by itself.
 */
export function unwrapped(line: string, depth = 0): string {
  const plainText = withoutReturn(line.includes('\x1b') ? line.replace(TERMINAL, '') : line)
  if (depth > MAX_DEPTH) return plainText
  const prefix = [CONTAINER, POD_PREFIX, SYSLOG, TIMESTAMPS].map((each) => each.exec(plainText)).find((each) => each)
  if (prefix) return unwrapped(plainText.slice(prefix[0].length), depth + 1)
  const carried = CARRIER.test(plainText) ? carriedBy(parseJson(plainText)) : null
  return carried === null ? plainText : unwrapped(carried, depth + 1)
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line
}

const CARRIER = /^\{.*"(?:log|MESSAGE)"\s*:/s

/** The line of a program in a record of Docker, of a collector or of the journal; null for anything else. */
function carriedBy(value: unknown): string | null {
  if (!isObject(value)) return null
  const { log, MESSAGE: message } = value
  const text = typeof log === 'string' ? log : message
  return typeof text === 'string' || isBytes(text) ? messageText(text).replace(/\n$/, '') : null
}

function read(text: string, depth: number): LogRecord {
  const line = withoutReturn(text)
  const base = plain(line)
  if (depth > MAX_DEPTH) return base
  const runtime = CONTAINER.exec(line)
  if (runtime) return timed(read(line.slice(runtime[0].length), depth + 1), runtime[1])
  if (line.startsWith('{')) {
    const value = parseJson(line)
    if (isObject(value)) return fromJson(value, base, depth)
  }
  const pod = POD_PREFIX.exec(line)
  if (pod) return from(read(line.slice(pod[0].length), depth + 1), pod[1])
  const unit = SYSLOG.exec(line)
  if (unit) return from(read(line.slice(unit[0].length), depth + 1), `${unit[2]} on ${unit[1]}`)
  const stamp = STAMPED.exec(line)
  if (stamp) return timed(read(line.slice(stamp[0].length), depth + 1), stamp[1])
  const header = KLOG.exec(line.slice(0, HEADER_REACH))
  if (header) {
    const [all, severity = '', month, day, clock, process = ''] = header
    const rest = line.slice(header.index + all.length)
    return { ...fromText(rest, depth), severity, time: `${month}-${day} ${clock}`, process }
  }
  return fromText(line, depth)
}

function plain(message: string): LogRecord {
  return {
    message,
    fields: NO_FIELDS,
    severity: null,
    time: null,
    origin: null,
    process: null,
    format: 'text',
    wrapped: null,
    document: undefined,
  }
}

const NO_FIELDS: ReadonlyMap<string, string> = new Map()

function timed(record: LogRecord, time: string | undefined): LogRecord {
  return record.time === null && time !== undefined ? { ...record, time } : record
}

function from(record: LogRecord, origin: string | null | undefined): LogRecord {
  return record.origin === null && origin ? { ...record, origin } : record
}

/** `"message" key="value"`, `level=info msg="…" key=value`, or words. */
function fromText(text: string, depth: number): LogRecord {
  const quoted = text.startsWith('"') ? GO_STRING.exec(text) : null
  if (quoted) {
    return { ...plain(unquote(quoted[0])), fields: keyValues(text.slice(quoted[0].length)) }
  }
  const msg = MESSAGE_KEY.exec(text)
  if (msg) {
    const fields = keyValues(text)
    const level = fields.get('level')
    const inner = read(fields.get('msg') ?? '', depth + 1)
    const repeated = inner.fields.size > 0 || REPEATED.test(inner.message)
    return {
      ...inner,
      fields: inner.fields.size > 0 ? inner.fields : fields,
      severity: inner.severity ?? severityOf(level),
      time: fields.get('time') ?? fields.get('ts') ?? inner.time,
      wrapped: repeated ? 'logrus' : null,
    }
  }
  return (text.includes('\t') ? fromConsole(text, depth) : null) ?? plain(text)
}

/** `INFO<tab>logger<tab>message<tab>{"key": "value"}` of zap's encoder for people; null for other texts with tabs. */
function fromConsole(text: string, depth: number): LogRecord | null {
  const columns = text.split('\t')
  const level = columns.slice(0, 2).find((column) => LEVEL_WORD.test(column))
  const value = text.endsWith('}') ? parseJson(columns.at(-1) ?? '') : undefined
  const fields = isObject(value) ? fieldsOf(value) : NO_FIELDS
  if (level === undefined && !isObject(value)) return null
  if (isObject(value)) columns.pop()
  const inner = read(columns.at(-1) ?? '', depth + 1)
  return {
    ...inner,
    fields: inner.fields.size > 0 ? inner.fields : fields,
    severity: inner.severity ?? severityOf(level),
  }
}

const LEVEL_WORD = /^(?:DEBUG|INFO|WARN|ERROR|DPANIC|PANIC|FATAL)$/i

const MESSAGE_KEY = /(?:^|\s)msg=/
/** klog's own sentences, which other loggers repeat with its output. */
const REPEATED = /^(?:Waited for |Throttling request took )/

/** Where loggers, runtimes and the journal keep a message. */
const MESSAGE_KEYS = ['MESSAGE', 'msg', 'message', 'log', 'textPayload'] as const
const TIME_KEYS = ['time', 'ts', 'timestamp', '@timestamp', '__REALTIME_TIMESTAMP'] as const
const LEVEL_KEYS = ['level', 'severity', 'lvl'] as const

/** Where collectors of logs keep a record that they have parsed. */
const RECORD_KEYS = ['jsonPayload', 'log', 'log_processed', 'parsed'] as const

function fromJson(value: Record<string, unknown>, base: LogRecord, depth: number): LogRecord {
  const record = RECORD_KEYS.map((name) => value[name]).find(isObject)
  if (record !== undefined && MESSAGE_KEYS.some((name) => typeof record[name] === 'string')) {
    const inner = read(JSON.stringify(record), depth + 1)
    return { ...inner, time: inner.time ?? timeOf(value), origin: inner.origin ?? originOf(value) }
  }
  const key = MESSAGE_KEYS.find((name) => typeof value[name] === 'string' || isBytes(value[name]))
  if (key === undefined || isApiObject(value)) return { ...base, format: 'json', document: value }
  const text = messageText(value[key]).replace(/\n$/, '')
  const inner = read(text.includes('\x1b') ? text.replace(TERMINAL, '') : text, depth + 1)
  const level = LEVEL_KEYS.map((name) => value[name]).find((each) => typeof each === 'string')
  const isTransport = key === 'MESSAGE' || key === 'log'
  return {
    ...inner,
    fields: inner.fields.size > 0 || isTransport ? inner.fields : fieldsOf(value),
    severity: inner.severity ?? severityOf(level),
    time: inner.time ?? timeOf(value),
    origin: inner.origin ?? originOf(value),
    format: isTransport ? inner.format : 'json',
  }
}

/** The journal's unit and host, or the pod that collectors of logs name. */
function originOf(value: Record<string, unknown>): string | null {
  const { kubernetes, SYSLOG_IDENTIFIER: unit, _HOSTNAME: host } = value
  if (isObject(kubernetes) && typeof kubernetes['pod_name'] === 'string') {
    return [kubernetes['namespace_name'], kubernetes['pod_name']].filter(Boolean).join('/')
  }
  if (typeof unit !== 'string') return null
  return typeof host === 'string' ? `${unit} on ${host}` : unit
}

/** Objects of the API have a message of their own, or parts that do. */
function isApiObject(value: Record<string, unknown>): boolean {
  return (
    value['auditID'] !== undefined ||
    (typeof value['kind'] === 'string' && (value['apiVersion'] !== undefined || value['kind'] === 'Status')) ||
    (value['status'] === 'Failure' && value['metadata'] !== undefined)
  )
}

/** The journal has a message that is not UTF-8 as an array of bytes. */
function isBytes(value: unknown): value is number[] {
  return Array.isArray(value) && value.length > 0 && value.every((byte) => typeof byte === 'number')
}

function messageText(value: unknown): string {
  if (typeof value === 'string') return value
  return isBytes(value) ? new TextDecoder().decode(Uint8Array.from(value)) : ''
}

/** Nested objects beyond this are no fields that tell anything. */
const MAX_NESTED = 4096

function fieldsOf(value: Record<string, unknown>): Map<string, string> {
  const fields = new Map<string, string>()
  for (const [name, each] of Object.entries(value)) {
    if (typeof each === 'string') fields.set(name, each)
    else if (typeof each === 'number' || typeof each === 'boolean') fields.set(name, String(each))
    else if (isObject(each)) fields.set(name, JSON.stringify(each).slice(0, MAX_NESTED))
  }
  return fields
}

function severityOf(level: unknown): string | null {
  if (typeof level !== 'string' || level === '') return null
  const letter = level[0]?.toUpperCase() ?? ''
  return 'DIWEF'.includes(letter) ? letter : null
}

function timeOf(value: Record<string, unknown>): string | null {
  return timeText(TIME_KEYS.map((name) => value[name]).find((each) => each !== undefined))
}

function timeText(time: unknown): string | null {
  if (typeof time === 'string' && !/^\d+$/.test(time)) return time
  const number = Number(time)
  if (time === undefined || !Number.isFinite(number) || number <= 0) return null
  // Seconds, milliseconds or microseconds since 1970: the sizes are far apart.
  const milliseconds = number > 1e14 ? number / 1e3 : number > 1e11 ? number : number * 1e3
  const date = new Date(milliseconds)
  return Number.isNaN(date.getTime()) ? null : date.toISOString()
}

/** Whether a record has a message, by itself or behind the names of loggers, as klogr writes them: `manager: message`. */
export function hasMessage({ message }: LogRecord, text: string): boolean {
  return message.endsWith(text) && /^(?:[^\s:]+: )?$/.test(message.slice(0, -text.length))
}

/** Everything in a record that may hold a sentence: its message and the values beside it. */
export function textsOf(record: LogRecord): string[] {
  return [record.message, ...record.fields.values()]
}

/** The first match of a pattern in any text of a record. */
export function findIn(record: LogRecord, pattern: RegExp): RegExpExecArray | null {
  for (const text of textsOf(record)) {
    const match = pattern.exec(text)
    if (match) return match
  }
  return null
}
