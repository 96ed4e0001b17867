import type { RuleReach, SchemaReach } from '../../analysis/reach.ts'
import { regionOfRule } from '../../analysis/rule-region.ts'
import type { EffectiveSchema } from '../../apf/order.ts'
import { isEmptyRegion, NO_REQUEST, subtractRegion, uniteRegions } from '../../regions/region.ts'
import { getsSomething, idleSchemas, ownInForce, PROVED, reachesOf } from '../authenticated-reach.ts'
import { listInWords, nameOf } from '../clauses.ts'
import { LISTS_OF_ENDPOINTS, REPORTER, ruleYaml, schemaYaml } from '../examples.ts'
import { withPrecedences } from '../precedences.ts'
import { routingViews } from '../routing-views.ts'
import { defineRule, type Finding, type LintContext } from '../rule.ts'

export default defineRule({
  id: 'APF205',
  name: 'shadowed-rule',
  severity: 'warning',
  summary: 'One rule of a FlowSchema never takes a request',
  documentation: {
    what:
      'A rule all of whose requests, by whomever, are taken by earlier FlowSchemas, while other rules of its schema take some. ' +
      'Information where earlier rules of the same schema take them: it is then merely needless.',
    why: 'What the rule was made for does not happen: its requests go to the levels of the schemas before.',
    fix: 'Move the rule to a schema with a smaller matchingPrecedence, or remove it.',
    fails: {
      defaults: '1.34',
      yaml: schemaYaml({
        precedence: 1000,
        rules:
          ruleYaml(
            ['{kind: ServiceAccount, serviceAccount: {namespace: kube-system, name: dns}}'],
            LISTS_OF_ENDPOINTS,
          ) + ruleYaml([REPORTER], LISTS_OF_ENDPOINTS),
      }),
    },
    passes: {
      defaults: '1.34',
      yaml: schemaYaml({
        precedence: 1000,
        rules:
          ruleYaml(['{kind: Group, group: {name: shop-admins}}'], LISTS_OF_ENDPOINTS) +
          ruleYaml([REPORTER], LISTS_OF_ENDPOINTS),
      }),
    },
  },
  *check(context) {
    for (const view of routingViews(context)) yield* findings(view)
  },
})

function* findings(context: LintContext): Iterable<Finding> {
  const idle = idleSchemas(context)
  const suspects = ownInForce(context).filter(
    (entry) => !idle.has(entry.schema) && entry.schema.spec.rules.some((_, index) => isSuspect(entry, index, context)),
  )
  for (const reach of reachesOf(suspects, 'authenticated', context)) {
    for (const rule of reach.rules) {
      if (!isSuspect(reach.entry, rule.ruleIndex, context)) continue
      if (rule.extent === 'nothing' && rule.coveredBy.length > 0) yield findingOf(reach, rule, context)
    }
  }
}

/** Whether a rule may take nothing: nobody who is typical gets there, or earlier rules name all that it names. */
function isSuspect(entry: EffectiveSchema, ruleIndex: number, context: LintContext): boolean {
  const { rules } = entry.schema.spec
  const rule = rules[ruleIndex]
  if (rules.length < 2 || rule === undefined) return false
  const before = rules.slice(0, ruleIndex).map(regionOfRule).reduce(uniteRegions, NO_REQUEST)
  return isEmptyRegion(subtractRegion(regionOfRule(rule), before)) || !getsSomething(entry, rule, context)
}

function findingOf({ entry }: SchemaReach, { ruleIndex, coveredBy }: RuleReach, context: LintContext): Finding {
  const { schema } = entry
  const others = coveredBy.filter((name) => name !== schema.metadata.name)
  const path = ['spec', 'rules', ruleIndex]
  const rule = `rules[${ruleIndex}] of ${nameOf(schema)}`
  if (others.length === 0) {
    const message = `${rule} is needless: rules before it take all that it names`
    return { severity: 'info', object: schema, path, message, fix: { text: 'remove it' } }
  }
  const withOwn = others.length < coveredBy.length ? ', with rules before it,' : ''
  return {
    object: schema,
    path,
    message: `${rule} never takes a request: ${listInWords(withPrecedences(others, context))}${withOwn} ${others.length === 1 && withOwn === '' ? 'takes' : 'take'} all that it names`,
    note: PROVED,
    fix: { text: 'move it to a schema with a smaller matchingPrecedence, or remove it' },
  }
}
