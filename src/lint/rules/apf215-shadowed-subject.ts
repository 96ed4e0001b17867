import { describeSubject } from '../../apf/explain.ts'
import type { EffectiveSchema } from '../../apf/order.ts'
import { subjectIdentities } from '../../regions/identity.ts'
import { EVERY_REQUEST } from '../../regions/region.ts'
import {
  getsSomething,
  idleSchemas,
  ownInForce,
  PROVED,
  reachesOf,
  type SubjectLandings,
  subjectLandings,
} from '../authenticated-reach.ts'
import { listInWords, nameOf } from '../clauses.ts'
import { LISTS_OF_ENDPOINTS, REPORTER, ruleYaml, schemaYaml } from '../examples.ts'
import { withPrecedences } from '../precedences.ts'
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
          LISTS_OF_ENDPOINTS,
        ),
      }),
    },
    passes: {
      defaults: '1.34',
      yaml: schemaYaml({
        precedence: 1000,
        rules: ruleYaml(
          [REPORTER, '{kind: ServiceAccount, serviceAccount: {namespace: lab, name: dns}}'],
          LISTS_OF_ENDPOINTS,
        ),
      }),
    },
  },
  *check(context) {
    for (const view of routingViews(context)) yield* findings(view)
  },
})

function* findings(context: LintContext): Iterable<Finding> {
  const idle = idleSchemas(context)
  for (const entry of ownInForce(context)) {
    if (idle.has(entry.schema)) continue
    for (const place of subjectLandings(entry, context)) {
      const { rule, landings } = place
      // Where no subject gets anything, the rule has a finding.
      if (rule.subjects.length < 2 || !getsSomething(entry, rule, context)) continue
      // Who gets there as he usually is needs no proof.
      if (landings.length === 0 || landings.some((landing) => landing.entry === entry)) continue
      const coveredBy = coverOf(place, entry, context)
      if (coveredBy.length > 0) yield findingOf(entry, place, coveredBy, context)
    }
  }
}

/** Other schemas that together take all that the rule names of the subject; none where it takes some itself. */
function coverOf({ subject, ruleIndex }: SubjectLandings, entry: EffectiveSchema, context: LintContext): string[] {
  const within = { identities: subjectIdentities(subject), requests: EVERY_REQUEST }
  const [reach] = reachesOf([entry], 'authenticated', context, within)
  const ruleReach = reach?.rules[ruleIndex]
  if (ruleReach?.extent !== 'nothing') return []
  return ruleReach.coveredBy.filter((name) => name !== entry.schema.metadata.name)
}

function findingOf(
  { schema }: EffectiveSchema,
  { subject, ruleIndex, subjectIndex }: SubjectLandings,
  coveredBy: readonly string[],
  context: LintContext,
): Finding {
  const takers = listInWords(withPrecedences(coveredBy, context))
  return {
    object: schema,
    path: ['spec', 'rules', ruleIndex, 'subjects', subjectIndex],
    message: `${nameOf(schema)} never takes a request of ${describeSubject(subject)}: ${takers} ${coveredBy.length === 1 ? 'takes' : 'together take'} all that the rule names`,
    note: PROVED,
    fix: { text: 'give it a schema of its own with a smaller matchingPrecedence, or remove it' },
  }
}
