/** The subjects of a FlowSchema in a few words, for one cell of a table. */
import type { FlowSchema, Subject } from '../apf/objects.ts'

/** Names shown before the rest is counted. */
const SHOWN = 3

/** Characters that the shown names take at most, unless the first one is longer. */
const SHOWN_LENGTH = 40

/** Control plane users whose full names would fill a cell. */
const SHORT_USERS: Readonly<Record<string, string>> = {
  'system:kube-controller-manager': 'kcm',
  'system:kube-scheduler': 'scheduler',
  'system:anonymous': 'anonymous',
}

const SERVICE_ACCOUNTS_GROUP = 'system:serviceaccounts'
const AUTHENTICATED = 'system:authenticated'
const UNAUTHENTICATED = 'system:unauthenticated'

/**
 * Who a schema can match, over all of its rules: `group system:masters`, `kcm, scheduler, sa kube-system/*`, `everyone`.
 * It says who is named, not for which requests.
 *
 * @param all  every name, however many there are
 */
export function condensedSubjects(schema: FlowSchema, all = false): string {
  return condensedList(distinctSubjects(schema), all)
}

/** Subjects, each of them once, in the same words. */
export function condensedList(subjects: readonly Subject[], all = false): string {
  const groups = new Set(subjects.flatMap(({ kind, group }) => (kind === 'Group' && group ? [group.name] : [])))
  if (groups.has('*') || (groups.has(AUTHENTICATED) && groups.has(UNAUTHENTICATED))) return 'everyone'
  if (subjects.some(({ kind, user }) => kind === 'User' && user?.name === '*')) return 'everyone'
  const names = [...new Set(subjects.map(condensedSubject))]
  if (names.length === 0) return 'nobody'
  const count = all ? names.length : countShown(names)
  const rest = names.length - count
  return [...names.slice(0, count), ...(rest > 0 ? [`${rest} more`] : [])].join(', ')
}

function countShown(names: readonly string[]): number {
  const most = names.length <= SHOWN + 1 ? names.length : SHOWN
  for (let count = most; count > 1; count--) {
    if (names.slice(0, count).join(', ').length <= SHOWN_LENGTH) return count
  }
  return 1
}

/** The subjects of all rules, each once, in the order written. */
export function distinctSubjects(schema: FlowSchema): Subject[] {
  const byKey = new Map<string, Subject>()
  for (const { subjects } of schema.spec.rules) {
    for (const subject of subjects) {
      const { namespace, name } = subjectName(subject)
      const key = JSON.stringify([subject.kind, namespace, name])
      if (!byKey.has(key)) byKey.set(key, subject)
    }
  }
  return [...byKey.values()]
}

/** The name that counts for the subject's kind; '' where it is missing. `namespace` is that of a ServiceAccount. */
export function subjectName(subject: Subject): { namespace: string | null; name: string } {
  if (subject.kind === 'ServiceAccount') {
    return { namespace: subject.serviceAccount?.namespace ?? '', name: subject.serviceAccount?.name ?? '' }
  }
  const member = subject.kind === 'User' ? subject.user : subject.kind === 'Group' ? subject.group : null
  return { namespace: null, name: member?.name ?? '' }
}

function condensedSubject(subject: Subject): string {
  const { namespace, name } = subjectName(subject)
  switch (subject.kind) {
    case 'User':
      return SHORT_USERS[name] ?? `user ${name}`
    case 'Group':
      if (name === AUTHENTICATED) return 'all authenticated'
      if (name === UNAUTHENTICATED) return 'all unauthenticated'
      if (name === SERVICE_ACCOUNTS_GROUP) return 'all ServiceAccounts'
      if (name.startsWith(`${SERVICE_ACCOUNTS_GROUP}:`)) return `sa ${name.slice(SERVICE_ACCOUNTS_GROUP.length + 1)}/*`
      return `group ${name}`
    case 'ServiceAccount':
      return `sa ${namespace}/${name}`
    default:
      return `unknown kind ${subject.kind === '' ? '""' : subject.kind}`
  }
}
