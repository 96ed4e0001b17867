/** Attribution of JSON: a Status, audit events, Events, lists of them, and whatever holds one of these as a string. */

import { type Attribution, type Confidence, known, withFields } from '../attribution.ts'
import { unattributed } from '../layers/server-429-unattributed.ts'
import { isObject, parseJson } from '../plain-data.ts'
import { type Answer, answerHeaders, attributeAnswer } from './answer.ts'
import { attributeAuditEvent, isAuditEvent } from './audit-event.ts'
import { unquote } from './go-text.ts'
import { closingOf } from './json-block.ts'
import { attributeRecord } from './line.ts'
import { type LogRecord, readRecord } from './log-record.ts'
import { attributeMessage } from './message.ts'
import { pathOf } from './request-path.ts'
import { statusView } from './status-view.ts'

export interface Found {
  attribution: Attribution
  /** When it happened, as far as the evidence tells. */
  time: string | null
  /** Who wrote it, as far as what carried the evidence tells. */
  origin: string | null
  /** The document by itself, where it came in a list. */
  excerpt?: string
}

/** Objects nest no deeper than this in anything that Kubernetes or a logger writes. */
const MAX_DEPTH = 8
/** Strings of one object that are looked at. */
const MAX_STRINGS = 400

/** Attributes a JSON value; a list gives one finding for each item that shows throttling. */
export function attributeDocument(value: unknown): Found[] {
  if (Array.isArray(value)) return attributeList(value)
  if (!isObject(value)) return []
  if (Array.isArray(value['items'])) return attributeList(value['items'])
  if (isAuditEvent(value)) {
    return found(attributeAuditEvent(value), text(value['requestReceivedTimestamp']) ?? text(value['stageTimestamp']))
  }
  if (statusView(value)) return found(attributeAnswer(answerOf(value)), null)
  if (value['kind'] === 'Event') return attributeEvent(value)
  const archive = value['log']
  if (isObject(archive) && Array.isArray(archive['entries'])) return attributeList(archive['entries'])
  const exchange = exchangeOf(value)
  if (exchange !== null) return found(attributeAnswer(exchange), null)
  // Of an object of the API only its status tells what happened; the rest is what somebody has written into it.
  return attributeParts(
    typeof value['kind'] === 'string' && value['apiVersion'] !== undefined ? value['status'] : value,
  )
}

function attributeList(items: readonly unknown[]): Found[] {
  return items.flatMap((item) => attributeDocument(item).map((each) => ({ excerpt: JSON.stringify(item), ...each })))
}

function found(attribution: Attribution | null, time: string | null): Found[] {
  return attribution === null ? [] : [{ attribution, time, origin: null }]
}

function answerOf(status: Record<string, unknown>) {
  return { code: null, headers: null, body: JSON.stringify(status), requestPath: null, aggregatedApis: null }
}

/** An answer with its headers, alone or beside its request, as programs that record HTTP write them. */
function exchangeOf(value: Record<string, unknown>): Answer | null {
  const response = isObject(value['response']) ? value['response'] : value
  const request = isObject(value['request']) ? value['request'] : value
  const code = [response['status'], response['code'], response['statusCode']].find((each) => typeof each === 'number')
  const headers = headerPairs(response['headers'])
  if (typeof code !== 'number' || headers === null) return null
  const content = isObject(response['content']) ? response['content']['text'] : response['body']
  const url = [request['path'], request['requestPath'], request['url']].find((each) => typeof each === 'string')
  return {
    code,
    headers: answerHeaders(headers, true),
    body: typeof content === 'string' ? content : '',
    requestPath: typeof url === 'string' ? pathOf(url) : null,
    aggregatedApis: null,
  }
}

/** Of an object, of pairs, or of objects with name and value. */
function headerPairs(value: unknown): [string, string][] | null {
  if (isObject(value)) {
    return Object.entries(value).flatMap(([name, each]) =>
      [each].flat().map((one): [string, string] => [name, String(one)]),
    )
  }
  if (!Array.isArray(value)) return null
  return value.flatMap((each): [string, string][] => {
    if (Array.isArray(each)) return [[String(each[0]), String(each[1])]]
    return isObject(each) ? [[String(each['name']), String(each['value'])]] : []
  })
}

/** An Event, of either API, tells its story in words. */
function attributeEvent(event: Record<string, unknown>): Found[] {
  const message = text(event['message']) ?? text(event['note'])
  if (message === null) return []
  const about = [event['involvedObject'], event['regarding']].find(isObject) ?? {}
  const source = isObject(event['source']) ? event['source'] : {}
  const attribution = attributeRecord(readRecord(message))
  if (attribution === null) return []
  const times = [event['lastTimestamp'], event['eventTime'], event['firstTimestamp']]
  const fields = {
    eventReason: text(event['reason']) ?? undefined,
    object: [text(about['kind']), text(about['namespace']), text(about['name'])].filter(Boolean).join('/'),
    host: text(source['host']) ?? text(event['reportingInstance']) ?? undefined,
    count: typeof event['count'] === 'number' ? event['count'] : undefined,
  }
  return found(withFields(attribution, fields), times.map(text).find((time) => time !== null) ?? null)
}

