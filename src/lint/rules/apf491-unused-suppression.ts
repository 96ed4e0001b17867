import { REPORTER, ruleYaml, schemaYaml } from '../examples.ts'
import { defineRule } from '../rule.ts'

const rules = ruleYaml(
  [REPORTER],
  `resourceRules: [{verbs: [list], apiGroups: [''], resources: [pods], namespaces: [shop]}]\n`,
)

/** Found where suppressions are applied: suppression.ts. */
export default defineRule({
  id: 'APF491',
  name: 'unused-suppression',
  severity: 'warning',
  summary: 'A suppression applies to no finding',
  documentation: {
    what:
      'A suppression of rules that were run and found nothing where it stands: what it was for has been mended, or it ' +
      'stands in the wrong place. A comment applies to the field that starts on its line, or on the next line where the ' +
      'comment stands alone, with everything below that field.',
    why: 'It would hide the next mistake in that place, which nobody has looked at.',
    fix: 'Remove it, or move it to the object or field that it is for.',
    fails: {
      defaults: '1.34',
      yaml: schemaYaml({
        level: 'workload-low # apf-lint: ignore APF201 reason="the level comes with the next release"',
        rules,
      }),
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
