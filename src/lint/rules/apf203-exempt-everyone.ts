import { BREADTH_IN_WORDS, breadthOfSubjects } from '../../analysis/breadth.ts'
import { describeSubject } from '../../apf/explain.ts'
import { nameOf, subjectClauses } from '../clauses.ts'
import { REPORTER, ruleYaml, schemaYaml } from '../examples.ts'
import { type ExemptSchema, exemptSchemas, isTooBroad } from '../exempt.ts'
import { defineRule, type Finding } from '../rule.ts'

export default defineRule({
  id: 'APF203',
  name: 'exempt-everyone',
  severity: 'error',
  summary: 'A FlowSchema exempts all ServiceAccounts, all that authenticate, or everyone',
  documentation: {
    what:
      'A FlowSchema with a level of type Exempt and one of these subjects: the groups `system:serviceaccounts`, ' +
      '`system:authenticated` and `system:unauthenticated`, the user `system:anonymous`, or `*`. Probes of `/healthz`, `/livez` and ' +
      '`/readyz` may be exempt for everyone, as the default objects have it.',
    why:
      'Any client can then send as many of these requests as it likes and none is ever queued or refused: for them fairness is ' +
      'switched off.',
    fix: 'Name the accounts that need it, or a level with enough shares.',
    fails: {
      defaults: '1.34',
      yaml: schemaYaml({
        level: 'exempt',
        distinguisher: null,
        rules: ruleYaml(['{kind: Group, group: {name: "system:authenticated"}}'], exampleClause()),
      }),
    },
    passes: {
      defaults: '1.34',
      yaml: schemaYaml({ level: 'workload-high', rules: ruleYaml([REPORTER], exampleClause()) }),
    },
  },
  *check(context) {
    for (const exempt of exemptSchemas(context)) {
      if (isTooBroad(exempt.breadth) && !exempt.onlyProbes) yield findingOf(exempt)
    }
  },
})

function exampleClause(): string {
  return `\
resourceRules:
  - verbs: [get, list]
    apiGroups: ['']
    resources: [pods]
    namespaces: [shop]
`
}

function findingOf({ schema, subjects, breadth }: ExemptSchema): Finding {
  const broadest = subjects.find((subject) => breadthOfSubjects([subject]) === breadth)
  const place = subjectClauses([schema]).find(({ subject }) => subject === broadest)
  const who = broadest ? ` (${describeSubject(broadest)})` : ''
  return {
    object: schema,
    path: place?.path ?? ['spec', 'rules'],
    message: `${nameOf(schema)} makes requests of ${BREADTH_IN_WORDS[breadth]}${who} exempt from all limits`,
    note: 'none of these requests is ever queued or refused, whoever sends them',
    fix: { text: 'name the accounts that need it, or send them to a level with seats' },
  }
}
