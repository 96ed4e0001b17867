/** A request line for people: in a few words, and as the command that shows where it lands. */
import { linePhrase } from '../analysis/line-phrase.ts'
import { requestOfLine } from '../analysis/request-of-line.ts'
import { ALL_AUTHENTICATED, ALL_UNAUTHENTICATED, impliedGroups } from '../apf/identity.ts'
import { requestWords } from '../kubectl/phrase.ts'
import type { RequestLine } from '../regions/witness.ts'

/** `LIST pods in shop by jane in tenants`; groups that follow from the name are not said. */
export function lineInWords(line: RequestLine): string {
  const { user, groups } = line
  const implied = impliedGroups(user)
  const others = groups.filter((group) => !implied.includes(group))
  const missing = implied.filter((group) => !groups.includes(group))
  const named = others.length > 0 ? ` in ${others.join(', ')}` : ''
  const lacking = missing.length > 0 && groups.length === 0 ? ' in no group' : ''
  return `${linePhrase(line)}${named}${lacking}`
}

/**
 * The words of a `whereis` that asks the same, as a shell reads them; null where words cannot say it: callers in neither of
 * the groups that the server adds, and requests without a verb.
 */
export function whereisWords(line: RequestLine): string | null {
  const { user, groups, verb } = line
  const isComplete = groups.includes(ALL_AUTHENTICATED) || groups.includes(ALL_UNAUTHENTICATED)
  if (!isComplete || verb === '' || ('path' in line && !line.path.startsWith('/'))) return null
  const implied = impliedGroups(user)
  const isImplied = groups.length === implied.length && groups.every((group) => implied.includes(group))
  const shown = isImplied ? [] : groups.filter((group) => group !== ALL_AUTHENTICATED)
  const words = requestWords(requestOfLine(line)).split(' ')
  const scope = 'path' in line || line.namespace !== '' ? [] : ['-A']
  return [...words, ...scope, `--as=${user}`, ...shown.map((group) => `--as-group=${group}`)].map(quoted).join(' ')
}

/** A word that a POSIX shell reads as it is. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}
