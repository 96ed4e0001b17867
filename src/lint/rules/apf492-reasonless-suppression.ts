import { REPORTER, ruleYaml, schemaYaml } from '../examples.ts'
import { defineRule } from '../rule.ts'

const rules = ruleYaml(
  [REPORTER],
  `resourceRules: [{verbs: [list], apiGroups: [''], resources: [pods], namespaces: [shop]}]\n`,
)

/** Found where suppressions are applied: suppression.ts. */
export default defineRule({
  id: 'APF492',
  name: 'reasonless-suppression',
  severity: 'warning',
  summary: 'A suppression gives no reason',
  documentation: {
    what: 'A suppression without `reason="…"` that applies to a finding. It has no effect: the finding is reported as well.',
    why: 'Whoever reads it later cannot tell whether it still holds.',
    fix: 'Add the reason.',
    fails: {
      defaults: '1.34',
      yaml: schemaYaml({ level: 'shop # apf-lint: ignore APF201', rules }),
    },
    passes: {
      defaults: '1.34',
      yaml: schemaYaml({
        level: 'shop # apf-lint: ignore APF201 reason="the level comes with the next release"',
        rules,
      }),
    },
  },
  check: () => [],
})
