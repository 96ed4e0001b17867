/** What the body of an answer is: JSON of the API, or something else that came in its place. */
import type { Reply } from './exchange.ts'

export type Body =
  | { kind: 'json'; value: Record<string, unknown> }
  /** A login page or the page of a proxy. */
  | { kind: 'html' }
  /** Text that begins as JSON and does not end as such. */
  | { kind: 'truncated' }
  | { kind: 'other' }

export function bodyOf({ body, headers }: Reply): Body {
  const start = body.trimStart()
  if (start.startsWith('<') || headers.values('content-type').some((type) => /html/i.test(type)))
    return { kind: 'html' }
  try {
    const value: unknown = JSON.parse(body)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? { kind: 'json', value: { ...value } } : { kind: 'other' }
  } catch {
    return { kind: start.startsWith('{') ? 'truncated' : 'other' }
  }
}

/** The server's own sentence about a failure, on one line and bounded; '' without. */
export function messageOf(reply: Reply): string {
  const body = bodyOf(reply)
  const text = body.kind === 'json' ? body.value['message'] : body.kind === 'other' ? reply.body : ''
  if (typeof text !== 'string') return ''
  const line = text.replace(/[\x00-\x1f\x7f]+/g, ' ').trim()
  return line.length > 300 ? `${line.slice(0, 300)}…` : line
}

/** `jane` in `… is forbidden: User "jane" cannot list …`; null where the message names nobody. */
export function refusedUser(message: string): string | null {
  return /\bUser "((?:[^"\\]|\\.)*)"/.exec(message)?.[1] ?? null
}
