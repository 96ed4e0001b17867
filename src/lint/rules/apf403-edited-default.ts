import { AUTOUPDATE_ANNOTATION, bootstrapClass } from '../../apf/defaults/index.ts'
import { differsFromDefault, parseGoBool } from '../../apf/maintenance.ts'
import { nameOf } from '../clauses.ts'
import { suggestedSchema } from '../default-examples.ts'
import { defineRule } from '../rule.ts'

export default defineRule({
  id: 'APF403',
  name: 'edited-default',
  severity: 'warning',
  summary: 'An edit of a suggested object that the server undoes, or that no upgrade will reach any more',
  since: 22,
  documentation: {
    what:
      'One of the suggested objects of the server, with another spec than the server gives it. With the annotation ' +
      '`apf.kubernetes.io/autoupdate-spec: "true"` it is a warning, without the annotation information.',
    why:
      'With that annotation the server puts its own spec back within a minute, and whoever applies the file fights it. ' +
      'Without it the edit stays, and so does the object when an upgrade changes the default; `"false"` says that this is meant.',
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
      if (autoupdate === true) {
        const path = ['metadata', 'annotations', AUTOUPDATE_ANNOTATION]
        yield {
          object,
          path,
          message: `${nameOf(object)} is edited, and says that the server keeps it up to date`,
          note: 'the server puts its own spec back within a minute',
          fix: { text: `write ${AUTOUPDATE_ANNOTATION}: "false"`, edits: [{ path, set: 'false' }] },
        }
      } else {
        yield {
          severity: 'info',
          object,
          path: ['spec'],
          message: `${nameOf(object)} is edited: upgrades will not change it any more`,
        }
      }
    }
  },
})
