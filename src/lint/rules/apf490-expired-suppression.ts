import { REPORTER, ruleYaml, schemaYaml } from '../examples.ts'
import { defineRule } from '../rule.ts'

const rules = ruleYaml(
  [REPORTER],
  `resourceRules: [{verbs: [list], apiGroups: [''], resources: [pods], namespaces: [shop]}]\n`,
)

/** Found where suppressions are applied: suppression.ts. */
export default defineRule({
  id: 'APF490',
  name: 'expired-suppression',
  severity: 'warning',
  summary: 'A suppression has ended',
  documentation: {
    what:
      'A suppression whose `until=` is in the past, and which applies to a finding. It has no effect any more: the ' +
      'finding is reported as well.',
    why: 'Somebody has promised to look at it again by that day.',
    fix: 'Mend what was suppressed, or renew the suppression with a new day and a reason that still holds.',
    fails: {
      defaults: '1.34',
      yaml: schemaYaml({
        level: 'shop # apf-lint: ignore APF201 until=2020-03-31 reason="the level comes with the next release"',
        rules,
      }),
    },
    passes: {
      defaults: '1.34',
      yaml: schemaYaml({
        level: 'shop # apf-lint: ignore APF201 until=9999-12-31 reason="the level comes with the next release"',
        rules,
      }),
    },
  },
  check: () => [],
})
