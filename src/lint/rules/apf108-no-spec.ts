import { PROBLEM } from '../../apf/problem-codes.ts'
import { readingFindings } from '../reading.ts'
import { both } from '../refusal-examples.ts'
import { defineRule } from '../rule.ts'

export default defineRule({
  id: 'APF108',
  name: 'no-spec',
  severity: 'error',
  summary: 'An object without a spec',
  documentation: {
    what: 'A FlowSchema or PriorityLevelConfiguration without `spec`, or with an empty one.',
    why: 'The server reads an empty spec, which names no level and no type, and refuses it.',
    fix: 'Write the spec. Where it is there, its indentation puts it into something else.',
    fails: {
      defaults: '1.34',
      yaml: both({
        level:
          'apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: PriorityLevelConfiguration\nmetadata:\n  name: shop\n',
      }),
    },
    passes: {
      defaults: '1.34',
      yaml: both({}),
    },
  },
  check: (context) => readingFindings(context, PROBLEM.noSpec),
})
