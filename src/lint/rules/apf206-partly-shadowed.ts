import { linePhrase } from '../../analysis/line-phrase.ts'
import type { Landing } from '../../analysis/system-traffic.ts'
import type { EffectiveSchema } from '../../apf/order.ts'
import { idleSchemas, ownInForce, subjectLandings } from '../authenticated-reach.ts'
import { listInWords, nameOf } from '../clauses.ts'
import { levelYaml, ruleYaml, schemaYaml } from '../examples.ts'
import { withPrecedences } from '../precedences.ts'
import { routingViews } from '../routing-views.ts'
import { defineRule, type Finding, type LintContext } from '../rule.ts'

export default defineRule({
  id: 'APF206',
  name: 'partly-shadowed',
  severity: 'info',
  summary: 'Earlier schemas take a part of what a FlowSchema names',
  documentation: {
    what:
      'A FlowSchema that gets only a part of what it names of its usual callers, with the schemas before it that take the rest. The ' +
      'schemas exempt and probes, which come first for everyone, are not counted.',
    why: 'Often it is as it should be: narrow schemas before broad ones. It is worth a look when a schema gets less than expected.',
    fix: 'Nothing, or a smaller matchingPrecedence.',
    fails: {
      defaults: '1.34',
      yaml: `${schemaYaml({
        precedence: 850,
        level: 'dns',
        rules: ruleYaml(
          ['{kind: ServiceAccount, serviceAccount: {namespace: kube-system, name: dns}}'],
          exampleClause(),
        ),
      })}---\n${levelYaml('dns')}`,
    },
    passes: {
      defaults: '1.34',
      yaml: `${schemaYaml({
        precedence: 850,
        level: 'dns',
        rules: ruleYaml(['{kind: ServiceAccount, serviceAccount: {namespace: shop, name: dns}}'], exampleClause()),
      })}---\n${levelYaml('dns')}`,
    },
  },
  *check(context) {
    for (const view of routingViews(context)) yield* findings(view)
  },
})

function exampleClause(): string {
  return `\
resourceRules:
  - verbs: ['*']
    apiGroups: ['*']
    resources: ['*']
    namespaces: ['*']
    clusterScope: true
`
}

function* findings(context: LintContext): Iterable<Finding> {
  const idle = idleSchemas(context)
  for (const entry of ownInForce(context)) {
    if (idle.has(entry.schema)) continue
    const taken = takenBefore(entry, context)
    const [example] = taken
    if (example === undefined) continue
    const names = [...new Set(taken.map(({ entry: { schema } }) => schema.metadata.name))]
    yield {
      object: entry.schema,
      path: ['spec', 'matchingPrecedence'],
      message: `${nameOf(entry.schema)} gets a part of what it names: ${listInWords(withPrecedences(names, context))} ${names.length === 1 ? 'takes' : 'take'} the rest`,
      note: `for example ${linePhrase(example.witness)}, into ${example.entry.level.metadata.name}`,
    }
  }
}

const FIRST_FOR_EVERYONE: readonly string[] = ['exempt', 'probes']

/** What schemas of smaller precedence take of what the schema names of its usual callers. Ties are another finding. */
function takenBefore(entry: EffectiveSchema, context: LintContext): Landing[] {
  return subjectLandings(entry, context)
    .flatMap(({ landings }) => landings)
    .filter(
      ({ entry: { schema } }) =>
        schema.spec.matchingPrecedence < entry.schema.spec.matchingPrecedence &&
        !FIRST_FOR_EVERYONE.includes(schema.metadata.name),
    )
}
