import { limitingServers, schemaAbout } from '../live-findings.ts'
import { defineRule } from '../rule.ts'

export default defineRule({
  id: 'APF511',
  name: 'rejections',
  severity: 'warning',
  summary: 'Requests of a FlowSchema were refused',
  documentation: {
    what:
      'An API server has answered 429 to requests of a FlowSchema since it started: `queue-full` where no more may wait, ' +
      '`concurrency-limit` where the level does not let them wait, `time-out` where they waited too long. Information where that ' +
      'was fewer than one request in a thousand, or where only callers gave up (`cancelled`, up to 1.28).',
    why: 'Most clients ask again after a second, and slow down without saying why; some take the answer for a failure.',
    fix:
      'See `kubectl apf seats` for what is refused now, and `kubectl apf explain-429` for one answer. Then give the level more ' +
      'shares or longer queues, or send the client that fills it to a level of its own with `kubectl apf isolate`.',
    fails: 'A FlowSchema 123 of whose 4567 requests were refused, 100 with queue-full and 23 with time-out.',
    passes: 'A FlowSchema all of whose requests were executed.',
  },
  *check(context) {
    for (const { server } of limitingServers(context)) {
      for (const level of server.levels) {
        const { name, rejectedBy } = level
        for (const flowSchema of new Set(rejectedBy.map((each) => each.flowSchema))) {
          const counts = rejectedBy.filter((each) => each.flowSchema === flowSchema && each.count > 0)
          const refused = counts.reduce((sum, { count }) => sum + count, 0)
          if (refused === 0) continue
          const flow = server.flowSchemas.find((each) => each.name === flowSchema && each.priorityLevel === name)
          const all = refused + (flow?.dispatched ?? 0)
          const isSerious = refused * 1000 >= all && counts.some(({ reason }) => reason !== 'cancelled')
          yield {
            severity: isSerious ? 'warning' : 'info',
            ...schemaAbout(flowSchema, context),
            path: [],
            message: `FlowSchema ${flowSchema}: ${server.name} refused ${refused} of ${all} requests in ${name} since it started`,
            note: counts.map(({ reason, count }) => `${count} ${reason}`).join(', '),
            ...(isSerious && {
              fix: { text: `see kubectl apf seats for ${name}: more shares, longer queues, or fewer clients` },
            }),
          }
        }
      }
    }
  },
})
