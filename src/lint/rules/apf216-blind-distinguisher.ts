import { type Breadth, breadthOfSubjects } from '../../analysis/breadth.ts'
import { regionOfSchema } from '../../analysis/rule-region.ts'
import { isWildcardList } from '../../apf/match.ts'
import type { PriorityLevelConfiguration } from '../../apf/objects.ts'
import type { EffectiveSchema } from '../../apf/order.ts'
import { nameOf } from '../clauses.ts'
import { REPORTER, ruleYaml, schemaYaml } from '../examples.ts'
import { routingViews } from '../routing-views.ts'
import { defineRule, type Finding, type LintContext } from '../rule.ts'

export default defineRule({
  id: 'APF216',
  name: 'blind-distinguisher',
  severity: 'warning',
  summary: 'A distinguisher cannot tell the flows of its FlowSchema apart',
  documentation: {
    what:
      '`distinguisherMethod: ByNamespace` where no request of the schema has a namespace, or all have the same one, and `ByUser` ' +
      'where there is one user. Information where there is one user: there are no flows to tell apart. Only levels with several ' +
      'queues deal flows to queues.',
    why:
      'All requests are then one flow: they share one hand of queues, and the loudest client fills them for all others of the ' +
      'schema.',
    fix: 'Use ByUser where many clients work in one namespace or in none.',
    fails: {
      defaults: '1.34',
      yaml: schemaYaml({
        distinguisher: 'ByNamespace',
        rules: ruleYaml([REPORTER, '{kind: Group, group: {name: shop-admins}}'], exampleClause()),
      }),
    },
    passes: {
      defaults: '1.34',
      yaml: schemaYaml({
        distinguisher: 'ByUser',
        rules: ruleYaml([REPORTER, '{kind: Group, group: {name: shop-admins}}'], exampleClause()),
      }),
    },
  },
  *check(context) {
    for (const view of routingViews(context)) yield* findings(view)
  },
})

function exampleClause(): string {
  return `\
resourceRules:
  - verbs: [list]
    apiGroups: ['']
    resources: [nodes]
    clusterScope: true
`
}

function* findings({ own, configuration }: LintContext): Iterable<Finding> {
  for (const entry of configuration.order) {
    if (!own.flowSchemas.includes(entry.schema) || !dealsFlows(entry.level)) continue
    const breadth = breadthOfSubjects(entry.schema.spec.rules.flatMap(({ subjects }) => subjects))
    const finding = breadth === null ? null : findingOf(entry, breadth)
    if (finding !== null) yield finding
  }
}

/** With one queue, or none, flows are not told apart whatever the schema says. */
function dealsFlows({ spec }: PriorityLevelConfiguration): boolean {
  return (spec.limited?.limitResponse.queuing?.queues ?? 0) > 1
}

function findingOf({ schema }: EffectiveSchema, breadth: Breadth): Finding | null {
  const method = schema.spec.distinguisherMethod?.type
  const path = ['spec', 'distinguisherMethod', 'type']
  const oneIdentity = breadth === 'one-identity'
  if (method === 'ByUser') {
    if (!oneIdentity) return null
    const message = `${nameOf(schema)} distinguishes flows by user, and only one user is named: all its requests are one flow`
    return { severity: 'info', object: schema, path, message }
  }
  if (method !== 'ByNamespace') return null
  const where = whereAllRequestsAre(
    schema.spec.rules.flatMap(({ resourceRules }) => resourceRules),
    regionOfSchema(schema),
  )
  if (where === null) return null
  return {
    ...(oneIdentity && { severity: 'info' }),
    object: schema,
    path,
    message: `${nameOf(schema)} distinguishes flows by namespace, but ${where}: all are one flow`,
    ...(!oneIdentity && { fix: { text: 'use ByUser', edits: [{ path, set: 'ByUser' }] } }),
  }
}

function whereAllRequestsAre(
  clauses: readonly { namespaces: readonly string[] }[],
  { namespaced, cluster, nonResource }: ReturnType<typeof regionOfSchema>,
): string | null {
  if (namespaced.length === 0) {
    return cluster.length + nonResource.length === 0 ? null : 'none of its requests has a namespace'
  }
  const namespaces = new Set(clauses.flatMap((clause) => clause.namespaces))
  if (cluster.length + nonResource.length > 0 || isWildcardList([...namespaces]) || namespaces.size !== 1) return null
  return `all its requests are in ${[...namespaces][0]}`
}
