import { nameOf } from '../clauses.ts'
import { levelExample, ownQueuingLevels, QUEUING_PATH } from '../level-seats.ts'
import { defineRule } from '../rule.ts'

export default defineRule({
  id: 'APF307',
  name: 'queue-room',
  severity: 'warning',
  summary: 'Queues with room for more requests than a server can hold',
  documentation: {
    what: 'A level whose queues together have room for 100,000 requests or more.',
    why:
      'Waiting requests hold a connection and memory of the API server. Nearly all of so many will have timed out ' +
      'before their turn; until then they keep the server from answering others.',
    fix: 'Lower `queueLengthLimit`, or the number of queues: the default objects have 128 queues of 50.',
    fails: { defaults: '1.34', yaml: levelExample({ queuing: { queues: 1024, handSize: 6, queueLengthLimit: 1000 } }) },
    passes: { defaults: '1.34', yaml: levelExample({}) },
  },
  *check(context) {
    for (const { level, queuing } of ownQueuingLevels(context)) {
      const { queues, queueLengthLimit } = queuing
      const room = queues * queueLengthLimit
      if (room < VERY_MANY) continue
      yield {
        object: level,
        path: [...QUEUING_PATH, 'queueLengthLimit'],
        message: `${nameOf(level)} has room for ${room} waiting requests: ${queues} queues of ${queueLengthLimit}`,
        note: 'each of them holds a connection and memory of the API server',
        fix: { text: 'lower queueLengthLimit; 128 queues of 50 are usual' },
      }
    }
  },
})

const VERY_MANY = 100_000
