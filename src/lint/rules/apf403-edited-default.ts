import { AUTOUPDATE_ANNOTATION, bootstrapClass } from '../../apf/defaults/index.ts'
import { differsFromDefault, parseGoBool } from '../../apf/maintenance.ts'
import type { ApfObject } from '../../apf/objects.ts'
import { nameOf } from '../clauses.ts'
import { suggestedSchema } from '../default-examples.ts'
import { defineRule, type Finding } from '../rule.ts'

export default defineRule({
  id: 'APF403',
  name: 'edited-default',
  severity: 'warning',
  summary: 'An edit of a suggested object that the server undoes, or that no upgrade will reach any more',
  since: 22,
  documentation: {
    what:
      'One of the suggested objects of the server, with another spec than the server gives it, and without the annotation ' +
      '`apf.kubernetes.io/autoupdate-spec: "false"`. Information for an object of a server whose `metadata.generation` shows ' +
      'that the edit has come to stay.',
    why:
      'The server gives these objects the annotation `"true"`, which `kubectl apply` leaves there, and puts its own spec back ' +
      'within a minute: whoever applies the file fights it. Only where the annotation is taken away, as by `kubectl replace`, the ' +
      'edit stays, and no upgrade reaches the object any more; `"false"` says that this is meant.',
    fix: 'Set the annotation to `"false"` where the edit is meant, or leave the object to the server.',
    fails: { defaults: '1.34', yaml: suggestedSchema('true', 9500) },
    passes: { defaults: '1.34', yaml: suggestedSchema('true', 9900) },
  },
  *check({ own, rules }) {
    if (!rules.autoupdateAnnotation) return
    for (const object of [...own.flowSchemas, ...own.priorityLevels]) {
      if (bootstrapClass(object, rules) !== 'suggested' || differsFromDefault(object, rules) !== true) continue
      const autoupdate = parseGoBool(object.metadata.annotations[AUTOUPDATE_ANNOTATION] ?? null)
      // Whoever opted out has said that the edit is meant.
      if (autoupdate === false) continue
      yield autoupdate === null ? unannotated(object) : annotated(object)
    }
  },
})

const ANNOTATION_PATH = ['metadata', 'annotations', AUTOUPDATE_ANNOTATION] as const

const FIX = {
  text: `write ${AUTOUPDATE_ANNOTATION}: "false"`,
  edits: [{ path: ANNOTATION_PATH, set: 'false' }],
}

function annotated(object: ApfObject): Finding {
  return {
    object,
    path: ANNOTATION_PATH,
    message: `${nameOf(object)} is edited, and says that the server keeps it up to date`,
    note: 'the server puts its own spec back within a minute',
    fix: FIX,
  }
}

function unannotated(object: ApfObject): Finding {
  // A server that has seen an edit without the annotation leaves it alone.
  if ((object.metadata.generation ?? 1) > 1) {
    const message = `${nameOf(object)} is edited: upgrades will not change it any more`
    return { severity: 'info', object, path: ['spec'], message }
  }
  return {
    object,
    path: ['spec'],
    message: `${nameOf(object)} is edited, and does not say that the server is to leave it alone`,
    note: 'kubectl apply leaves the annotation "true" of the server there, and the server puts its own spec back within a minute',
    fix: FIX,
  }
}
