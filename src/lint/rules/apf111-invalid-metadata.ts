import { PRESERVE_ZERO_ANNOTATION } from '../../apf/defaulting.ts'
import { both, schemaWith } from '../refusal-examples.ts'
import { type Refusal, refusalFindings, type Said } from '../refusals.ts'
import { defineRule } from '../rule.ts'

export default defineRule({
  id: 'APF111',
  name: 'invalid-metadata',
  severity: 'error',
  summary: 'Labels, annotations or finalizers that no object can have',
  documentation: {
    what:
      'Keys and values of labels, keys and total size (256 KiB) of annotations, and finalizers, as the API checks them ' +
      'on every object. On a PriorityLevelConfiguration of v1, from 1.29 on, also the annotation ' +
      '`flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares`, which only v1beta3 needs.',
    why: 'The server refuses the object.',
    fix: 'Correct the key or the value, or remove it.',
    fails: {
      defaults: '1.34',
      yaml: schemaWith('  name: shop-reports\n', '  name: shop-reports\n  labels: {team: shop & co}\n'),
    },
    passes: {
      defaults: '1.34',
      yaml: both({}),
    },
  },
  check: (context) => refusalFindings(context, 'APF111', hint),
})

function hint({ error: { detail } }: Refusal): Said {
  if (!detail.includes(PRESERVE_ZERO_ANNOTATION)) return {}
  const path = ['metadata', 'annotations', PRESERVE_ZERO_ANNOTATION]
  return { fix: { text: 'remove it: v1 keeps a zero without it', edits: [{ path, remove: true }] } }
}
