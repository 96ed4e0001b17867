import { both, schemaWith } from '../refusal-examples.ts'
import { refusalFindings } from '../refusals.ts'
import { defineRule } from '../rule.ts'

export default defineRule({
  id: 'APF114',
  name: 'precedence-of-exempt',
  severity: 'error',
  summary: 'A matchingPrecedence of 1, which only the schema exempt may have',
  documentation: {
    what: 'A FlowSchema of another name with `matchingPrecedence: 1`.',
    why: 'The server refuses the object: nothing may stand before the schema that keeps `system:masters` exempt.',
    fix: 'Write 2 or more. Nothing but `exempt` stands before 2, and of equal precedences the smaller name wins.',
    fails: {
      defaults: '1.34',
      yaml: schemaWith('matchingPrecedence: 1500', 'matchingPrecedence: 1'),
    },
    passes: {
      defaults: '1.34',
      yaml: both({}),
    },
  },
  check: (context) =>
    refusalFindings(context, 'APF114', () => ({
      message: 'matchingPrecedence 1 is for the FlowSchema exempt alone',
      fix: { text: 'write 2, the first precedence that is free for all' },
    })),
})
