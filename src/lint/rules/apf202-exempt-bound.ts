import { BREADTH_IN_WORDS } from '../../analysis/breadth.ts'
import { describeSubject } from '../../apf/explain.ts'
import { listInWords, nameOf } from '../clauses.ts'
import { REPORTER, ruleYaml, schemaYaml } from '../examples.ts'
import { exemptSchemas, isTooBroad } from '../exempt.ts'
import { defineRule, type Finding } from '../rule.ts'

export default defineRule({
  id: 'APF202',
  name: 'exempt-bound',
  severity: 'warning',
  summary: 'A FlowSchema exempts its requests from all limits',
  documentation: {
    what:
      'A FlowSchema whose level is of type Exempt, with how broadly its subjects are drawn. Subjects that the option ' +
      '`allowedExempt` names (`user:NAME`, `group:NAME`, `sa:NAMESPACE/NAME`) are not reported. A schema that exempts nothing but ' +
      '`/healthz`, `/livez` and `/readyz` is information. APF203 has those that exempt everyone, or nearly.',
    why:
      'Exempt requests are never queued or refused, however many there are and whatever they cost: one LIST in a loop can bring ' +
      'the server down, and no other limit stops it.',
    fix: 'Give the requests a level of their own with enough shares, or say in the configuration that they may be exempt.',
    fails: {
      defaults: '1.34',
      yaml: schemaYaml({ level: 'exempt', distinguisher: null, rules: ruleYaml([REPORTER], exampleClause()) }),
    },
    passes: {
      defaults: '1.34',
      options: { allowedExempt: ['sa:shop/reporter'] },
      yaml: schemaYaml({ level: 'exempt', distinguisher: null, rules: ruleYaml([REPORTER], exampleClause()) }),
    },
  },
  *check(context) {
    for (const exempt of exemptSchemas(context)) {
      const { schema, subjects, breadth, onlyProbes } = exempt
      if (isTooBroad(breadth) && !onlyProbes) continue
      const who = listInWords(firstFew(subjects.map(describeSubject)))
      const finding: Finding = {
        object: schema,
        path: ['spec', 'priorityLevelConfiguration', 'name'],
        message: onlyProbes
          ? `${nameOf(schema)} exempts probes of the server by ${who} from all limits`
          : `${nameOf(schema)} makes requests of ${who} exempt from all limits`,
        note: `breadth: ${BREADTH_IN_WORDS[breadth]}`,
      }
      if (onlyProbes) yield { ...finding, severity: 'info' }
      else yield { ...finding, fix: { text: 'send them to a level of their own, or allow them in allowedExempt' } }
    }
  },
})

const NAMES_SHOWN = 3

function firstFew(names: readonly string[]): string[] {
  const distinct = [...new Set(names)]
  const more = distinct.length - NAMES_SHOWN
  return more <= 0 ? distinct : [...distinct.slice(0, NAMES_SHOWN), `${more} more`]
}

function exampleClause(): string {
  return `\
resourceRules:
  - verbs: [get, list]
    apiGroups: ['']
    resources: [pods]
    namespaces: [shop]
`
}
