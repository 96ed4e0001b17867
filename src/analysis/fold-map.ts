/**
 * The map of a subject in words that a person reads in ten seconds. It is read from top to bottom: each line says what its
 * rules cover, and what an earlier line has is not said again. The exact sets are those of the map.
 */
import { LONG_RUNNING_SUBRESOURCES } from '../apf/long-running.ts'
import { isWildcardList, WILDCARD } from '../apf/match.ts'
import type { NonResourceRule, ResourceRule } from '../apf/objects.ts'
import { compareBytes } from '../apf/text.ts'
import type { VersionRules } from '../apf/versions.ts'
import { PLANE_NAMES, type Plane } from '../regions/region.ts'
import { nonResourceRuleRegion, resourceRuleRegion } from '../regions/rules.ts'
import { isEverything } from '../regions/string-set.ts'
import type { DecidingRule, MapRegion, SubjectMap } from './subject-map.ts'

export interface FoldedRegion {
  /** Name of the priority level; null for what bypasses APF. */
  level: string | null
  /** As in `probes (2)`; null for what bypasses APF. */
  flowSchema: string | null
  /** One phrase per kind of requests, at least one. */
  requests: string[]
}

export interface FoldLimits {
  /** Names in one list before the rest is counted. */
  names: number
  /** Phrases of one region before the rest is counted. */
  phrases: number
}

const LIMITS: FoldLimits = { names: 5, phrases: 4 }

export function foldMap(map: SubjectMap, rules: VersionRules, limits: FoldLimits = LIMITS): FoldedRegion[] {
  return map.regions.map((region, index) => {
    const { schema, level } = region
    if (!schema || !level) return { level: null, flowSchema: null, requests: [bypassInWords(rules)] }
    const { metadata, spec } = schema.schema
    return {
      level: level.metadata.name,
      flowSchema: `${metadata.name} (${spec.matchingPrecedence})`,
      requests: foldRegion(region, map.regions.slice(0, index), limits),
    }
  })
}

function bypassInWords(rules: VersionRules): string {
  const watches = rules.watchBypassesFairness ? 'watch, ' : ''
  return `${watches}exec, attach, portforward, proxy, log, pprof (long-running)`
}

/**
 * The requests of a region under APF, a phrase for each kind.
 * @param earlier  the regions that stand before it in the map
 */
export function foldRegion(region: MapRegion, earlier: readonly MapRegion[], limits: FoldLimits = LIMITS): string[] {
  const whole = new Set(PLANE_NAMES.filter((plane) => region.isFallback || region.rules.some(coversWhole(plane))))
  const hasRest = (plane: Plane) => earlier.some(({ requests }) => requests[plane].length > 0)
  const phrases = [
    ...wholeInWords(whole, hasRest),
    ...resourcePhrases(
      region.rules.flatMap(({ resourceRule }) => resourceRule ?? []),
      whole,
      limits,
    ),
    ...(whole.has('nonResource')
      ? []
      : region.rules.flatMap(({ nonResourceRule }) => (nonResourceRule ? pathsInWords(nonResourceRule, limits) : []))),
  ]
  const { shown, more } = shortened([...new Set(phrases)], limits.phrases)
  return more === null ? [...shown] : [...shown, more]
}

function coversWhole(plane: Plane): (rule: DecidingRule) => boolean {
  return ({ resourceRule, nonResourceRule }) => {
    const boxes = [
      ...(resourceRule ? resourceRuleRegion(resourceRule)[plane] : []),
      ...(nonResourceRule ? nonResourceRuleRegion(nonResourceRule)[plane] : []),
    ]
    return boxes.some((box) => box.every(isEverything))
  }
}

function wholeInWords(whole: ReadonlySet<Plane>, isShared: (plane: Plane) => boolean): string[] {
  const every = (...planes: Plane[]) => (planes.some(isShared) ? 'every other' : 'every')
  if (whole.size === PLANE_NAMES.length) return [PLANE_NAMES.some(isShared) ? 'everything else' : 'everything']
  const phrases: string[] = []
  if (whole.has('namespaced') && whole.has('cluster')) {
    phrases.push(`${every('namespaced', 'cluster')} resource request`)
  } else if (whole.has('namespaced')) phrases.push(`${every('namespaced')} request in a namespace`)
  else if (whole.has('cluster')) phrases.push(`${every('cluster')} resource request without a namespace`)
  if (whole.has('nonResource')) phrases.push(`${every('nonResource')} non-resource request`)
  return phrases
}

