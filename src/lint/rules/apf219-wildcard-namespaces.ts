import { isOwnGroup, resourcesNamed } from '../../analysis/resource-facts.ts'
import { isWildcardList } from '../../apf/match.ts'
import type { FlowSchema, ResourceRule } from '../../apf/objects.ts'
import type { Severity } from '../../apf/problem.ts'
import { cut } from '../../apf/text.ts'
import { intersectRegions, isEmptyRegion } from '../../regions/region.ts'
import { resourceRuleRegion } from '../../regions/rules.ts'
import { nameOf, type ResourceClause, resourceClauses } from '../clauses.ts'
import { REPORTER, ruleYaml, schemaYaml } from '../examples.ts'
import { defineRule, type Finding } from '../rule.ts'

export default defineRule({
  id: 'APF219',
  name: 'wildcard-namespaces',
  severity: 'warning',
  summary: 'A rule about lists in any namespace leaves out the lists over all namespaces',
  documentation: {
    what:
      'A resource rule with `namespaces: ["*"]` and without `clusterScope: true` whose verbs read or delete ' +
      'collections (list, watch, deletecollection, with or without get), or with other verbs as information. No finding where another rule of the given objects takes the requests without a ' +
      'namespace.',
    why:
      'A list over all namespaces has no namespace, so that `clusterScope` alone governs it. Just the most expensive lists, and the ' +
      'watches of nearly every controller, go on to the schemas behind.',
    fix: 'Add `clusterScope: true`.',
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
    const clauses = resourceClauses(own.flowSchemas)
    for (const clause of clauses) {
      const finding = findingOf(clause, own.flowSchemas)
      if (finding !== null) yield finding
    }
  },
})

function exampleClause(scope: string): string {
  return `\
resourceRules:
  - verbs: [list]
    apiGroups: ['']
    resources: [pods, events]
    namespaces: ['*']
${scope}`
}

const COLLECTION_VERBS: readonly string[] = ['list', 'watch', 'deletecollection']

function findingOf({ schema, clause, path }: ResourceClause, schemas: readonly FlowSchema[]): Finding | null {
  if (clause.clusterScope || !isWildcardList(clause.namespaces)) return null
  const severity = severityOf(clause)
  if (severity === null || !namesNamespacedResources(clause) || isTakenElsewhere(clause, schemas)) return null
  const verbs = isWildcardList(clause.verbs)
    ? 'list, watch'
    : clause.verbs.filter((verb) => COLLECTION_VERBS.includes(verb)).join(', ')
  return {
    severity,
    object: schema,
    path: [...path, 'namespaces'],
    message: `${nameOf(schema)} does not take requests to ${verbs} over all namespaces: namespaces ["*"] covers only requests with a namespace`,
    note: 'lists over all namespaces cost most, and have none',
    fix: { text: 'add clusterScope: true', edits: [{ path: [...path, 'clusterScope'], set: true }] },
  }
}

/** How likely it is that the rest was meant as well; null where no verb is about collections. */
function severityOf({ verbs }: ResourceRule): Severity | null {
  if (isWildcardList(verbs)) return 'info'
  const collection = verbs.filter((verb) => COLLECTION_VERBS.includes(verb))
  if (collection.length === 0) return null
  // Who names get beside them means to cover what reads.
  return verbs.every((verb) => verb === 'get' || collection.includes(verb)) ? 'warning' : 'info'
}

/** Cluster-scoped resources alone are the business of another rule. */
function namesNamespacedResources({ resources, apiGroups }: ResourceRule): boolean {
  if (isWildcardList(resources) || isWildcardList(apiGroups) || !apiGroups.every(isOwnGroup)) return true
  return resources.some((entry) =>
    resourcesNamed(cut(entry, '/')[0]).some(({ group, namespaced }) => namespaced && apiGroups.includes(group)),
  )
}

/** Whether some rule names these requests without a namespace: then they are kept apart on purpose. */
function isTakenElsewhere(clause: ResourceRule, schemas: readonly FlowSchema[]): boolean {
  const left = { ...resourceRuleRegion({ ...clause, clusterScope: true }), namespaced: [] }
  return resourceClauses(schemas).some(
    ({ clause: other }) => other.clusterScope && !isEmptyRegion(intersectRegions(left, resourceRuleRegion(other))),
  )
}
