/**
 * Sets of identities and of requests in a few words. They say what a reader has to know at a glance and leave out what
 * bypasses APF anyway, and the exceptions that earlier FlowSchemas make; the exact sets stand in the documents.
 */
import {
  ALL_AUTHENTICATED,
  ALL_UNAUTHENTICATED,
  impliedGroups,
  SERVICE_ACCOUNT_PREFIX,
  serviceAccountOf,
} from '../apf/identity.ts'
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
import { isEverything, type StringSet, union } from '../regions/string-set.ts'

export interface WordLimits {
  /** Phrases before the rest is counted. */
  phrases: number
  /** Names in one list before the rest is counted. */
  names: number
}

const LIMITS: WordLimits = { phrases: 2, names: 3 }

/** Everything is said, however long it gets. */
export const NO_LIMITS: WordLimits = { phrases: Number.POSITIVE_INFINITY, names: Number.POSITIVE_INFINITY }

const EVERYONE = 'everyone'

/** Who is in one of the cubes: `sa shop/reporter`, `group dev`, `everyone`. */
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
    const who = [...namesOf(users.exact, true).map(userInWords), ...families.map(familyInWords)]
    return who.map((name) => name + also)
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

/** ServiceAccounts as `sa shop/reporter`, as in other tables. */
function userInWords(name: string): string {
  const account = serviceAccountOf(name)
  return account === null ? name : `sa ${account.namespace}/${account.name}`
}

function familyInWords(family: string): string {
  const namespace = family.slice(SERVICE_ACCOUNT_PREFIX.length, -1)
  return namespace === '' ? 'all ServiceAccounts' : `ServiceAccounts of ${namespace}`
}

/**
 * Which requests are in a region: `list, watch pods anywhere`, `get /healthz`, `everything`, `everything but …` where that is
 * shorter.
 *
 * @param bypass  what bypasses APF; absent: in the newest release
 */
export function requestsInWords(region: Region, limits: WordLimits = LIMITS, bypass: Region = BYPASS): string {
  // What bypasses APF is nobody's, so that it may be counted in where that makes a description shorter.
  const rounded = uniteRegions(region, bypass)
  const phrases = [region, rounded].map((each) => phrasesOf(each, limits)).reduce(shorter)
  if (phrases.length <= 1) return phrases[0] ?? 'long-running subresources'
  const missing = phrasesOf(subtractRegion(EVERY_REQUEST, rounded), limits)
  if (missing.length === 0) return EVERYTHING
  return missing.length < phrases.length ? `everything but ${listed(missing, limits)}` : listed(phrases, limits)
}

const BYPASS = bypassRegion(rulesFor({ minor: NEWEST_MINOR }))
const EVERYTHING = 'everything'

function shorter(a: string[], b: string[]): string[] {
  if (a.length !== b.length) return a.length < b.length ? a : b
  return b.join().length < a.join().length ? b : a
}

function listed(phrases: readonly string[], limits: WordLimits): string {
  return counted(phrases, limits.phrases, '; ')
}

function phrasesOf(region: Region, limits: WordLimits): string[] {
  const { nonResource, ...resources } = inFewBoxes(region)
  const paths = nonResource.flatMap((box) => pathsInWords(box, limits) ?? [])
  const phrases = [...new Set([...resourcePhrases({ ...resources, nonResource: [] }, limits), ...paths])]
  return phrases.includes(EVERY_RESOURCE_REQUEST) && phrases.includes(EVERY_PATH_REQUEST) ? [EVERYTHING] : phrases
}

/** The same requests in a description that does not show in which order they were found. */
function inFewBoxes(region: Region): Region {
  return perPlane((plane) => {
    const clauses = region[plane].map((box) => ({ box, answer: 0 }))
    return firstMatch(clauses, spacesOf(plane), DECISION_ORDERS[plane]).boxes.get(0) ?? []
  })
}

const ANY_RESOURCE = 'any resource'
const EVERY_RESOURCE_REQUEST = 'every resource request'
const EVERY_PATH_REQUEST = 'every non-resource request'

interface ResourcePhrase {
  verbs: StringSet
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
    const key = verbsInWords(verbs, limits)
    const phrase = byVerbs.get(key) ?? { verbs, namespaces: new Set(), withoutNamespace: false }
    byVerbs.set(key, phrase)
    if (namespaces === null) phrase.withoutNamespace = true
    else phrase.namespaces.add(namespaces)
  }
  return [...byResource].flatMap(([what, byVerbs]) => {
    const byPlace = new Map<string, StringSet>()
    for (const { verbs, namespaces, withoutNamespace } of byVerbs.values()) {
      const place = placeInWords([...namespaces].sort(compareBytes), withoutNamespace)
      const others = byPlace.get(place)
      byPlace.set(place, others === undefined ? verbs : union(others, verbs))
    }
    return [...byPlace].map(([place, verbs]) => resourcePhrase(verbs, what, place, limits))
  })
}

