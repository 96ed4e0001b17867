import type { ApfObject } from '../../apf/objects.ts'
import { nameOf } from '../clauses.ts'
import { both, schemaWith } from '../refusal-examples.ts'
import { defineRule } from '../rule.ts'
import { valueAt, writtenObjects } from '../written.ts'

export default defineRule({
  id: 'APF127',
  name: 'resource-version',
  severity: 'warning',
  summary: 'A resourceVersion in a manifest',
  documentation: {
    what:
      'A manifest with `metadata.resourceVersion`, as `kubectl get -o yaml` saves it. Information where `uid` and ' +
      '`creationTimestamp` of the server stand beside it: then it may have been saved only to be looked at.',
    why:
      'Where the object does not exist, the server refuses to create it: `resourceVersion should not be set on objects ' +
      'to be created` (a dry run does not tell). Where it exists, each change in the meantime makes the manifest a ' +
      'conflict.',
    fix: 'Remove it.',
    fails: {
      defaults: '1.34',
      yaml: schemaWith('  name: shop-reports\n', '  name: shop-reports\n  resourceVersion: "4711"\n'),
    },
    passes: {
      defaults: '1.34',
      yaml: both({}),
    },
  },
  *check(context) {
    const path = ['metadata', 'resourceVersion']
    for (const object of writtenObjects(context)) {
      const version = valueAt(object, path)
      if (typeof version !== 'string' || version === '' || version === '0') continue
      yield {
        ...(isSaved(object) && { severity: 'info' }),
        object,
        path,
        message: `${nameOf(object)} has a resourceVersion, with which it cannot be created`,
        fix: { text: 'remove it', edits: [{ path, remove: true }] },
      }
    }
  },
})

/** Whether it is as a server has answered, not as somebody wrote it. */
function isSaved(object: ApfObject): boolean {
  return ['uid', 'creationTimestamp'].every((field) => typeof valueAt(object, ['metadata', field]) === 'string')
}
