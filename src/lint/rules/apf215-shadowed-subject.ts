import { reachOf } from '../../analysis/reach.ts'
import { landingsOf } from '../../analysis/system-traffic.ts'
import { typicalIdentity } from '../../analysis/typical-identity.ts'
import { describeSubject } from '../../apf/explain.ts'
import { subjectMatches } from '../../apf/match.ts'
import type { EffectiveSchema } from '../../apf/order.ts'
import { subjectIdentities } from '../../regions/identity.ts'
import { EVERY_REQUEST } from '../../regions/region.ts'
import { authenticatedReach } from '../authenticated-reach.ts'
import { listInWords, nameOf, type SubjectClause, subjectClauses } from '../clauses.ts'
import { REPORTER, ruleYaml, schemaYaml } from '../examples.ts'
import { withPrecedences } from '../precedences.ts'
import { regionOfRule } from '../regions.ts'
import { routingViews } from '../routing-views.ts'
import { defineRule, type Finding, type LintContext } from '../rule.ts'

export default defineRule({
  id: 'APF215',
  name: 'shadowed-subject',
  severity: 'warning',
  summary: 'A subject of a FlowSchema never gets there: earlier schemas take all its requests',
  documentation: {
    what:
      'A subject, one of several in its rule, all of whose requests that the rule names are taken by earlier FlowSchemas. The usual ' +
      'case is a ServiceAccount of kube-system in a schema behind kube-system-service-accounts, which takes everything of theirs ' +
      'at 900; likewise `system:nodes` behind system-nodes at 500, and `system:masters` anywhere.',
    why: 'The schema works for its other subjects, so that nobody sees that it does nothing for this one.',
    fix: 'Give the subject a schema of its own with a smaller matchingPrecedence, or remove it.',
    fails: {
      defaults: '1.34',
      yaml: schemaYaml({
        precedence: 1000,
        rules: ruleYaml(
          [REPORTER, '{kind: ServiceAccount, serviceAccount: {namespace: kube-system, name: dns}}'],
          exampleClause(),
        ),
      }),
    },
    passes: {
      defaults: '1.34',
      yaml: schemaYaml({
        precedence: 1000,
        rules: ruleYaml(
          [REPORTER, '{kind: ServiceAccount, serviceAccount: {namespace: lab, name: dns}}'],
          exampleClause(),
        ),
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
    resources: [endpoints]
    namespaces: ['*']
    clusterScope: true
`
}

function* findings(context: LintContext): Iterable<Finding> {
  for (const { entry, extent, rules } of authenticatedReach(context)) {
    if (entry.schema.spec.rules.every(({ subjects }) => subjects.length < 2) || extent === 'nothing') continue
    for (const clause of subjectClauses([entry.schema])) {
      const ruleIndex = entry.schema.spec.rules.indexOf(clause.rule)
      if (clause.rule.subjects.length < 2 || rules[ruleIndex]?.extent === 'nothing') continue
      const coveredBy = coverOf(clause, ruleIndex, entry, context)
      if (coveredBy.length > 0) yield findingOf(clause, coveredBy, context)
    }
  }
}

/** Other schemas that together take all that the rule names of the subject; none where it takes some itself. */
function coverOf(
  { subject, rule }: SubjectClause,
  ruleIndex: number,
  entry: EffectiveSchema,
  { configuration, rules }: LintContext,
): readonly string[] {
  const identity = typicalIdentity(subject)
  // A subject that is nobody is another finding, and who gets there as he usually is needs no proof.
  if (identity === null || !subjectMatches(subject, identity)) return []
  if (landingsOf(regionOfRule(rule), identity, configuration, rules).some((landing) => landing.entry === entry))
    return []
  const within = { identities: subjectIdentities(subject), requests: EVERY_REQUEST }
  const schemas = new Set([entry.schema.metadata.name])
  const [reach] = reachOf(configuration, { identities: 'authenticated', rules, within, schemas })
  const ruleReach = reach?.rules[ruleIndex]
  if (ruleReach?.extent !== 'nothing') return []
  return ruleReach.coveredBy.filter((name) => name !== entry.schema.metadata.name)
}

function findingOf(
  { schema, subject, path }: SubjectClause,
  coveredBy: readonly string[],
  context: LintContext,
): Finding {
  const takers = listInWords(withPrecedences(coveredBy, context))
  return {
    object: schema,
    path,
    message: `${nameOf(schema)} never takes a request of ${describeSubject(subject)}: ${takers} ${coveredBy.length === 1 ? 'takes' : 'together take'} all that the rule names`,
    note: 'proved over all requests of callers that authenticate themselves',
    fix: { text: 'give it a schema of its own with a smaller matchingPrecedence, or remove it' },
  }
}
