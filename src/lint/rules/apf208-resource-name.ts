import {
  isKubeletSubresource,
  isOwnGroup,
  misspelt,
  misspeltResource,
  ownersOfSubresource,
  resourceMeant,
  resourcesNamed,
} from '../../analysis/resource-facts.ts'
import { isWildcardList, WILDCARD } from '../../apf/match.ts'
import type { ResourceRule } from '../../apf/objects.ts'
import type { Severity } from '../../apf/problem.ts'
import { cut } from '../../apf/text.ts'
import { listInWords, nameOf, type ResourceClause, replaceEntry, resourceClauses } from '../clauses.ts'
import { REPORTER, ruleYaml, schemaYaml } from '../examples.ts'
import { defineRule, type Finding } from '../rule.ts'

export default defineRule({
  id: 'APF208',
  name: 'resource-name',
  severity: 'warning',
  summary: 'An entry of resources is no resource of its API groups, so it matches no request',
  documentation: {
    what:
      'An entry of `resources` that no request has: a pattern (`pods/*`, `*/status`), a subresource without its resource (`log`), ' +
      'a kind, singular or short name (`Pod`, `deploy`), a name with its group (`deployments.apps`), a misspelt name, an unknown ' +
      'subresource (`pods/logs`), or a resource of another group than those listed. Of groups that only the cluster can know, only ' +
      'what no resource can be called is found. What kubelets serve (`nodes/metrics`) is information beside other entries, as it ' +
      'stands in the ClusterRoles of those who ask them.',
    why:
      'An entry is compared letter by letter with the plural in the URL, together with the subresource: `pods` does not cover ' +
      '`pods/status`, and `*` counts only as the sole entry, where it covers subresources as well.',
    fix: 'Write the plural of `kubectl api-resources`, `pods/status` for a subresource, each one by name, and its group in apiGroups.',
    fails: {
      defaults: '1.34',
      yaml: schemaYaml({ rules: ruleYaml([REPORTER], exampleClause('[pods, pods/*]')) }),
    },
    passes: {
      defaults: '1.34',
      yaml: schemaYaml({ rules: ruleYaml([REPORTER], exampleClause('[pods, pods/status, pods/eviction]')) }),
    },
  },
  *check({ own }) {
    for (const clause of resourceClauses(own.flowSchemas)) yield* findingsOf(clause)
  },
})

function exampleClause(resources: string): string {
  return `\
resourceRules:
  - verbs: [get, create, update]
    apiGroups: ['']
    resources: ${resources}
    namespaces: [shop]
`
}

interface Fault {
  severity?: Severity
  why: string
  /** The entry that was meant, where it is sure. */
  meant?: string
  /** What else to do. */
  advice?: string
  /** It is asked of kubelets, whose permissions it is. */
  ofKubelet?: boolean
}

function* findingsOf({ schema, clause, path }: ResourceClause): Iterable<Finding> {
  const { resources } = clause
  if (isWildcardList(resources)) return
  for (const [index, entry] of resources.entries()) {
    const fault = faultOf(entry, clause)
    if (fault === null) continue
    const { why, meant, advice, severity } = fault
    const entryPath = [...path, 'resources', index]
    const fix =
      meant !== undefined
        ? { text: `write ${meant}`, edits: [replaceEntry(resources, entryPath, meant)] }
        : advice !== undefined && { text: advice }
    yield {
      ...(severity && { severity }),
      object: schema,
      path: entryPath,
      message: `${nameOf(schema)} names resource "${entry}", which no request has: ${why}`,
      ...(fix && { fix }),
    }
  }
}

/** Why no request that a server serves has this entry; null where one may. */
function faultOf(entry: string, { apiGroups, resources }: ResourceRule): Fault | null {
  // A lone wildcard never comes here; among others it is refused by the server.
  if (entry === WILDCARD) return null
  const fault = faultOfForm(entry) ?? faultOfName(entry, apiGroups)
  // Beside what the API server serves they stand as in a ClusterRole, where they count.
  return fault?.ofKubelet && resources.length > 1 ? { ...fault, severity: 'info' } : fault
}

