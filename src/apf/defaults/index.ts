/** The objects that every server creates for itself, and those that it holds in memory when they are missing. */
import type { ApfObject, FlowSchema, ObjectMeta, PriorityLevelConfiguration } from '../objects.ts'
import type { Origin } from '../problem.ts'
import { newestVersion, type VersionRules } from '../versions.ts'
import { type BootstrapClass, inGroup, LEVEL_ROWS, levelSpec, SCHEMA_ROWS, schemaSpec } from './bootstrap.ts'

export type { BootstrapClass } from './bootstrap.ts'

export interface ObjectSet {
  flowSchemas: FlowSchema[]
  priorityLevels: PriorityLevelConfiguration[]
}

/** Opts a default object in or out of being kept up to date; `true` on a user's object has it deleted. */
export const AUTOUPDATE_ANNOTATION = 'apf.kubernetes.io/autoupdate-spec'

/**
 * The default objects as a fresh server creates them: schemas by precedence, levels `exempt` first and `catch-all` last.
 * UID and generation are null. Every call makes new objects.
 */
export function defaultObjects(rules: VersionRules): ObjectSet {
  return expand(rules, () => true, null)
}

/**
 * The server's own schemas and levels `exempt` and `catch-all`, which stand in for missing objects. Their UID is ''.
 */
export function mandatoryObjects(rules: VersionRules): ObjectSet {
  return expand(rules, (row) => row.class === 'mandatory', '')
}

/** Whether a name is one of the defaults of this version, and of which class; null for a user's object. */
export function bootstrapClass(
  object: { kind: ApfObject['kind']; metadata: { name: string } },
  rules: VersionRules,
): BootstrapClass | null {
  const rows = object.kind === 'FlowSchema' ? SCHEMA_ROWS : LEVEL_ROWS
  const row = rows.find(
    ({ name, groups }) => name === object.metadata.name && inGroup({ groups }, rules.bootstrapGroup),
  )
  return row?.class ?? null
}

function expand(
  rules: VersionRules,
  wanted: (row: { class: BootstrapClass }) => boolean,
  uid: string | null,
): ObjectSet {
  const origin: Origin = { file: `defaults 1.${rules.minor}`, locate: () => undefined }
  const apiVersion = newestVersion(rules)
  const metadata = (name: string): ObjectMeta => ({
    name,
    uid,
    generation: null,
    labels: {},
    annotations: rules.autoupdateAnnotation ? { [AUTOUPDATE_ANNOTATION]: 'true' } : {},
  })
  const flowSchemas: FlowSchema[] = []
  for (const row of SCHEMA_ROWS) {
    if (!wanted(row) || !inGroup(row, rules.bootstrapGroup)) continue
    const status = { conditions: [] }
    flowSchemas.push({
      kind: 'FlowSchema',
      apiVersion,
      metadata: metadata(row.name),
      spec: schemaSpec(row),
      status,
      origin,
    })
  }
  const priorityLevels: PriorityLevelConfiguration[] = []
  for (const row of LEVEL_ROWS) {
    if (!wanted(row) || !inGroup(row, rules.bootstrapGroup)) continue
    priorityLevels.push({
      kind: 'PriorityLevelConfiguration',
      apiVersion,
      metadata: metadata(row.name),
      spec: levelSpec(row, rules),
      origin,
    })
  }
  return { flowSchemas, priorityLevels }
}
