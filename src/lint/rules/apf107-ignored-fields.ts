import type { ApfObject } from '../../apf/objects.ts'
import { type FieldPath, formatFieldPath } from '../../apf/problem.ts'
import { PROBLEM } from '../../apf/problem-codes.ts'
import { nameOf } from '../clauses.ts'
import { readingFindings } from '../reading.ts'
import { both, schemaWith } from '../refusal-examples.ts'
import { defineRule, type Finding } from '../rule.ts'
import { valueAt, writtenObjects } from '../written.ts'

export default defineRule({
  id: 'APF107',
  name: 'ignored-fields',
  severity: 'info',
  summary: 'Metadata or status that the server drops',
  documentation: {
    what:
      'Fields of a manifest that have no effect when it is sent: `metadata.namespace`, since both kinds belong to the ' +
      'whole cluster, and what only the server writes: `status`, `uid`, `generation`, `creationTimestamp`, `selfLink`, ' +
      '`managedFields`. Manifests saved with `kubectl get -o yaml` have them.',
    why:
      'The object is accepted, and what is written there is lost. A namespace that seems to limit a FlowSchema limits ' +
      'nothing.',
    fix: 'Remove them.',
    fails: {
      defaults: '1.34',
      yaml: schemaWith('  name: shop-reports\n', '  name: shop-reports\n  namespace: shop\n'),
    },
    passes: {
      defaults: '1.34',
      yaml: both({}),
    },
  },
  *check(context) {
    for (const finding of readingFindings(context, PROBLEM.ignoredMetadata)) {
      const { object, path, fix } = finding
      yield { ...finding, ...(object && { fix: { text: fix?.text ?? 'remove it', edits: [{ path, remove: true }] } }) }
    }
    for (const object of writtenObjects(context)) yield* ownOfServer(object)
  },
})

const OF_SERVER: readonly FieldPath[] = [
  ['metadata', 'uid'],
  ['metadata', 'generation'],
  ['metadata', 'creationTimestamp'],
  ['metadata', 'selfLink'],
  ['metadata', 'managedFields'],
  ['status'],
]

function* ownOfServer(object: ApfObject): Generator<Finding> {
  const fields = OF_SERVER.filter((path) => isSaid(valueAt(object, path)))
  const [first] = fields
  if (first === undefined) return
  const list = fields.map(formatFieldPath).join(', ')
  yield {
    object,
    path: first,
    message: `${nameOf(object)}: ${list} ${fields.length === 1 ? 'is' : 'are'} dropped, only the server writes that`,
    fix: { text: 'remove it', edits: fields.map((path) => ({ path, remove: true })) },
  }
}

/** An empty status says nothing. */
function isSaid(value: unknown): boolean {
  if (value === undefined || value === null) return false
  return typeof value !== 'object' || Object.keys(value).length > 0
}
