/**
 * Patches of plain JSON data: JSON merge patches (RFC 7386), JSON patches (RFC 6902), the merge of a partial object by
 * server-side apply, and single fields.
 */
import type { Json } from '../../apf/encode.ts'
import { equalData } from '../../apf/equal-data.ts'
import type { FieldPath } from '../../apf/problem.ts'

type JsonObject = { [key: string]: Json }

/** The patched data, or one sentence on why the patch does not apply. */
export type Patched = { value: Json } | { fault: string }

/** RFC 7386: null removes, mappings are merged, everything else is replaced as a whole, lists too. */
export function mergePatch(target: Json, patch: Json): Json {
  if (!isJsonObject(patch)) return patch
  const merged: JsonObject = isJsonObject(target) ? { ...target } : {}
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key]
    else merged[key] = mergePatch(merged[key] ?? null, value)
  }
  return merged
}

/**
 * A partial object laid over what is there, as server-side apply does for fields that nobody else holds: mappings are merged
 * field by field. All lists of FlowSchemas are atomic, so that they are replaced as a whole; a written null stays.
 * Source: kubernetes/api flowcontrol/v1 types.go (listType markers).
 */
export function mergeFields(target: Json, partial: Json): Json {
  if (!isJsonObject(target) || !isJsonObject(partial)) return partial
  const merged: JsonObject = { ...target }
  for (const [key, value] of Object.entries(partial)) {
    merged[key] = mergeFields(merged[key] ?? null, value)
  }
  return merged
}

/** The data with one field set; missing mappings on the way are made, items of lists must exist. Null removes the field. */
export function setField(target: Json, path: FieldPath, value: Json): Patched {
  const [step, ...rest] = path
  if (step === undefined) return { value }
  if (typeof step === 'number') {
    if (!Array.isArray(target) || step >= target.length) return { fault: `there is no item ${step}` }
    const item = setField(target[step] ?? null, rest, value)
    return 'fault' in item ? item : { value: target.with(step, item.value) }
  }
  if (target !== null && !isJsonObject(target)) return { fault: `${step} is asked of what is no mapping` }
  if (rest.length === 0 && value === null) return { value: without(target ?? {}, step) }
  const member = setField(target?.[step] ?? null, rest, value)
  return 'fault' in member ? member : { value: { ...target, [step]: member.value } }
}

const OPERATIONS = ['add', 'remove', 'replace', 'move', 'copy', 'test'] as const

interface Operation {
  op: (typeof OPERATIONS)[number]
  path: string
  from: string | null
  /** Undefined where none is written. */
  value: Json | undefined
}

/** RFC 6902. The first operation that does not apply ends it. */
export function jsonPatch(target: Json, patch: Json): Patched {
  if (!Array.isArray(patch)) return { fault: 'a JSON patch is a list of operations' }
  let value = target
  for (const [index, written] of patch.entries()) {
    const operation = readOperation(written)
    const patched = 'fault' in operation ? operation : perform(value, operation)
    if ('fault' in patched) return { fault: `operation ${index}: ${patched.fault}` }
    value = patched.value
  }
  return { value }
}

function readOperation(written: Json): Operation | { fault: string } {
  if (!isJsonObject(written)) return { fault: 'no mapping' }
  const { op, path, from, value } = written
  const known = OPERATIONS.find((name) => name === op)
  if (known === undefined) return { fault: `op is none of ${OPERATIONS.join(', ')}` }
  if (typeof path !== 'string' || !isPointer(path)) return { fault: 'path is no JSON pointer such as /spec/rules' }
  const needsFrom = known === 'move' || known === 'copy'
  if (needsFrom && (typeof from !== 'string' || !isPointer(from))) return { fault: 'from is no JSON pointer' }
  if (value === undefined && (known === 'add' || known === 'replace' || known === 'test')) {
    return { fault: `${known} without a value` }
  }
  return { op: known, path, from: typeof from === 'string' ? from : null, value }
}

function perform(target: Json, { op, path, from, value = null }: Operation): Patched {
  switch (op) {
    case 'add':
      return added(target, path, value)
    case 'remove':
      return removed(target, path)
    case 'replace': {
      if (valueAt(target, path) === undefined) return missing(path)
      const rest = path === '' ? { value: target } : removed(target, path)
      return 'fault' in rest ? rest : added(rest.value, path, value)
    }
    case 'test':
      return equalData(valueAt(target, path) ?? null, value)
        ? { value: target }
        : { fault: `the test of ${path} fails: it is ${JSON.stringify(valueAt(target, path) ?? null)}` }
    case 'copy':
    case 'move': {
      const source = from ?? ''
      const moved = valueAt(target, source)
      if (moved === undefined) return missing(source)
      const rest = op === 'copy' ? { value: target } : removed(target, source)
      return 'fault' in rest ? rest : added(rest.value, path, moved)
    }
  }
}

function added(target: Json, pointer: string, value: Json): Patched {
  if (pointer === '') return { value }
  return atParent(target, pointer, (parent, key) => {
    if (!Array.isArray(parent)) return { value: { ...parent, [key]: value } }
    const index = key === '-' ? parent.length : indexOf(key)
    if (index === null || index > parent.length) return missing(pointer)
    return { value: parent.toSpliced(index, 0, value) }
  })
}

function removed(target: Json, pointer: string): Patched {
  if (pointer === '' || valueAt(target, pointer) === undefined) return missing(pointer)
  return atParent(target, pointer, (parent, key) => ({
    value: Array.isArray(parent) ? parent.toSpliced(indexOf(key) ?? 0, 1) : without(parent, key),
  }))
}

/** The data with the container of what a pointer names changed. */
function atParent(
  target: Json,
  pointer: string,
  change: (parent: Json[] | JsonObject, key: string) => Patched,
  steps: readonly string[] = stepsOf(pointer),
): Patched {
  const [step = '', ...rest] = steps
  if (!Array.isArray(target) && !isJsonObject(target)) return missing(pointer)
  if (rest.length === 0) return change(target, step)
  const child = memberOf(target, step)
  if (child === undefined) return missing(pointer)
  const changed = atParent(child, pointer, change, rest)
  if ('fault' in changed) return changed
  if (!Array.isArray(target)) return { value: { ...target, [step]: changed.value } }
  return { value: target.with(indexOf(step) ?? 0, changed.value) }
}

function valueAt(target: Json, pointer: string): Json | undefined {
  return stepsOf(pointer).reduce<Json | undefined>(
    (value, step) => (value === undefined ? undefined : memberOf(value, step)),
    target,
  )
}

function memberOf(value: Json, step: string): Json | undefined {
  if (Array.isArray(value)) {
    const index = indexOf(step)
    return index === null ? undefined : value[index]
  }
  return isJsonObject(value) && Object.hasOwn(value, step) ? value[step] : undefined
}

function indexOf(step: string): number | null {
  return /^(?:0|[1-9]\d*)$/.test(step) ? Number(step) : null
}

function isPointer(text: string): boolean {
  return text === '' || text.startsWith('/')
}

function stepsOf(pointer: string): string[] {
  const [, ...steps] = pointer.split('/')
  return steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
}

function missing(pointer: string): { fault: string } {
  return { fault: `the object has nothing at ${pointer}` }
}

function without(object: JsonObject, key: string): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => name !== key))
}

/** Whether a value is a mapping: neither a list nor null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
