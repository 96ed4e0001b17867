/** Which FlowSchemas and rules the cases are about, of those that can take any request. */
import type { EffectiveSchema } from '../../apf/order.ts'
import type { RequestLine } from '../../regions/witness.ts'
import type { RuleReach, SchemaReach } from '../reach.ts'
import type { TakingRule } from './check.ts'

export interface Coverage {
  rules: Share
  schemas: Share
  /** In server order. */
  unexercised: UncoveredRule[]
  /** Rules that take nothing, so that no case can be about them. */
  unreachable: TakingRule[]
}

export interface Share {
  total: number
  exercised: number
}

/** A rule that no case is about. */
export interface UncoveredRule extends TakingRule {
  /** A request that the rule takes: a case could be about it. */
  witness: RequestLine | null
}

/** @param reaches  of every FlowSchema in force, over all requests */
export function coverageOf(reaches: readonly SchemaReach[], exercised: readonly TakingRule[]): Coverage {
  const done = new Set(exercised.map(keyOf))
  const rules = reaches.flatMap(({ entry, rules }) =>
    rules.map((rule) => ({ entry, rule, key: keyOf({ entry, ruleIndex: rule.ruleIndex }) })),
  )
  // A case may be about a caller that no credential makes; then the rule takes something all the same.
  const isReachable = ({ rule, key }: (typeof rules)[number]) =>
    // An example is cheaper to find than how much a rule takes.
    done.has(key) || rule.witness !== null || rule.extent !== 'nothing'
  const reachable = rules.filter(isReachable)
  const isDone = ({ key }: { key: string }) => done.has(key)
  return {
    rules: { total: reachable.length, exercised: reachable.filter(isDone).length },
    schemas: { total: schemasOf(reachable).size, exercised: schemasOf(reachable.filter(isDone)).size },
    unexercised: reachable
      .filter((each) => !isDone(each))
      .map(({ entry, rule }) => ({ entry, ruleIndex: rule.ruleIndex, witness: rule.witness })),
    unreachable: rules
      .filter((each) => !isReachable(each))
      .map(({ entry, rule }) => ({ entry, ruleIndex: rule.ruleIndex })),
  }
}

/** Whole percent, rounded down: only everything is 100. */
export function percentOf({ total, exercised }: Share): number {
  return total === 0 ? 100 : Math.floor((exercised * 100) / total)
}

function keyOf({ entry, ruleIndex }: { entry: EffectiveSchema } & Pick<RuleReach, 'ruleIndex'>): string {
  return `${entry.schema.metadata.name}/${ruleIndex}`
}

function schemasOf(rules: readonly { entry: EffectiveSchema }[]): Set<EffectiveSchema> {
  return new Set(rules.map(({ entry }) => entry))
}
