/**
 * Who wrote an answer: the API server's own limiters say the same sentence, everything that runs behind them may answer
 * 429 as well, and so may everything in front.
 * Source: kubernetes/apiserver pkg/server/filters/{priority-and-fairness,maxinflight,with_retry_after}.go
 */
import { type Attribution, attribution, type FieldValue, withFields } from '../attribution.ts'
import { unattributed } from '../layers/server-429-unattributed.ts'
import { parseJson } from '../plain-data.ts'
import { attributeMessage } from './message.ts'
import { type Aggregation, aggregationOf } from './request-path.ts'
import { type StatusView, statusView } from './status-view.ts'

/** An answer over HTTP, or what is left of it. Null: not known. */
export interface Answer {
  code: number | null
  headers: AnswerHeaders | null
  body: string | null
  /** Of the request, with or without query. */
  requestPath: string | null
  /** `GROUP/VERSION` of the aggregated APIs, where a cluster tells. */
  aggregatedApis: ReadonlySet<string> | null
}

export interface AnswerHeaders {
  /** By lower-case name; a header that came several times has several values, in order. */
  values: ReadonlyMap<string, readonly string[]>
  /** False: some may be missing, so that the absence of one proves nothing. */
  complete: boolean
}

/** Headers from lines or pairs. Values of the headers of APF and the audit id are split: proxies join them with commas. */
export function answerHeaders(pairs: Iterable<readonly [string, string]>, complete: boolean): AnswerHeaders {
  const values = new Map<string, string[]>()
  for (const [name, value] of pairs) {
    const key = name.trim().toLowerCase()
    const parts = JOINED.has(key) ? value.split(',') : [value]
    values.set(key, [...(values.get(key) ?? []), ...parts.map((part) => part.trim())])
  }
  return { values, complete }
}

const FLOW_SCHEMA = 'x-kubernetes-pf-flowschema-uid'
const PRIORITY_LEVEL = 'x-kubernetes-pf-prioritylevel-uid'
const AUDIT_ID = 'audit-id'
const JOINED = new Set([FLOW_SCHEMA, PRIORITY_LEVEL, AUDIT_ID])

const LIMITER_SENTENCE = 'Too many requests, please try again later.'
const SHUTDOWN_SENTENCE = 'The apiserver is shutting down, please try again later.'

/** Finds the layer that wrote an answer; null where the answer shows nothing of throttling. */
export function attributeAnswer(answer: Answer): Attribution | null {
  const body = (answer.body || bodyByHeaders(answer)).replace(/\r?\n$/, '')
  const status = statusView(parseJson(body))
  // What client-go could not read as a Status it keeps as the cause of its own.
  const original = status?.causes.find(({ reason }) => reason === 'UnexpectedServerResponse')?.message
  const found = byText(answer, status, (original ?? body).replace(/\n$/, ''))
  if (found === null) return null
  const causeMessage = original === undefined || original.length > MAX_CAUSE ? undefined : original
  return withFields(found, { ...headerFields(answer, status), causeMessage })
}

/**
 * The sentence of a limiter, where only the headers of its answer are known: an answer to HEAD has no body, and client-go
 * prints none of an answer that it tries again. Nothing else of the API server is a plain text of that length.
 */
function bodyByHeaders(answer: Answer): string {
  if (answer.code !== 429 || !valuesOf(answer, 'content-type')[0]?.startsWith('text/plain')) return ''
  const length = Number(valuesOf(answer, 'content-length')[0])
  return [LIMITER_SENTENCE, SHUTDOWN_SENTENCE].find((sentence) => sentence.length + 1 === length) ?? ''
}

/** A whole page of HTML is no field. */
const MAX_CAUSE = 200

