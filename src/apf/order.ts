/**
 * Which FlowSchemas are in force, in the order in which a server tries them.
 * Source: kubernetes/apiserver pkg/util/flowcontrol/apf_controller.go (digestConfigObjects) and
 * pkg/util/flowcontrol/rule.go, pkg/apis/flowcontrol/bootstrap/default.go.
 */
import { mandatoryObjects } from './defaults/index.ts'
import type { FlowSchema, PriorityLevelConfiguration } from './objects.ts'
import { dealerRefusal } from './shuffle-sharding.ts'
import { compareBytes } from './text.ts'
import type { VersionRules } from './versions.ts'

/** One FlowSchema in force with the level it sends its requests to. */
export interface EffectiveSchema {
  schema: FlowSchema
  level: PriorityLevelConfiguration
  /** The server's own stand-in for a mandatory schema that is missing or dangling; its UID is ''. */
  builtIn: boolean
}

export interface DanglingSchema {
  schema: FlowSchema
  /** Why its level cannot be used. */
  because: 'no-such-level' | 'malformed-level'
  /** For a malformed level: what is wrong with it. */
  detail: string | null
}

/** What a server makes of a set of objects. */
export interface EffectiveConfiguration {
  /** First match wins. Never empty: the first or last elements may be stand-ins. */
  order: EffectiveSchema[]
  /** Answers what no schema matches. */
  catchAll: EffectiveSchema
  /** Schemas that take no request, in the order in which they would stand. */
  dangling: DanglingSchema[]
  /** Usable levels by name, stand-ins of mandatory ones included. */
  levels: Map<string, PriorityLevelConfiguration>
  /** Names of mandatory levels without a usable object, for which the server invents one. */
  standInLevels: string[]
}

/**
 * Digests a set of objects as a fresh server would: dangling schemas are dropped, the others sorted by precedence and
 * then name (bytes), and mandatory objects that are missing are stood in for: `exempt` strictly first, `catch-all` last.
 * A stand-in level does not count as existing for the schemas that name it.
 *
 * Of several objects with one name the last is taken, as in a map.
 */
export function effectiveConfiguration(
  flowSchemas: readonly FlowSchema[],
  priorityLevels: readonly PriorityLevelConfiguration[],
  rules: VersionRules,
): EffectiveConfiguration {
  const levels = new Map<string, PriorityLevelConfiguration>()
  const malformed = new Map<string, string>()
  for (const level of byName(priorityLevels)) {
    const fault = malformedLevel(level, rules)
    if (fault === null) levels.set(level.metadata.name, level)
    else malformed.set(level.metadata.name, fault)
  }

  const order: EffectiveSchema[] = []
  const dangling: DanglingSchema[] = []
  for (const schema of byName(flowSchemas).sort(bySchemaOrder)) {
    const levelName = schema.spec.priorityLevelConfiguration.name
    const level = levels.get(levelName)
    if (level) order.push({ schema, level, builtIn: false })
    else {
      const detail = malformed.get(levelName) ?? null
      dangling.push({ schema, because: detail === null ? 'no-such-level' : 'malformed-level', detail })
    }
  }

  const mandatory = mandatoryObjects(rules)
  const standInLevels: string[] = []
  const standIn = (name: string): EffectiveSchema => {
    const schema = mandatory.flowSchemas.find((candidate) => candidate.metadata.name === name)
    const level = levels.get(name)
    if (!schema || !level) throw new Error(`no built-in object named ${name}`)
    return { schema, level, builtIn: true }
  }
  for (const level of mandatory.priorityLevels) {
    const name = level.metadata.name
    if (levels.has(name)) continue
    levels.set(name, level)
    standInLevels.push(name)
  }
  if (!order.some(({ schema }) => schema.metadata.name === 'exempt')) order.unshift(standIn('exempt'))
  let catchAll = order.find(({ schema }) => schema.metadata.name === 'catch-all')
  if (!catchAll) {
    catchAll = standIn('catch-all')
    order.push(catchAll)
  }
  return { order, catchAll, dangling, levels, standInLevels: standInLevels.sort(compareBytes) }
}

/** Precedence ascending, then name by bytes. */
export function bySchemaOrder(a: FlowSchema, b: FlowSchema): number {
  return a.spec.matchingPrecedence - b.spec.matchingPrecedence || compareBytes(a.metadata.name, b.metadata.name)
}

/**
 * Why a server treats a PriorityLevelConfiguration object as if it did not exist, or null if it is usable. Objects that the
 * API accepted are usable, but for one: from 1.28 an `exempt` level stored without `spec.exempt`.
 * Source: kubernetes/apiserver pkg/util/flowcontrol/apf_controller.go (queueSetCompleterForPL) and dealer checks.
 */
export function malformedLevel(level: PriorityLevelConfiguration, rules: VersionRules): string | null {
  const { type, limited, exempt } = level.spec
  const isExempt = type === 'Exempt'
  if (isExempt !== (level.metadata.name === 'exempt')) return `type ${type || '""'} with name ${level.metadata.name}`
  if ((type === 'Limited') !== (limited !== null)) {
    return limited === null ? 'spec.limited is missing' : `spec.limited is present with type ${type || '""'}`
  }
  if (rules.exemptLevelHasShares && isExempt !== (exempt !== null)) {
    return exempt === null ? 'spec.exempt is missing' : `spec.exempt is present with type ${type || '""'}`
  }
  if (limited === null) return null
  const { type: responseType, queuing } = limited.limitResponse
  if ((responseType === 'Reject') !== (queuing === null)) {
    return queuing === null
      ? 'spec.limited.limitResponse.queuing is missing'
      : 'spec.limited.limitResponse.queuing is present with type Reject'
  }
  // Less than one queue asks for no dealer; no API has ever accepted it.
  return queuing === null || queuing.queues < 1 ? null : dealerRefusal(queuing.queues, queuing.handSize)
}

function byName<T extends { metadata: { name: string } }>(objects: readonly T[]): T[] {
  const byName = new Map<string, T>()
  for (const object of objects) byName.set(object.metadata.name, object)
  return [...byName.values()]
}
