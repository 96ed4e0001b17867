/** Sets of requests in words, as the rules of a FlowSchema write them: `list,watch pods,deployments.apps -n shop`. */
import type { NonResourceRule, ResourceRule } from '../apf/objects.ts'
import { compareBytes, cut } from '../apf/text.ts'
import { type ArgumentProblem, isArgumentProblem, type Note } from './note.ts'
import { resolveResourceType } from './resource-name.ts'
import { builtInResources, type ResourceCatalog } from './resources.ts'
import { apiVerbOfMethod, apiVerbs } from './verbs.ts'

export interface FilterWords {
  /** `VERB[,VERB...]`, then `RESOURCE[.GROUP][/SUBRESOURCE][,...]` or `/path`; none: every request. */
  words: readonly string[]
  /** Only requests in this namespace. */
  namespace: string | undefined
}

export interface RequestFilter {
  resourceRules: ResourceRule[]
  nonResourceRules: NonResourceRule[]
  notes: Note[]
}

const WILDCARD = '*'

/** The rules for the requests that the words describe; words that describe none are a problem. */
export function requestFilter(
  { words, namespace }: FilterWords,
  catalog: ResourceCatalog = builtInResources(),
): RequestFilter | ArgumentProblem {
  const [verbWord, targetWord, ...rest] = words
  if (rest.length > 0) {
    return {
      problem: `${rest.join(' ')}: FlowSchemas do not tell objects by name`,
      fix: 'write VERBS RESOURCES, such as list,watch pods',
    }
  }
  if (verbWord === undefined || verbWord === WILDCARD) {
    if (targetWord === undefined) return everyRequest(namespace)
  }
  const target = targetWord ?? WILDCARD
  return target.startsWith('/')
    ? pathFilter(verbWord ?? WILDCARD, target, namespace)
    : resourceFilter(verbWord ?? WILDCARD, target, namespace, catalog)
}

function everyRequest(namespace: string | undefined): RequestFilter {
  const resources = { verbs: [WILDCARD], apiGroups: [WILDCARD], resources: [WILDCARD] }
  const nonResourceRules = namespace === undefined ? [{ verbs: [WILDCARD], nonResourceURLs: [WILDCARD] }] : []
  return { resourceRules: [{ ...resources, ...everyScope(namespace) }], nonResourceRules, notes: [] }
}

function everyScope(namespace: string | undefined): Pick<ResourceRule, 'clusterScope' | 'namespaces'> {
  return namespace === undefined
    ? { clusterScope: true, namespaces: [WILDCARD] }
    : { clusterScope: false, namespaces: [namespace] }
}

function pathFilter(verbWord: string, path: string, namespace: string | undefined): RequestFilter | ArgumentProblem {
  if (namespace !== undefined) return { problem: '-n with a path: paths lie in no namespace', fix: 'leave -n out' }
  const verbs = verbWord.split(',').map((verb) => verb.toLowerCase())
  const paths = path.split(',')
  const wrong = paths.find((entry) => !entry.startsWith('/') || entry.slice(0, -1).includes(WILDCARD))
  if (wrong !== undefined) {
    return { problem: `${wrong} is no path of a FlowSchema`, fix: 'write /healthz, or /healthz/* for all below it' }
  }
  return { resourceRules: [], nonResourceRules: [{ verbs, nonResourceURLs: paths }], notes: [] }
}

function resourceFilter(
  verbWord: string,
  target: string,
  namespace: string | undefined,
  catalog: ResourceCatalog,
): RequestFilter | ArgumentProblem {
  const notes: Note[] = []
  const verbs = verbWord.split(',').map(readVerb)
  const unknown = verbs.find((verb) => verb !== WILDCARD && !apiVerbs.includes(verb))
  if (unknown !== undefined) {
    return { problem: `no request on resources has the verb ${unknown}`, fix: `the verbs are ${apiVerbs.join(', ')}` }
  }
  const byScope = new Map<string, ResourceRule>()
  for (const word of target.split(',')) {
    const rule = ruleOf(word, verbs, namespace, catalog, notes)
    if (isArgumentProblem(rule)) return rule
    const alike = JSON.stringify([rule.apiGroups, rule.clusterScope, rule.namespaces])
    const known = byScope.get(alike)
    if (known === undefined) byScope.set(alike, rule)
    else known.resources = [...new Set([...known.resources, ...rule.resources])].sort(compareBytes)
  }
  return { resourceRules: [...byScope.values()], nonResourceRules: [], notes }
}

/** The verb as requests carry it: in lower case, HTTP methods translated. */
function readVerb(word: string): string {
  const verb = word.toLowerCase()
  return apiVerbs.includes(verb) ? verb : (apiVerbOfMethod(word) ?? verb)
}

function ruleOf(
  word: string,
  verbs: string[],
  namespace: string | undefined,
  catalog: ResourceCatalog,
  notes: Note[],
): ResourceRule | ArgumentProblem {
  if (word === WILDCARD) return { verbs, apiGroups: [WILDCARD], resources: [WILDCARD], ...everyScope(namespace) }
  if (word.startsWith('/'))
    return { problem: `${word} beside resources: a rule has one of them`, fix: 'ask for them one at a time' }
  const [typeText, subresource] = cut(word, '/')
  const [resource, group] = cut(typeText, '.')
  if (resource.includes(WILDCARD) && (word !== `${WILDCARD}.${group}` || group.includes(WILDCARD)))
    return partOfNames(word)
  if (resource === WILDCARD) return { verbs, apiGroups: [group], resources: [WILDCARD], ...everyScope(namespace) }
  if (word.includes(WILDCARD)) return partOfNames(word)
  const type = resolveResourceType(typeText, catalog, notes)
  if (isArgumentProblem(type)) return type
  // A request for one Namespace object lies in the namespace of that name.
  const isClusterScoped = type.namespaced === false && type.resource !== 'namespaces'
  if (isClusterScoped && namespace !== undefined) {
    return { problem: `${type.resource} lie in no namespace`, fix: 'leave -n out' }
  }
  return {
    verbs,
    apiGroups: [type.group],
    resources: [subresource === '' ? type.resource : `${type.resource}/${subresource}`],
    ...(isClusterScoped ? { clusterScope: true, namespaces: [] } : everyScope(namespace)),
  }
}

/** `*` in a FlowSchema stands alone: as a part of a name it is taken literally, and names nothing. */
function partOfNames(word: string): ArgumentProblem {
  return {
    problem: `${word}: FlowSchemas have no patterns for parts of names`,
    fix: 'name them: deployments.apps/status; * is all, with subresources; *.GROUP is all of a group',
  }
}
