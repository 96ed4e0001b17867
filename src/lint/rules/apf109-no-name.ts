import { PROBLEM } from '../../apf/problem-codes.ts'
import { readingFindings } from '../reading.ts'
import { both, schemaWith } from '../refusal-examples.ts'
import { defineRule } from '../rule.ts'

export default defineRule({
  id: 'APF109',
  name: 'no-name',
  severity: 'error',
  summary: 'An object without a name',
  documentation: {
    what:
      'An object without `metadata.name`. With `metadata.generateName` instead it is a warning: `kubectl create` takes ' +
      'it, `kubectl apply` does not.',
    why:
      'Order and references rest on names: of equal precedences the smaller name wins, and schemas refer to levels by ' +
      'name. A name that the server makes up is another one each time.',
    fix: 'Give it a name.',
    fails: {
      defaults: '1.34',
      yaml: schemaWith('  name: shop-reports', '  labels: {app: reports}'),
    },
    passes: {
      defaults: '1.34',
      yaml: both({}),
    },
  },
  *check(context) {
    for (const finding of readingFindings(context, PROBLEM.nameless)) {
      const generated = finding.at?.path === 'metadata.generateName'
      yield generated ? { ...finding, severity: 'warning' } : finding
    }
  },
})
