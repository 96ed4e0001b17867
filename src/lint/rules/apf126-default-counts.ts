import type { ApfObject, FlowSchema, PriorityLevelConfiguration } from '../../apf/objects.ts'
import type { FieldPath } from '../../apf/problem.ts'
import { API_VERSIONS, type ApiVersion } from '../../apf/versions.ts'
import { nameOf } from '../clauses.ts'
import { both, schemaWith } from '../refusal-examples.ts'
import { defineRule, type Finding } from '../rule.ts'
import { valueAt, writtenObjects } from '../written.ts'

export default defineRule({
  id: 'APF126',
  name: 'default-counts',
  severity: 'info',
  summary: 'A default that the author may not know counts',
  documentation: {
    what:
      'A FlowSchema without `matchingPrecedence` (1000), and a Limited level without shares (30). A warning for a level ' +
      'of v1beta3 that has the annotation `flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares` but no shares: ' +
      'there the default is 0.',
    why:
      'Precedence and shares are what the two kinds are about, and the defaults of all objects are the same: schemas ' +
      'that leave the precedence out tie with each other.',
    fix: 'Write the value, if only for those who read it.',
    fails: {
      defaults: '1.34',
      yaml: schemaWith('  matchingPrecedence: 1500\n', ''),
    },
    passes: {
      defaults: '1.34',
      yaml: both({}),
    },
  },
  *check(context) {
    for (const object of writtenObjects(context)) {
      const finding = object.kind === 'FlowSchema' ? precedenceLeftOut(object) : sharesLeftOut(object)
      if (finding !== null) yield finding
    }
  },
})

function precedenceLeftOut(object: FlowSchema): Finding | null {
  const written = valueAt(object, ['spec', 'matchingPrecedence'])
  if (
    (written !== undefined && written !== null) ||
    !hasSpec(object) ||
    isMisspelt(object, ['spec'], /^matchingprecedence$/i)
  )
    return null
  const message = `${nameOf(object)} has no matchingPrecedence, so it has ${object.spec.matchingPrecedence}`
  return { object, path: ['spec'], message, fix: { text: 'write the precedence' } }
}

function sharesLeftOut(object: PriorityLevelConfiguration): Finding | null {
  const { limited } = object.spec
  const { sharesField } = API_VERSIONS[object.apiVersion as ApiVersion]
  const written = valueAt(object, ['spec', 'limited', sharesField])
  if (limited === null || (written !== undefined && written !== null)) return null
  if (isMisspelt(object, ['spec', 'limited'], /concurrencyshares$/i)) return null
  const { nominalConcurrencyShares: shares } = limited
  const message = `${nameOf(object)} has no ${sharesField}, so it has ${shares} shares`
  const finding: Finding = { object, path: ['spec', 'limited'], message, fix: { text: 'write the shares' } }
  return shares === 0
    ? { ...finding, severity: 'warning', note: 'the annotation that keeps zeros makes zero the default' }
    : finding
}

/** Another key was meant for the field: that is a finding of its own. */
function isMisspelt(object: ApfObject, path: FieldPath, key: RegExp): boolean {
  return Object.keys(valueAt(object, path) ?? {}).some((written) => key.test(written))
}

/** Without one there is a finding for that. */
function hasSpec(object: FlowSchema): boolean {
  const spec = valueAt(object, ['spec'])
  return spec !== undefined && spec !== null
}
