/** Subjects of rules, made from names. */
import type { Subject } from './objects.ts'

/** One user; `*` for everybody. */
export function userSubject(name: string): Subject {
  return { kind: 'User', user: { name }, group: null, serviceAccount: null }
}

/** Whoever is in the group; `*` for everybody. */
export function groupSubject(name: string): Subject {
  return { kind: 'Group', user: null, group: { name }, serviceAccount: null }
}

/** One ServiceAccount; `*` for all of the namespace. */
export function accountSubject(namespace: string, name: string): Subject {
  return { kind: 'ServiceAccount', user: null, group: null, serviceAccount: { namespace, name } }
}
