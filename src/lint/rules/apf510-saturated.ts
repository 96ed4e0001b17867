import { levelAbout, limitingServers } from '../live-findings.ts'
import { defineRule } from '../rule.ts'

export default defineRule({
  id: 'APF510',
  name: 'saturated',
  severity: 'warning',
  summary: 'A priority level is at its limit, and requests wait for seats',
  documentation: {
    what:
      'A level all of whose seats are in use on an API server while requests wait in its queues, at the time of reading. The limit is ' +
      'the one in force then, with what the level has borrowed or lent.',
    why: 'What comes now waits, and is refused once its queue is full or it has waited too long. A level that is so for long needs more seats or fewer clients.',
    fix: 'See `kubectl apf seats` for the level and its neighbours; give it more shares, let it borrow, or send its heaviest client elsewhere.',
    fails: 'A level with 30 of 30 seats in use and 12 requests waiting.',
    passes: 'A level with 30 of 30 seats in use and nothing waiting, or with a free seat.',
  },
  *check(context) {
    for (const { server } of limitingServers(context)) {
      for (const { name, current, executingSeats, waitingRequests } of server.levels) {
        if (current === null || executingSeats === null || executingSeats < current || !waitingRequests) continue
        const waiting = `${waitingRequests} ${waitingRequests === 1 ? 'request waits' : 'requests wait'}`
        yield {
          ...levelAbout(name, context),
          path: [],
          message: `PriorityLevelConfiguration ${name} is full on ${server.name}: ${executingSeats} of ${current} seats are in use and ${waiting}`,
          fix: { text: 'give it more shares, let it borrow, or send its heaviest client elsewhere' },
        }
      }
    }
  },
})
