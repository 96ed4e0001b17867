import { missingFindings } from '../live-findings.ts'
import { defineRule } from '../rule.ts'

export default defineRule({
  id: 'APF401',
  name: 'missing-mandatory',
  severity: 'warning',
  summary: 'A mandatory object does not exist',
  documentation: {
    what: 'One of the FlowSchemas and PriorityLevelConfigurations `exempt` and `catch-all` is missing where all objects are known: in a cluster, or a recording of an API server.',
    why:
      'Every API server makes them anew within a minute. One that stays away says that no server may write, or that something ' +
      'deletes it again and again; meanwhile the server uses a copy of its own, and what names the level is dangling.',
    fix: 'Find out who deletes it, and whether the API servers may write objects of flowcontrol.apiserver.k8s.io.',
    fails: 'A cluster without the FlowSchema `catch-all`.',
    passes: 'A cluster with both FlowSchemas and both PriorityLevelConfigurations.',
  },
  check: (context) => missingFindings(context, 'APF401'),
})
