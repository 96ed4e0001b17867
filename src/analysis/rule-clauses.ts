/** The rules of FlowSchemas as clauses: a set of identities and a set of requests. */
import type { EffectiveSchema } from '../apf/order.ts'
import type { IdentitySets, SubjectSet } from '../regions/identity-set.ts'
import { isEmptyRegion, type Region } from '../regions/region.ts'
import { nonResourceRuleRegion, resourceRuleRegion } from '../regions/rules.ts'

export interface RuleClause {
  /** Index into `spec.rules` of the schema. */
  ruleIndex: number
  subjects: SubjectSet
  /** Of one resource or non-resource rule; not empty. */
  requests: Region
}

/** What a schema names, one clause per resource and non-resource rule; none for what matches nothing. */
export function ruleClauses({ schema }: EffectiveSchema, sets: IdentitySets): RuleClause[] {
  return schema.spec.rules.flatMap(({ subjects, resourceRules, nonResourceRules }, ruleIndex) => {
    const named = sets.subjects(subjects)
    if (!named.isEveryone && named.names.length + named.groups.length === 0) return []
    return [...resourceRules.map(resourceRuleRegion), ...nonResourceRules.map(nonResourceRuleRegion)]
      .filter((requests) => !isEmptyRegion(requests))
      .map((requests) => ({ ruleIndex, subjects: named, requests }))
  })
}

export { regionKey } from '../regions/region.ts'
