/** A change carried out step by step as an API server carries it out: decoded, defaulted and validated, or refused. */

import { decodeObject, typeMetaOf } from '../../apf/decode.ts'
import { AUTOUPDATE_ANNOTATION, bootstrapClass, type ObjectSet } from '../../apf/defaults/index.ts'
import { encodeObject, type Json } from '../../apf/encode.ts'
import { equalData } from '../../apf/equal-data.ts'
import { parseGoBool } from '../../apf/maintenance.ts'
import { memberOf } from '../../apf/member.ts'
import { type ApfObject, FLOWCONTROL_GROUP } from '../../apf/objects.ts'
import { type FieldPath, formatFieldPath, type Origin, type Problem, placeOf } from '../../apf/problem.ts'
import { PROBLEM } from '../../apf/problem-codes.ts'
import { type ServerAnswer, serverAnswer } from '../../apf/server-answer.ts'
import { nearest } from '../../apf/suggest.ts'
import { validateObject } from '../../apf/validation.ts'
import { API_VERSIONS, type ApiVersion, minorText, newestVersion, type VersionRules } from '../../apf/versions.ts'
import {
  type ApplyStep,
  type ChangeStep,
  type ObjectRef,
  type PatchStep,
  type Rewrite,
  refOf,
  type SetStep,
} from './change.ts'
import { findObject, objectsOfKind, withObject, withoutObject } from './object-sets.ts'
import { isJsonObject, jsonPatch, mergeFields, mergePatch, type Patched, setField } from './patch.ts'

export interface CarriedOut {
  steps: StepDone[]
  /** The objects after the last step. */
  objects: ObjectSet
  rewrites: Rewrite[]
  /** What kubectl or the server refuses. Where there is any, nothing should be made of the rest. */
  refusals: Problem[]
  /** What is no error, but not clean. */
  warnings: Problem[]
}

export interface StepDone {
  object: ObjectRef
  effect: 'created' | 'changed' | 'unchanged' | 'deleted'
  /** The objects after this step. */
  objects: ObjectSet
}

/**
 * Carries out the steps in their order.
 * @param rules  of the server that they are sent to
 */
export function carryOut(base: ObjectSet, steps: readonly ChangeStep[], rules: VersionRules): CarriedOut {
  const carrying = new Carrying(base, rules)
  for (const step of steps) carrying.perform(step)
  return {
    steps: carrying.done,
    objects: carrying.objects,
    rewrites: carrying.rewrites,
    refusals: carrying.refusals,
    warnings: carrying.warnings,
  }
}

class Carrying {
  objects: ObjectSet
  readonly done: StepDone[] = []
  readonly rewrites: Rewrite[] = []
  readonly refusals: Problem[] = []
  readonly warnings: Problem[] = []
  readonly #rules: VersionRules

  constructor(base: ObjectSet, rules: VersionRules) {
    this.objects = base
    this.#rules = rules
  }

  perform(step: ChangeStep): void {
    const current = step.action === 'apply' ? null : findObject(this.objects, step.target)
    if (step.action === 'apply') {
      this.#apply(step)
    } else if (current === null) {
      this.refusals.push(notFound(step.target, this.objects))
    } else if (step.action === 'delete') {
      this.objects = withoutObject(this.objects, step.target)
      this.done.push({ object: step.target, effect: 'deleted', objects: this.objects })
    } else this.#edit(step, current)
  }

