import { nameOf } from '../clauses.ts'
import { LISTS_OF_PODS, REPORTER, ruleYaml, schemaYaml } from '../examples.ts'
import { defineRule } from '../rule.ts'
import { valueAt } from '../written.ts'

export default defineRule({
  id: 'APF221',
  name: 'no-rules',
  severity: 'warning',
  summary: 'A FlowSchema without rules, which takes no request',
  documentation: {
    what: 'A FlowSchema whose `spec.rules` is empty or missing. The server accepts it.',
    why: 'Without a rule there is nothing that could match: the requests that were meant go to the schemas behind it.',
    fix: 'Write the rules, or remove the FlowSchema.',
    fails: { defaults: '1.34', yaml: schemaYaml({ rules: '[]\n' }) },
    passes: { defaults: '1.34', yaml: schemaYaml({ rules: ruleYaml([REPORTER], LISTS_OF_PODS) }) },
  },
  *check({ own }) {
    for (const schema of own.flowSchemas) {
      // Without a spec it is refused.
      if (schema.spec.rules.length > 0 || valueAt(schema, ['spec']) == null) continue
      yield {
        object: schema,
        path: ['spec', 'rules'],
        message: `${nameOf(schema)} has no rules: it takes no request`,
        fix: { text: 'write the rules, or remove the FlowSchema' },
      }
    }
  },
})
