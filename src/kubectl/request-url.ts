/** Requests given as URLs, copied from wherever one finds them. */
import type { RequestAttributes } from '../apf/request.ts'
import { isRefused, requestInfo } from '../apf/request-info.ts'
import type { ArgumentProblem, Note } from './note.ts'
import type { PlannedRequests } from './planned-request.ts'
import { methodOfApiVerb } from './verbs.ts'

/**
 * Reads a path, a whole URL, or a log line that holds one with its method: kubectl's and client-go's (`GET https://…`,
 * `verb="GET" url="…"`) and the API server's (`verb="LIST" URI="…"`).
 *
 * @param method  undefined where the user gave none: that of the log line, otherwise GET
 */
export function requestFromUrl(text: string, method: string | undefined): PlannedRequests | ArgumentProblem {
  const found = urlInLogLine(text) ?? { url: text.trim(), method: undefined }
  const info = requestInfo(method ?? found.method ?? 'GET', found.url)
  if (isRefused(info)) {
    return { problem: info.refused, fix: 'give a path such as /api/v1/pods, or a whole URL', refused: info }
  }
  return { requests: [{ attributes: info, purpose: 'as typed', primary: true }], notes: prefixNotes(info) }
}

const METHOD_THEN_URL = /\b(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)[ :]+(https?:\/\/[^\s"']+)/
const VERB_FIELD = /\bverb="([A-Za-z]+)"/
const URL_FIELD = /\b(?:url|URI)="([^"]+)"/

function urlInLogLine(text: string): { url: string; method: string | undefined } | undefined {
  const [, method, url] = METHOD_THEN_URL.exec(text) ?? []
  if (method !== undefined && url !== undefined) return { url, method }
  const [, field] = URL_FIELD.exec(text) ?? []
  if (field === undefined) return undefined
  const [, verb] = VERB_FIELD.exec(text) ?? []
  return { url: field, method: verb === undefined ? undefined : methodOfApiVerb(verb) }
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
