import { both, levelWith } from '../refusal-examples.ts'
import { type Refusal, refusalFindings, type Said } from '../refusals.ts'
import { defineRule } from '../rule.ts'
import { valueAt } from '../written.ts'

export default defineRule({
  id: 'APF123',
  name: 'queue-shape',
  severity: 'error',
  summary: 'Queues that cannot be dealt hands',
  documentation: {
    what:
      'A queuing configuration with fewer than one queue, queue length or hand size, with more than 10,000,000 queues, ' +
      'with a hand larger than the number of queues, or with a hand that takes more than 60 bits to deal.',
    why:
      'The server refuses the object. What is left out counts with its default: 4 queues without a `handSize` have a ' +
      'hand of 8, which is too large.',
    fix: 'Write queues and hand size together: 64 and 6, 128 and 6, or 16 and 4 are usual.',
    fails: {
      defaults: '1.34',
      yaml: levelWith('        queues: 64\n        handSize: 6\n', '        queues: 4\n'),
    },
    passes: {
      defaults: '1.34',
      yaml: both({}),
    },
  },
  check: (context) => refusalFindings(context, 'APF123', hint),
})

function hint({ object, error: { path, value } }: Refusal): Said {
  const isWritten = object.origin?.written === undefined || typeof valueAt(object, path) === 'number'
  return isWritten ? {} : { note: `${path[path.length - 1]} is not written, and ${value} is its default` }
}
