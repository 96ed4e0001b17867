import { serverFindingsOf } from '../live-findings.ts'
import { defineRule } from '../rule.ts'

export default defineRule({
  id: 'APF505',
  name: 'aggregated-server',
  severity: 'info',
  summary: 'A server is an aggregated API server',
  documentation: {
    what: 'What was read are the metrics of an aggregated or extension API server, not of kube-apiserver.',
    why: 'Such a server has fairness of its own, with the same objects and seats of its own. A request for it is admitted twice, first by kube-apiserver.',
    fix: 'Judge it by itself, and do not compare its numbers with those of kube-apiserver.',
    fails: 'Saved metrics of a metrics adapter.',
    passes: 'Saved metrics of kube-apiserver.',
  },
  check: (context) => serverFindingsOf(context, 'APF505'),
})
