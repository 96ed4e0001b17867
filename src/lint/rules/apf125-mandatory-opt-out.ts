import { AUTOUPDATE_ANNOTATION, bootstrapClass } from '../../apf/defaults/index.ts'
import { parseGoBool } from '../../apf/maintenance.ts'
import { nameOf } from '../clauses.ts'
import { defineRule } from '../rule.ts'

export default defineRule({
  id: 'APF125',
  name: 'mandatory-opt-out',
  severity: 'warning',
  summary: 'An annotation on a mandatory object that the server undoes',
  since: 22,
  documentation: {
    what:
      'The annotation `apf.kubernetes.io/autoupdate-spec` with a value other than true on a FlowSchema or a level ' +
      'called `exempt` or `catch-all`.',
    why:
      'It is accepted, and within a minute the server sets it to `true` again: mandatory objects are always kept up to ' +
      'date. Two tools that both insist fight each other for ever.',
    fix: 'Remove the annotation. Only the other default objects can be opted out.',
    fails: {
      defaults: '1.34',
      yaml: optedOut('false'),
    },
    passes: {
      defaults: '1.34',
      yaml: optedOut('true'),
    },
  },
  *check({ own, rules }) {
    if (!rules.autoupdateAnnotation) return
    for (const object of [...own.flowSchemas, ...own.priorityLevels]) {
      const written = object.metadata.annotations[AUTOUPDATE_ANNOTATION]
      if (written === undefined || bootstrapClass(object, rules) !== 'mandatory' || parseGoBool(written) === true)
        continue
      const path = ['metadata', 'annotations', AUTOUPDATE_ANNOTATION]
      yield {
        object,
        path,
        message: `${nameOf(object)}: the server sets ${AUTOUPDATE_ANNOTATION} ${JSON.stringify(written)} to "true" again`,
        note: 'mandatory objects are always kept up to date',
        fix: { text: 'remove it', edits: [{ path, remove: true }] },
      }
    }
  },
})

function optedOut(value: string): string {
  return `\
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata:
  name: exempt
  annotations:
    apf.kubernetes.io/autoupdate-spec: '${value}'
spec:
  type: Exempt
  exempt:
    nominalConcurrencyShares: 20
    lendablePercent: 50
`
}
