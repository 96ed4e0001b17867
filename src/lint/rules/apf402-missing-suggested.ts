import { missingFindings } from '../live-findings.ts'
import { defineRule } from '../rule.ts'

export default defineRule({
  id: 'APF402',
  name: 'missing-suggested',
  severity: 'info',
  summary: 'A suggested object does not exist',
  documentation: {
    what:
      'One of the suggested default objects of the release, such as `system-nodes` or `workload-high`, is missing where all objects ' +
      'are known: in a cluster, or a recording of an API server. Another target than the release of the server is not judged.',
    why: 'Every API server makes them anew within a minute, so that this hardly lasts. Until then its requests fall through to the schemas behind it.',
    fix:
      'Wait a minute. Where it stays away, find out who deletes it. It cannot be kept away for good: to change what it does, give it ' +
      'the annotation `apf.kubernetes.io/autoupdate-spec: "false"` and another spec.',
    fails: 'A cluster without the FlowSchema `system-nodes`.',
    passes: 'A cluster with all default objects of its release.',
  },
  check: (context) => missingFindings(context, 'APF402'),
})
