import { PROBLEM } from '../../apf/problem-codes.ts'
import { readingFindings } from '../reading.ts'
import { both, schemaWith } from '../refusal-examples.ts'
import { defineRule } from '../rule.ts'

export default defineRule({
  id: 'APF103',
  name: 'duplicate-key',
  severity: 'warning',
  summary: 'A key that stands twice in one mapping',
  documentation: {
    what: 'Two equal keys in one mapping, also in two spellings that YAML takes for one (`yes:` and `on:`).',
    why:
      'kubectl turns the file into JSON first, and of two values the last one wins without a word: the server never ' +
      'sees the first. Only the file tells that something was lost.',
    fix: 'Remove the one that is not meant.',
    fails: {
      defaults: '1.34',
      yaml: schemaWith('  matchingPrecedence: 1500\n', '  matchingPrecedence: 500\n  matchingPrecedence: 1500\n'),
    },
    passes: {
      defaults: '1.34',
      yaml: both({}),
    },
  },
  check: (context) => readingFindings(context, PROBLEM.duplicateKey),
})
