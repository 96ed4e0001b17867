import { PROBLEM } from '../../apf/problem-codes.ts'
import { versionFindings } from '../api-versions.ts'
import { both, edited, SCHEMA } from '../refusal-examples.ts'
import { defineRule } from '../rule.ts'

export default defineRule({
  id: 'APF105',
  name: 'version-deprecated',
  severity: 'warning',
  summary: 'A version of the API that a later release does not serve',
  documentation: {
    what: 'An `apiVersion` that the target still serves with a deprecation warning.',
    why: 'The warning is printed with each apply until the release that refuses the file.',
    fix: 'Move to the version that the warning names. Where the shares have another name there, rename them too.',
    fails: {
      defaults: '1.30',
      yaml: edited(SCHEMA, '/v1', '/v1beta3'),
    },
    passes: {
      defaults: '1.30',
      yaml: both({}),
    },
  },
  check: (context) => versionFindings(context, PROBLEM.deprecatedVersion),
})
