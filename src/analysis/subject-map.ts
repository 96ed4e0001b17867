/** The whole map of one subject: which requests reach which FlowSchema and priority level, for every possible request. */
import { subjectMatches } from '../apf/match.ts'
import type { NonResourceRule, PriorityLevelConfiguration, ResourceRule } from '../apf/objects.ts'
import type { EffectiveConfiguration, EffectiveSchema } from '../apf/order.ts'
import type { Identity } from '../apf/request.ts'
import type { VersionRules } from '../apf/versions.ts'
import type { Box } from '../regions/box.ts'
import { type RegionEntry, regionEntries } from '../regions/entry.ts'
import { firstMatch } from '../regions/first-match.ts'
import {
  DECISION_ORDERS,
  EVERY_REQUEST,
  NO_REQUEST,
  PLANE_NAMES,
  type Plane,
  type Region,
  spacesOf,
} from '../regions/region.ts'
import { bypassRegion, nonResourceRuleRegion, resourceRuleRegion } from '../regions/rules.ts'
import { type RequestLine, witness } from '../regions/witness.ts'

export interface SubjectMap {
  identity: Identity
  /** Disjoint; together every request. In the order in which the server tries the schemas, the bypass last. */
  regions: MapRegion[]
}

export interface MapRegion {
  /** Null for long-running requests, which bypass APF. */
  schema: EffectiveSchema | null
  level: PriorityLevelConfiguration | null
  requests: Region
  /** The same requests as the JSON contract writes them. */
  entries: RegionEntry[]
  /** A request in the region. */
  witness: RequestLine
  /**
   * The rules, as the schema writes them, that are the first to take some request. What they cover beyond the region is
   * in the bypass or in an earlier region.
   */
  rules: DecidingRule[]
  /** Some of the requests match nothing at all and are left to catch-all. */
  isFallback: boolean
}

export interface DecidingRule {
  /** Index into `spec.rules` of the schema. */
  ruleIndex: number
  resourceRule: ResourceRule | null
  nonResourceRule: NonResourceRule | null
}

/** Requests that somebody takes unless a claim before does. */
interface Claim {
  /** Index into the effective order, or BYPASS. */
  taker: number
  requests: Region
  /** Null for the bypass, and for what is left to catch-all. */
  rule: DecidingRule | null
}

const BYPASS = -1

/** Every (schema, level) that any request of the identity reaches, with the exact set of those requests. */
export function subjectMap(configuration: EffectiveConfiguration, identity: Identity, rules: VersionRules): SubjectMap {
  const claims = [
    { taker: BYPASS, requests: bypassRegion(rules), rule: null },
    ...configuration.order.flatMap((entry, index) => claimsOf(entry, index, identity)),
    { taker: configuration.order.indexOf(configuration.catchAll), requests: EVERY_REQUEST, rule: null },
  ]
  const { regions, deciding } = shareOut(claims)
  const inOrder = [...configuration.order.keys(), BYPASS]
  return {
    identity,
    regions: inOrder.flatMap((taker) => {
      const requests = regions.get(taker)
      const example = requests && witness(requests, identity)
      if (!requests || !example) return []
      const own = claims.filter((claim) => claim.taker === taker && deciding.has(claim))
      const entry = configuration.order[taker] ?? null
      return {
        schema: entry,
        level: entry?.level ?? null,
        requests,
        entries: regionEntries(requests),
        witness: example,
        rules: own.flatMap(({ rule }) => rule ?? []),
        isFallback: entry !== null && own.some(({ rule }) => rule === null),
      }
    }),
  }
}

/** The rules of one schema that the identity is a subject of. */
function claimsOf({ schema }: EffectiveSchema, taker: number, identity: Identity): Claim[] {
  return schema.spec.rules.flatMap(({ subjects, resourceRules, nonResourceRules }, ruleIndex) => {
    if (!subjects.some((subject) => subjectMatches(subject, identity))) return []
    return [
      ...resourceRules.map((resourceRule) => ({
        taker,
        requests: resourceRuleRegion(resourceRule),
        rule: { ruleIndex, resourceRule, nonResourceRule: null },
      })),
      ...nonResourceRules.map((nonResourceRule) => ({
        taker,
        requests: nonResourceRuleRegion(nonResourceRule),
        rule: { ruleIndex, resourceRule: null, nonResourceRule },
      })),
    ]
  })
}

/** Gives every request to the first claim that has it. */
function shareOut(claims: readonly Claim[]): { regions: Map<number, Region>; deciding: Set<Claim> } {
  const boxes = new Map<number, Record<Plane, readonly Box[]>>()
  const deciding = new Set<Claim>()
  for (const plane of PLANE_NAMES) {
    const clauses = claims.flatMap((claim) => claim.requests[plane].map((box) => ({ box, answer: claim.taker, claim })))
    const shares = firstMatch(clauses, spacesOf(plane), DECISION_ORDERS[plane])
    for (const index of shares.deciding) {
      const clause = clauses[index]
      if (clause) deciding.add(clause.claim)
    }
    for (const [taker, share] of shares.boxes) boxes.set(taker, { ...(boxes.get(taker) ?? NO_REQUEST), [plane]: share })
  }
  return { regions: boxes, deciding }
}
