/**
 * The forms of names that the API server checks. None of them admits a character outside ASCII, so lengths in UTF-16 units are
 * lengths in bytes.
 * Source: kubernetes/apimachinery pkg/api/validate/content (dns.go, kube.go, path.go).
 */

const DNS_LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/
const DNS_SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/
const LABEL_NAME = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/

/** RFC 1123 label: the form of namespace names. */
export function isDnsLabel(text: string): boolean {
  return text.length <= 63 && DNS_LABEL.test(text)
}

/** RFC 1123 subdomain: the form of most object names. */
export function isDnsSubdomain(text: string): boolean {
  return text.length <= 253 && DNS_SUBDOMAIN.test(text)
}

/** `name` or `prefix/name`, with a DNS subdomain as prefix. */
export function isLabelKey(text: string): boolean {
  const slash = text.indexOf('/')
  if (slash < 0) return isLabelName(text)
  return isDnsSubdomain(text.slice(0, slash)) && isLabelName(text.slice(slash + 1))
}

export function isLabelValue(text: string): boolean {
  return text === '' || isLabelName(text)
}

/** Whether an object of this name can be addressed by a URL path. */
export function isPathSegmentName(text: string): boolean {
  return text !== '.' && text !== '..' && !text.includes('/') && !text.includes('%')
}

function isLabelName(text: string): boolean {
  return text.length <= 63 && LABEL_NAME.test(text)
}
