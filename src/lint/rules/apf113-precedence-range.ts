import { both, schemaWith } from '../refusal-examples.ts'
import { refusalFindings } from '../refusals.ts'
import { defineRule } from '../rule.ts'

export default defineRule({
  id: 'APF113',
  name: 'precedence-range',
  severity: 'error',
  summary: 'A matchingPrecedence outside of 1 to 10000',
  documentation: {
    what: 'A `matchingPrecedence` below 1 or above 10000. A 0 counts as absent and becomes 1000, which APF106 tells.',
    why: 'The server refuses the object.',
    fix: 'Choose a precedence from 2 to 10000; smaller ones are tried first.',
    fails: {
      defaults: '1.34',
      yaml: schemaWith('matchingPrecedence: 1500', 'matchingPrecedence: 15000'),
    },
    passes: {
      defaults: '1.34',
      yaml: both({}),
    },
  },
  check: (context) => refusalFindings(context, 'APF113'),
})
