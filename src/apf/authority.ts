/**
 * The authority of an absolute request target (`user@host:port`). The server looks at it only to refuse a malformed one.
 * Source: Go net/url (parseAuthority, parseHost) and net/netip (ParseAddr).
 */

/** ASCII characters of a host that Go leaves alone, the brackets of IP literals among them. */
const HOST = /^(?:[A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"\u0080-\uffff]|%25|%[89A-Fa-f][0-9A-Fa-f])*$/
/** A zone may escape whatever a host may hold unescaped, a blank and `%` too. */
const ZONE =
  /^(?:[A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"\u0080-\uffff]|%2[0-24-9A-Ea-e]|%3[0-9A-Ea-e]|%[46][1-9A-Fa-f]|%5[0-9ABDFabdf]|%7[0-9AEae])+$/
const USER_INFO = /^(?:[A-Za-z0-9\-._:~!$&'()*+,;=@]|%[0-9A-Fa-f]{2})*$/
const OPTIONAL_PORT = /^(?::[0-9]*)?$/

/**
 * Why Go refuses an authority, or null.
 * @param scheme in lower case; only http and https forbid further colons in the host
 */
export function authorityFault(scheme: string, authority: string): string | null {
  const at = authority.lastIndexOf('@')
  if (at >= 0 && !USER_INFO.test(authority.slice(0, at))) return 'invalid user information'
  const host = authority.slice(at + 1)
  const bracket = host.lastIndexOf('[')
  if (bracket > 0) return 'invalid IP literal'
  if (bracket === 0) return bracketedFault(host)

  const colon = scheme === 'http' || scheme === 'https' ? host.indexOf(':') : host.lastIndexOf(':')
  if (colon >= 0 && !OPTIONAL_PORT.test(host.slice(colon))) return 'invalid port'
  return HOST.test(host) ? null : 'invalid host'
}

/** `[IPv6]:port` or `[IPv6%25zone]:port`. */
function bracketedFault(host: string): string | null {
  const end = host.lastIndexOf(']')
  if (end < 0) return 'missing ] in host'
  if (!OPTIONAL_PORT.test(host.slice(end + 1))) return 'invalid port'
  const address = host.slice(1, end)
  const zone = address.indexOf('%25')
  if (zone < 0) return isIpv6(address) ? null : 'invalid IP literal'
  return isIpv6(address.slice(0, zone)) && ZONE.test(address.slice(zone + 3)) ? null : 'invalid IP literal'
}

/** An IPv6 address in any of its spellings, without a zone. */
function isIpv6(text: string): boolean {
  const halves = text.split('::')
  if (halves.length > 2) return false
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')))
  const last = groups.at(-1) ?? ''
  let count = groups.length
  if (last.includes('.')) {
    if (text.endsWith('::') || !isIpv4(last)) return false
    groups.pop()
    count += 1
  }
  if (!groups.every((group) => /^[0-9A-Fa-f]{1,4}$/.test(group))) return false
  return halves.length === 2 ? count < 8 : count === 8
}

function isIpv4(text: string): boolean {
  const octets = text.split('.')
  return octets.length === 4 && octets.every((octet) => /^(?:0|[1-9][0-9]{0,2})$/.test(octet) && Number(octet) <= 255)
}
