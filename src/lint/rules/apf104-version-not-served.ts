import { PROBLEM } from '../../apf/problem-codes.ts'
import { versionFindings } from '../api-versions.ts'
import { both, edited, SCHEMA } from '../refusal-examples.ts'
import { defineRule } from '../rule.ts'

export default defineRule({
  id: 'APF104',
  name: 'version-not-served',
  severity: 'error',
  summary: 'A version of the API that the target does not serve',
  documentation: {
    what:
      'An `apiVersion` that the target does not serve: removed (v1beta1 with 1.26, v1beta2 with 1.29, v1beta3 with ' +
      '1.32) or not there yet (v1 before 1.29).',
    why:
      'kubectl refuses the file: `no matches for kind "FlowSchema" in version …`. After an upgrade, manifests that were ' +
      'applied for years cannot be applied any more; the stored objects live on.',
    fix: 'Name a version that the target serves. Where the shares have another name there, rename them too.',
    fails: {
      defaults: '1.34',
      yaml: edited(SCHEMA, '/v1', '/v1beta2'),
    },
    passes: {
      defaults: '1.34',
      yaml: both({}),
    },
  },
  check: (context) => versionFindings(context, PROBLEM.notServed),
})
