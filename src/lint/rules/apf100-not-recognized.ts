import { PROBLEM } from '../../apf/problem-codes.ts'
import { readingFindings } from '../reading.ts'
import { both, schemaWith } from '../refusal-examples.ts'
import { defineRule } from '../rule.ts'

export default defineRule({
  id: 'APF100',
  name: 'not-recognized',
  severity: 'error',
  summary: 'A document is no FlowSchema and no PriorityLevelConfiguration of a known version',
  documentation: {
    what:
      'A document without `kind` or `apiVersion`, with a kind that the group `flowcontrol.apiserver.k8s.io` does not ' +
      'have, spelt in another case for instance, or with a version of it that never was.',
    why:
      'kubectl refuses it before anything is sent (`no matches for kind "Flowschema" in version …`). The objects before ' +
      'it in the same file are applied all the same.',
    fix: 'Write the kind and the version as the group has them.',
    fails: {
      defaults: '1.34',
      yaml: schemaWith('kind: FlowSchema', 'kind: Flowschema'),
    },
    passes: {
      defaults: '1.34',
      yaml: both({}),
    },
  },
  check: (context) => readingFindings(context, PROBLEM.notRecognized),
})
