/**
 * The request target as Go's HTTP server reads it, before any handler runs.
 * Source: Go net/http (readRequest) and net/url (ParseRequestURI).
 */
import { authorityFault } from './authority.ts'
import { cut, textOfBytes, utf8Bytes } from './text.ts'

export interface RequestTarget {
  /** Percent-decoded; nothing else is cleaned. '' for an authority or an opaque URL. */
  path: string
  /** What stands behind the first `?`, as sent. */
  query: string
}

/** Why the server cannot read the target. */
export interface UnreadableTarget {
  fault: string
}

const SLASH = 0x2f
const PERCENT = 0x25
const CONTROL_CHARACTER = /[\u0000-\u001f\u007f]/
const SCHEME = /^[A-Za-z][A-Za-z0-9+.-]*:/

/**
 * Reads a target in any of its forms: a path (`//x` too), an absolute URL, `*`, and the authority of a CONNECT. A `#` and
 * blanks are ordinary characters here: clients do not send them, HTTP/2 would carry them.
 */
export function readTarget(method: string, target: string): RequestTarget | UnreadableTarget {
  if (CONTROL_CHARACTER.test(target)) return { fault: 'a control character' }
  if (target.charCodeAt(0) !== SLASH) return readOtherForm(method, target)
  const queryAt = target.indexOf('?')
  return queryAt < 0 ? decoded(target, '') : decoded(target.slice(0, queryAt), target.slice(queryAt + 1))
}

function readOtherForm(method: string, target: string): RequestTarget | UnreadableTarget {
  if (method === 'CONNECT') return readAbsolute(`http://${target}`)
  if (target === '*') return { path: '*', query: '' }
  if (target === '') return { fault: 'the empty target' }
  return readAbsolute(target)
}

/** An absolute URL. Without a slash behind the scheme it is opaque and has no path. */
function readAbsolute(url: string): RequestTarget | UnreadableTarget {
  const scheme = SCHEME.exec(url)?.[0]
  if (scheme === undefined) return { fault: 'neither a path nor an absolute URL' }
  const [location, query] = cut(url.slice(scheme.length), '?')
  if (!location.startsWith('/')) return { path: '', query }
  if (!location.startsWith('//')) return decoded(location, query)
  const pathAt = location.indexOf('/', 2)
  const authority = pathAt < 0 ? location.slice(2) : location.slice(2, pathAt)
  const fault = authorityFault(scheme.slice(0, -1).toLowerCase(), authority)
  if (fault !== null) return { fault }
  return decoded(pathAt < 0 ? '' : location.slice(pathAt), query)
}

function decoded(encodedPath: string, query: string): RequestTarget | UnreadableTarget {
  const path = percentDecode(encodedPath)
  return path === null ? { fault: 'a bad percent escape in the path' } : { path, query }
}

/** Replaces `%xx` by the byte that it names; null if an escape is incomplete. */
export function percentDecode(text: string): string | null {
  let at = text.indexOf('%')
  if (at < 0) return text
  let ascii = ''
  let kept = 0
  let isAscii = true
  for (; at >= 0; at = text.indexOf('%', at + 3)) {
    const high = hexDigit(text.charCodeAt(at + 1))
    const low = hexDigit(text.charCodeAt(at + 2))
    if (high < 0 || low < 0) return null
    if (high >= 8) isAscii = false
    ascii += text.slice(kept, at) + String.fromCharCode((high << 4) | low)
    kept = at + 3
  }
  return isAscii ? ascii + text.slice(kept) : decodeBytes(utf8Bytes(text))
}

/** Decodes in place, so that escaped bytes join those around them to characters. All escapes must be complete. */
function decodeBytes(bytes: Uint8Array): string {
  let length = 0
  for (let i = 0; i < bytes.length; i++) {
    let byte = bytes[i] ?? 0
    if (byte === PERCENT) {
      byte = (hexDigit(bytes[i + 1] ?? 0) << 4) | hexDigit(bytes[i + 2] ?? 0)
      i += 2
    }
    bytes[length++] = byte
  }
  return textOfBytes(bytes.subarray(0, length))
}

/** Value of a hexadecimal digit given by its character code, or -1. */
function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30
  const lower = code | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1
}
