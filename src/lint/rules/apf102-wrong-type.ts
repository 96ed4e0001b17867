import { PROBLEM } from '../../apf/problem-codes.ts'
import { readingFindings } from '../reading.ts'
import { both, schemaWith } from '../refusal-examples.ts'
import { defineRule } from '../rule.ts'

export default defineRule({
  id: 'APF102',
  name: 'wrong-type',
  severity: 'error',
  summary: 'A value of the wrong type',
  documentation: {
    what:
      'A value that is not of the type of its field: text where a number belongs (`"500"` in quotes, `10:30`, `50%`), a ' +
      'number or a truth value where text belongs (a group called `yes` or `123` without quotes), a single value where ' +
      'a list belongs.',
    why:
      'The server refuses the whole object, whatever validation was asked for: `cannot unmarshal string into Go struct ' +
      'field`. Nothing else in the object has been looked at yet.',
    fix: 'Quote text that YAML takes for something else, unquote numbers, and write lists as lists.',
    fails: {
      defaults: '1.34',
      yaml: schemaWith('matchingPrecedence: 1500', "matchingPrecedence: '1500'"),
    },
    passes: {
      defaults: '1.34',
      yaml: both({}),
    },
  },
  check: (context) => readingFindings(context, PROBLEM.wrongType),
})
