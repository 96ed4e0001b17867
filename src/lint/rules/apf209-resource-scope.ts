import { isOwnGroup, resourcesNamed } from '../../analysis/resource-facts.ts'
import { isWildcardList } from '../../apf/match.ts'
import type { ResourceRule } from '../../apf/objects.ts'
import type { Severity } from '../../apf/problem.ts'
import { cut } from '../../apf/text.ts'
import { nameOf, quotedList, type ResourceClause, resourceClauses } from '../clauses.ts'
import { REPORTER, ruleYaml, schemaYaml } from '../examples.ts'
import { defineRule, type Finding } from '../rule.ts'

export default defineRule({
  id: 'APF209',
  name: 'resource-scope',
  severity: 'warning',
  summary: 'A resource rule names a resource in a scope in which its requests never are',
  documentation: {
    what:
      'Cluster-scoped resources such as `nodes` in a rule without `clusterScope: true`; namespaced resources such as `pods` in a ' +
      'rule with `clusterScope: true` and no namespaces, for verbs other than list, watch and deletecollection. Requests on one ' +
      'Namespace object are in the namespace of its name; information where the rule takes the rest of the requests for ' +
      'namespaces that it names.',
    why:
      'A request without a namespace is governed by `clusterScope` alone, whatever `namespaces` says, and a request with one by ' +
      '`namespaces` alone: `namespaces: ["*"]` does not mean cluster-scoped, and `clusterScope: true` does not mean all namespaces.',
    fix: 'Add `clusterScope: true` for cluster-scoped resources and lists over all namespaces, `namespaces: ["*"]` for the rest.',
    fails: {
      defaults: '1.34',
      yaml: schemaYaml({ rules: ruleYaml([REPORTER], exampleClause('')) }),
    },
    passes: {
      defaults: '1.34',
      yaml: schemaYaml({ rules: ruleYaml([REPORTER], exampleClause('    clusterScope: true\n')) }),
    },
  },
  *check({ own }) {
    for (const clause of resourceClauses(own.flowSchemas)) yield* findingsOf(clause)
  },
})

function exampleClause(scope: string): string {
  return `\
resourceRules:
  - verbs: [list, watch]
    apiGroups: ['']
    resources: [nodes]
    namespaces: ['*']
${scope}`
}

/** Verbs of requests over all namespaces. */
const COLLECTION_VERBS: readonly string[] = ['list', 'watch', 'deletecollection']
/** Verbs of requests on one object. */
const OBJECT_VERBS: readonly string[] = ['get', 'update', 'patch', 'delete', 'create']

function* findingsOf({ schema, clause, path }: ResourceClause): Iterable<Finding> {
  if (isWildcardList(clause.resources)) return
  for (const [index, entry] of clause.resources.entries()) {
    const scope = scopeOf(entry, clause.apiGroups)
    const fault = scope === null ? null : FAULTS[scope](entry, clause)
    if (fault === null) continue
    yield {
      ...(fault.severity && { severity: fault.severity }),
      object: schema,
      path: [...path, 'resources', index],
      message: `${nameOf(schema)} ${fault.message}`,
      note: fault.note,
      fix: fault.edit
        ? { text: fault.fix, edits: [{ path: [...path, fault.edit.field], set: fault.edit.value }] }
        : { text: fault.fix },
    }
  }
}

type Scope = 'cluster' | 'namespaced' | 'namespaces'

const FAULTS: Record<Scope, (entry: string, clause: ResourceRule) => Fault | null> = {
  cluster: clusterFault,
  namespaced: namespacedFault,
  namespaces: namespacesFault,
}

