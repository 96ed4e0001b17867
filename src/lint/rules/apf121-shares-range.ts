import { both, levelWith } from '../refusal-examples.ts'
import { type Refusal, refusalFindings, type Said } from '../refusals.ts'
import { defineRule } from '../rule.ts'

export default defineRule({
  id: 'APF121',
  name: 'shares-range',
  severity: 'error',
  summary: 'Shares that a level cannot have',
  documentation: {
    what:
      'Shares below 0, and in releases before 1.30 below 1: v1 on 1.29 refuses a written 0. A zero that the server ' +
      'replaces by 30 is told by APF106.',
    why: 'The server refuses the object.',
    fix: 'Write a positive number; from 1.30 on also 0, for a level that lives on borrowed seats alone.',
    fails: {
      defaults: '1.29',
      yaml: levelWith('nominalConcurrencyShares: 20', 'nominalConcurrencyShares: 0'),
    },
    passes: {
      defaults: '1.29',
      yaml: both({}),
    },
  },
  check: (context) => refusalFindings(context, 'APF121', hint),
})

function hint({ error: { value } }: Refusal): Said {
  return value === 0 ? { note: 'a level may have zero shares from Kubernetes 1.30 on' } : {}
}
