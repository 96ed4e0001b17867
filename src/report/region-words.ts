/**
 * Sets of identities and of requests in a few words. They say what a reader has to know at a glance and leave out what
 * bypasses APF anyway, and the exceptions that earlier FlowSchemas make; the exact sets stand in the documents.
 */
import { ALL_AUTHENTICATED, ALL_UNAUTHENTICATED, impliedGroups, SERVICE_ACCOUNT_PREFIX } from '../apf/identity.ts'
import { LONG_RUNNING_SUBRESOURCES, PROFILING_PATH } from '../apf/long-running.ts'
import { compareBytes, cut } from '../apf/text.ts'
import { NEWEST_MINOR, rulesFor } from '../apf/versions.ts'
import type { Box } from '../regions/box.ts'
import { firstMatch } from '../regions/first-match.ts'
import type { IdentityCube } from '../regions/identity.ts'
import {
  DECISION_ORDERS,
  EVERY_REQUEST,
  namedSets,
  perPlane,
  type Region,
  spacesOf,
  subtractRegion,
  uniteRegions,
} from '../regions/region.ts'
import { bypassRegion } from '../regions/rules.ts'
import { isEverything, type StringSet } from '../regions/string-set.ts'

export interface WordLimits {
  /** Phrases before the rest is counted. */
  phrases: number
  /** Names in one list before the rest is counted. */
  names: number
}

const LIMITS: WordLimits = { phrases: 2, names: 3 }

const EVERYONE = 'everyone'

/** Who is in one of the cubes: `system:serviceaccount:shop:reporter`, `group dev`, `everyone`. */
export function whoInWords(cubes: readonly IdentityCube[], limits: WordLimits = LIMITS): string {
  const phrases = [...new Set(cubes.flatMap(cubeInWords))]
  const broad = phrases.find((phrase) => phrase === EVERYONE) ?? coveredByBoth(phrases)
  return broad ?? counted(phrases.sort(compareBytes), limits.names)
}

function coveredByBoth(phrases: readonly string[]): string | null {
  return phrases.includes(ALL_IN_WORDS) && phrases.includes(OTHERS_IN_WORDS) ? EVERYONE : null
}

const ALL_IN_WORDS = 'all authenticated'
const OTHERS_IN_WORDS = 'all unauthenticated'

function cubeInWords({ users, has }: IdentityCube): string[] {
  if (!users.outside) {
    const families = namesOf(users.families, true)
    const names = [...namesOf(users.exact, true), ...families.map((family) => `${family}example`)]
    const implied = new Set(names.flatMap((name) => impliedGroups(name)))
    const others = has.filter((group) => !implied.has(group) && !isOfAuthentication(group))
    const also = others.length === 0 ? '' : ` in ${others.map(groupInWords).join(' and ')}`
    return [...namesOf(users.exact, true), ...families.map(familyInWords)].map((name) => name + also)
  }
  const groups = has.filter((group) => !isOfAuthentication(group))
  if (groups.length > 0) return [groups.map(groupInWords).join(' and ')]
  if (has.includes(ALL_AUTHENTICATED)) return [ALL_IN_WORDS]
  return [has.includes(ALL_UNAUTHENTICATED) ? OTHERS_IN_WORDS : EVERYONE]
}

function isOfAuthentication(group: string): boolean {
  return group === ALL_AUTHENTICATED || group === ALL_UNAUTHENTICATED
}

const SERVICE_ACCOUNTS = 'system:serviceaccounts'

function groupInWords(group: string): string {
  if (group === SERVICE_ACCOUNTS) return 'all ServiceAccounts'
  if (group.startsWith(`${SERVICE_ACCOUNTS}:`)) return `ServiceAccounts of ${group.slice(SERVICE_ACCOUNTS.length + 1)}`
  return `group ${group}`
}

function familyInWords(family: string): string {
  const namespace = family.slice(SERVICE_ACCOUNT_PREFIX.length, -1)
  return namespace === '' ? 'all ServiceAccounts' : `ServiceAccounts of ${namespace}`
}

/**
 * Which requests are in a region: `list, watch pods anywhere`, `get /healthz`, `everything`, `everything but …` where that is
 * shorter.
 */
export function requestsInWords(region: Region, limits: WordLimits = LIMITS): string {
  // What bypasses APF is nobody's, so that it may be counted in where that makes a description shorter.
  const rounded = uniteRegions(region, BYPASS)
  const phrases = [region, rounded].map((each) => phrasesOf(each, limits)).reduce(shorter)
  if (phrases.length <= 1) return phrases[0] ?? 'long-running subresources'
  const missing = phrasesOf(subtractRegion(EVERY_REQUEST, rounded), limits)
  if (missing.length === 0) return EVERYTHING
  return missing.length < phrases.length ? `everything but ${listed(missing, limits)}` : listed(phrases, limits)
}

