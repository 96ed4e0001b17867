/** Rules of FlowSchemas as sets of requests, whoever asks. */
import { subjectMatches } from '../apf/match.ts'
import type { FlowSchema, PolicyRule } from '../apf/objects.ts'
import type { Identity } from '../apf/request.ts'
import type { VersionRules } from '../apf/versions.ts'
import { NO_REQUEST, type Region, uniteRegions } from '../regions/region.ts'
import { bypassRegion, nonResourceRuleRegion, resourceRuleRegion } from '../regions/rules.ts'

const known = new WeakMap<PolicyRule, Region>()

/** What a rule names. */
export function regionOfRule(rule: PolicyRule): Region {
  const found = known.get(rule)
  if (found) return found
  const { resourceRules, nonResourceRules } = rule
  const region = [...resourceRules.map(resourceRuleRegion), ...nonResourceRules.map(nonResourceRuleRegion)].reduce(
    uniteRegions,
    NO_REQUEST,
  )
  known.set(rule, region)
  return region
}

/** What the rules of a schema name. */
export function regionOfSchema({ spec }: FlowSchema): Region {
  return regionOfRules(spec.rules)
}

/** What a schema names of one caller: what its rules name that have the caller among their subjects. */
export function regionOfCaller({ spec }: FlowSchema, identity: Identity): Region {
  return regionOfRules(
    spec.rules.filter(({ subjects }) => subjects.some((subject) => subjectMatches(subject, identity))),
  )
}

function regionOfRules(rules: readonly PolicyRule[]): Region {
  const [only, ...others] = rules.map(regionOfRule)
  return others.reduce(uniteRegions, only ?? NO_REQUEST)
}

const bypasses = new WeakMap<VersionRules, Region>()

/** The requests that APF does not see, made once for a version. */
export function bypassOf(rules: VersionRules): Region {
  const found = bypasses.get(rules)
  if (found) return found
  const region = bypassRegion(rules)
  bypasses.set(rules, region)
  return region
}
