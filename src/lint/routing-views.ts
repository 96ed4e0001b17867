/** What to judge own FlowSchemas in: also those whose level is likely defined elsewhere. */
import type { PriorityLevelConfiguration } from '../apf/objects.ts'
import { effectiveConfiguration } from '../apf/order.ts'
import type { LintContext } from './rule.ts'

const known = new WeakMap<LintContext, readonly LintContext[]>()

/**
 * The configuration as it is, and, where the given files may not be all there is, as it would be with the levels that they
 * lack, for the schemas that name these alone.
 */
export function routingViews(context: LintContext): readonly LintContext[] {
  const found = known.get(context)
  if (found) return found
  const views = context.complete ? [context] : [context, ...withMissingLevels(context)]
  known.set(context, views)
  return views
}

function withMissingLevels(context: LintContext): LintContext[] {
  const { own, all, rules, configuration } = context
  const dangling = configuration.dangling.filter(
    ({ schema, because }) => because === 'no-such-level' && own.flowSchemas.includes(schema),
  )
  if (dangling.length === 0) return []
  const names = new Set(dangling.map(({ schema }) => schema.spec.priorityLevelConfiguration.name))
  const priorityLevels = [...all.priorityLevels, ...[...names].map(unknownLevel)]
  return [
    {
      ...context,
      own: { flowSchemas: dangling.map(({ schema }) => schema), priorityLevels: [] },
      all: { ...all, priorityLevels },
      configuration: effectiveConfiguration(all.flowSchemas, priorityLevels, rules),
    },
  ]
}

/** A level of which only the name is known: that it is limited is all that is assumed. */
function unknownLevel(name: string): PriorityLevelConfiguration {
  return {
    kind: 'PriorityLevelConfiguration',
    apiVersion: 'v1',
    metadata: { name, uid: null, generation: null, labels: {}, annotations: {} },
    spec: {
      type: 'Limited',
      limited: {
        nominalConcurrencyShares: 30,
        lendablePercent: 0,
        borrowingLimitPercent: null,
        limitResponse: { type: 'Queue', queuing: { queues: 64, handSize: 8, queueLengthLimit: 50 } },
      },
      exempt: null,
    },
    origin: null,
  }
}