/** What no resource of any group can be called. */
function faultOfForm(entry: string): Fault | null {
  const [resource, subresource] = cut(entry, '/')
  if (entry === '') return { why: 'a resource has a name' }
  if (entry.includes('*')) {
    const known = resourcesNamed(resource).flatMap(({ subresources }) => subresources)
    const listed = [...new Set(known)].map((name) => `${resource}/${name}`)
    const advice = listed.length > 0 ? `name each: ${listInWords(listed)}` : 'name each resource and subresource'
    return { why: '"*" is no pattern here', advice }
  }
  if (subresource.includes('/') || entry.endsWith('/') || entry.startsWith('/')) {
    return { why: 'it is neither resource nor resource/subresource', advice: 'names of objects and paths do not count' }
  }
  if (resource.includes('.')) {
    const [plural, group] = cut(resource, '.')
    const meant = subresource === '' ? plural : `${plural}/${subresource}`
    return { why: `the group ${group} belongs in apiGroups`, meant }
  }
  if (entry !== entry.toLowerCase()) return { why: 'resources are lower case', ...meantBy(resource, subresource) }
  return null
}

function meantBy(word: string, subresource: string): { meant?: string } {
  const known = resourceMeant(word)
  if (known === null) return {}
  return { meant: subresource === '' ? known.resource : `${known.resource}/${subresource.toLowerCase()}` }
}

/** What the listed groups do not have, where all of them are known. */
function faultOfName(entry: string, groups: readonly string[]): Fault | null {
  const [resource, subresource] = cut(entry, '/')
  const anyGroup = isWildcardList(groups)
  const unknownGroups = groups.filter((group) => !isOwnGroup(group))
  if (!anyGroup && unknownGroups.length > 0) return null
  const named = resourcesNamed(resource)
  const listed = anyGroup ? named : named.filter(({ group }) => groups.includes(group))
  if (listed.length > 0) {
    return subresource === ''
      ? null
      : faultOfSubresource(
          resource,
          subresource,
          listed.flatMap((known) => known.subresources),
          anyGroup,
        )
  }
  if (named.length > 0) return faultOfGroup(resource, named[0]?.group ?? '', groups)
  return faultOfUnknown(entry, resource, subresource, groups, anyGroup)
}

function faultOfSubresource(
  resource: string,
  subresource: string,
  known: readonly string[],
  anyGroup: boolean,
): Fault | null {
  if (known.includes(subresource)) return null
  if (isKubeletSubresource(resource, subresource)) {
    return { why: 'kubelets serve it, the API server has no such path', ofKubelet: true }
  }
  const meant = misspelt(subresource, known)
  if (meant !== null) return { why: `the subresource is ${meant}`, meant: `${resource}/${meant}` }
  // Any group may have resources of that name.
  if (anyGroup) return null
  const has = known.length === 0 ? `${resource} have no subresources` : `${resource} have ${listInWords([...known])}`
  return { why: has }
}

function faultOfGroup(resource: string, group: string, groups: readonly string[]): Fault {
  const written = listInWords(groups.map((name) => (name === '' ? '"" (core)' : name)))
  const where = group === '' ? 'the core group ""' : `group ${group}`
  return { why: `${resource} are in ${where}, not in ${written}`, advice: `add "${group}" to apiGroups` }
}

function faultOfUnknown(
  entry: string,
  resource: string,
  subresource: string,
  groups: readonly string[],
  anyGroup: boolean,
): Fault | null {
  const owners = subresource === '' ? ownersOfSubresource(entry) : []
  const ownersHere = owners.filter(({ group }) => anyGroup || groups.includes(group))
  const [owner] = ownersHere
  if (owner !== undefined) {
    const why = 'it is a subresource, written with its resource'
    const forms = ownersHere.map((known) => `${known.resource}/${entry}`)
    return forms.length === 1
      ? { why, meant: `${owner.resource}/${entry}` }
      : { why, advice: `write ${forms.slice(0, 3).join(', ')}` }
  }
  const known = resourceMeant(resource)
  if (known !== null && (anyGroup || groups.includes(known.group))) {
    const why = known.singular === resource ? 'resources are plural' : 'it is a short name'
    return { why, ...meantBy(resource, subresource) }
  }
  // In any group, a near miss may be the name of a custom resource.
  if (anyGroup) return null
  const meant = misspeltResource(resource, groups)
  if (meant !== null)
    return { why: `the resource is ${meant}`, meant: subresource === '' ? meant : `${meant}/${subresource}` }
  return null
}
