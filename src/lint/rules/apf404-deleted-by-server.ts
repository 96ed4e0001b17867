import { AUTOUPDATE_ANNOTATION, bootstrapClass } from '../../apf/defaults/index.ts'
import { isRemoved } from '../../apf/maintenance.ts'
import { nameOf } from '../clauses.ts'
import { autoupdatedSchema } from '../default-examples.ts'
import { defineRule } from '../rule.ts'

export default defineRule({
  id: 'APF404',
  name: 'deleted-by-server',
  severity: 'error',
  summary: 'An object of yours that the server deletes',
  since: 22,
  documentation: {
    what: 'An object that is none of the defaults of the server, with the annotation `apf.kubernetes.io/autoupdate-spec: "true"`.',
    why:
      'The annotation marks what the server maintains. What it maintains and does not know any more is a default of an ' +
      'earlier release to it: it deletes the object within a minute, and does so again after each apply.',
    fix: 'Remove the annotation; it is usually copied from a default object.',
    fails: { defaults: '1.34', yaml: autoupdatedSchema('true') },
    passes: { defaults: '1.34', yaml: autoupdatedSchema('false') },
  },
  *check({ own, rules }) {
    if (!rules.autoupdateAnnotation) return
    for (const object of [...own.flowSchemas, ...own.priorityLevels]) {
      const annotation = object.metadata.annotations[AUTOUPDATE_ANNOTATION] ?? null
      if (!isRemoved({ inCurrentDefaults: bootstrapClass(object, rules) !== null, annotation })) continue
      const path = ['metadata', 'annotations', AUTOUPDATE_ANNOTATION]
      yield {
        object,
        path,
        message: `${nameOf(object)} says that the server maintains it, and the server does not know it`,
        note: 'the server deletes it within a minute',
        fix: { text: 'remove the annotation', edits: [{ path, remove: true }] },
      }
    }
  },
})
