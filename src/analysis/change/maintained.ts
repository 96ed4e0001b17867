/**
 * What servers make of the objects by themselves, within a minute after a change: default objects come back and are kept up
 * to date, and what claims to be one is removed. Also what another version makes of stored objects.
 * Source: kubernetes/kubernetes pkg/registry/flowcontrol/ensurer.
 */
import { AUTOUPDATE_ANNOTATION, bootstrapClass, defaultObjects, type ObjectSet } from '../../apf/defaults/index.ts'
import { differsFromDefault, isRemoved, maintenanceOf } from '../../apf/maintenance.ts'
import { type ApfObject, MANDATORY_NAMES } from '../../apf/objects.ts'
import { minorText, rulesFor, type VersionRules } from '../../apf/versions.ts'
import { type ObjectRef, type Rewrite, refKey, refOf } from './change.ts'
import { allOf, findObject, withObject, withoutObject } from './object-sets.ts'

export interface MaintenanceScope {
  /** Before the change: a default object that was there comes back. */
  before: { objects: ObjectSet; rules: VersionRules }
  /** Keys of the objects that the change touched; the others are as the servers have left them. */
  touched: ReadonlySet<string>
  /** Another version looks at every object, and brings its own defaults. */
  upgrade: boolean
  /** The objects before are all that the cluster has. */
  complete: boolean
  /** All default objects are wanted, also where the objects before have none. */
  withAllDefaults: boolean
}

export interface Maintained {
  objects: ObjectSet
  rewrites: Rewrite[]
}

/** The objects after the next pass of the servers. */
export function maintained(objects: ObjectSet, rules: VersionRules, scope: MaintenanceScope): Maintained {
  const rewrites: Rewrite[] = []
  let kept = objects
  for (const object of allOf(objects)) {
    if (!scope.upgrade && !scope.touched.has(refKey(refOf(object)))) continue
    const outcome = maintainedObject(object, rules, scope)
    if (outcome === null) continue
    rewrites.push(outcome.rewrite)
    kept = outcome.object === null ? withoutObject(kept, refOf(object)) : withObject(kept, outcome.object)
  }
  for (const original of allOf(defaultObjects(rules))) {
    if (findObject(kept, refOf(original)) !== null || !comesBack(original, objects, rules, scope)) continue
    kept = withObject(kept, original)
    rewrites.push(restored(original, scope, rules))
  }
  return { objects: kept, rewrites }
}

/**
 * The objects that servers of another version leave. Kubernetes is upgraded minor by minor, and those in between do their
 * part too: what one of them annotates as a default object a later one may delete. A downgrade is one step.
 */
export function afterUpgrade(
  before: MaintenanceScope['before'],
  rules: VersionRules,
  scope: Omit<MaintenanceScope, 'before' | 'touched'>,
): Maintained {
  const inBetween = Math.max(0, rules.minor - before.rules.minor - 1)
  const versions = [...Array(inBetween).keys()].map((step) => rulesFor({ minor: before.rules.minor + 1 + step }))
  const rewrites: Rewrite[] = []
  let last = before
  for (const version of [...versions, rules]) {
    const pass = maintained(atVersion(last.objects, version), version, { ...scope, before: last, touched: new Set() })
    rewrites.push(...pass.rewrites)
    last = { objects: pass.objects, rules: version }
  }
  return { objects: last.objects, rewrites: inTheEnd(rewrites, before.objects, last.objects) }
}

/** Of all that was done to an object what counts: how it came to be, or else what was done to its spec last. */
function inTheEnd(rewrites: readonly Rewrite[], before: ObjectSet, after: ObjectSet): Rewrite[] {
  const byObject = new Map<string, Rewrite>()
  for (const rewrite of rewrites) {
    const key = refKey(rewrite.object)
    const known = byObject.get(key)
    const isMinor = rewrite.kind === 'annotated' || known?.kind === 'restored'
    if (known === undefined || rewrite.kind === 'removed' || !isMinor) byObject.set(key, rewrite)
  }
  return [...byObject.values()].filter(
    ({ object }) => findObject(before, object) !== null || findObject(after, object) !== null,
  )
}

