import { SEATS_PERCENT_OF_LEVEL } from '../../apf/seats.ts'
import { nameOf } from '../clauses.ts'
import { levelExample, ownQueuingLevels, QUEUING_PATH } from '../level-seats.ts'
import { defineRule } from '../rule.ts'

export default defineRule({
  id: 'APF304',
  name: 'narrow-lists',
  severity: 'info',
  summary: 'A hand so large that one LIST counts for less than it may',
  documentation: {
    what:
      'A level whose hand is so large that one request may take fewer seats than the 15 % of the level that the ' +
      'server allows: a request takes no more than the nominal limit divided by `handSize`. With one seat left it ' +
      'is a warning.',
    why:
      'A LIST or WATCH is charged by the objects that it reads. Where the cap is lower than that, expensive ' +
      'requests run as if they were cheap, and the level does more work at once than its seats say.',
    fix: 'Lower `handSize`, or raise the shares: 6 or fewer leave one request its 15 %.',
    fails: {
      defaults: '1.34',
      yaml: levelExample({ shares: 5, queuing: { queues: 64, handSize: 10, queueLengthLimit: 50 } }),
    },
    passes: { defaults: '1.34', yaml: levelExample({ shares: 20 }) },
  },
  *check(context) {
    if (!context.rules.seatCapPerLevel) return
    for (const { level, queuing, seats } of ownQueuingLevels(context)) {
      const allowed = Math.ceil(seats.nominal * (SEATS_PERCENT_OF_LEVEL / 100))
      const byHand = Math.floor(seats.nominal / queuing.handSize)
      if (queuing.handSize <= USUAL_HAND || byHand >= allowed || seats.maxSeatsPerRequest >= allowed) continue
      const cap = seats.maxSeatsPerRequest
      yield {
        severity: cap === 1 && allowed > 1 ? 'warning' : 'info',
        object: level,
        path: [...QUEUING_PATH, 'handSize'],
        message: `${nameOf(level)}: a hand of ${queuing.handSize} lets one LIST take ${cap} of its ${seats.nominal} seats, not ${allowed}`,
        note: 'larger ones run as if they were that cheap',
        fix: { text: `lower handSize to ${Math.max(1, Math.floor(seats.nominal / allowed))}, or raise the shares` },
      }
    }
  },
})

/** With up to 6 cards the division by the hand costs no more than rounding does. */
const USUAL_HAND = 6
