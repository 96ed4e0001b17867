import { serverFindingsOf } from '../live-findings.ts'
import { defineRule } from '../rule.ts'

export default defineRule({
  id: 'APF504',
  name: 'contradiction',
  severity: 'warning',
  summary: 'What was read of an API server contradicts itself',
  documentation: {
    what: 'Pieces of evidence on what limits the requests of one API server exclude each other, such as metrics of fairness and answers without its headers.',
    why: 'Usually the pieces come from different servers behind one address. What is said of that server is then true of none.',
    fix: 'Ask each server by its own address: `kubectl apf status --apiserver URL`.',
    fails: 'Metrics of one API server beside the flags of another.',
    passes: 'Metrics, health checks and headers of one API server.',
  },
  check: (context) => serverFindingsOf(context, 'APF504'),
})
