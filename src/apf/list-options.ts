/**
 * The query of a request on a collection, as far as it decides how the request is classified.
 * Source: kubernetes/apiserver pkg/endpoints/request/requestinfo.go, which decodes meta/v1 ListOptions
 * (kubernetes/apimachinery pkg/runtime/conversion.go), and Go net/url (ParseQuery).
 */
import { isInt64 } from './int64.ts'
import { isPathSegmentName } from './names.ts'
import { percentDecode } from './request-target.ts'
import { isLabelSelector, parseFieldSelector, requiredValue } from './selectors.ts'
import { cut } from './text.ts'

/** What a GET on a collection asks for. */
export interface CollectionQuery {
  watch: boolean
  /** The only name that the field selector lets through; '' if it does not name one. */
  name: string
}

/** First value of each option that can fail to decode or that matters itself; undefined where the query lacks it. */
interface Options {
  watch?: string
  fieldSelector?: string
  labelSelector?: string
  limit?: string
  timeoutSeconds?: string
}

/** Reads the query (without its `?`). One option that does not decode makes the server forget all of them but `watch`. */
export function readCollectionQuery(query: string): CollectionQuery {
  if (query === '') return { watch: false, name: '' }
  const options = firstValues(query)
  const { watch, limit, timeoutSeconds, labelSelector = '', fieldSelector = '' } = options
  const numbersDecode = isInt64(limit ?? '0') && isInt64(timeoutSeconds ?? '0')
  const terms = numbersDecode && isLabelSelector(labelSelector) ? parseFieldSelector(fieldSelector) : null
  if (terms === null) return { watch: watch !== undefined && !isFalseAscii(watch), name: '' }
  const name = requiredValue(terms, 'metadata.name') ?? ''
  return { watch: watch !== undefined && !isFalse(watch), name: isPathSegmentName(name) ? name : '' }
}

function isFalseAscii(text: string): boolean {
  return text === '0' || (text.length === 5 && text.toLowerCase() === 'false')
}

/** Decoding compares by Unicode case folding, in which the long s is an s. */
function isFalse(text: string): boolean {
  return isFalseAscii(text.replace('ſ', 's'))
}

/** The first value of a repeated key counts. A pair with a `;` or a bad escape is dropped. */
function firstValues(query: string): Options {
  const options: Options = {}
  for (let start = 0; start < query.length; ) {
    const ampersand = query.indexOf('&', start)
    const end = ampersand < 0 ? query.length : ampersand
    addPair(options, query.slice(start, end))
    start = end + 1
  }
  return options
}

function addPair(options: Options, pair: string): void {
  if (pair.includes(';')) return
  const [rawKey, rawValue] = cut(pair, '=')
  const key = queryDecode(rawKey)
  switch (key) {
    case 'watch':
    case 'fieldSelector':
    case 'labelSelector':
    case 'limit':
    case 'timeoutSeconds': {
      if (options[key] !== undefined) return
      const value = queryDecode(rawValue)
      if (value !== null) options[key] = value
    }
  }
}

function queryDecode(text: string): string | null {
  return percentDecode(text.includes('+') ? text.replaceAll('+', ' ') : text)
}
