/** Complete lists of objects, page by page, all of one moment. */
import type { Client } from './client.ts'
import { type Fault, isFault, type Reply } from './exchange.ts'
import { bodyOf } from './status.ts'

export interface Listing {
  items: unknown[]
  /** Of the first page, for its headers. */
  reply: Reply
  /** How often reading began anew because the list had changed on the way. */
  restarts: number
}

/** A list that could not be read. */
export interface ListFailure {
  result: Reply | Fault
  /** Answers that came before it. */
  pagesRead: number
}

const PAGE_SIZE = 500
const MAX_RESTARTS = 3

export function isListFailure(value: Listing | ListFailure): value is ListFailure {
  return 'result' in value
}

/**
 * Reads a collection. A continuation that the server no longer knows (410), or a page of another moment than the first,
 * begins anew; the last attempt asks for everything at once, which cannot change on the way.
 * @param path  of the collection, without query
 */
export async function listAll(client: Client, path: string): Promise<Listing | ListFailure> {
  for (let restarts = 0; ; restarts++) {
    const attempt = await readPages(client, path, restarts < MAX_RESTARTS)
    if (attempt !== 'changed') return 'result' in attempt ? attempt : { ...attempt, restarts }
  }
}

async function readPages(
  client: Client,
  path: string,
  paged: boolean,
): Promise<{ items: unknown[]; reply: Reply } | ListFailure | 'changed'> {
  const items: unknown[] = []
  let first: { reply: Reply; resourceVersion: string } | null = null
  let continuation = ''
  for (let pagesRead = 0; ; pagesRead++) {
    const query = new URLSearchParams(paged ? { limit: String(PAGE_SIZE) } : {})
    if (continuation !== '') query.set('continue', continuation)
    const reply = await client.send('GET', query.size === 0 ? path : `${path}?${query}`)
    if (isFault(reply)) return { result: reply, pagesRead }
    if (reply.status === 410 && continuation !== '') return 'changed'
    const page = reply.status === 200 ? pageOf(reply) : null
    if (page === null) return { result: reply, pagesRead }
    first ??= { reply, resourceVersion: page.resourceVersion }
    if (page.resourceVersion !== first.resourceVersion) return 'changed'
    items.push(...page.items)
    if (page.continuation === '') return { items, reply: first.reply }
    // The same page again would come for ever.
    if (page.continuation === continuation) return { result: reply, pagesRead }
    continuation = page.continuation
  }
}

interface Page {
  items: unknown[]
  resourceVersion: string
  continuation: string
}

/** Null where the answer is not a list. */
function pageOf(reply: Reply): Page | null {
  const body = bodyOf(reply)
  if (body.kind !== 'json') return null
  const { items, metadata } = body.value
  if (typeof metadata !== 'object' || metadata === null || (!Array.isArray(items) && items !== null)) return null
  const text = (name: string): string => {
    const value: unknown = Reflect.get(metadata, name)
    return typeof value === 'string' ? value : ''
  }
  return { items: items ?? [], resourceVersion: text('resourceVersion'), continuation: text('continue') }
}
