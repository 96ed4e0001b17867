import { both, schemaWith } from '../refusal-examples.ts'
import { type Refusal, refusalFindings, type Said } from '../refusals.ts'
import { defineRule } from '../rule.ts'

export default defineRule({
  id: 'APF112',
  name: 'missing-field',
  severity: 'error',
  summary: 'Something is missing that an object must have',
  documentation: {
    what:
      'A field without which the object is not valid: the name of the level, the subjects of a rule, a resource rule or ' +
      'a non-resource rule, verbs, API groups, resources, URLs, the name in a subject, and the namespaces of a resource ' +
      'rule that does not say `clusterScope: true`.',
    why: 'The server refuses the object.',
    fix: 'Write it. For all values of a list write `"*"`.',
    fails: {
      defaults: '1.34',
      yaml: schemaWith('          namespaces: [shop]\n', ''),
    },
    passes: {
      defaults: '1.34',
      yaml: both({}),
    },
  },
  check: (context) => refusalFindings(context, 'APF112', hint),
})

const HINTS: Readonly<Record<string, string>> = {
  namespaces: 'name namespaces, write ["*"] for all of them, or clusterScope: true for what has no namespace',
  apiGroups: 'write [""] for the core group, ["*"] for all groups',
  resources: 'write ["*"] for all resources',
  verbs: 'write ["*"] for all verbs',
  nonResourceURLs: 'write ["*"] for all paths',
}

function hint({ error: { path } }: Refusal): Said {
  const text = HINTS[String(path[path.length - 1])]
  return text === undefined ? {} : { fix: { text } }
}
