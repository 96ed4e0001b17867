/** What own FlowSchemas get of the requests of those who authenticate themselves: of nearly all requests that there are. */
import { reachOf, type SchemaReach } from '../analysis/reach.ts'
import type { FlowSchema } from '../apf/objects.ts'
import type { EffectiveConfiguration } from '../apf/order.ts'
import type { LintContext } from './rule.ts'

const known = new WeakMap<EffectiveConfiguration, readonly SchemaReach[]>()

/** Without impersonation a ServiceAccount always has its groups. In server order; worked out once for a configuration. */
export function authenticatedReach({ configuration, own, rules }: LintContext): readonly SchemaReach[] {
  const found = known.get(configuration)
  if (found) return found
  const schemas = new Set(own.flowSchemas.map(({ metadata }) => metadata.name))
  const reach = reachOf(configuration, { identities: 'authenticated', rules, schemas }).filter(({ entry }) =>
    own.flowSchemas.includes(entry.schema),
  )
  known.set(configuration, reach)
  return reach
}

/** Own schemas in force that take nothing at all. */
export function idleSchemas(context: LintContext): ReadonlySet<FlowSchema> {
  return new Set(
    authenticatedReach(context).flatMap(({ entry, extent }) => (extent === 'nothing' ? [entry.schema] : [])),
  )
}

/** Whether a schema takes nothing of impersonated callers either, who may lack the groups of their names. */
export function isIdleForAnybody({ entry }: SchemaReach, { reach }: LintContext): boolean {
  return reach().some((other) => other.entry === entry && other.extent === 'nothing')
}
