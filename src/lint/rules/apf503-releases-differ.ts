import { serverFindingsOf } from '../live-findings.ts'
import { defineRule } from '../rule.ts'

export default defineRule({
  id: 'APF503',
  name: 'releases-differ',
  severity: 'info',
  summary: 'The API servers are of different releases',
  documentation: {
    what: 'API servers of one cluster say that they are of different releases.',
    why: 'During an upgrade that is as it should be. Default objects, widths of requests and limits follow each their own release meanwhile, and servers of both maintain the default objects.',
    fix: 'Finish the upgrade.',
    fails: 'An API server of 1.37 beside one of 1.34.',
    passes: 'Two API servers of one release.',
  },
  check: (context) => serverFindingsOf(context, 'APF503'),
})
