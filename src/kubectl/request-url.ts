/** Requests given as URLs, copied from wherever one finds them. */
import type { RequestAttributes } from '../apf/request.ts'
import { isRefused, requestInfo } from '../apf/request-info.ts'
import { cut } from '../apf/text.ts'
import type { ArgumentProblem, Note } from './note.ts'
import type { PlannedRequests } from './planned-request.ts'
import { methodOfApiVerb } from './verbs.ts'

/**
 * Reads a path, a whole URL, or a log line that holds one with its method: kubectl's and client-go's (`GET https://…`,
 * `verb="GET" url="…"`), the API server's (`verb="LIST" URI="…"`), an audit event, or a request line (`GET /api HTTP/1.1`).
 * Quotes around it are not part of it; a host without a scheme gets one, which is said.
 *
 * @param method  undefined where the user gave none: that of the log line, otherwise GET
 */
export function requestFromUrl(text: string, method: string | undefined): PlannedRequests | ArgumentProblem {
  const found = urlInLogLine(text) ?? { url: bareUrl(text), method: undefined }
  const usedMethod = method ?? found.method ?? 'GET'
  const { url, notes } = withScheme(found.url, usedMethod)
  const info = requestInfo(usedMethod, url)
  if (isRefused(info)) {
    return { problem: info.refused, fix: 'give a path such as /api/v1/pods, or a whole URL', refused: info }
  }
  return {
    requests: [{ attributes: info, query: cut(url, '?')[1], purpose: 'as typed', primary: true }],
    notes: [...notes, ...prefixNotes(info)],
  }
}

const METHOD_THEN_URL = /\b(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)[ :]+((?:https?:\/\/|\/)[^\s"']+|\/)/
const VERB_FIELD = /\bverb=?"(?:: ?")?([A-Za-z]+)"/
const URL_FIELD = /\b(?:url|URI|requestURI)=?"(?:: ?")?([^"]+)"/

function urlInLogLine(text: string): { url: string; method: string | undefined } | undefined {
  const [, method, url] = METHOD_THEN_URL.exec(text) ?? []
  if (method !== undefined && url !== undefined) return { url, method }
  const [, field] = URL_FIELD.exec(text) ?? []
  if (field === undefined) return undefined
  const [, verb] = VERB_FIELD.exec(text) ?? []
  return { url: withoutJsonEscapes(field), method: verb === undefined ? undefined : methodOfApiVerb(verb) }
}

/** The audit log writes `&` as `\u0026`. */
function withoutJsonEscapes(text: string): string {
  return text.replace(/\\u([0-9a-fA-F]{4})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}

/** Without quotes around it, and without the protocol of a request line behind it. */
function bareUrl(text: string): string {
  const [, , quoted] = /^(["'`])(.*)\1$/s.exec(text.trim()) ?? []
  return (quoted ?? text).trim().replace(/\s+HTTP\/\d(?:\.\d)?$/, '')
}

/** `localhost:8001/api`, `10.0.0.1:6443/api`, `[::1]:6443/api`, `kubernetes.default.svc/api` */
const HOST_THEN_PATH = /^(?:[\w-]+(?:\.[\w-]+)*:\d+|[\w-]+(?:\.[\w-]+)+|\[[\da-f:.]+\](?::\d+)?)\//i

/** To the server `localhost:` would be a scheme with no path behind it, which nobody means who copies an address. */
function withScheme(url: string, method: string): { url: string; notes: Note[] } {
  if (method === 'CONNECT' || !HOST_THEN_PATH.test(url)) return { url, notes: [] }
  const whole = `https://${url}`
  return { url: whole, notes: [{ code: 'assumed-scheme', message: `taken as ${whole}` }] }
}

/** Proxies in front of API servers hang them under a prefix that the server never sees. */
function prefixNotes(info: RequestAttributes): Note[] {
  if (info.isResourceRequest) return []
  const start = info.path.search(/\/apis?\//)
  if (start <= 0) return []
  return [
    {
      code: 'path-prefix',
      message: `taken with its prefix, as a path that is no resource; if a proxy strips the prefix, the server sees ${info.path.slice(start)}`,
    },
  ]
}
