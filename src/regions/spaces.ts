/** The dimensions of requests, and user names, as spaces of strings. */
import { SERVICE_ACCOUNT_PREFIX } from '../apf/identity.ts'
import type { StringSpace } from './string-set.ts'

const NO_FAMILIES: readonly string[] = []

/** Strings that are told apart one by one: verbs, API groups, namespaces. */
export const PLAIN: StringSpace = {
  familiesOf: () => NO_FAMILIES,
  enclosing: () => NO_FAMILIES,
  describedApart: false,
}

/** URL paths. The family `/healthz/` holds what begins so, itself included. */
export const PATHS: StringSpace = {
  familiesOf: foldersOf,
  enclosing: (folder) => foldersOf(folder.slice(0, -1)),
  describedApart: false,
}

function foldersOf(path: string): string[] {
  const folders: string[] = []
  for (let slash = path.lastIndexOf('/'); slash >= 0; slash = slash === 0 ? -1 : path.lastIndexOf('/', slash - 1)) {
    folders.push(path.slice(0, slash + 1))
  }
  return folders
}

/**
 * Resources with their subresource as resource rules name them: `pods`, `pods/log`. The family `log` holds that
 * subresource of every resource. No URL makes a resource or subresource with a slash in it, so the first one parts the two.
 */
export const RESOURCES: StringSpace = {
  familiesOf(value) {
    const slash = value.indexOf('/')
    return slash < 0 ? NO_FAMILIES : [value.slice(slash + 1)]
  },
  enclosing: () => NO_FAMILIES,
  describedApart: true,
}

/** User names. The family `system:serviceaccount:shop:` holds those of the ServiceAccounts of namespace shop. */
export const USERS: StringSpace = {
  familiesOf: (name) => serviceAccountFamilies(name, name.length),
  enclosing: (family) => serviceAccountFamilies(family, family.length - 1),
  describedApart: false,
}

/** What of a name ends with a colon, the longest first, before a position: from `system:serviceaccount:` on. */
function serviceAccountFamilies(name: string, end: number): string[] {
  const families: string[] = []
  if (!name.startsWith(SERVICE_ACCOUNT_PREFIX)) return families
  for (let length = end; length >= SERVICE_ACCOUNT_PREFIX.length; length--) {
    if (name[length - 1] === ':') families.push(name.slice(0, length))
  }
  return families
}
