/**
 * Impersonation on the wire.
 * Source: kubernetes/client-go transport/round_trippers.go (impersonatingRoundTripper)
 */
import { utf8Bytes } from '../../apf/text.ts'
import type { Impersonate } from './kubeconfig/model.ts'

/** Headers for node:http, which writes strings as Latin-1; every group is a line of its own. */
export function impersonationHeaders({ user, uid, groups, extra }: Impersonate): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = {}
  if (user !== '') headers['Impersonate-User'] = wireText(user)
  if (uid !== '') headers['Impersonate-Uid'] = wireText(uid)
  if (groups.length > 0) headers['Impersonate-Group'] = groups.map(wireText)
  for (const [key, values] of Object.entries(extra)) headers[`Impersonate-Extra-${wireKey(key)}`] = values.map(wireText)
  return headers
}

/** Why headers cannot carry the identity unchanged; null: they can. */
export function impersonationFault({ user, uid, groups, extra }: Impersonate): string | null {
  const texts = [user, uid, ...groups, ...Object.values(extra).flat()]
  if (user === '' && (texts.length > 2 || uid !== '')) return 'groups, UID or extra are given without a user'
  const plain = texts.every((text) => /^[^\x00-\x1f\x7f]*$/.test(text) && text.trim() === text)
  return plain ? null : 'a name, group, UID or extra value has control characters, or blanks at its ends'
}

/** UTF-8 bytes as the string that is written byte by byte. */
function wireText(text: string): string {
  return Buffer.from(utf8Bytes(text)).toString('latin1')
}

/** Bytes that no header name may hold, and the percent sign, are escaped. */
function wireKey(key: string): string {
  return Array.from(utf8Bytes(key), (byte) => {
    const character = String.fromCharCode(byte)
    return /^[!#$&'*+\-.^_`|~0-9A-Za-z]$/.test(character)
      ? character
      : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  }).join('')
}
