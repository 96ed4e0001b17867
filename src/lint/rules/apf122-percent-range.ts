import { both, levelWith } from '../refusal-examples.ts'
import { refusalFindings } from '../refusals.ts'
import { defineRule } from '../rule.ts'

export default defineRule({
  id: 'APF122',
  name: 'percent-range',
  severity: 'error',
  summary: 'A percentage that a level cannot have',
  documentation: {
    what:
      'A `lendablePercent` outside of 0 to 100, or a negative `borrowingLimitPercent`. There is no upper bound for ' +
      'borrowing: 200 means twice the own seats.',
    why: 'The server refuses the object.',
    fix: 'Write a whole number of percent. Leave `borrowingLimitPercent` out for no limit.',
    fails: {
      defaults: '1.34',
      yaml: levelWith('lendablePercent: 50', 'lendablePercent: 150'),
    },
    passes: {
      defaults: '1.34',
      yaml: both({}),
    },
  },
  check: (context) => refusalFindings(context, 'APF122'),
})
