/** The subject in question, from --as and its companions. */
import { impersonate } from '../apf/identity.ts'
import type { Identity } from '../apf/request.ts'
import type { VersionRules } from '../apf/versions.ts'
import { usageError } from './errors.ts'

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
}

/**
 * Whom the server would see if the flags were sent as impersonation headers.
 * @throws CliError (exit 2) without a user, and for an extra that is no KEY=VALUE
 */
export function subjectOf(flags: SubjectFlagValues, rules: VersionRules): Subject {
  const groups = flags['as-group'] ?? []
  const extra = extraOf(flags['as-user-extra'] ?? [])
  const seen = impersonate({ user: flags.as ?? '', groups, uid: flags['as-uid'] ?? '', extra }, rules)
  if (seen.impersonated) return { identity: seen.identity, groupsGiven: groups.length > 0 }
  if ('failure' in seen) {
    throw usageError(
      'a group, UID or extra without --as',
      `the server answers ${seen.httpStatus} to impersonation without a user`,
      'add --as=USER',
    )
  }
  throw usageError(
    'whose request is it?',
    'without a cluster there is no caller to take',
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
