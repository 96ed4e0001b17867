import { MANDATORY_NAMES } from '../../apf/objects.ts'
import { nearest } from '../../apf/suggest.ts'
import { nameOf } from '../clauses.ts'
import { LISTS_OF_PODS, levelYaml, REPORTER, ruleYaml, schemaYaml } from '../examples.ts'
import { defineRule, type LintContext } from '../rule.ts'

export default defineRule({
  id: 'APF217',
  name: 'level-without-schemas',
  severity: 'warning',
  summary: 'No FlowSchema sends requests to a priority level',
  documentation: {
    what:
      'A PriorityLevelConfiguration that no FlowSchema names. Where the given files may not be all there is, it is ' +
      'information. A dangling schema whose level is spelt nearly so is named.',
    why: 'Its shares take seats from all other levels. Lendable ones are lent while it is idle; the rest is lost to everyone.',
    fix: 'Send a FlowSchema to the level, or remove it.',
    fails: {
      defaults: '1.34',
      yaml: `${levelYaml('shop-reports')}---\n${schemaYaml({ level: 'workload-low', rules: ruleYaml([REPORTER], LISTS_OF_PODS) })}`,
    },
    passes: {
      defaults: '1.34',
      yaml: `${levelYaml('shop-reports')}---\n${schemaYaml({ level: 'shop-reports', rules: ruleYaml([REPORTER], LISTS_OF_PODS) })}`,
    },
  },
  *check(context) {
    const { own, all, complete } = context
    const named = new Set(all.flowSchemas.map(({ spec }) => spec.priorityLevelConfiguration.name))
    for (const level of own.priorityLevels) {
      const { name } = level.metadata
      if (named.has(name) || MANDATORY_NAMES.some((mandatory) => mandatory === name)) continue
      const schema = misspelling(name, context)
      const where = complete ? '' : ' in the given files'
      yield {
        severity: complete ? 'warning' : 'info',
        object: level,
        path: ['metadata', 'name'],
        message: `${nameOf(level)} gets no requests: no FlowSchema${where} names it`,
        ...(schema !== null && { note: `${schema} names a level that is spelt nearly so` }),
        fix: { text: 'send a FlowSchema to it, or remove it' },
      }
    }
  },
})

/** A dangling schema whose level was likely meant to be this one. */
function misspelling(level: string, { configuration }: LintContext): string | null {
  const found = configuration.dangling.find(
    ({ schema }) => nearest(schema.spec.priorityLevelConfiguration.name, [level]) !== null,
  )
  return found ? nameOf(found.schema) : null
}
