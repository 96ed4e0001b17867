/**
 * What own FlowSchemas get of the requests of those who authenticate themselves: without impersonation a ServiceAccount always
 * has its groups. A proof over all requests costs; it is asked for where nobody who is typical gets anything.
 */
import { reachOf, type SchemaReach, type Share } from '../analysis/reach.ts'
import { regionOfRule } from '../analysis/rule-region.ts'
import { type Landing, landingsOf } from '../analysis/system-traffic.ts'
import { typicalIdentity } from '../analysis/typical-identity.ts'
import type { FlowSchema, PolicyRule, Subject } from '../apf/objects.ts'
import type { EffectiveSchema } from '../apf/order.ts'
import type { IdentityFacts } from '../regions/identity.ts'
import type { LintContext } from './rule.ts'

/** The note of findings that rest on such a proof. */
export const PROVED = 'proved over all requests of callers that authenticate themselves'

const known = new WeakMap<LintContext, readonly SchemaReach[]>()

/** Own schemas in force, in server order. */
export function ownInForce({ configuration, own }: LintContext): EffectiveSchema[] {
  const ours = new Set(own.flowSchemas)
  return configuration.order.filter(({ schema }) => ours.has(schema))
}

/** Reaches of own schemas that take nothing at all. */
export function idleReaches(context: LintContext): readonly SchemaReach[] {
  const found = known.get(context)
  if (found) return found
  const suspects = ownInForce(context).filter(
    (entry) => !entry.schema.spec.rules.some((rule) => getsSomething(entry, rule, context)),
  )
  const idle = reachesOf(suspects, 'authenticated', context).filter(({ extent }) => extent === 'nothing')
  known.set(context, idle)
  return idle
}

/** Own schemas in force that take nothing at all. */
export function idleSchemas(context: LintContext): ReadonlySet<FlowSchema> {
  return new Set(idleReaches(context).map(({ entry }) => entry.schema))
}

/** Where the requests that a rule names of one of its subjects land. */
export interface SubjectLandings {
  rule: PolicyRule
  ruleIndex: number
  subject: Subject
  subjectIndex: number
  landings: readonly Landing[]
}

const landingsByContext = new WeakMap<LintContext, Map<EffectiveSchema, readonly SubjectLandings[]>>()

/** For each subject of a schema that is somebody, where the requests of one such caller land. */
export function subjectLandings(entry: EffectiveSchema, context: LintContext): readonly SubjectLandings[] {
  const bySchema = landingsByContext.get(context) ?? new Map<EffectiveSchema, readonly SubjectLandings[]>()
  landingsByContext.set(context, bySchema)
  const found = bySchema.get(entry)
  if (found) return found
  const { configuration, rules } = context
  const landings = entry.schema.spec.rules.flatMap((rule, ruleIndex) =>
    rule.subjects.flatMap((subject, subjectIndex) => {
      const identity = typicalIdentity(subject)
      if (identity === null) return []
      const place = { rule, ruleIndex, subject, subjectIndex }
      return [{ ...place, landings: landingsOf(regionOfRule(rule), identity, configuration, rules) }]
    }),
  )
  bySchema.set(entry, landings)
  return landings
}

/** Whether a schema takes some request that one of its rules names of somebody as he occurs. */
export function getsSomething(entry: EffectiveSchema, rule: PolicyRule, context: LintContext): boolean {
  return subjectLandings(entry, context).some(
    (subject) => subject.rule === rule && subject.landings.some((landing) => landing.entry === entry),
  )
}

/**
 * What these schemas get, of these requests if any are given; nothing is worked out before it is read. Each is asked about in
 * the company of those alone that take requests of its typical callers. That is enough: subjects are conditions that hold or
 * not, and those that hold of a typical member of a group, or account of a namespace, hold of all of them.
 */
export function reachesOf(
  entries: readonly EffectiveSchema[],
  identities: IdentityFacts,
  context: LintContext,
  within?: Share,
): SchemaReach[] {
  const { configuration, rules } = context
  return entries.flatMap((entry) => {
    const takers = new Set([
      entry,
      ...subjectLandings(entry, context).flatMap(({ landings }) => landings.map((one) => one.entry)),
    ])
    const among = { ...configuration, order: configuration.order.filter((other) => takers.has(other)) }
    const schemas = new Set([entry.schema.metadata.name])
    return reachOf(among, { identities, rules, schemas, ...(within && { within }) })
  })
}
