import { nameOf } from '../clauses.ts'
import { levelExample, ownLimitedLevels } from '../level-seats.ts'
import { defineRule } from '../rule.ts'

export default defineRule({
  id: 'APF308',
  name: 'lends-guarantee',
  severity: 'warning',
  summary: 'A priority level that lends away the seats it must keep',
  documentation: {
    what:
      'A level of which more than half of the seats are lendable, and that is named in `guaranteedLevels` of the ' +
      'configuration.',
    why:
      'Lent seats come back when the level asks for them, but only at the next round of borrowing, up to ten ' +
      'seconds later, and as the requests that hold them end. Until then a level that must never wait does.',
    fix: 'Lower `lendablePercent`; 0 keeps all seats.',
    fails: { defaults: '1.34', yaml: levelExample({ lendable: 100 }), options: { guaranteedLevels: ['shop-reports'] } },
    passes: { defaults: '1.34', yaml: levelExample({ lendable: 0 }), options: { guaranteedLevels: ['shop-reports'] } },
  },
  since: 26,
  *check(context) {
    const guaranteed = new Set(context.options.guaranteedLevels)
    for (const { level, limited, seats } of ownLimitedLevels(context)) {
      if (!guaranteed.has(level.metadata.name) || limited.lendablePercent <= HALF) continue
      yield {
        object: level,
        path: ['spec', 'limited', 'lendablePercent'],
        message: `${nameOf(level)} must keep its seats, and lends ${seats.lendable} of ${seats.nominal}`,
        note: 'it may wait for up to ten seconds until they come back',
        fix: { text: 'lower lendablePercent' },
      }
    }
  },
})

const HALF = 50