/** Null where nothing is done to it; a null object is deleted. */
function maintainedObject(
  object: ApfObject,
  rules: VersionRules,
  scope: MaintenanceScope,
): { object: ApfObject | null; rewrite: Rewrite } | null {
  const { kind, metadata } = object
  const annotation = metadata.annotations[AUTOUPDATE_ANNOTATION] ?? null
  const bootstrap = bootstrapClass(object, rules)
  const rewrite = (kind: Rewrite['kind'], message: string): Rewrite => ({ kind, object: refOf(object), message })
  const named = `${kind} ${metadata.name}`
  if (bootstrap === null) {
    const removed = rules.autoupdateAnnotation && isRemoved({ inCurrentDefaults: false, annotation })
    if (!removed) return null
    const why = `it is annotated ${AUTOUPDATE_ANNOTATION}=${annotation} and no default object of ${minorText(rules.minor)}`
    return { object: null, rewrite: rewrite('removed', `${named} is deleted by the server: ${why}`) }
  }
  const specDiffersFromDefault = differsFromDefault(object, rules) === true
  if (!rules.autoupdateAnnotation) {
    // Suggested objects are left alone there.
    if (bootstrap === 'suggested' || !specDiffersFromDefault) return null
    return { object: withDefaultSpec(object, rules), rewrite: rewrite('reverted', `${named}: ${REVERTED}`) }
  }
  const generation = generationOf(object, scope)
  const { action, annotationAfter } = maintenanceOf({
    class: bootstrap,
    annotation,
    generation,
    specDiffersFromDefault,
  })
  if (action === 'none' || action === 'create') return null
  const annotations = { ...metadata.annotations, [AUTOUPDATE_ANNOTATION]: annotationAfter }
  const annotated: ApfObject = { ...object, metadata: { ...metadata, annotations } }
  if (action === 'annotate') {
    const effect = annotationAfter === 'false' && specDiffersFromDefault ? 'the edit stays' : 'it is kept up to date'
    const message = `${named} is annotated ${AUTOUPDATE_ANNOTATION}=${annotationAfter} by the server: ${effect}`
    return { object: annotated, rewrite: rewrite('annotated', message) }
  }
  const hint =
    bootstrap === 'mandatory'
      ? 'mandatory objects stay as they are'
      : `annotate it with ${AUTOUPDATE_ANNOTATION}=false to keep it`
  const what = scope.touched.has(refKey(refOf(object)))
    ? `${REVERTED}; ${hint}`
    : `it gets the default spec of ${minorText(rules.minor)}`
  return { object: withDefaultSpec(annotated, rules), rewrite: rewrite('reverted', `${named}: ${what}`) }
}

const REVERTED = 'the server puts its default spec back within a minute'

function withDefaultSpec(object: ApfObject, rules: VersionRules): ApfObject {
  const original = findObject(defaultObjects(rules), refOf(object))
  if (original === null) return object
  return { ...original, metadata: { ...object.metadata } }
}

/** The spec of a default object that nobody counts was changed exactly if it is no longer the default one. */
function generationOf(object: ApfObject, { before }: MaintenanceScope): number {
  const { generation } = object.metadata
  if (generation !== null) return generation
  return differsFromDefault(object, before.rules) === true ? 2 : 1
}

function comesBack(original: ApfObject, objects: ObjectSet, rules: VersionRules, scope: MaintenanceScope): boolean {
  if (scope.withAllDefaults || isMandatory(original)) return true
  const { before, upgrade, complete } = scope
  const ref = refOf(original)
  if (!rules.autoupdateAnnotation) return false
  if (findObject(before.objects, ref) !== null) return true
  return complete && upgrade && findObject(objects, ref) === null
}

function isMandatory({ metadata }: ApfObject): boolean {
  return MANDATORY_NAMES.some((name) => name === metadata.name)
}

function restored(original: ApfObject, { before, upgrade }: MaintenanceScope, rules: VersionRules): Rewrite {
  const ref: ObjectRef = refOf(original)
  const wasThere = findObject(before.objects, ref) !== null
  const message =
    wasThere || !upgrade
      ? `${ref.kind} ${ref.name} is a default object: the server brings it back, as its default, within a minute`
      : `${ref.kind} ${ref.name} is a default object of ${minorText(rules.minor)}: the server creates it`
  return { kind: 'restored', object: ref, message }
}

/** Stored objects as another version reads them: fields that it does not have are gone. */
export function atVersion({ flowSchemas, priorityLevels }: ObjectSet, rules: VersionRules): ObjectSet {
  return {
    flowSchemas,
    priorityLevels: priorityLevels.map((level) => {
      const { limited, exempt } = level.spec
      const lending = rules.lendingFields ? {} : { lendablePercent: 0, borrowingLimitPercent: null }
      return {
        ...level,
        spec: {
          ...level.spec,
          limited: limited && { ...limited, ...lending },
          exempt: rules.exemptLevelHasShares ? exempt : null,
        },
      }
    }),
  }
}
