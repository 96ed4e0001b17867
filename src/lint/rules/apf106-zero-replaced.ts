import { PROBLEM } from '../../apf/problem-codes.ts'
import { readingFindings } from '../reading.ts'
import { both, schemaWith } from '../refusal-examples.ts'
import { defineRule } from '../rule.ts'

export default defineRule({
  id: 'APF106',
  name: 'zero-replaced',
  severity: 'warning',
  summary: 'A zero that the server replaces by a default',
  documentation: {
    what:
      'A written 0 in `matchingPrecedence`, `queues`, `handSize` or `queueLengthLimit`, which count as absent, and in ' +
      'the shares of a Limited level in every version but v1. In v1beta3 the annotation ' +
      '`flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares` keeps a zero from 1.29 on.',
    why:
      'The object is accepted, and means something else: a level that should get nothing gets 30 shares, a schema that ' +
      'should be first has precedence 1000.',
    fix: 'Write the value that is meant.',
    fails: {
      defaults: '1.34',
      yaml: schemaWith('matchingPrecedence: 1500', 'matchingPrecedence: 0'),
    },
    passes: {
      defaults: '1.34',
      yaml: both({}),
    },
  },
  check: (context) => readingFindings(context, PROBLEM.replacedByDefault),
})
