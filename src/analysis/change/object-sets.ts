/** Sets of objects with one of them replaced, added or taken out. */
import type { ObjectSet } from '../../apf/defaults/index.ts'
import type { ApfObject } from '../../apf/objects.ts'
import type { ObjectRef } from './change.ts'

export function allOf({ flowSchemas, priorityLevels }: ObjectSet): ApfObject[] {
  return [...flowSchemas, ...priorityLevels]
}

export function findObject(objects: ObjectSet, { kind, name }: ObjectRef): ApfObject | null {
  return objectsOfKind(objects, kind).find(({ metadata }) => metadata.name === name) ?? null
}

export function objectsOfKind(objects: ObjectSet, kind: ApfObject['kind']): readonly ApfObject[] {
  return kind === 'FlowSchema' ? objects.flowSchemas : objects.priorityLevels
}

export function withObject(objects: ObjectSet, object: ApfObject): ObjectSet {
  return object.kind === 'FlowSchema'
    ? { ...objects, flowSchemas: placed(objects.flowSchemas, object) }
    : { ...objects, priorityLevels: placed(objects.priorityLevels, object) }
}

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
