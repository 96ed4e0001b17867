import { REPORTER, ruleYaml, schemaYaml } from '../examples.ts'
import { readingFindings } from '../reading.ts'
import { defineRule } from '../rule.ts'

const reports = (verb: string, name = 'shop-reports') =>
  schemaYaml({
    name,
    rules: ruleYaml(
      [REPORTER],
      `resourceRules: [{verbs: [${verb}], apiGroups: [''], resources: [pods], namespaces: [shop]}]\n`,
    ),
  })

export default defineRule({
  id: 'APF150',
  name: 'defined-twice',
  severity: 'warning',
  summary: 'Two objects of one kind and name',
  documentation: {
    what:
      'Two objects of one kind and name in the given files, each in a place of its own. The later one counts, and is the one that ' +
      'is judged.',
    why: 'Both are applied, one over the other, in the order in which the files happen to be read: what one of them says is lost.',
    fix: 'Remove or rename one of them. Variants for several clusters are judged in calls of their own.',
    fails: { defaults: '1.34', yaml: `${reports('list')}---\n${reports('watch')}` },
    passes: { defaults: '1.34', yaml: `${reports('list')}---\n${reports('watch', 'shop-watches')}` },
  },
  check: (context) => readingFindings(context, 'defined-twice'),
})
