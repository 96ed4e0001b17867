import { subdomainFaults } from '../../apf/metadata-validation.ts'
import { both, schemaWith } from '../refusal-examples.ts'
import { type Refusal, refusalFindings, type Said } from '../refusals.ts'
import { defineRule } from '../rule.ts'

export default defineRule({
  id: 'APF110',
  name: 'invalid-name',
  severity: 'error',
  summary: 'A name that no object can have',
  documentation: {
    what:
      'A malformed name: of the object itself, of the level that a schema names, of a ServiceAccount, or of a ' +
      'namespace. Objects and ServiceAccounts have names of lower-case letters, digits, `-` and `.`, namespaces are a ' +
      'single such label of at most 63 characters. A ServiceAccount may be `*` for all of a namespace; its namespace ' +
      'may not, and neither takes a part of a name with a `*`.',
    why: 'The server refuses the object. No object of that name could exist either.',
    fix: 'Write the name as the object has it.',
    fails: {
      defaults: '1.34',
      yaml: schemaWith('namespaces: [shop]', 'namespaces: [Shop]'),
    },
    passes: {
      defaults: '1.34',
      yaml: both({}),
    },
  },
  check: (context) => refusalFindings(context, 'APF110', hint),
})

function hint({ error: { path, value } }: Refusal): Said {
  if (path[path.length - 1] === 'namespace' && value === '*') {
    return { fix: { text: 'all ServiceAccounts of all namespaces are the group system:serviceaccounts' } }
  }
  const lower = String(value).toLowerCase()
  if (lower === value || subdomainFaults(lower).length > 0) return {}
  return { fix: { text: `names have no capitals: write ${lower}, if it is called that` } }
}
