/** The subject in question, from --as and its companions, or the caller. */
import { impersonate } from '../apf/identity.ts'
import type { Identity } from '../apf/request.ts'
import type { ClusterState } from '../sources/cluster-state.ts'
import type { LiveState } from '../sources/live/open.ts'
import { CliError, EXIT, usageError } from './errors.ts'
import { ownLandings, ownRequestsInWords } from './own-requests.ts'
import { isLive } from './source.ts'

export interface SubjectFlagValues {
  as?: string | undefined
  'as-group'?: string[] | undefined
  'as-uid'?: string | undefined
  'as-user-extra'?: string[] | undefined
}

export interface Subject {
  identity: Identity
  /** False: the groups follow from the name. */
  groupsGiven: boolean
  /** It is whoever runs this program; what tells who that is, such as `client certificate`. Null: it was named. */
  callerBy: string | null
}

/**
 * The subject that the flags name; without any, on a live cluster, the caller.
 * @throws CliError (exit 2) for flags that name nobody, (exit 3) where the credentials do not tell who the caller is
 */
export function subjectInQuestion(flags: SubjectFlagValues, state: ClusterState): Subject {
  const isNamed = [flags.as, flags['as-group'], flags['as-uid'], flags['as-user-extra']].some(
    (flag) => flag !== undefined,
  )
  return isNamed || !isLive(state) ? subjectOf(flags, state) : callerAsSubject(state)
}

function callerAsSubject(state: LiveState): Subject {
  const { identity, basis } = state.live.caller
  if (identity !== null) return { identity, groupsGiven: true, callerBy: basis }
  const own = ownRequestsInWords(ownLandings(state))
  throw new CliError({
    exitCode: EXIT.unanswered,
    what: 'whose request is it? the credentials do not tell who you are',
    why: own === null ? basis : `${basis}; ${own}`,
    next: 'name the subject with --as=USER and --as-group=GROUP; kubectl auth whoami tells both',
  })
}

/**
 * Whom the server would see if the flags were sent as impersonation headers.
 * @throws CliError (exit 2) without a user, and for an extra that is no KEY=VALUE
 */
function subjectOf(flags: SubjectFlagValues, state: ClusterState): Subject {
  const groups = flags['as-group'] ?? []
  const extra = extraOf(flags['as-user-extra'] ?? [])
  const seen = impersonate({ user: flags.as ?? '', groups, uid: flags['as-uid'] ?? '', extra }, state.rules)
  if (seen.impersonated) return { identity: seen.identity, groupsGiven: groups.length > 0, callerBy: null }
  if ('failure' in seen) {
    throw usageError(
      'a group, UID or extra without --as',
      `the server answers ${seen.httpStatus} to impersonation without a user`,
      'add --as=USER',
    )
  }
  throw usageError(
    'whose request is it?',
    isLive(state)
      ? '--as names nobody; without the flag it is the caller'
      : 'without a cluster there is no caller to take',
    'add --as=USER, such as --as=system:serviceaccount:NAMESPACE:NAME',
  )
}

function extraOf(words: readonly string[]): Record<string, string[]> {
  const extra: Record<string, string[]> = Object.create(null)
  for (const word of words) {
    const equals = word.indexOf('=')
    if (equals < 1) throw usageError(`--as-user-extra ${word}: no KEY=VALUE`)
    const key = word.slice(0, equals)
    extra[key] = [...(extra[key] ?? []), word.slice(equals + 1)]
  }
  return extra
}