/** In which scope the resource is in all listed groups that have it; null where that differs or cannot be known. */
function scopeOf(entry: string, groups: readonly string[]): Scope | null {
  const [resource] = cut(entry, '/')
  const named = resourcesNamed(resource)
  const listed = isWildcardList(groups)
    ? // Some group of custom resources may have a resource of that name; everybody means Kubernetes' own.
      named.filter(({ group }) => group === '' || named.length === 1)
    : groups.every(isOwnGroup)
      ? named.filter(({ group }) => groups.includes(group))
      : []
  const [first] = listed
  if (first === undefined || listed.some(({ namespaced }) => namespaced !== first.namespaced)) return null
  if (resource === 'namespaces') return 'namespaces'
  return first.namespaced ? 'namespaced' : 'cluster'
}

interface Fault {
  severity?: Severity
  message: string
  note: string
  fix: string
  edit?: { field: string; value: unknown }
}

function clusterFault(entry: string, { clusterScope, namespaces }: ResourceRule): Fault | null {
  if (clusterScope || namespaces.length === 0) return null
  return {
    message: `names ${entry} with namespaces ${JSON.stringify(namespaces)}, but they are cluster-scoped`,
    note: 'without clusterScope: true the rule takes no request for them',
    ...addClusterScope(namespaces),
  }
}

function addClusterScope(namespaces: readonly string[]): Pick<Fault, 'fix' | 'edit'> {
  const fix = 'add clusterScope: true'
  // With one namespace it is not sure that requests over all of them are wanted as well.
  return isWildcardList(namespaces) ? { fix, edit: { field: 'clusterScope', value: true } } : { fix }
}

/** Requests on one Namespace are in it, as `namespaces/status` always are; those to list or create some are in none. */
function namespacesFault(entry: string, { clusterScope, namespaces, verbs }: ResourceRule): Fault | null {
  // With both it takes all of them; with neither the server refuses it.
  if (clusterScope === namespaces.length > 0) return null
  const named = isWildcardList(verbs) ? [...COLLECTION_VERBS, ...OBJECT_VERBS] : verbs
  const isInNone = (verb: string) => entry === 'namespaces' && (COLLECTION_VERBS.includes(verb) || verb === 'create')
  const inNone = named.filter(isInNone)
  const inOne = named.filter((verb) => !isInNone(verb))
  const lost = clusterScope ? inOne : inNone
  if (lost.length === 0) return null
  const taken = clusterScope ? inNone : inOne
  // Who names get beside lists and watches, of whatever namespace, means to cover what reads.
  const isReading = isWildcardList(namespaces) && taken.every((verb) => verb === 'get')
  const severity = taken.length > 0 && !isReading && { severity: 'info' as const }
  const requests = `requests to ${listVerbs(lost)} ${entry}`
  if (clusterScope) {
    return {
      ...severity,
      message: `names ${entry} with clusterScope: true and no namespaces, but ${requests} are in the namespace of that name`,
      note: 'clusterScope does not govern requests with a namespace',
      fix: 'add namespaces: ["*"]',
      edit: { field: 'namespaces', value: ['*'] },
    }
  }
  return {
    ...severity,
    message: `names ${entry} with namespaces ${JSON.stringify(namespaces)}, but ${requests} have none`,
    note: 'without clusterScope: true the rule takes no such request',
    ...addClusterScope(namespaces),
  }
}

function namespacedFault(entry: string, { clusterScope, namespaces, verbs }: ResourceRule): Fault | null {
  if (!clusterScope || namespaces.length > 0) return null
  const anyVerb = isWildcardList(verbs)
  const lost = anyVerb ? OBJECT_VERBS : verbs.filter((verb) => OBJECT_VERBS.includes(verb))
  if (lost.length === 0) return null
  const all = !anyVerb && lost.length === verbs.length
  return {
    message: `names ${entry} with clusterScope: true and no namespaces, but requests to ${listVerbs(lost)} ${entry} have a namespace`,
    note: all
      ? 'the rule takes no request for them'
      : 'of requests for them the rule takes only those over all namespaces: list, watch, deletecollection',
    fix: 'add namespaces: ["*"]',
    edit: { field: 'namespaces', value: ['*'] },
  }
}

function listVerbs(verbs: readonly string[]): string {
  return quotedList(verbs).replaceAll('"', '')
}
