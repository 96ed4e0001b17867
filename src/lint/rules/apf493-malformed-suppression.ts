import { REPORTER, ruleYaml, schemaYaml } from '../examples.ts'
import { defineRule } from '../rule.ts'

const rules = ruleYaml(
  [REPORTER],
  `resourceRules: [{verbs: [list], apiGroups: [''], resources: [pods], namespaces: [shop]}]\n`,
)

/** Found where suppressions are applied: suppression.ts. */
export default defineRule({
  id: 'APF493',
  name: 'malformed-suppression',
  severity: 'warning',
  summary: 'A suppression cannot be understood',
  documentation: {
    what:
      'A comment `# apf-lint: …` or an annotation `apf.kubectl/lint-ignore` that is not of the form `ignore APF203 ' +
      'until=2027-03-31 reason="…"`: an unknown rule, a day that does not exist, an unknown word.',
    why: 'It suppresses nothing, and looks as if it did.',
    fix:
      'Write it in that form; `ignore-file` instead of `ignore` applies to the whole file, and the annotation leaves ' +
      'the word out.',
    fails: {
      defaults: '1.34',
      yaml: schemaYaml({
        level: 'shop # apf-lint: ignore APF2O1 reason="the level comes with the next release"',
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
