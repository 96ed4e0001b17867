/** Rules of FlowSchemas as sets of requests. */
import type { FlowSchema, PolicyRule } from '../apf/objects.ts'
import { NO_REQUEST, type Region, uniteRegions } from '../regions/region.ts'
import { nonResourceRuleRegion, resourceRuleRegion } from '../regions/rules.ts'

/** What a rule names, whoever asks. */
export function regionOfRule({ resourceRules, nonResourceRules }: PolicyRule): Region {
  return [...resourceRules.map(resourceRuleRegion), ...nonResourceRules.map(nonResourceRuleRegion)].reduce(
    uniteRegions,
    NO_REQUEST,
  )
}

/** What the rules of a schema name of which a subject passes the test. */
export function regionOfSchema({ spec }: FlowSchema, concerns: (rule: PolicyRule) => boolean = () => true): Region {
  return spec.rules.filter(concerns).map(regionOfRule).reduce(uniteRegions, NO_REQUEST)
}
