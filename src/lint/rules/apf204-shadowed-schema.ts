import type { SchemaReach } from '../../analysis/reach.ts'
import { idleReaches, PROVED, reachesOf } from '../authenticated-reach.ts'
import { listInWords, nameOf } from '../clauses.ts'
import { LISTS_OF_ENDPOINTS, REPORTER, ruleYaml, schemaYaml } from '../examples.ts'
import { withPrecedences } from '../precedences.ts'
import { routingViews } from '../routing-views.ts'
import { defineRule, type Finding, type LintContext } from '../rule.ts'

export default defineRule({
  id: 'APF204',
  name: 'shadowed-schema',
  severity: 'warning',
  summary: 'A FlowSchema never takes a request: earlier ones take all that it names',
  documentation: {
    what:
      'A FlowSchema of which every request, by whomever, is taken by FlowSchemas before it. This is proved over all requests and ' +
      'all callers, not over samples, and the schemas that together cover it are named, none of them needlessly.',
    why:
      'The server tries the schemas by matchingPrecedence, and the first match wins. What the schema was made for does not happen: ' +
      'its requests have the level, and the flows, of the others.',
    fix: 'Give it a smaller matchingPrecedence than those that cover it.',
    fails: {
      defaults: '1.34',
      yaml: schemaYaml({
        precedence: 1000,
        rules: ruleYaml(
          ['{kind: ServiceAccount, serviceAccount: {namespace: kube-system, name: dns}}'],
          LISTS_OF_ENDPOINTS,
        ),
      }),
    },
    passes: {
      defaults: '1.34',
      yaml: schemaYaml({ precedence: 1000, rules: ruleYaml([REPORTER], LISTS_OF_ENDPOINTS) }),
    },
  },
  *check(context) {
    for (const view of routingViews(context)) yield* findings(view)
  },
})

function* findings(context: LintContext): Iterable<Finding> {
  for (const reach of idleReaches(context)) {
    // Without earlier ones it names nothing, or long-running requests alone.
    if (reach.coveredBy.length > 0) yield findingOf(reach, context)
  }
}

function findingOf(reach: SchemaReach, context: LintContext): Finding {
  const { entry, coveredBy } = reach
  const { metadata, spec } = entry.schema
  const precedences = coveredBy.map(
    (name) =>
      context.configuration.order.find(({ schema }) => schema.metadata.name === name)?.schema.spec.matchingPrecedence ??
      1,
  )
  const first = Math.min(...precedences)
  const takes = coveredBy.length === 1 ? 'takes' : 'together take'
  const tie =
    first === spec.matchingPrecedence ? `, whose name${coveredBy.length === 1 ? ' comes' : 's come'} first,` : ''
  const [forAnybody] = reachesOf([entry], 'any', context)
  const proof =
    forAnybody?.extent === 'nothing'
      ? 'proved over all requests of all callers'
      : `${PROVED}; an impersonated one may lack the groups of its name`
  return {
    object: entry.schema,
    path: ['spec', 'matchingPrecedence'],
    message: `${nameOf(entry.schema)} never takes a request: ${listInWords(withPrecedences(coveredBy, context))}${tie} ${takes} all that ${metadata.name} (${spec.matchingPrecedence}) names`,
    note: proof,
    ...(first > 2 && { fix: { text: `choose a matchingPrecedence below ${first}` } }),
  }
}
