import { serverFindingsOf } from '../live-findings.ts'
import { defineRule } from '../rule.ts'

export default defineRule({
  id: 'APF502',
  name: 'seats-differ',
  severity: 'warning',
  summary: 'The API servers differ in seats',
  documentation: {
    what: 'The sums of `--max-requests-inflight` and `--max-mutating-requests-inflight` differ among API servers of one cluster, as their metrics tell.',
    why: 'Every server divides its own seats among the levels. The same level has more of them on one server than on another, and a client is refused on one and served on the other.',
    fix: 'Give all of them the same `--max-requests-inflight` and `--max-mutating-requests-inflight`.',
    fails: 'Two API servers, one with 600 seats and one with 180.',
    passes: 'Two API servers with 600 seats each.',
  },
  check: (context) => serverFindingsOf(context, 'APF502'),
})