/** What is below an object: documents, and strings that are one, or hold a sentence. */
function attributeParts(value: unknown): Found[] {
  const { documents, strings } = partsOf(value)
  for (const each of documents) {
    const inside = attributeDocument(each)
    if (inside.length > 0) return inside
  }
  for (const each of strings) {
    const nested = /^\s*[{[]/.test(each) ? parseJson(each) : undefined
    const documents = nested === undefined ? [] : attributeDocument(nested)
    if (documents.length > 0) return documents
  }
  for (const each of strings) {
    const attribution = attributeRecord(readRecord(each))
    if (attribution) return found(attribution, null)
  }
  return []
}

interface Parts {
  documents: Record<string, unknown>[]
  strings: string[]
}

function partsOf(value: unknown, found: Parts = { documents: [], strings: [] }, depth = 0): Parts {
  if (found.strings.length >= MAX_STRINGS || depth > MAX_DEPTH) return found
  if (typeof value === 'string') found.strings.push(value)
  else if (isObject(value) && depth > 0 && (statusView(value) || isAuditEvent(value))) found.documents.push(value)
  else if (typeof value === 'object' && value !== null) {
    for (const each of Object.values(value)) partsOf(each, found, depth + 1)
  }
  return found
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}

/** Where a document starts in a line that has other words in front. */
const DOCUMENT_START =
  /\{\s*"(?:kind"\s*:\s*"(?:Status|Event|EventList)"|apiVersion"\s*:\s*"(?:v1|audit\.k8s\.io\/v1|events\.k8s\.io\/v1)"|metadata"\s*:\s*\{\s*\}\s*,\s*"status"\s*:\s*"Failure")/

/** Attributes one line of any kind, or a document that has been put together from lines. */
export function attributeText(line: string, attributeHttpLine: (record: LogRecord) => Attribution | null): Found[] {
  const trimmed = line.trimStart()
  if (trimmed.startsWith('[')) {
    const list = parseJson(trimmed)
    if (Array.isArray(list)) return attributeDocument(list)
  }
  const record = readRecord(line)
  return attributeLogRecord(record, attributeHttpLine).map((each) => ({
    ...each,
    time: each.time ?? record.time,
    origin: record.origin,
  }))
}

function attributeLogRecord(record: LogRecord, attributeHttpLine: (record: LogRecord) => Attribution | null): Found[] {
  if (record.document !== undefined) return attributeDocument(record.document)
  if (record.message === 'HTTP') return found(attributeHttpLine(record), null)
  for (const each of [record.message, ...record.fields.values()]) {
    const inside = attributeInside(each)
    if (inside.length > 0) return inside
  }
  if (/^\s*\{"/.test(record.message)) return found(attributeTruncated(record.message), null)
  return found(attributeRecord(record), null)
}

/** The document in a text, as it stands or as a string in quotes. */
function attributeInside(words: string): Found[] {
  const start = DOCUMENT_START.exec(words)
  if (start) {
    const rest = words.slice(start.index)
    const value = parseJson(rest.slice(0, closingOf(rest)))
    return value === undefined ? found(attributeTruncated(rest), null) : attributeDocument(value)
  }
  const quoted = QUOTED_DOCUMENT.exec(words)
  return quoted ? attributeInside(unquote(quoted[0])) : []
}

/** Up to its closing quote; each unquoting takes one level of backslashes away. */
const QUOTED_DOCUMENT = /\{\\+"(?:kind|apiVersion|metadata)(?:[^"\\]|\\.)*/s

const MESSAGE = /"message"\s*:\s*"((?:[^"\\]|\\.)*)"/g
const CODE = /"code"\s*:\s*(\d{3})\b/

/** A document whose end is missing: what it still says, one step less sure. */
export function attributeTruncated(text: string): Attribution | null {
  const code = CODE.exec(text)?.[1]
  const status = { code: code === undefined ? null : Number(code) }
  for (const [, message = ''] of text.matchAll(MESSAGE)) {
    const attribution = attributeMessage(unquote(message), status)
    if (attribution) return { ...attribution, confidence: lessSure(attribution.confidence) }
  }
  const record = readRecord(text.replace(/\\"/g, '"'))
  const bySentence = record.document === undefined ? attributeRecord({ ...record, fields: new Map() }) : null
  if (bySentence) return { ...bySentence, confidence: lessSure(bySentence.confidence) }
  return /"responseStatus"/.test(text) && status.code === 429 ? unattributed(known({ code: 429 })) : null
}

function lessSure(confidence: Confidence): Confidence {
  return confidence === 'certain' ? 'high' : confidence
}
