import { nameOf } from '../clauses.ts'
import { levelExample, ownLimitedLevels, SHARES_PATH } from '../level-seats.ts'
import { defineRule } from '../rule.ts'

export default defineRule({
  id: 'APF301',
  name: 'no-seats',
  severity: 'error',
  summary: 'A priority level in which nothing can ever run',
  documentation: {
    what:
      'A level without seats of its own that may not borrow any: its nominal limit and its borrowing limit are ' +
      'both 0.',
    why:
      'In a level that queues, no request is ever dispatched: each waits for its time-out and is then refused. One ' +
      'that refuses lets a single request through at a time.',
    fix: 'Give the level shares, or remove `borrowingLimitPercent`: a percentage of nothing is nothing.',
    fails: { defaults: '1.34', yaml: levelExample({ shares: 0, borrowing: 0 }) },
    passes: { defaults: '1.34', yaml: levelExample({ shares: 0 }) },
  },
  *check(context) {
    for (const { level, limited, seats } of ownLimitedLevels(context)) {
      if (seats.upper > 0) continue
      const queues = limited.limitResponse.type === 'Queue'
      yield {
        object: level,
        path: SHARES_PATH,
        message: `${nameOf(level)} has no seats, and cannot borrow any`,
        note: queues
          ? 'every request waits in its queue until its time-out, and is refused then'
          : 'it lets one request through at a time, and refuses all others',
        fix: { text: 'give it shares, or remove borrowingLimitPercent' },
      }
    }
  },
})
