/** Objects as somebody wrote them, before decoding. */
import type { ApfObject } from '../apf/objects.ts'
import type { FieldPath } from '../apf/problem.ts'
import type { LintContext } from './rule.ts'

/** The objects in question that are written to be sent to a server; those that came from one are none. */
export function writtenObjects({ own }: LintContext): ApfObject[] {
  return [...own.flowSchemas, ...own.priorityLevels].filter(({ origin }) => origin?.written !== undefined)
}

/** A field as it was written; undefined where it is not. */
export function valueAt({ origin }: ApfObject, path: FieldPath): unknown {
  return path.reduce<unknown>(
    (value, step) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, step) ? Reflect.get(value, step) : undefined,
    origin?.written,
  )
}
