/**
 * The query of a request on a collection, as far as it decides how the request is classified and what it costs.
 * Source: kubernetes/apiserver pkg/endpoints/request/requestinfo.go, which decodes meta/v1 ListOptions
 * (kubernetes/apimachinery pkg/runtime/conversion.go), and Go net/url (ParseQuery).
 */
import { isInt64 } from './int64.ts'
import { isPathSegmentName } from './names.ts'
import { percentDecode } from './request-target.ts'
import { type FieldTerm, isLabelSelector, parseFieldSelector, requiredValue } from './selectors.ts'

/** What a GET on a collection asks for. */
export interface CollectionQuery {
  watch: boolean
  /** The only name that the field selector lets through; '' if it does not name one. */
  name: string
}

/** The query of a list or watch, as far as its cost depends on it. '' and 0 stand for what is not given. */
export interface ListOptions {
  limit: number
  continue: string
  resourceVersion: string
  resourceVersionMatch: string
  /** Any field or label selector. */
  hasSelector: boolean
  sendInitialEvents: boolean
}

export const NO_LIST_OPTIONS: ListOptions = {
  limit: 0,
  continue: '',
  resourceVersion: '',
  resourceVersionMatch: '',
  hasSelector: false,
  sendInitialEvents: false,
}

/** First value of each option that can fail to decode or that matters itself; undefined where the query lacks it. */
interface Options {
  watch?: string
  fieldSelector?: string
  labelSelector?: string
  limit?: string
  timeoutSeconds?: string
  continue?: string
  resourceVersion?: string
  resourceVersionMatch?: string
  sendInitialEvents?: string
}

/**
 * Reads the query (without its `?`). One option that does not decode makes the server forget the others, all but `watch`;
 * so the others matter only where something can be forgotten: a name, or that the watch was spelled in an odd way.
 */
export function readCollectionQuery(query: string): CollectionQuery {
  if (query === '') return LIST_OF_ALL
  const options = firstValues(query)
  const { watch = '0', fieldSelector } = options
  const isWatch = !isFalse(watch)
  if (fieldSelector === undefined && !watch.includes(LONG_S)) return isWatch ? WATCH_OF_ALL : LIST_OF_ALL
  const terms = decodedFieldSelector(options)
  if (terms === null) return isWatch ? WATCH_OF_ALL : LIST_OF_ALL
  const name = requiredValue(terms, 'metadata.name') ?? ''
  return { watch: !isFalse(watch.replace(LONG_S, 's')), name: isPathSegmentName(name) ? name : '' }
}

/**
 * Reads the query (without its `?`) as the work estimator does, which leaves selectors undecoded. Null if it does not
 * decode: a number is none.
 */
export function readListOptions(query: string): ListOptions | null {
  const options = firstValues(query)
  const { limit = '0', timeoutSeconds = '0', fieldSelector, labelSelector, sendInitialEvents = '0' } = options
  if (!isInt64(limit) || !isInt64(timeoutSeconds)) return null
  return {
    limit: Number(limit),
    continue: options.continue ?? '',
    resourceVersion: options.resourceVersion ?? '',
    resourceVersionMatch: options.resourceVersionMatch ?? '',
    hasSelector: Boolean(fieldSelector || labelSelector),
    sendInitialEvents: !isFalse(sendInitialEvents.replace(LONG_S, 's')),
  }
}

const LIST_OF_ALL: CollectionQuery = { watch: false, name: '' }
const WATCH_OF_ALL: CollectionQuery = { watch: true, name: '' }

/** Decoding compares with `false` by Unicode case folding, in which this is an s; the fallback does not. */
const LONG_S = 'ſ'

function isFalse(text: string): boolean {
  return text === '0' || (text.length === 5 && text.toLowerCase() === 'false')
}

/** The terms of the field selector if all options decode, else null. */
function decodedFieldSelector(options: Options): FieldTerm[] | null {
  const { limit = '0', timeoutSeconds = '0', labelSelector = '', fieldSelector = '' } = options
  if (!isInt64(limit) || !isInt64(timeoutSeconds) || !isLabelSelector(labelSelector)) return null
  return parseFieldSelector(fieldSelector)
}

/** The first value of a repeated key counts. A pair with a `;` or a bad escape is dropped. */
function firstValues(query: string): Options {
  const options: Options = {}
  const isPlain = !/[;%+]/.test(query)
  for (let start = 0; start < query.length; ) {
    const ampersand = query.indexOf('&', start)
    const end = ampersand < 0 ? query.length : ampersand
    const equals = query.indexOf('=', start)
    const keyEnd = equals < 0 || equals > end ? end : equals
    const key = query.slice(start, keyEnd)
    const value = query.slice(keyEnd + 1, end)
    if (isPlain) addOption(options, key, value)
    else if (!key.includes(';') && !value.includes(';')) addOption(options, queryDecode(key), queryDecode(value))
    start = end + 1
  }
  return options
}

function addOption(options: Options, key: string | null, value: string | null): void {
  if (value === null) return
  switch (key) {
    case 'watch':
    case 'fieldSelector':
    case 'labelSelector':
    case 'limit':
    case 'timeoutSeconds':
    case 'continue':
    case 'resourceVersion':
    case 'resourceVersionMatch':
    case 'sendInitialEvents':
      options[key] ??= value
  }
}

function queryDecode(text: string): string | null {
  return percentDecode(text.includes('+') ? text.replaceAll('+', ' ') : text)
}
