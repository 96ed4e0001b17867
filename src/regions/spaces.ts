/** The dimensions of requests as spaces of strings. */
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
