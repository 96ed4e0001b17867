/** Takes secrets out of texts that are shown: whoever pastes an answer for help must not paste a credential with it. */
import type { Fields, FieldValue } from '../attribution.ts'

const GONE = '[redacted]'

/** Headers that carry credentials. */
const HEADER_NAME =
  '((?:proxy-)?authorization|(?:set-)?cookie2?|x-(?:[a-z0-9-]*-)?(?:api-?key|auth(?:-[a-z]+)?|token|secret|csrf[a-z-]*)|x-remote-extra-[a-z0-9.%-]+)'
/** On a line of its own all of it is the value. */
const HEADER_LINE = new RegExp(String.raw`^([<>]?[ \t]*)${HEADER_NAME}(:[ \t]*).+$`, 'gim')
const HEADER = new RegExp(
  String.raw`\b${HEADER_NAME}((?:\\*["'])?\s*[:=]\s*)(?:\[?\\*"(?:[^"\\]|\\+[^"\\])*(?:\\*"|$)|'[^']*'|[^\n\r"'<>]*)`,
  'gi',
)
/** What follows these is a list of `name="value"`, up to the end of the line. */
const CHALLENGED = /\b(digest|aws4-hmac-sha256)[ \t]+\w+=[^\n\r]*/gi
const SCHEME =
  /(?:\b|(?<=%20))(bearer|basic|negotiate|digest|aws4-hmac-sha256)((?:\s|%20)+)(?!\[redacted\])[A-Za-z0-9\-._~+/=%:,]{6,}/gi
/** Three parts of base64url, the first of which is a JSON object. */
const JWT = /\beyJ[A-Za-z0-9_-]{5,}(?:\.[A-Za-z0-9_-]*){1,4}/g
/** Names of values that nobody should read, as parameters of URLs, flags, keys of JSON and of logs. */
const SECRET_NAME =
  '(?:[a-z0-9]+[-_.])*(?:token|secret|passw(?:or)?d|pwd|passphrase|api[-_]?key|apikey|access[-_]?key(?:[-_]?id)?|client[-_]?key(?:[-_]?data)?|private[-_]?key|credentials?|signature|sig|session(?:[-_]?id)?|sessionid|jwt|otp|nonce[-_]?token)'
const PARAMETER = new RegExp(
  String.raw`(?:(?<![A-Za-z0-9_])|(?<=%[0-9A-F]{2}))(${SECRET_NAME}|[a-z]+(?:Token|Secret|Password|ApiKey|AccessKey|PrivateKey))((?:\\*["'])?\s*(?:=|:|%3D)\s*)(?:\[(?!redacted\])[^\]]*(?:\]|$)|\\*"(?:[^"\\]|\\+[^"\\])*(?:\\*"|$)|'[^']*'|[^\s&"',;)\]}<>]+)`,
  'gi',
)
/** Names that are harmless elsewhere: parameters of URLs, and the key of a registry's credentials. */
const QUERY = /([?&](?:auth|code|key|assertion|ticket)=)[^&\s"'\\<>]+/gi
const REGISTRY_AUTH = /(\\*"auth\\*"\s*:\s*)\\*"[^"\\]*(?:\\*"|$)/g
/** Tokens that begin with the name of who gave them away: GitHub, GitLab, Vault, Slack, AWS, Google. */
const NAMED = /\b(?:gh[oprsu]_|github_pat_|glpat-|hv[bs]\.|xox[abeoprs]-|A[KS]IA|AIza)[A-Za-z0-9_.-]{8,}/g
/** Flags of programs, with their value behind a blank. */
const FLAG = new RegExp(String.raw`(--?(?:${SECRET_NAME}|user|u))(\s+)(?:"[^"]*"|'[^']*'|\S+)`, 'gi')
const ATTACHED_USER = /(\s-u)[^\s:"'-][^\s:"']*:\S+/g
const USER_INFO = /(\b[a-z][a-z0-9+.-]*:\/\/)[^/\s@"']+@/gi
const KEY_BLOCK = /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g

/** A part of everything above: most texts have none, and need no closer look. */
const SUSPICIOUS =
  /auth|cookie|csrf|x-remote|bearer|basic|negotiate|digest|aws4|eyJ|token|secret|pass|pwd|key|[?&](?:code|assertion|ticket)=|credential|sig|session|jwt|otp|-u|-----BEGIN|@|gh[oprsu]_|github_|glpat|hv[bs]\.|xox|A[KS]IA|AIza/i

/** The text without credentials; what stood there is said to be gone. */
export function redact(text: string): string {
  if (!SUSPICIOUS.test(text)) return text
  return text
    .replace(KEY_BLOCK, GONE)
    .replace(CHALLENGED, (_, scheme: string) => `${scheme} ${GONE}`)
    .replace(HEADER_LINE, (_, start: string, name: string, colon: string) => `${start}${name}${colon}${GONE}`)
    .replace(HEADER, (_, name: string, colon: string) => `${name}${colon}${GONE}`)
    .replace(SCHEME, (_, scheme: string) => `${scheme} ${GONE}`)
    .replace(JWT, GONE)
    .replace(PARAMETER, (all: string, name: string, sign: string) => (isHarmless(all) ? all : `${name}${sign}${GONE}`))
    .replace(QUERY, (_, start: string) => start + GONE)
    .replace(REGISTRY_AUTH, (_, start: string) => `${start}"${GONE}"`)
    .replace(NAMED, GONE)
    .replace(ATTACHED_USER, (_, flag: string) => `${flag} ${GONE}`)
    .replace(FLAG, (_, name: string, blank: string) => `${name}${blank}${GONE}`)
    .replace(USER_INFO, (_, scheme: string) => `${scheme}${GONE}@`)
}

/** What is gone already. */
function isHarmless(match: string): boolean {
  return match.includes(GONE)
}

/** The same fields, with credentials gone from every text in them. */
export function redactFields(fields: Fields): Fields {
  const redacted: Fields = {}
  for (const [name, value] of Object.entries(fields)) redacted[name] = redactValue(value)
  return redacted
}

function redactValue(value: FieldValue): FieldValue {
  if (typeof value === 'string') return redact(value)
  if (Array.isArray(value)) return value.map(redactValue)
  return typeof value === 'object' && value !== null ? redactFields(value) : value
}
