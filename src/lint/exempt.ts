/** Own FlowSchemas that lead to an exempt level, for the rules about them. */
import { isAllowed } from '../analysis/allowed-subjects.ts'
import { type Breadth, breadthOfSubjects, compareBreadth } from '../analysis/breadth.ts'
import { regionOfRule } from '../analysis/rule-region.ts'
import { bootstrapClass } from '../apf/defaults/index.ts'
import type { FlowSchema, Subject } from '../apf/objects.ts'
import { isEmptyRegion, subtractRegion } from '../regions/region.ts'
import { nonResourceRuleRegion } from '../regions/rules.ts'
import { idleSchemas } from './authenticated-reach.ts'
import type { LintContext } from './rule.ts'

export interface ExemptSchema {
  schema: FlowSchema
  /** Those whom no policy allows; never empty. */
  subjects: readonly Subject[]
  breadth: Breadth
  /** It exempts nothing but probes of the server's health, as the default objects do for everyone. */
  onlyProbes: boolean
}

const HEALTH = nonResourceRuleRegion({ verbs: ['*'], nonResourceURLs: ['/healthz', '/livez', '/readyz'] })

/** Whether a set of subjects is so broad that exempting them puts fairness out of force. */
export function isTooBroad(breadth: Breadth): boolean {
  return compareBreadth(breadth, 'all-service-accounts') >= 0
}

/** Schemas that take nothing exempt nobody: their finding is another one. */
export function exemptSchemas(context: LintContext): ExemptSchema[] {
  const { own, configuration, options, rules } = context
  const idle = idleSchemas(context)
  return configuration.order.flatMap(({ schema, level }) => {
    if (level.spec.type !== 'Exempt' || !own.flowSchemas.includes(schema)) return []
    // What the server lets nobody change exempts whom it always does.
    if (idle.has(schema) || bootstrapClass(schema, rules) === 'mandatory') return []
    const subjects = schema.spec.rules
      .flatMap((rule) => rule.subjects)
      .filter((subject) => !isAllowed(subject, options.allowedExempt))
    const breadth = breadthOfSubjects(subjects)
    if (breadth === null) return []
    const onlyProbes = schema.spec.rules.every((rule) => isEmptyRegion(subtractRegion(regionOfRule(rule), HEALTH)))
    return [{ schema, subjects, breadth, onlyProbes }]
  })
}
