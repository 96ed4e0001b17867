/** A change of the objects of a cluster, as the steps in which it is made. */
import type { TypeMeta } from '../../apf/decode.ts'
import type { Json } from '../../apf/encode.ts'
import type { ApfObject } from '../../apf/objects.ts'
import type { FieldPath, Origin } from '../../apf/problem.ts'

/** One object by its kind and name. */
export interface ObjectRef {
  kind: ApfObject['kind']
  name: string
}

export type ChangeStep = ApplyStep | PatchStep | SetStep | DeleteStep

/** `kubectl apply` of one object: created, or replaced as a whole; by server-side apply merged field by field. */
export interface ApplyStep {
  action: 'apply'
  /** Plain data, as written. */
  written: unknown
  origin: Origin
  /** Type of the items of the list in which it stands. */
  type: TypeMeta | null
  /** As served by an API server, not written to be sent to one. */
  served: boolean
  serverSide: boolean
}

export interface PatchStep {
  action: 'patch'
  target: ObjectRef
  type: 'merge' | 'json'
  patch: Json
}

/**
 * A quick question: the object with some fields changed at once, and, if it is a default object, opted out of being kept up
 * to date.
 */
export interface SetStep {
  action: 'set'
  target: ObjectRef
  fields: readonly SetField[]
}

export interface SetField {
  path: FieldPath
  /** Null removes the field. */
  value: Json
}

export interface DeleteStep {
  action: 'delete'
  target: ObjectRef
}

/** What a server does to the objects besides what it was told. */
export interface Rewrite {
  /**
   * `defaulted`: fields that were not written get their defaults; `converted`: written in a version that is not served;
   * `restored`: a default object that was deleted comes back; `reverted`: its default spec is put back; `removed`: an object
   * that claims to be a default one is deleted; `annotated`: only its annotation changes; `note`: nothing is changed, but
   * something has to be known.
   */
  kind: 'defaulted' | 'converted' | 'restored' | 'reverted' | 'removed' | 'annotated' | 'note'
  object: ObjectRef
  message: string
}

/** The reference to an object. */
export function refOf({ kind, metadata: { name } }: Pick<ApfObject, 'kind' | 'metadata'>): ObjectRef {
  return { kind, name }
}

/** Equal for references to one object. */
export function refKey({ kind, name }: ObjectRef): string {
  return `${kind}/${name}`
}