const BYPASS = bypassRegion(rulesFor({ minor: NEWEST_MINOR }))
const EVERYTHING = 'everything'

function shorter(a: string[], b: string[]): string[] {
  return b.length < a.length ? b : a
}

function listed(phrases: readonly string[], limits: WordLimits): string {
  return counted(phrases, limits.phrases, '; ')
}

function phrasesOf(region: Region, limits: WordLimits): string[] {
  const { nonResource, ...resources } = inFewBoxes(region)
  const paths = nonResource.flatMap((box) => pathsInWords(box, limits) ?? [])
  const phrases = [...new Set([...resourcePhrases({ ...resources, nonResource: [] }, limits), ...paths])]
  return phrases.includes(ANY_RESOURCE_REQUEST) && phrases.includes(ANY_PATH_REQUEST) ? [EVERYTHING] : phrases
}

/** The same requests in a description that does not show in which order they were found. */
function inFewBoxes(region: Region): Region {
  return perPlane((plane) => {
    const clauses = region[plane].map((box) => ({ box, answer: 0 }))
    return firstMatch(clauses, spacesOf(plane), DECISION_ORDERS[plane]).boxes.get(0) ?? []
  })
}

const ANY_RESOURCE = 'any resource'
const ANY_RESOURCE_REQUEST = `any verb on ${ANY_RESOURCE} anywhere`
const ANY_PATH_REQUEST = 'any method on any path'

interface ResourcePhrase {
  verbs: Set<string>
  /** Namespaces, in words. */
  namespaces: Set<string>
  withoutNamespace: boolean
}

/** Boxes that differ in their verbs or in their scope alone are one phrase. */
function resourcePhrases(region: Region, limits: WordLimits): string[] {
  const byResource = new Map<string, Map<string, ResourcePhrase>>()
  for (const { what, verbs, namespaces } of resourceParts(region, limits)) {
    const byVerbs = byResource.get(what) ?? new Map<string, ResourcePhrase>()
    byResource.set(what, byVerbs)
    const key = verbs.join('\n')
    const phrase = byVerbs.get(key) ?? { verbs: new Set(verbs), namespaces: new Set(), withoutNamespace: false }
    byVerbs.set(key, phrase)
    if (namespaces === null) phrase.withoutNamespace = true
    else phrase.namespaces.add(namespaces)
  }
  return [...byResource].flatMap(([what, byVerbs]) => {
    const byPlace = new Map<string, Set<string>>()
    for (const { verbs, namespaces, withoutNamespace } of byVerbs.values()) {
      const place = placeInWords([...namespaces].sort(compareBytes), withoutNamespace)
      byPlace.set(place, new Set([...(byPlace.get(place) ?? []), ...verbs]))
    }
    return [...byPlace].map(([place, verbs]) => resourcePhrase(verbList([...verbs], limits), what, place))
  })
}

/** `list, watch in any namespace` says any resource without saying so. */
function resourcePhrase(verbs: string, what: string, place: string): string {
  return what === ANY_RESOURCE && verbs !== ANY_VERB ? `${verbs} ${place}` : `${verbs} ${what} ${place}`
}

interface ResourcePart {
  what: string
  verbs: string[]
  /** Null: none. */
  namespaces: string | null
}

function resourceParts({ namespaced, cluster }: Region, limits: WordLimits): ResourcePart[] {
  const parts = [
    ...namespaced.map((box) => {
      const { namespace, apiGroup, resource, verb } = namedSets('namespaced', box)
      const what = resourcesInWords(apiGroup, resource, limits)
      return { what, verbs: verbsOf(verb, limits), namespaces: setInWords(namespace, 'namespace', limits) }
    }),
    ...cluster.map((box) => {
      const { apiGroup, resource, verb } = namedSets('cluster', box)
      return { what: resourcesInWords(apiGroup, resource, limits), verbs: verbsOf(verb, limits), namespaces: null }
    }),
  ]
  // Nothing is left of what bypasses APF.
  return parts.flatMap(({ what, verbs, namespaces }) =>
    what === null || verbs.length === 0 ? [] : [{ what, verbs, namespaces }],
  )
}

function placeInWords(namespaces: readonly string[], withoutNamespace: boolean): string {
  if (namespaces.length === 0) return 'without a namespace'
  const where = namespaces.includes('any namespace') ? 'any namespace' : namespaces.join(', ')
  if (!withoutNamespace) return `in ${where}`
  return where === 'any namespace' ? 'anywhere' : `in ${where} or without one`
}

const ANY_VERB = 'any verb on'