  #apply(step: ApplyStep): void {
    const { written, origin, served } = step
    const type = typeMetaOf(written, step.type ?? undefined)
    const own = decodeObject(written, origin, this.#rules, {
      fromServer: served,
      ...(step.type && { defaults: step.type }),
    })
    if (own.object === null) {
      this.refusals.push(...own.problems.filter(({ severity }) => severity === 'error').map(refusalOfDecoding))
      return
    }
    const ref = refOf(own.object)
    if (ref.name === '') {
      this.refusals.push(nameless(own.object, origin))
      return
    }
    const current = findObject(this.objects, ref)
    const merged = step.serverSide && current !== null ? this.#merged(step, current) : null
    const decoded = merged === null ? own : decodeObject(merged, origin, this.#rules, { fromServer: served })
    const { refusals, warnings } = judged(merged === null ? own.problems : [...own.problems, ...decoded.problems])
    const uncertain = uncertainConversion(written, own.object, this.#rules, origin)
    // What the server would make of an uncertain value is no advice.
    if (uncertain === null) this.warnings.push(...distinctProblems(warnings))
    else refusals.push(uncertain)
    if (decoded.object === null || refusals.length > 0) {
      this.refusals.push(...distinctProblems(refusals))
      return
    }
    const converted = this.#converted(decoded.object)
    const faults = validateObject(converted, this.#rules, current)
    if (faults.length > 0) {
      this.refusals.push(
        ...faults.map(({ path, message }) => refusal(ref, origin, path, `${formatFieldPath(path)}: ${message}`)),
      )
      return
    }
    if (converted !== decoded.object) this.#noteConversion(decoded.object)
    this.#noteDefaults(isJsonObject(merged) ? merged : written, converted)
    if (!step.serverSide && current !== null) this.#noteKeptAnnotation(type?.kind ?? '', current, converted)
    this.#store(current, converted)
  }

  /** The live object in the version of the file, with the fields of the file. */
  #merged({ written, type }: ApplyStep, current: ApfObject): Json {
    const version = apiVersionOf(written, type?.apiVersion) ?? newestVersion(this.#rules)
    return mergeFields(encodeObject(current, version, this.#rules), jsonOf(written))
  }

  #edit(step: PatchStep | SetStep, current: ApfObject): void {
    const live: Json = encodeObject(current, newestVersion(this.#rules), this.#rules)
    const patched = patchedBy(step, live)
    if ('fault' in patched) {
      this.refusals.push(refusal(step.target, null, [], `the patch does not apply: ${patched.fault}`))
      return
    }
    const { object, refusals, warnings } = this.#edited(patched.value, live, current)
    this.warnings.push(...warnings.map((problem) => ({ ...problem, object: step.target })))
    if (object === null || refusals.length > 0) {
      this.refusals.push(...refusals.map((problem) => ({ ...problem, object: step.target })))
      return
    }
    const isQuestion = step.action === 'set' && !equalData(current.spec, object.spec) && !setsAnnotation(step)
    this.#store(current, isQuestion ? this.#optedOut(object) : object)
  }

  /** What the server makes of the data of an edited object, which is still to be the one that it was. */
  #edited(
    data: Json,
    live: Json,
    current: ApfObject,
  ): { object: ApfObject | null; refusals: Problem[]; warnings: Problem[] } {
    const resource = typeMetaOf(live) ?? { apiVersion: '', kind: '' }
    const rules = this.#rules
    const answer = serverAnswer(data, {
      operation: 'update',
      resource,
      fieldValidation: 'Strict',
      existing: current,
      rules,
    })
    // Where the type is still the same, the reader words better what it cannot read.
    const isSameType = equalData(typeMetaOf(data), resource)
    const { object, problems } = isSameType ? decodeObject(data, null, rules) : { object: null, problems: [] }
    const { refusals, warnings } = judged(problems)
    return { object, refusals: refusals.length > 0 ? refusals : refusalsOf(refOf(current), answer), warnings }
  }

  /** A quick question about a default object is about the edit, not about the server undoing it. */
  #optedOut(object: ApfObject): ApfObject {
    const isDefault = bootstrapClass(object, this.#rules) === 'suggested' && this.#rules.autoupdateAnnotation
    if (!isDefault || parseGoBool(object.metadata.annotations[AUTOUPDATE_ANNOTATION] ?? null) === false) return object
    const message =
      `${object.kind} ${object.metadata.name} is a default object: taken as annotated with ${AUTOUPDATE_ANNOTATION}=false, ` +
      'without which the server undoes the edit within a minute'
    this.#note('note', refOf(object), message)
    const annotations = { ...object.metadata.annotations, [AUTOUPDATE_ANNOTATION]: 'false' }
    return { ...object, metadata: { ...object.metadata, annotations } }
  }

  #store(current: ApfObject | null, object: ApfObject): void {
    const stored = { ...object, metadata: storedMetadata(current, object) }
    const unchanged =
      current !== null &&
      equalData(current.spec, object.spec) &&
      equalData(current.metadata.annotations, object.metadata.annotations)
    this.objects = withObject(this.objects, stored)
    const effect = current === null ? 'created' : unchanged ? 'unchanged' : 'changed'
    this.done.push({ object: refOf(object), effect, objects: this.objects })
  }

  /** The object in a version that the server has. */
  #converted(object: ApfObject): ApfObject {
    const { servedVersions } = this.#rules
    return servedVersions.some((version) => version === object.apiVersion)
      ? object
      : { ...object, apiVersion: newestVersion(this.#rules) }
  }

  #noteConversion({ kind, apiVersion, metadata: { name } }: ApfObject): void {
    const message =
      `${kind} ${name} is written in ${apiVersion}, which Kubernetes ${minorText(this.#rules.minor)} does not serve: taken as ` +
      `${newestVersion(this.#rules)}, which means the same; kubectl refuses it until it is written so`
    this.#note('converted', { kind, name }, message)
  }

  #noteDefaults(written: unknown, object: ApfObject): void {
    const full = encodeObject(object, newestVersion(this.#rules), this.#rules)
    const fields = missingFields(full.spec, memberOf(written, 'spec'))
    if (fields.length === 0) return
    const list = fields.map(({ path, value }) => `${formatFieldPath(path)} ${JSON.stringify(value)}`).join(', ')
    this.#note('defaulted', refOf(object), `${object.kind} ${object.metadata.name}: the server fills in ${list}`)
  }

  /** The file replaces the annotation; kubectl would leave it as it is. */
  #noteKeptAnnotation(kind: string, current: ApfObject, object: ApfObject): void {
    if (bootstrapClass(object, this.#rules) !== 'suggested' || !this.#rules.autoupdateAnnotation) return
    const live = current.metadata.annotations[AUTOUPDATE_ANNOTATION] ?? null
    const hasOwn = Object.hasOwn(object.metadata.annotations, AUTOUPDATE_ANNOTATION)
    if (hasOwn || parseGoBool(live) !== true || equalData(current.spec, object.spec)) return
    const { name } = object.metadata
    const message =
      `${kind} ${name} is a default object, and the file does not say ${AUTOUPDATE_ANNOTATION}: taken as replaced; kubectl apply ` +
      `may leave the annotation "${live}" of the live object, and then the edit is undone: annotate it with "false"`
    this.#note('note', refOf(object), message)
  }

  #note(kind: Rewrite['kind'], object: ObjectRef, message: string): void {
    this.rewrites.push({ kind, object, message })
  }
}

function patchedBy(step: PatchStep | SetStep, live: Json): Patched {
  if (step.action === 'set') {
    return step.fields.reduce<Patched>(
      (patched, { path, value }) => ('fault' in patched ? patched : setField(patched.value, path, value)),
      { value: live },
    )
  }
  return step.type === 'json' ? jsonPatch(live, step.patch) : { value: mergePatch(live, step.patch) }
}

/** Whoever sets the annotation too has said whether the edit is to stay. */
function setsAnnotation({ fields }: SetStep): boolean {
  return fields.some(({ path }) => path[0] === 'metadata' && path[1] === 'annotations')
}

/** UID and generation as the server keeps them; an object that is read from a server brings its own. */
function storedMetadata(current: ApfObject | null, object: ApfObject): ApfObject['metadata'] {
  if (current === null) return { ...object.metadata, generation: 1 }
  const { uid, generation } = current.metadata
  const isSameSpec = equalData(current.spec, object.spec)
  return { ...object.metadata, uid, generation: isSameSpec ? generation : (generation ?? 1) + 1 }
}

// What is refused

function judged(problems: readonly Problem[]): { refusals: Problem[]; warnings: Problem[] } {
  const refusals: Problem[] = []
  const warnings: Problem[] = []
  for (const problem of problems) {
    // A version that is not served is converted; a missing spec is an empty one, which validation judges.
    if (problem.code === PROBLEM.notServed || problem.code === PROBLEM.noSpec) continue
    if (problem.severity === 'error') refusals.push(refusalOfDecoding(problem))
    else if (problem.severity === 'warning') warnings.push(problem)
  }
  return { refusals, warnings }
}

/** Under the strict validation that kubectl asks for. */
function refusalOfDecoding(problem: Problem): Problem {
  const { code, object, at, message } = problem
  const which = object === undefined || object.name === '' ? 'an object' : `${object.kind} ${object.name}`
  const reason = code === PROBLEM.unknownField ? `strict decoding error: unknown field "${at?.path}"` : message
  return { ...problem, message: `the server refuses ${which}: ${reason}` }
}

/** In the server's own words; none where it accepts. */
function refusalsOf(object: ObjectRef, { accepted, causes, message }: ServerAnswer): Problem[] {
  if (accepted) return []
  const reasons = causes.length > 0 ? causes.map((cause) => `${cause.field}: ${cause.message}`) : [message ?? '']
  return reasons.map((reason) => refusal(object, null, [], reason))
}

/** Kubectl finds what is there by its name. */
function nameless({ kind, metadata }: ApfObject, origin: Origin): Problem {
  const reason = metadata.generateName === undefined ? 'without a name' : 'with generateName'
  return {
    code: 'refused',
    severity: 'error',
    message: `kubectl cannot apply a ${kind} ${reason}`,
    fix: 'give it a name',
    at: placeOf(origin, ['metadata']),
  }
}

/** A merged object is read twice: alone and as a whole. */
function distinctProblems(problems: readonly Problem[]): Problem[] {
  return [...new Map(problems.map((problem) => [JSON.stringify([problem.at, problem.message]), problem])).values()]
}

function refusal(object: ObjectRef, origin: Origin | null, path: FieldPath, reason: string): Problem {
  return {
    code: 'refused',
    severity: 'error',
    message: `the server refuses ${object.kind} ${object.name}: ${reason}`,
    at: placeOf(origin, path),
    object,
  }
}

function notFound(target: ObjectRef, objects: ObjectSet): Problem {
  const known = objectsOfKind(objects, target.kind).map(({ metadata }) => metadata.name)
  const meant = nearest(target.name, known)
  return {
    code: 'not-found',
    severity: 'error',
    message: `there is no ${target.kind} ${target.name}`,
    ...(meant !== null && { fix: `did you mean ${meant}?` }),
    object: target,
  }
}

/** Zero shares mean the default in versions that cannot say zero: what is meant in another version is anybody's guess. */
function uncertainConversion(written: unknown, object: ApfObject, rules: VersionRules, origin: Origin): Problem | null {
  const version = apiVersionOf(written, object.apiVersion)
  if (version === null || rules.servedVersions.includes(version) || object.kind === 'FlowSchema') return null
  const { sharesField, zeroShares } = API_VERSIONS[version]
  const shares = memberOf(memberOf(memberOf(written, 'spec'), 'limited'), sharesField)
  if (zeroShares === 'kept' || shares !== 0 || object.spec.limited?.nominalConcurrencyShares === 0) return null
  const path = ['spec', 'limited', sharesField]
  const reason =
    `${formatFieldPath(path)} 0 means the default in ${version} and no shares at all in ${newestVersion(rules)}, and ` +
    `Kubernetes ${minorText(rules.minor)} does not serve ${version}`
  return { ...refusal(refOf(object), origin, path, reason), fix: `write what is meant in ${newestVersion(rules)}` }
}

// Plain data

function apiVersionOf(written: unknown, fallback = ''): ApiVersion | null {
  const claimed = memberOf(written, 'apiVersion')
  const text = typeof claimed === 'string' ? claimed : fallback
  const version = text.startsWith(`${FLOWCONTROL_GROUP}/`) ? text.slice(FLOWCONTROL_GROUP.length + 1) : text
  return Object.hasOwn(API_VERSIONS, version) ? (version as ApiVersion) : null
}

/** Manifests hold nothing but JSON values. */
function jsonOf(value: unknown): Json {
  return value as Json
}

/** Fields with single values that the full form has and the written one lacks, or has as null or as a zero that does not count. */
function missingFields(full: Json, written: unknown, path: FieldPath = ['spec']): { path: FieldPath; value: Json }[] {
  if (!isJsonObject(full)) return Array.isArray(full) || equalData(full, written) ? [] : [{ path, value: full }]
  return Object.entries(full).flatMap(([key, value]) => {
    const own = memberOf(written, key)
    // Shares have another name in old versions; that of the written one counts.
    const renamed = key === 'nominalConcurrencyShares' ? (own ?? memberOf(written, 'assuredConcurrencyShares')) : own
    return missingFields(value, renamed, [...path, key])
  })
}
