/** Regions as the JSON contract writes them: entries of sets, each set a list of what is in it or what is not. */
import { compareBytes } from '../apf/text.ts'
import type { Box } from './box.ts'
import { namedSets, type Region, simplifyRegion } from './region.ts'
import type { StringSet } from './string-set.ts'

/**
 * `in`: these, without those under `except`; `notIn`: all but these; everything is `notIn: []`. Sorted by bytes. In sets of
 * paths `/prefix/*` is a pattern for what begins with `/prefix/`; a literal of that form is written as `exact`. `except` of
 * a set of paths also holds patterns where one folder is taken out of another.
 */
export type PrintedSet = { in: PrintedValue[]; except?: PrintedValue[] } | { notIn: PrintedValue[] }

export type PrintedValue = string | { exact: string }

export interface ResourceEntry {
  verbs: PrintedSet
  apiGroups: PrintedSet
  resources: PrintedSet
  /** Only where `resources` alone cannot say it: the subresource must also be one of these; '' is none. */
  subresources?: PrintedSet
  scope: 'cluster' | 'namespaced'
  /** Of the scope `cluster`, nothing: `in: []`. */
  namespaces: PrintedSet
}

export interface NonResourceEntry {
  verbs: PrintedSet
  nonResourceURLs: PrintedSet
}

export type RegionEntry = ResourceEntry | NonResourceEntry

/** The shortest description found: disjoint entries, no two of which could be one. The order is stable. */
export function regionEntries(region: Region): RegionEntry[] {
  const { namespaced, cluster, nonResource } = simplifyRegion(region)
  return [
    ...sorted(namespaced.map(namespacedEntry)),
    ...sorted(cluster.map(clusterEntry)),
    ...sorted(nonResource.map(nonResourceEntry)),
  ]
}

function sorted<T extends RegionEntry>(entries: readonly T[]): T[] {
  return entries
    .map((entry) => ({ entry, text: JSON.stringify(entry) }))
    .sort((a, b) => compareBytes(a.text, b.text))
    .map(({ entry }) => entry)
}

function namespacedEntry(box: Box): ResourceEntry {
  const { namespace, apiGroup, resource, verb } = namedSets('namespaced', box)
  return resourceEntry(verb, apiGroup, resource, 'namespaced', printSet(namespace))
}

function clusterEntry(box: Box): ResourceEntry {
  const { apiGroup, resource, verb } = namedSets('cluster', box)
  return resourceEntry(verb, apiGroup, resource, 'cluster', { in: [] })
}

function resourceEntry(
  verb: StringSet,
  apiGroup: StringSet,
  resource: StringSet,
  scope: ResourceEntry['scope'],
  namespaces: PrintedSet,
): ResourceEntry {
  return { verbs: printSet(verb), apiGroups: printSet(apiGroup), ...printResources(resource), scope, namespaces }
}

function nonResourceEntry(box: Box): NonResourceEntry {
  const { path, verb } = namedSets('nonResource', box)
  return { verbs: printSet(verb), nonResourceURLs: printPaths(path) }
}

/** A set without families. */
function printSet(set: StringSet): PrintedSet {
  const values = [...set.exact.keys()]
  return set.outside ? { notIn: values } : { in: values }
}

function printResources(set: StringSet): { resources: PrintedSet; subresources?: PrintedSet } {
  if (set.families.size === 0) return { resources: printSet(set) }
  const subresources = [...set.families.keys()].sort(compareBytes)
  return {
    resources: { notIn: [...set.exact.keys()] },
    subresources: set.outside ? { notIn: subresources } : { in: subresources },
  }
}

function printPaths(set: StringSet): PrintedSet {
  return printWithFamilies(set, (path) => path === '*' || path.endsWith('/*'))
}

/**
 * A set with its families, each as a pattern that ends in `*`.
 * @param isPattern  whether a single name reads like a pattern, so that it has to be written as `exact`
 */
export function printWithFamilies(set: StringSet, isPattern: (name: string) => boolean): PrintedSet {
  const listed = (inside: boolean): PrintedValue[] =>
    [
      ...namesWith(set.exact, inside).map((name) => ({ text: name, value: isPattern(name) ? { exact: name } : name })),
      ...namesWith(set.families, inside).map((family) => ({ text: `${family}*`, value: `${family}*` })),
    ]
      .sort((a, b) => compareBytes(a.text, b.text))
      .map(({ value }) => value)
  if (set.outside) return { notIn: listed(false) }
  const except = listed(false)
  return except.length === 0 ? { in: listed(true) } : { in: listed(true), except }
}

function namesWith(answers: ReadonlyMap<string, boolean>, inside: boolean): string[] {
  return [...answers].filter(([, answer]) => answer === inside).map(([name]) => name)
}
