import { nameOf } from '../clauses.ts'
import { levelExample, ownLimitedLevels, SHARES_PATH } from '../level-seats.ts'
import { defineRule } from '../rule.ts'

export default defineRule({
  id: 'APF310',
  name: 'wide-requests',
  severity: 'info',
  summary: 'One LIST may take more seats than the level ever has',
  documentation: {
    what:
      'A level that refuses instead of queuing, and in which one request may be charged more seats than the level ' +
      'can reach. Levels that queue have a cap of their own.',
    why:
      'A request wider than the limit is let in only while nothing else runs in the level, so that large LISTs are ' +
      'refused whenever it is busy.',
    fix: 'Give the level more shares, or let it queue: then one request takes 15 % of the level at most.',
    fails: { defaults: '1.34', yaml: levelExample({ shares: 1, borrowing: 0, queuing: null }) },
    passes: { defaults: '1.34', yaml: levelExample({ shares: 1, borrowing: 0 }) },
  },
  *check(context) {
    for (const { level, limited, seats } of ownLimitedLevels(context)) {
      const { maxSeatsPerRequest, reachable } = seats
      if (limited.limitResponse.type !== 'Reject' || reachable === 0 || maxSeatsPerRequest <= reachable) continue
      yield {
        object: level,
        path: SHARES_PATH,
        message: `${nameOf(level)}: one LIST may take ${maxSeatsPerRequest} seats, and the level reaches ${reachable}`,
        note: 'such a LIST is refused unless nothing else runs there',
        fix: { text: 'give it more shares, or let it queue' },
      }
    }
  },
})
