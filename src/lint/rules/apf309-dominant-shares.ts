import { sharesOf } from '../../apf/seats.ts'
import { sum } from '../../apf/sum.ts'
import { nameOf } from '../clauses.ts'
import { levelExample, ownLimitedLevels, SHARES_PATH, seatsOfServer } from '../level-seats.ts'
import { defineRule } from '../rule.ts'

export default defineRule({
  id: 'APF309',
  name: 'dominant-shares',
  severity: 'warning',
  summary: 'A priority level with nearly all shares',
  documentation: {
    what: 'A level with three quarters or more of the shares of all levels, where there are others.',
    why:
      'Shares are relative: a large number in one level takes the seats of all others, those of the control plane ' +
      'included.',
    fix: 'Take shares of the size that the other levels have; the default ones have 245 together.',
    fails: { defaults: '1.34', yaml: levelExample({ shares: 2000 }) },
    passes: { defaults: '1.34', yaml: levelExample({ shares: 50 }) },
  },
  *check(context) {
    const total = sum(
      [...context.configuration.levels.values()].map((level) => sharesOf(level).nominalConcurrencyShares),
    )
    for (const { level, limited, seats } of ownLimitedLevels(context)) {
      const { nominalConcurrencyShares: shares } = limited
      if (shares === total || shares < NEARLY_ALL * total) continue
      yield {
        object: level,
        path: SHARES_PATH,
        message: `${nameOf(level)} has ${shares} of ${total} shares: ${seatsOfServer(seats.nominal, context)}`,
        note: `${total - shares} shares are left for all other levels`,
        fix: { text: 'lower nominalConcurrencyShares' },
      }
    }
  },
})

const NEARLY_ALL = 0.75
