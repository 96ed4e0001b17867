import { both, schemaWith } from '../refusal-examples.ts'
import { refusalFindings } from '../refusals.ts'
import { defineRule } from '../rule.ts'

export default defineRule({
  id: 'APF117',
  name: 'wildcard-among-others',
  severity: 'error',
  summary: 'A * among other entries of a list',
  documentation: {
    what: 'A `*` in verbs, API groups, resources, namespaces or non-resource URLs that is not alone.',
    why: 'The server refuses the object: `*` means everything, and what stands beside it would mean nothing.',
    fix: 'Write `*` alone, or only the others.',
    fails: {
      defaults: '1.34',
      yaml: schemaWith('verbs: [list]', "verbs: [list, '*']"),
    },
    passes: {
      defaults: '1.34',
      yaml: both({}),
    },
  },
  check: (context) => refusalFindings(context, 'APF117'),
})
