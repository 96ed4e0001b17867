/** The rules of FlowSchemas, and the bypass of long-running requests, as sets of requests. */
import { LONG_RUNNING_SUBRESOURCES, PROFILING_PATH } from '../apf/long-running.ts'
import { isWildcardList, pathPrefix, WILDCARD } from '../apf/match.ts'
import type { NonResourceRule, ResourceRule } from '../apf/objects.ts'
import type { VersionRules } from '../apf/versions.ts'
import type { Box } from './box.ts'
import type { Region } from './region.ts'
import { PATHS, PLAIN, RESOURCES } from './spaces.ts'
import { allBut, everything, isEmpty, only, type StringSet, type StringSpace } from './string-set.ts'

/** The requests that a resource rule covers: one box with a namespace, one without. */
export function resourceRuleRegion(rule: ResourceRule): Region {
  const box = [listSet(PLAIN, rule.apiGroups), resourceSet(rule.resources), listSet(PLAIN, rule.verbs)]
  return {
    namespaced: unlessEmpty([namespaceSet(rule.namespaces), ...box]),
    cluster: rule.clusterScope ? unlessEmpty(box) : [],
    nonResource: [],
  }
}

/** The requests that a non-resource rule covers. */
export function nonResourceRuleRegion(rule: NonResourceRule): Region {
  return {
    namespaced: [],
    cluster: [],
    nonResource: unlessEmpty([urlSet(rule.nonResourceURLs), methodSet(rule.verbs)]),
  }
}

/** The requests that APF does not see: proxied and streaming ones, profiling, and in old versions watches. */
export function bypassRegion(rules: VersionRules): Region {
  const bypassingVerbs = only(PLAIN, rules.watchBypassesFairness ? ['proxy', 'watch'] : ['proxy'])
  const otherLongRunningVerbs = allBut(PLAIN, ['proxy', 'watch'])
  const bySubresource = only(RESOURCES, [], LONG_RUNNING_SUBRESOURCES)
  const cluster = [
    [everything(PLAIN), everything(RESOURCES), bypassingVerbs],
    [everything(PLAIN), bySubresource, otherLongRunningVerbs],
  ]
  return {
    namespaced: cluster.map((box) => [everything(PLAIN), ...box]),
    cluster,
    nonResource: [
      [everything(PATHS), bypassingVerbs],
      [only(PATHS, [], [PROFILING_PATH]), otherLongRunningVerbs],
    ],
  }
}

function listSet(space: StringSpace, list: readonly string[]): StringSet {
  return isWildcardList(list) ? everything(space) : only(space, list)
}

/** An entry that ends with a slash selects nothing: without a subresource, a request is named by its resource alone. */
function resourceSet(list: readonly string[]): StringSet {
  return isWildcardList(list)
    ? everything(RESOURCES)
    : only(
        RESOURCES,
        list.filter((resource) => !resource.endsWith('/')),
      )
}

/** The entry '' selects nothing: requests without a namespace are governed by `clusterScope`. */
function namespaceSet(list: readonly string[]): StringSet {
  return isWildcardList(list)
    ? everything(PLAIN)
    : only(
        PLAIN,
        list.filter((namespace) => namespace !== ''),
      )
}

/** Verbs of non-resource requests are lower-cased methods, so an entry with capitals selects nothing. */
function methodSet(list: readonly string[]): StringSet {
  return isWildcardList(list)
    ? everything(PLAIN)
    : only(
        PLAIN,
        list.filter((verb) => verb === verb.toLowerCase()),
      )
}

/** Of `nonResourceURLs`, unlike of other lists, an entry `*` is a wildcard in any company. */
function urlSet(entries: readonly string[]): StringSet {
  return entries.includes(WILDCARD) ? everything(PATHS) : only(PATHS, entries, entries.map(pathPrefix))
}

function unlessEmpty(box: Box): Box[] {
  return box.some(isEmpty) ? [] : [box]
}
