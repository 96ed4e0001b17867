/** The default objects of a Kubernetes version, alone or under the objects of files. */
import { bootstrapClass, defaultObjects, type ObjectSet } from '../apf/defaults/index.ts'
import { type ApfObject, MANDATORY_NAMES } from '../apf/objects.ts'
import { minorText, type VersionRules } from '../apf/versions.ts'

export interface Overlay {
  objects: ObjectSet
  /** A sentence about what was added; null if nothing is to be said. */
  note: string | null
}

/** All default objects under the given ones, which replace those of their names. */
export function overDefaults(given: ObjectSet, rules: VersionRules): Overlay {
  const defaults = defaultObjects(rules)
  const objects = {
    flowSchemas: withMissing(given.flowSchemas, defaults.flowSchemas),
    priorityLevels: withMissing(given.priorityLevels, defaults.priorityLevels),
  }
  const replaced = all(given).filter((object) => bootstrapClass(object, rules) !== null)
  const which = replaced.length === 0 ? '' : `; replaced: ${replaced.map(describe).join(', ')}`
  return { objects, note: `laid over the default objects of Kubernetes ${minorText(rules.minor)}${which}` }
}

/** Default objects are added only if the given ones have no suggested one: else they are taken for a whole cluster. */
export function overDefaultsIfNone(given: ObjectSet, rules: VersionRules): Overlay {
  const [suggested] = suggestedAmong(given, rules)
  if (suggested === undefined) return overDefaults(given, rules)
  const note = `no default objects added: the files have suggested ones already, such as ${describe(suggested)}`
  return { objects: given, note }
}

/**
 * The given objects with the mandatory ones, which every server creates when they are missing. A set without any suggested
 * object is likely not all that its cluster has.
 */
export function asGiven(given: ObjectSet, rules: VersionRules): Overlay {
  const mandatory = mandatoryDefaults(rules)
  const objects = {
    flowSchemas: withMissing(given.flowSchemas, mandatory.flowSchemas),
    priorityLevels: withMissing(given.priorityLevels, mandatory.priorityLevels),
  }
  if (all(given).length === 0 || suggestedAmong(given, rules).length > 0) return { objects, note: null }
  const note =
    `none of the suggested objects of a cluster is in the files: only their own and the mandatory ` +
    `${MANDATORY_NAMES.join(' and ')} are in force; --overlay-defaults adds those of ${minorText(rules.minor)}`
  return { objects, note }
}

function mandatoryDefaults(rules: VersionRules): ObjectSet {
  const { flowSchemas, priorityLevels } = defaultObjects(rules)
  const isMandatory = (object: ApfObject) => bootstrapClass(object, rules) === 'mandatory'
  return { flowSchemas: flowSchemas.filter(isMandatory), priorityLevels: priorityLevels.filter(isMandatory) }
}

function suggestedAmong(objects: ObjectSet, rules: VersionRules): ApfObject[] {
  return all(objects).filter((object) => bootstrapClass(object, rules) === 'suggested')
}

function withMissing<T extends ApfObject>(given: readonly T[], wanted: readonly T[]): T[] {
  const names = new Set(given.map(({ metadata }) => metadata.name))
  return [...given, ...wanted.filter(({ metadata }) => !names.has(metadata.name))]
}

function all(objects: ObjectSet): ApfObject[] {
  return [...objects.flowSchemas, ...objects.priorityLevels]
}

function describe({ kind, metadata }: ApfObject): string {
  return `${kind} ${metadata.name}`
}
