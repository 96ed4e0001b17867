/** A set of requests in words that a person reads in a moment. The exact set is that of the JSON contract. */
import {
  type PrintedSet,
  type PrintedValue,
  type RegionEntry,
  type ResourceEntry,
  regionEntries,
} from '../regions/entry.ts'
import type { Region } from '../regions/region.ts'

const PHRASES_SHOWN = 3
const NAMES_SHOWN = 4

/** One phrase per kind of requests: `every resource request`, `get /healthz /livez`, `list pods in shop`. */
export function regionInWords(region: Region, all = false): string[] {
  const entries = regionEntries(region)
  const whole = wholePlanes(entries)
  const limit = all ? Number.POSITIVE_INFINITY : NAMES_SHOWN
  const phrases = [
    ...wholeInWords(whole),
    ...resourcePhrases(
      entries.filter(isResourceEntry).filter((entry) => !isWhole(entry)),
      limit,
    ),
    ...entries.flatMap((entry) => (isResourceEntry(entry) || isWhole(entry) ? [] : [pathPhrase(entry, limit)])),
  ]
  if (all || phrases.length <= PHRASES_SHOWN + 1) return phrases
  return [...phrases.slice(0, PHRASES_SHOWN), `and ${phrases.length - PHRASES_SHOWN} more kinds of requests`]
}

type Plane = 'namespaced' | 'cluster' | 'nonResource'

function isResourceEntry(entry: RegionEntry): entry is ResourceEntry {
  return 'scope' in entry
}

function isAny(set: PrintedSet): boolean {
  return 'notIn' in set && set.notIn.length === 0
}

function isWhole(entry: RegionEntry): boolean {
  if (!isResourceEntry(entry)) return isAny(entry.verbs) && isAny(entry.nonResourceURLs)
  const { verbs, apiGroups, resources, subresources, scope, namespaces } = entry
  return (
    [verbs, apiGroups, resources].every(isAny) &&
    subresources === undefined &&
    (scope === 'cluster' || isAny(namespaces))
  )
}

function wholePlanes(entries: readonly RegionEntry[]): Set<Plane> {
  return new Set(entries.filter(isWhole).map((entry) => (isResourceEntry(entry) ? entry.scope : 'nonResource')))
}

function wholeInWords(whole: ReadonlySet<Plane>): string[] {
  if (whole.size === 3) return ['everything']
  const phrases: string[] = []
  if (whole.has('namespaced') && whole.has('cluster')) phrases.push('every resource request')
  else if (whole.has('namespaced')) phrases.push('every request in a namespace')
  else if (whole.has('cluster')) phrases.push('every resource request without a namespace')
  if (whole.has('nonResource')) phrases.push('every non-resource request')
  return phrases
}

/** Entries that differ in their scope alone are one phrase. */
function resourcePhrases(entries: readonly ResourceEntry[], limit: number): string[] {
  const alike = new Map<string, ResourceEntry[]>()
  for (const entry of entries) {
    const { verbs, apiGroups, resources, subresources } = entry
    const key = JSON.stringify([verbs, apiGroups, resources, subresources])
    alike.set(key, [...(alike.get(key) ?? []), entry])
  }
  return [...alike.values()].flatMap((group) => {
    const [first] = group
    return first
      ? [`${verbsInWords(first.verbs, limit)}${resourcesInWords(first, limit)} ${scopeInWords(group, limit)}`]
      : []
  })
}

function verbsInWords(verbs: PrintedSet, limit: number): string {
  return isAny(verbs) ? 'any verb on ' : `${setInWords(verbs, 'any verb', limit)} `
}

/** `deployments.apps`, `any resource of apps`, `pods of any group`. */
function resourcesInWords({ resources, subresources, apiGroups }: ResourceEntry, limit: number): string {
  const parts = subresources === undefined ? '' : ` (subresource ${setInWords(subresources, 'any', limit, 'none')})`
  const names = setInWords(resources, 'any resource', limit)
  if (isAny(apiGroups)) return isAny(resources) ? `any resource${parts}` : `${names} of any group${parts}`
  if ('in' in resources && 'in' in apiGroups && resources.in.length * apiGroups.in.length <= limit) {
    const combined = apiGroups.in.flatMap((group) =>
      'in' in resources ? resources.in.map((resource) => withGroup(textOf(resource), textOf(group))) : [],
    )
    return `${combined.join(', ')}${parts}`
  }
  return `${names} of ${setInWords(apiGroups, 'any group', limit, 'the core group')}${parts}`
}

function withGroup(resource: string, group: string): string {
  if (group === '') return resource
  const [name, ...subresource] = resource.split('/')
  return [`${name}.${group}`, ...subresource].join('/')
}

function scopeInWords(group: readonly ResourceEntry[], limit: number): string {
  const namespaced = group.find(({ scope }) => scope === 'namespaced')
  const hasCluster = group.some(({ scope }) => scope === 'cluster')
  if (!namespaced) return 'without a namespace'
  if (isAny(namespaced.namespaces)) return hasCluster ? 'anywhere' : 'in any namespace'
  const inNamespaces = `in ${setInWords(namespaced.namespaces, 'any namespace', limit)}`
  return hasCluster ? `${inNamespaces} or without a namespace` : inNamespaces
}

function pathPhrase({ verbs, nonResourceURLs }: Exclude<RegionEntry, ResourceEntry>, limit: number): string {
  const methods = isAny(verbs) ? 'any method on' : setInWords(verbs, 'any method', limit)
  return `${methods} ${setInWords(withoutImplied(nonResourceURLs), 'any path', limit, '""', ' ')}`
}

/** `/healthz` says what lies below it as well, as in a FlowSchema. */
function withoutImplied(paths: PrintedSet): PrintedSet {
  if (!('in' in paths)) return paths
  const texts = new Set(paths.in.map(textOf))
  return { ...paths, in: paths.in.filter((path) => !texts.has(textOf(path).replace(/\/\*$/, '')) || !isFolder(path)) }
}

function isFolder(path: PrintedValue): boolean {
  return typeof path === 'string' && path.endsWith('/*')
}

/** @param empty  how the empty string is called */
function setInWords(set: PrintedSet, any: string, limit: number, empty = '""', separator = ', '): string {
  const list = (values: readonly PrintedValue[]) =>
    listed(
      values.map((value) => textOf(value) || empty),
      limit,
      separator,
    )
  if ('notIn' in set) return set.notIn.length === 0 ? any : `${any} but ${list(set.notIn)}`
  return set.except === undefined ? list(set.in) : `${list(set.in)} but ${list(set.except)}`
}

function textOf(value: PrintedValue): string {
  return typeof value === 'string' ? value : value.exact
}

/** A single one more is shown: counting it would save nothing. */
function listed(names: readonly string[], limit: number, separator: string): string {
  if (names.length <= limit + 1) return names.join(separator)
  return [...names.slice(0, limit), `${names.length - limit} more`].join(separator)
}
