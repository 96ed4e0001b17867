import { serverFindingsOf } from '../live-findings.ts'
import { defineRule } from '../rule.ts'

export default defineRule({
  id: 'APF501',
  name: 'modes-differ',
  severity: 'warning',
  summary: 'The API servers differ in what limits requests',
  documentation: {
    what: 'Some API servers of one cluster decide by fairness and others by the plain limits of requests in flight, or by nothing.',
    why: 'A client meets another limiter with each connection. What the objects promise holds on a part of the servers only.',
    fix: 'Give all of them the same `--enable-priority-and-fairness` and `--feature-gates`. During a rollout wait for its end.',
    fails: 'Two API servers, one of them with `--enable-priority-and-fairness=false`.',
    passes: 'Two API servers that both decide by fairness.',
  },
  check: (context) => serverFindingsOf(context, 'APF501'),
})