function byText(answer: Answer, status: StatusView | null, text: string): Attribution | null {
  const code = answer.code ?? status?.code ?? (status?.reason === 'TooManyRequests' ? 429 : null)
  const is429 = code === 429 || code === null
  if (is429 && text === LIMITER_SENTENCE) return byLimiter(answer)
  if (is429 && text === SHUTDOWN_SENTENCE) return attribution('server-shutdown', 'retry-after-429', 'certain')
  if (status !== null) {
    const inner = status.causes.length > 0 ? statusView(parseJson(text)) : null
    const found = byMessage(inner ?? status, code) ?? byMessage(status, code)
    if (found) return found
  }
  if (code === 503 && text === 'service unavailable') return attribution('aggregated-api', 'unavailable', 'high')
  if (code !== 429 && code !== 503) return null
  if (isForeign(answer, text)) return attribution('external-proxy', 'html-429', 'high')
  if (code === 503) return null
  if (provesBackend(answer)) return attribution('aggregated-api', 'backend-429', 'high')
  return unattributed({ message: status?.message || undefined, code })
}

function byMessage(status: StatusView, code: number | null): Attribution | null {
  return attributeMessage(status.message, { ...status, code })
}

function byLimiter(answer: Answer): Attribution {
  const { headers } = answer
  if (headers === null) return attribution('apf-or-max-inflight', 'too-many-requests', 'low')
  if (provesBackend(answer)) return attribution('aggregated-api', 'backend-429', 'high')
  // MaxInFlight always says 1, and APF only since 1.28 more.
  const isLater = (retryAfterOf(answer) ?? 0) > 1
  if (valuesOf(answer, FLOW_SCHEMA).length > 0) {
    const aggregation: Aggregation = aggregationOf(answer.requestPath, answer.aggregatedApis)
    if (answer.requestPath !== null && aggregation !== 'no') return attribution('apf-or-aggregated', 'ambiguous', 'low')
    return attribution('apf', 'rejected', isLater ? 'certain' : 'high')
  }
  // Somebody on the way removed the headers.
  if (isLater) return attribution('apf', 'rejected', 'high')
  const hasAuditId = valuesOf(answer, AUDIT_ID).length > 0
  if (!headers.complete) return attribution('apf-or-max-inflight', 'too-many-requests', 'low')
  if (!hasAuditId) return attribution('external-proxy', 'html-429', 'high')
  return attribution('max-inflight', 'exceeded', 'high')
}

/** Headers of a backend are added to those of the server in front, and do not replace them. */
function provesBackend(answer: Answer): boolean {
  return valuesOf(answer, FLOW_SCHEMA).length > 1 || valuesOf(answer, AUDIT_ID).length > 1
}

/** API servers never send `Server`, nor HTML, and since 1.22 always an Audit-Id. */
function isForeign({ headers }: Answer, text: string): boolean {
  if (/^\s*<(?:!doctype|html)/i.test(text)) return true
  if (headers === null) return false
  return headers.values.has('server') || (headers.complete && !headers.values.has(AUDIT_ID))
}

function valuesOf({ headers }: Answer, name: string): readonly string[] {
  return headers?.values.get(name) ?? []
}

function retryAfterOf(answer: Answer): number | null {
  const [value] = valuesOf(answer, 'retry-after')
  return value !== undefined && /^\d+$/.test(value) ? Number(value) : null
}

function headerFields(answer: Answer, status: StatusView | null): Record<string, FieldValue | undefined> {
  const schemas = valuesOf(answer, FLOW_SCHEMA)
  const levels = valuesOf(answer, PRIORITY_LEVEL)
  const isKnown = answer.headers?.complete ?? status !== null
  const retryAfterSeconds = retryAfterOf(answer) ?? status?.retryAfterSeconds ?? null
  return {
    code: answer.code ?? status?.code ?? undefined,
    retryAfterSeconds: retryAfterSeconds ?? (isKnown ? null : undefined),
    ...uids('flowSchemaUid', schemas),
    ...uids('priorityLevelUid', levels),
    auditId: valuesOf(answer, AUDIT_ID)[0],
    server: valuesOf(answer, 'server')[0],
    requestPath: answer.requestPath ?? undefined,
  }
}

/** One value under the name, several under its plural. */
function uids(name: string, values: readonly string[]): Record<string, FieldValue> {
  const [first, second] = values
  if (first === undefined) return {}
  return second === undefined ? { [name]: first } : { [`${name}s`]: [...values] }
}
