import { nameOf } from '../clauses.ts'
import { levelExample, ownLimitedLevels, SHARES_PATH, seatsOfServer } from '../level-seats.ts'
import { defineRule } from '../rule.ts'

export default defineRule({
  id: 'APF302',
  name: 'few-seats',
  severity: 'warning',
  summary: 'A priority level whose shares come to almost no seats',
  documentation: {
    what:
      'A level with a nominal limit of one or two seats that cannot borrow many more. The seats are those of one ' +
      'API server: of `--server-seats`, else of a server without flags.',
    why:
      'Shares are divided among all levels, so that few of them come to nothing useful: one request that takes ' +
      'long holds the level up.',
    fix: 'Raise `nominalConcurrencyShares`, or let the level borrow. `kubectl apf seats` shows what each level gets.',
    fails: { defaults: '1.34', yaml: levelExample({ shares: 1, borrowing: 0 }), serverSeats: 200 },
    passes: { defaults: '1.34', yaml: levelExample({ shares: 20 }), serverSeats: 200 },
  },
  *check(context) {
    for (const { level, seats } of ownLimitedLevels(context)) {
      const { nominal, reachable, upper } = seats
      if (upper === 0 || nominal > FEW || reachable > MANY) continue
      yield {
        object: level,
        path: SHARES_PATH,
        message: `${nameOf(level)} gets ${seatsOfServer(nominal, context)}, and ${reachable} at most by borrowing`,
        note: 'one slow request holds all others of the level up',
        fix: { text: 'raise nominalConcurrencyShares, or borrowingLimitPercent' },
      }
    }
  },
})

const FEW = 2

/** Seats with which a level of few is no bottleneck. */
const MANY = 10