/** `list, watch in any namespace` says any resource without saying so. */
function resourcePhrase(verbs: StringSet, what: string, place: string, limits: WordLimits): string {
  const words = verbsInWords(verbs, limits)
  if (what === ANY_RESOURCE) return words === ANY_VERB ? wholeInWords(place) : `${words} ${place}`
  return `${words}${verbs.outside ? ' on' : ''} ${what} ${place}`
}

function wholeInWords(place: string): string {
  if (place === ANYWHERE) return EVERY_RESOURCE_REQUEST
  if (place === WITHOUT_NAMESPACE) return `${EVERY_RESOURCE_REQUEST} ${place}`
  return place === IN_ANY_NAMESPACE ? 'every request in a namespace' : `any verb on ${ANY_RESOURCE} ${place}`
}

interface ResourcePart {
  what: string
  verbs: StringSet
  /** Null: none. */
  namespaces: string | null
}

function resourceParts({ namespaced, cluster }: Region, limits: WordLimits): ResourcePart[] {
  const parts = [
    ...namespaced.map((box) => {
      const { namespace, apiGroup, resource, verb } = namedSets('namespaced', box)
      const what = resourcesInWords(apiGroup, resource, limits)
      return { what, verbs: verb, namespaces: setInWords(namespace, 'namespace', limits) }
    }),
    ...cluster.map((box) => {
      const { apiGroup, resource, verb } = namedSets('cluster', box)
      return { what: resourcesInWords(apiGroup, resource, limits), verbs: verb, namespaces: null }
    }),
  ]
  // Nothing is left of what bypasses APF.
  return parts.flatMap(({ what, verbs, namespaces }) =>
    what === null || !(verbs.outside || namesOf(verbs.exact, true).some(isUnderFairness))
      ? []
      : [{ what, verbs, namespaces }],
  )
}

const ANYWHERE = 'anywhere'
const WITHOUT_NAMESPACE = 'without a namespace'
const ANY_NAMESPACE = 'any namespace'
const IN_ANY_NAMESPACE = `in ${ANY_NAMESPACE}`

function placeInWords(namespaces: readonly string[], withoutNamespace: boolean): string {
  if (namespaces.length === 0) return WITHOUT_NAMESPACE
  if (namespaces.includes(ANY_NAMESPACE)) return withoutNamespace ? ANYWHERE : IN_ANY_NAMESPACE
  const where = `in ${namespaces.join(', ')}`
  return withoutNamespace ? `${where} or without one` : where
}

const ANY_VERB = 'any verb'

/** Verbs that bypass APF need not be told. */
function verbsInWords(verbs: StringSet, limits: WordLimits): string {
  const names = namesOf(verbs.exact, !verbs.outside).filter(isUnderFairness).map(spelled).sort(compareBytes)
  return verbs.outside ? exceptInWords(ANY_VERB, names, limits) : counted(names, limits.names + 1)
}

function isUnderFairness(verb: string): boolean {
  return verb !== 'proxy'
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
  const names = namesOf(verb.exact, !verb.outside).filter(isUnderFairness).map(spelled)
  const left = [...namesOf(path.exact, false), ...namesOf(path.families, false)].filter(
    (name) => name !== PROFILING_PATH,
  )
  const isWhole = verb.outside && names.length === 0 && path.outside && left.length === 0
  if (isWhole) return EVERY_PATH_REQUEST
  const methods = verb.outside ? `${exceptInWords('any method', names, limits)} on` : counted(names, limits.names)
  if (path.outside) {
    return `${methods}${verb.outside ? '' : ' on'} ${exceptInWords('any path', left.map(spelled), limits)}`
  }
  const exact = namesOf(path.exact, true)
  const folders = namesOf(path.families, true).filter((folder) => !exact.includes(folder.slice(0, -1)))
  return `${methods} ${counted([...exact, ...folders.map((folder) => `${folder}*`)], limits.names, ' ')}`
}

function exceptInWords(all: string, left: readonly string[], limits: WordLimits): string {
  return left.length === 0 ? all : `${all} but ${counted(left, limits.names)}`
}

function setInWords(set: StringSet, what: string, limits: WordLimits): string {
  if (!set.outside) return counted(namesOf(set.exact, true), limits.names)
  return exceptInWords(`any ${what}`, namesOf(set.exact, false).map(spelled), limits)
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
