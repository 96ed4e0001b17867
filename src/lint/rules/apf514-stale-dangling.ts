import { nameOf } from '../clauses.ts'
import { allOff } from '../live-findings.ts'
import { defineRule } from '../rule.ts'

export default defineRule({
  id: 'APF514',
  name: 'stale-dangling',
  severity: 'warning',
  summary: 'The condition Dangling of a FlowSchema does not say what is the case',
  documentation: {
    what:
      'A FlowSchema, as an API server holds it, whose condition `Dangling` is True though its priority level is there, or False ' +
      'though it is not. A schema without the condition is left out, and so are servers of another release than the target.',
    why:
      'API servers set the condition within seconds of a change. One that stays wrong says that none of them does: fairness is ' +
      'off, they may not write, or they do not see the objects. Whoever goes by the condition is misled.',
    fix: 'Read again in a minute. Where it stays, ask `kubectl apf status`, and look for failing updates of `flowschemas/status` in the logs of the API servers.',
    fails: 'A FlowSchema whose level was created an hour ago, with `Dangling` still True.',
    passes: 'A FlowSchema whose level is there, with `Dangling` False.',
  },
  *check(context) {
    const { complete, evidence, rules, all, configuration } = context
    if (!complete || evidence.release?.minor !== rules.minor) return
    const dangling = new Set(configuration.dangling.map(({ schema }) => schema))
    for (const schema of all.flowSchemas) {
      const index = schema.status.conditions.findIndex(({ type }) => type === 'Dangling')
      const said = schema.status.conditions[index]?.status
      if ((said !== 'True' && said !== 'False') || (said === 'True') === dangling.has(schema)) continue
      const level = schema.spec.priorityLevelConfiguration.name
      yield {
        object: schema,
        path: ['status', 'conditions', index, 'status'],
        message: `${nameOf(schema)} has the condition Dangling: ${said}, and its level ${JSON.stringify(level)} ${said === 'True' ? 'is there' : 'cannot be used'}`,
        note: allOff(evidence)
          ? 'APF is off, so that no API server sets it'
          : 'the API servers set it within seconds of a change',
        fix: { text: 'read again in a minute; then look at kubectl apf status and the logs of the API servers' },
      }
    }
  },
})
