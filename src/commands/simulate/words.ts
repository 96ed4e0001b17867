/** The grammar of changes on the command line: `flowschema/NAME`, `flowschema/NAME=PATCH`, `flowschema/NAME.FIELD=VALUE`. */
import { type DeleteStep, type ObjectRef, type PatchStep, refKey, type SetStep } from '../../analysis/change/change.ts'
import { isJsonObject } from '../../analysis/change/patch.ts'
import type { Json } from '../../apf/encode.ts'
import { FLOWCONTROL_GROUP } from '../../apf/objects.ts'
import { type FieldPath, formatFieldPath } from '../../apf/problem.ts'
import { type CliError, usageError } from '../../cli/errors.ts'
import { readDocuments } from '../../sources/documents.ts'
import { sourceText } from '../../sources/source-text.ts'

const KINDS: Readonly<Record<string, ObjectRef['kind']>> = {
  flowschema: 'FlowSchema',
  flowschemas: 'FlowSchema',
  fs: 'FlowSchema',
  prioritylevelconfiguration: 'PriorityLevelConfiguration',
  prioritylevelconfigurations: 'PriorityLevelConfiguration',
  prioritylevel: 'PriorityLevelConfiguration',
  plc: 'PriorityLevelConfiguration',
}

/**
 * `KIND/NAME`, as kubectl names objects.
 * @throws CliError (exit 2)
 */
export function objectRef(word: string, flag: string): ObjectRef {
  const slash = word.indexOf('/')
  const type = word.slice(0, Math.max(0, slash)).toLowerCase()
  const [resource = '', ...group] = type.split('.')
  const kind = Object.hasOwn(KINDS, resource) ? KINDS[resource] : undefined
  const name = word.slice(slash + 1)
  const isOurs = group.length === 0 || group.join('.').endsWith(FLOWCONTROL_GROUP)
  if (kind === undefined || !isOurs || name === '') {
    throw usageError(
      `${flag} ${word} names no object`,
      'objects are flowschema/NAME and plc/NAME',
      `write ${flag} flowschema/NAME`,
    )
  }
  return { kind, name }
}

/** @throws CliError (exit 2) */
export function deleteStep(word: string): DeleteStep {
  return { action: 'delete', target: objectRef(word, '--delete') }
}

/**
 * `KIND/NAME=PATCH`, the patch in JSON or YAML. A list is a JSON patch, a mapping a merge patch.
 * @throws CliError (exit 2)
 */
export async function patchStep(word: string, wanted: 'merge' | 'json' | undefined): Promise<PatchStep> {
  const equals = word.indexOf('=')
  if (equals < 0)
    throw usageError(`--patch ${word} has no patch`, undefined, `write --patch flowschema/NAME='{"spec":{…}}'`)
  const target = objectRef(word.slice(0, equals), '--patch')
  const patch = await readValue(word.slice(equals + 1), `--patch ${word.slice(0, equals)}`)
  const type = Array.isArray(patch) ? 'json' : 'merge'
  if (type === 'merge' && !isJsonObject(patch)) {
    throw usageError(`--patch ${word.slice(0, equals)}: the patch is neither a mapping nor a list of operations`)
  }
  if (wanted !== undefined && wanted !== type) {
    const found = type === 'json' ? 'a list of operations, which is a JSON patch' : 'a mapping, which is a merge patch'
    throw usageError(`--patch-type ${wanted}: the patch of ${target.name} is ${found}`)
  }
  return { action: 'patch', target, type, patch }
}

async function readValue(text: string, name: string): Promise<Json> {
  const { documents, problems } = await readDocuments(sourceText(name, text))
  const [problem] = problems
  if (problem !== undefined) throw usageError(`${name}: the patch cannot be read`, problem.message)
  const [document, ...more] = documents
  if (document === undefined || more.length > 0) throw usageError(`${name}: the patch is not one value`)
  // Documents hold nothing but JSON values.
  return document.value as Json
}

/**
 * `KIND/NAME.FIELD=VALUE`. A field without `metadata.` or `spec.` before it is one of the spec; a value is JSON, or else a
 * text.
 * @param names  of objects: a name may have dots, so that the longest one that fits is meant
 * @throws CliError (exit 2)
 */
export function setStep(word: string, names: readonly ObjectRef[]): SetStep {
  const equals = word.indexOf('=')
  const { kind, name: rest } = objectRef(equals < 0 ? word : word.slice(0, equals), '--set')
  const fitting = names
    .filter((ref) => ref.kind === kind && rest.startsWith(`${ref.name}.`))
    .map(({ name }) => name)
    .sort((a, b) => b.length - a.length)
  const name = fitting[0] ?? rest.split('.')[0] ?? rest
  const path = fieldPath(rest.slice(name.length + 1))
  if (equals < 0 || path === null) throw malformed(word)
  return { action: 'set', target: { kind, name }, fields: [{ path, value: fieldValue(word.slice(equals + 1)) }] }
}

/** The fields of one object are set in one edit: each alone might be refused. */
export function togetherByObject(sets: readonly SetStep[]): SetStep[] {
  const byObject = new Map<string, SetStep>()
  for (const { target, fields } of sets) {
    const known = byObject.get(refKey(target))?.fields ?? []
    byObject.set(refKey(target), { action: 'set', target, fields: [...known, ...fields] })
  }
  return [...byObject.values()]
}

function malformed(word: string): CliError {
  return usageError(`--set ${word} sets nothing`, undefined, 'write --set flowschema/NAME.matchingPrecedence=850')
}

const STEP = /^(?:\.?([^.[\]]+)|\[([^[\]]+)\])/

function fieldPath(text: string): FieldPath | null {
  const path: (string | number)[] = []
  for (let rest = text; rest !== ''; ) {
    const [whole, name, bracketed] = STEP.exec(rest) ?? []
    if (whole === undefined) return null
    path.push(name ?? (/^\d+$/.test(bracketed ?? '') ? Number(bracketed) : (bracketed ?? '')))
    rest = rest.slice(whole.length)
  }
  if (path.length === 0) return null
  return path[0] === 'spec' || path[0] === 'metadata' ? path : ['spec', ...path]
}

function fieldValue(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Two settings of one field, and an object that is deleted and edited: what comes last is not told. */
export function contradiction(
  deletes: readonly DeleteStep[],
  edited: readonly ObjectRef[],
  sets: readonly SetStep[],
): CliError | null {
  for (const { target } of deletes) {
    if (edited.some(({ kind, name }) => kind === target.kind && name === target.name)) {
      return usageError(
        `${target.kind} ${target.name} is both deleted and edited`,
        'what comes last is not told',
        'leave one of them out',
      )
    }
  }
  const values = new Map<string, string>()
  for (const { target, path, value } of sets.flatMap(({ target, fields }) =>
    fields.map((field) => ({ target, ...field })),
  )) {
    const field = `${target.kind} ${target.name}: ${formatFieldPath(path)}`
    const text = JSON.stringify(value)
    const known = values.get(field)
    if (known !== undefined && known !== text)
      return usageError(`${field} is set to ${known} and to ${text}`, undefined, 'leave one of them out')
    values.set(field, text)
  }
  return null
}
