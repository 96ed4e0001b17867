/**
 * What each FlowSchema, and each of its rules, gets of all requests of all identities once the schemas before it have taken
 * theirs: complete, by regions, with a witness for each claim.
 */
import type { EffectiveConfiguration, EffectiveSchema } from '../apf/order.ts'
import type { VersionRules } from '../apf/versions.ts'
import type { IdentityCube, IdentityFacts } from '../regions/identity.ts'
import type { Region } from '../regions/region.ts'
import type { RequestLine } from '../regions/witness.ts'

/** Requests of identities: every request of `requests` by every identity of one of `identities`. */
export interface Share {
  identities: readonly IdentityCube[]
  requests: Region
}

/** How much of what a rule names it gets. `undecided`: the budget did not suffice to tell. */
export type Extent = 'all' | 'part' | 'nothing' | 'undecided'

export interface RuleReach {
  ruleIndex: number
  extent: Extent
  /** Disjoint; together exactly what the rule takes, long-running requests left out. */
  shares: readonly Share[]
  /** A request that it takes; null for `nothing`. */
  witness: RequestLine | null
  /** Names of earlier schemas that together take the rest of what it names, none of them needlessly; in server order. */
  coveredBy: readonly string[]
}

export interface SchemaReach {
  entry: EffectiveSchema
  extent: Extent
  witness: RequestLine | null
  coveredBy: readonly string[]
  rules: readonly RuleReach[]
}

export type { IdentityFacts } from '../regions/identity.ts'

export interface ReachOptions {
  identities: IdentityFacts
  rules: VersionRules
  /** Only these requests of these identities; absent: all. */
  within?: Share
  /** Names of the schemas asked about; absent: all in force. */
  schemas?: ReadonlySet<string>
}

export type ReachOf = (configuration: EffectiveConfiguration, options: ReachOptions) => SchemaReach[]
