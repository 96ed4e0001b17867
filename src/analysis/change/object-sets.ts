/** Sets of objects with one of them replaced, added or taken out. */
import type { ObjectSet } from '../../apf/defaults/index.ts'
import type { ApfObject } from '../../apf/objects.ts'
import type { ObjectRef } from './change.ts'

/** Schemas first, then levels. */
export function allOf({ flowSchemas, priorityLevels }: ObjectSet): ApfObject[] {
  return [...flowSchemas, ...priorityLevels]
}

/** The object of that kind and name; null where there is none. */
export function findObject(objects: ObjectSet, { kind, name }: ObjectRef): ApfObject | null {
  return objectsOfKind(objects, kind).find(({ metadata }) => metadata.name === name) ?? null
}

/** In the order of the set. */
export function objectsOfKind(objects: ObjectSet, kind: ApfObject['kind']): readonly ApfObject[] {
  return kind === 'FlowSchema' ? objects.flowSchemas : objects.priorityLevels
}

/** With the object in place of the one of its name, or behind all others. */
export function withObject(objects: ObjectSet, object: ApfObject): ObjectSet {
  return object.kind === 'FlowSchema'
    ? { ...objects, flowSchemas: placed(objects.flowSchemas, object) }
    : { ...objects, priorityLevels: placed(objects.priorityLevels, object) }
}

/** Without the object of that kind and name, if it was there. */
export function withoutObject(objects: ObjectSet, { kind, name }: ObjectRef): ObjectSet {
  const others = <T extends ApfObject>(list: readonly T[]) => list.filter(({ metadata }) => metadata.name !== name)
  return kind === 'FlowSchema'
    ? { ...objects, flowSchemas: others(objects.flowSchemas) }
    : { ...objects, priorityLevels: others(objects.priorityLevels) }
}

function placed<T extends ApfObject>(list: readonly T[], object: T): T[] {
  const index = list.findIndex(({ metadata }) => metadata.name === object.metadata.name)
  return index < 0 ? [...list, object] : list.with(index, object)
}
