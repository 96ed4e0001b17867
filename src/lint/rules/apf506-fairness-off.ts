import { serverFindingsOf } from '../live-findings.ts'
import { defineRule } from '../rule.ts'

export default defineRule({
  id: 'APF506',
  name: 'fairness-off',
  severity: 'warning',
  summary: 'FlowSchemas have no effect on an API server',
  documentation: {
    what: 'There are FlowSchemas, and on an API server fairness is off.',
    why: 'The server accepts the objects all the same. There the plain limits of requests in flight decide, in which all clients are alike.',
    fix: 'Start the server with `--enable-priority-and-fairness=true`, which is the default.',
    fails: 'FlowSchemas in a cluster whose API server has `--enable-priority-and-fairness=false`.',
    passes: 'FlowSchemas in a cluster whose API servers all decide by fairness.',
  },
  check: (context) => serverFindingsOf(context, 'APF506'),
})
