/** The semantic difference of two configurations: which requests of whom land elsewhere, over all requests and identities. */
import type { EffectiveConfiguration, EffectiveSchema } from '../apf/order.ts'
import type { VersionRules } from '../apf/versions.ts'
import type { IdentityCube } from '../regions/identity.ts'
import type { Region } from '../regions/region.ts'
import type { RequestLine } from '../regions/witness.ts'
import type { IdentityFacts } from './reach.ts'

/** What differs between where a request landed and where it lands. */
export type Change = 'flowSchema' | 'priorityLevel' | 'distinguisher' | 'exemption'

/** A class of requests that move alike: every request of `requests` by every identity of one of `identities`. */
export interface Move {
  from: EffectiveSchema
  to: EffectiveSchema
  changes: readonly Change[]
  identities: readonly IdentityCube[]
  requests: Region
  witness: RequestLine
}

export interface Moves {
  /** Disjoint, together all requests that move, no two of them mergeable in one dimension. Server order of `from`, `to`. */
  moves: Move[]
  /** What could not be told within the budget, a sentence each. */
  undecided: string[]
}

export interface MovesOptions {
  identities: IdentityFacts
  /** Versions before and after: they tell which requests bypass. */
  rules: { before: VersionRules; after: VersionRules }
}

export type MovesBetween = (
  before: EffectiveConfiguration,
  after: EffectiveConfiguration,
  options: MovesOptions,
) => Moves