/** Verbs that bypass APF need not be told. */
function verbsOf(verbs: StringSet, limits: WordLimits): string[] {
  if (!verbs.outside) return namesOf(verbs.exact, true).filter(isUnderFairness).map(spelled)
  const left = namesOf(verbs.exact, false).filter(isUnderFairness)
  return [left.length === 0 ? ANY_VERB : `any verb but ${counted(left.map(spelled), limits.names)} on`]
}

function isUnderFairness(verb: string): boolean {
  return verb !== 'proxy'
}

function verbList(verbs: readonly string[], limits: WordLimits): string {
  return verbs.includes(ANY_VERB) ? ANY_VERB : counted([...verbs].sort(compareBytes), limits.names + 1)
}

/** Null where nothing but long-running subresources is left. */
function resourcesInWords(apiGroups: StringSet, resources: StringSet, limits: WordLimits): string | null {
  const anyGroup = isEverything(apiGroups)
  const groups = namesOf(apiGroups.exact, true)
  if (resources.outside) {
    const left = namesOf(resources.exact, false)
    const names = left.length === 0 ? ANY_RESOURCE : `any resource but ${counted(left, limits.names)}`
    if (anyGroup) return names
    return apiGroups.outside
      ? `${names} of API groups but ${counted(namesOf(apiGroups.exact, false).map(groupName), limits.names)}`
      : `${names} of ${counted(groups.map(groupName), limits.names)}`
  }
  const families = namesOf(resources.families, true)
    .filter((subresource) => !LONG_RUNNING_SUBRESOURCES.has(subresource))
    .map((subresource) => `*/${subresource}`)
  const names = [...namesOf(resources.exact, true), ...families]
  if (names.length === 0) return null
  if (anyGroup) return `${counted(names, limits.names)} of any group`
  if (apiGroups.outside) {
    return `${counted(names, limits.names)} of API groups but ${counted(namesOf(apiGroups.exact, false).map(groupName), limits.names)}`
  }
  return counted(
    groups.flatMap((group) => names.map((name) => withGroup(name, group))),
    limits.names,
  )
}

function groupName(group: string): string {
  return group === '' ? 'the core group' : group
}

function withGroup(resource: string, group: string): string {
  if (group === '') return resource
  const [name, subresource] = cut(resource, '/')
  return subresource === '' ? `${name}.${group}` : `${name}.${group}/${subresource}`
}

function pathsInWords(box: Box, limits: WordLimits): string | null {
  const { path, verb } = namedSets('nonResource', box)
  if (!verb.outside && !namesOf(verb.exact, true).some(isUnderFairness)) return null
  const isProfiling = (name: string) => name === PROFILING_PATH
  if (!path.outside && path.exact.size === 0 && namesOf(path.families, true).every(isProfiling)) return null
  const methods = verb.outside
    ? exceptInWords('any method', namesOf(verb.exact, false).filter(isUnderFairness), limits)
    : counted(namesOf(verb.exact, true).filter(isUnderFairness).map(spelled), limits.names)
  const left = [...namesOf(path.exact, false), ...namesOf(path.families, false)].filter(
    (name) => name !== PROFILING_PATH,
  )
  if (path.outside) return `${methods} on ${exceptInWords('any path', left, limits)}`
  const exact = namesOf(path.exact, true)
  const folders = namesOf(path.families, true).filter((folder) => !exact.includes(folder.slice(0, -1)))
  return `${methods} ${counted([...exact, ...folders.map((folder) => `${folder}*`)], limits.names, ' ')}`
}

function exceptInWords(all: string, left: readonly string[], limits: WordLimits): string {
  return left.length === 0 ? all : `${all} but ${counted(left.map(spelled), limits.names)}`
}

function setInWords(set: StringSet, what: string, limits: WordLimits): string {
  if (!set.outside) return counted(namesOf(set.exact, true), limits.names)
  return exceptInWords(`any ${what}`, namesOf(set.exact, false), limits)
}

function spelled(name: string): string {
  return name === '' ? '""' : name
}

function namesOf(answers: ReadonlyMap<string, boolean>, inside: boolean): string[] {
  return [...answers].flatMap(([name, answer]) => (answer === inside ? [name] : []))
}

/** Longer lists end with a number, unless their first name alone is longer. */
const LONGEST_LIST = 60

/** The first so many and the number of the others. */
function counted(names: readonly string[], most: number, separator = ', '): string {
  let shown = Math.min(names.length, names.length <= most + 1 ? most + 1 : most)
  while (shown > 1 && names.slice(0, shown).join(separator).length > LONGEST_LIST) shown--
  if (shown === names.length) return names.join(separator)
  return `${names.slice(0, shown).join(separator)} and ${names.length - shown} more`
}
