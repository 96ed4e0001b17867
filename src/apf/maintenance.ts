/**
 * What every API server does to the objects by itself: it keeps the default objects and writes the Dangling condition.
 * Source: kubernetes/kubernetes pkg/registry/flowcontrol/ensurer/strategy.go, kubernetes/apiserver
 * pkg/util/flowcontrol/apf_controller.go, kubernetes/kubernetes pkg/printers/internalversion/printers.go.
 */
import { type BootstrapClass, defaultObjects } from './defaults/index.ts'
import { equalData } from './equal-data.ts'
import { goQuote } from './field-errors.ts'
import type { ApfObject, Condition } from './objects.ts'
import type { VersionRules } from './versions.ts'

/** A default object as the maintenance finds it. */
export interface MaintainedObject {
  class: BootstrapClass
  /** Value of the annotation apf.kubernetes.io/autoupdate-spec; null: not set. */
  annotation: string | null
  /** 1 at creation, grows with each change of the spec. */
  generation: number
  /** See differsFromDefault. */
  specDiffersFromDefault: boolean
}

export interface Maintenance {
  action: 'none' | 'create' | 'annotate' | 'replaceSpec' | 'annotate+replaceSpec'
  annotationAfter: string
}

/**
 * What the next pass, within a minute, does to a default object (1.22 and later).
 * @param current  null: the object is missing. Suggested objects come back too.
 */
export function maintenanceOf(current: MaintainedObject | null): Maintenance {
  if (current === null) return { action: 'create', annotationAfter: 'true' }
  const written = parseGoBool(current.annotation)
  const autoupdate = current.class === 'mandatory' || (written ?? current.generation === 1)
  const replaces = autoupdate && current.specDiffersFromDefault
  if (current.annotation !== null && written === autoupdate) {
    return { action: replaces ? 'replaceSpec' : 'none', annotationAfter: current.annotation }
  }
  return { action: replaces ? 'annotate+replaceSpec' : 'annotate', annotationAfter: String(autoupdate) }
}

/**
 * Whether the spec of a default object is not that of this version; null if the name is no default of its kind. Of the
 * `exempt` level only the presence of `spec.exempt` counts, its numbers are free.
 */
export function differsFromDefault(object: ApfObject, rules: VersionRules): boolean | null {
  const { flowSchemas, priorityLevels } = defaultObjects(rules)
  const defaults: readonly ApfObject[] = object.kind === 'FlowSchema' ? flowSchemas : priorityLevels
  const original = defaults.find(({ metadata }) => metadata.name === object.metadata.name)
  return original === undefined ? null : !equalData(comparable(object), comparable(original))
}

function comparable({ spec }: ApfObject): object {
  return 'exempt' in spec ? { ...spec, exempt: spec.exempt !== null } : spec
}

/**
 * Whether the server deletes an object for not being one of its defaults (1.22 and later): one that says it is kept up
 * to date, be it a former default or made by a user.
 */
export function isRemoved(object: { inCurrentDefaults: boolean; annotation: string | null }): boolean {
  return !object.inCurrentDefaults && parseGoBool(object.annotation) === true
}

/** A boolean in the spellings of Go's strconv.ParseBool; null for anything else. */
export function parseGoBool(text: string | null): boolean | null {
  if (text === null) return null
  if (/^(?:1|t|T|true|TRUE|True)$/.test(text)) return true
  return /^(?:0|f|F|false|FALSE|False)$/.test(text) ? false : null
}

/** The condition that servers write to a FlowSchema. A level that is malformed does not exist. */
export function danglingCondition(priorityLevel: string, exists: boolean): Omit<Condition, 'lastTransitionTime'> {
  const found = exists ? 'and it exists' : 'but there is no such object'
  return {
    type: 'Dangling',
    status: exists ? 'False' : 'True',
    reason: exists ? 'Found' : 'NotFound',
    message: `This FlowSchema references the PriorityLevelConfiguration object named ${goQuote(priorityLevel)} ${found}`,
  }
}

/** The column MISSINGPL of `kubectl get flowschemas`. It lags behind; dangling schemas are to be computed, not read. */
export function missingLevelColumn(conditions: readonly Pick<Condition, 'type' | 'status'>[]): string {
  return conditions.find(({ type }) => type === 'Dangling')?.status ?? '?'
}