/** One phrase for all rules of the same verbs and scope: `create, get, update leases.coordination.k8s.io in any namespace`. */
function resourcePhrases(rules: readonly ResourceRule[], whole: ReadonlySet<Plane>, limits: FoldLimits): string[] {
  const named = new Map<string, { verbs: string; scope: string; resources: Set<string> }>()
  for (const rule of rules) {
    const scope = scopeInWords(rule, whole, limits)
    if (scope === null) continue
    const verbs = isWildcardList(rule.verbs) ? 'any verb on' : rule.verbs.toSorted(compareBytes).join(', ')
    const key = JSON.stringify([verbs, scope])
    const alike = named.get(key) ?? { verbs, scope, resources: new Set<string>() }
    named.set(key, alike)
    for (const resource of resourcesInWords(rule)) alike.resources.add(resource)
  }
  return [...named.values()].map(({ verbs, scope, resources }) => `${verbs} ${listed(resources, limits)} ${scope}`)
}

/** Null if all that the rule covers lies where everything is covered anyway. */
function scopeInWords(rule: ResourceRule, whole: ReadonlySet<Plane>, limits: FoldLimits): string | null {
  const { namespaced, cluster } = resourceRuleRegion(rule)
  const inNamespaces = namespaced.length > 0 && !whole.has('namespaced')
  const withoutNamespace = cluster.length > 0 && !whole.has('cluster')
  if (!inNamespaces) return withoutNamespace ? 'without a namespace' : null
  if (isWildcardList(rule.namespaces)) return withoutNamespace ? 'anywhere' : 'in any namespace'
  return `in ${listed(rule.namespaces, limits)}${withoutNamespace ? ' or without a namespace' : ''}`
}

/** `pods`, `deployments.apps/scale`, `any resource of apps`. */
function resourcesInWords({ resources, apiGroups, verbs }: ResourceRule): string[] {
  const anyGroup = isWildcardList(apiGroups)
  if (isWildcardList(resources)) {
    return anyGroup
      ? ['any resource']
      : apiGroups.map((group) => `any resource of ${group === '' ? 'the core group' : group}`)
  }
  const underFairness = resources.filter((resource) => verbs.includes('watch') || !isLongRunning(resource))
  // Where nothing else is left, the rule takes watches of these.
  const shown = underFairness.length > 0 ? underFairness : resources
  if (anyGroup) return shown.map((resource) => `${resource} of any group`)
  return apiGroups.flatMap((group) => shown.map((resource) => withGroup(resource, group)))
}

function isLongRunning(resource: string): boolean {
  const slash = resource.indexOf('/')
  return slash >= 0 && LONG_RUNNING_SUBRESOURCES.has(resource.slice(slash + 1))
}

function withGroup(resource: string, group: string): string {
  if (group === '') return resource
  const [name, ...subresource] = resource.split('/')
  return [`${name}.${group}`, ...subresource].join('/')
}

/** `get /healthz /livez /readyz` */
function pathsInWords({ verbs, nonResourceURLs }: NonResourceRule, limits: FoldLimits): string {
  const methods = isWildcardList(verbs) ? 'any method on' : verbs.toSorted(compareBytes).join(', ')
  if (nonResourceURLs.includes(WILDCARD)) return `${methods} any path`
  return `${methods} ${listed(nonResourceURLs, limits, ' ')}`
}

function listed(names: Iterable<string>, limits: FoldLimits, separator = ', '): string {
  const { shown, more } = shortened([...new Set(names)].sort(compareBytes), limits.names)
  return more === null ? shown.join(separator) : `${shown.join(separator)} ${more}`
}

/** The first so many, and how many more. A single one more is shown: counting it would save nothing. */
function shortened(names: readonly string[], limit: number): { shown: readonly string[]; more: string | null } {
  if (names.length <= limit + 1) return { shown: names, more: null }
  return { shown: names.slice(0, limit), more: `… and ${names.length - limit} more` }
}
