import { both, levelWith } from '../refusal-examples.ts'
import { type Refusal, refusalFindings, type Said } from '../refusals.ts'
import { defineRule } from '../rule.ts'

export default defineRule({
  id: 'APF120',
  name: 'block-of-type',
  severity: 'error',
  summary: 'A block that the type of a level does not have, or one that it must have',
  documentation: {
    what:
      'A Limited level without `limited` or with `exempt`, an Exempt level with `limited`, a limit response of type ' +
      'Queue without `queuing` or one of type Reject with it.',
    why: 'The server refuses the object. No block is made up: a Queue without `queuing` gets no default queues.',
    fix:
      'Write the block that belongs to the type, and no other. All of `queuing` has defaults, so `queuing: {}` is ' +
      'enough for 64 queues.',
    fails: {
      defaults: '1.34',
      yaml: levelWith('type: Queue', 'type: Reject'),
    },
    passes: {
      defaults: '1.34',
      yaml: both({}),
    },
  },
  check: (context) => refusalFindings(context, 'APF120', hint),
})

function hint({ error: { path, category } }: Refusal): Said {
  const block = String(path[path.length - 1])
  if (category === 'Forbidden') return { fix: { text: `remove ${block}, or change the type` } }
  return block === 'queuing' ? { fix: { text: 'write queuing: {} for the defaults' } } : {}
}
