import { AUTOUPDATE_ANNOTATION, bootstrapClass } from '../../apf/defaults/index.ts'
import { differsFromDefault, maintenanceOf } from '../../apf/maintenance.ts'
import { minorText } from '../../apf/versions.ts'
import { nameOf } from '../clauses.ts'
import { levelYaml } from '../examples.ts'
import { defineRule } from '../rule.ts'

/** The level that Kubernetes 1.22 brought. */
const NEW_LEVEL = 'node-high'

export default defineRule({
  id: 'APF410',
  name: 'becomes-default',
  severity: 'warning',
  summary: 'An object of yours whose name an upgrade takes for a default object',
  documentation: {
    what:
      'With `--upgrade-from` and `--upgrade-to`: an object that is none of the defaults of the version before, and has the ' +
      'name of one of the version after.',
    why:
      'The new server takes it for its own. One that was never changed since it was created, and says nothing else by ' +
      'annotation, gets the spec of the default object within a minute.',
    fix: 'Rename it, or set the annotation `apf.kubernetes.io/autoupdate-spec` to `"false"` before the upgrade.',
    fails: { defaults: '1.24', yaml: levelYaml(NEW_LEVEL), upgradeFrom: '1.21' },
    passes: { defaults: '1.24', yaml: levelYaml('shop-reports'), upgradeFrom: '1.21' },
  },
  *check({ own, options: { upgrade } }) {
    if (upgrade === null) return
    const { from, to } = upgrade
    for (const object of [...own.flowSchemas, ...own.priorityLevels]) {
      const after = bootstrapClass(object, to)
      if (after === null || bootstrapClass(object, from) !== null) continue
      if (differsFromDefault(object, to) !== true) continue
      const annotation = object.metadata.annotations[AUTOUPDATE_ANNOTATION] ?? null
      const generation = object.metadata.generation ?? 1
      const { action } = maintenanceOf({ class: after, annotation, generation, specDiffersFromDefault: true })
      const isReplaced = action.endsWith('replaceSpec')
      yield {
        severity: isReplaced ? 'warning' : 'info',
        object,
        path: ['metadata', 'name'],
        message: `${nameOf(object)} has the name of a default object of Kubernetes ${minorText(to.minor)}`,
        note: isReplaced ? 'the new server gives it its own spec within a minute' : 'the new server leaves its spec',
        fix: { text: 'rename it before the upgrade' },
      }
    }
  },
})
