import { nameOf } from '../clauses.ts'
import { levelExample, ownQueuingLevels, QUEUING_PATH } from '../level-seats.ts'
import { defineRule } from '../rule.ts'

export default defineRule({
  id: 'APF305',
  name: 'hand-without-choice',
  severity: 'warning',
  summary: 'A hand of one queue, or of all of them',
  documentation: {
    what: 'A level with several queues whose `handSize` is 1, or is the number of queues.',
    why:
      'With one queue in its hand, a flow that shares it with a heavy one has nowhere to go. With all queues in ' +
      'every hand, one heavy flow can fill them all: the queues isolate nobody.',
    fix: 'Deal hands of a few out of many queues: 6 of 64 or 6 of 128. For a single flow write one queue.',
    fails: { defaults: '1.34', yaml: levelExample({ queuing: { queues: 8, handSize: 8, queueLengthLimit: 50 } }) },
    passes: { defaults: '1.34', yaml: levelExample({}) },
  },
  *check(context) {
    for (const { level, queuing } of ownQueuingLevels(context)) {
      const { queues, handSize } = queuing
      if (queues === 1 || (handSize !== 1 && handSize !== queues)) continue
      yield {
        object: level,
        path: [...QUEUING_PATH, 'handSize'],
        message: `${nameOf(level)} deals each flow ${handSize === 1 ? `one of ${queues} queues` : `all ${queues} queues`}`,
        note:
          handSize === 1
            ? 'a flow that meets a heavy one there has no other queue'
            : 'one heavy flow can fill them all, so that they isolate nobody',
        fix: { text: 'deal hands of a few out of many: 6 of 64' },
      }
    }
  },
})
