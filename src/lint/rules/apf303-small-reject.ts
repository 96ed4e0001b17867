import { nameOf } from '../clauses.ts'
import { levelExample, ownLimitedLevels, seatsOfServer } from '../level-seats.ts'
import { defineRule } from '../rule.ts'

export default defineRule({
  id: 'APF303',
  name: 'small-reject',
  severity: 'warning',
  summary: 'A priority level that refuses requests as soon as a handful runs',
  documentation: {
    what:
      'A level with `limitResponse.type: Reject` that reaches ten seats or fewer, borrowed ones included. Information where ' +
      'it has so few of its own, and more only as long as others lend theirs.',
    why:
      'Such a level does not wait: whatever arrives while its few seats are taken gets 429. Short bursts that a ' +
      'queue would absorb within milliseconds become errors of clients.',
    fix: 'Let it queue, or give it more shares. Where refusing is meant, suppress the finding with that reason.',
    fails: { defaults: '1.34', yaml: levelExample({ shares: 1, borrowing: 0, queuing: null }) },
    passes: { defaults: '1.34', yaml: levelExample({ shares: 1, borrowing: 0 }) },
  },
  *check(context) {
    for (const { level, limited, seats } of ownLimitedLevels(context)) {
      const { nominal, reachable, upper } = seats
      if (limited.limitResponse.type !== 'Reject' || upper === 0 || nominal > HANDFUL) continue
      const borrowing = reachable > nominal ? `, ${reachable} with what it may borrow` : ' and may not borrow'
      yield {
        ...(reachable > HANDFUL && { severity: 'info' }),
        object: level,
        path: ['spec', 'limited', 'limitResponse', 'type'],
        message: `${nameOf(level)} refuses whatever does not fit into ${seatsOfServer(nominal, context)}${borrowing}`,
        note: 'a burst that a queue would absorb becomes answers 429',
        fix: { text: 'let it queue (type: Queue), or give it more shares' },
      }
    }
  },
})

const HANDFUL = 10
