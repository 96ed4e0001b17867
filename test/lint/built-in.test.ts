/** What is as the server or a provider makes it is nobody's mistake: at most information, which says so. */
import { describe, expect, it } from 'vitest'
import { defaultObjects } from '../../src/apf/defaults/index.ts'
import type { FlowSchema } from '../../src/apf/objects.ts'
import { resolveVersion, type VersionRules } from '../../src/apf/versions.ts'
import { lintContext } from '../../src/lint/context.ts'
import { lint } from '../../src/lint/engine.ts'
import { RULES } from '../../src/lint/rules/index.ts'
import { lintText, MINORS } from '../support/lint.ts'

function rulesOf(minor: string): VersionRules {
  const version = resolveVersion(minor)
  if (!version.known) throw new Error(minor)
  return version.rules
}

describe.each(MINORS)('the default objects of %s', (minor) => {
  const rules = rulesOf(minor)
  const defaults = defaultObjects(rules)
  const context = (own: typeof defaults, all = own) =>
    lintContext({ own, all, rules, complete: true, serverSeats: { value: 600, assumed: true } })

  it('are clean at warning and above', () => {
    const findings = lint([context(defaults)], RULES)
    expect(
      findings.filter(({ severity }) => severity !== 'info').map(({ rule, message }) => [rule.id, message]),
    ).toEqual([])
  })

  it('have findings that say built-in', () => {
    const findings = lint([context(defaults)], RULES).filter(({ object }) => object !== null)
    expect(findings.filter(({ message }) => !message.endsWith('(built-in)')).map(({ message }) => message)).toEqual([])
  })

  it('keep the severities of their findings under another name', () => {
    const original = defaults.flowSchemas.find(({ metadata }) => metadata.name === 'system-leader-election')
    if (original === undefined) throw new Error('every version has it')
    const copy: FlowSchema = { ...original, metadata: { ...original.metadata, name: 'my-locks', annotations: {} } }
    const others = defaults.flowSchemas.filter((schema) => schema !== original)
    const all = { ...defaults, flowSchemas: [...others, copy] }
    const findings = lint([context({ flowSchemas: [copy], priorityLevels: [] }, all)], RULES)
    expect(findings).toContainEqual(
      expect.objectContaining({
        rule: expect.objectContaining({ id: 'APF214' }),
        severity: 'warning',
        maintainedBy: null,
      }),
    )
  })
})

const EXEMPT = (name: string, precedence: number, group: string) => `\
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata:
  name: ${name}
spec:
  matchingPrecedence: ${precedence}
  priorityLevelConfiguration: {name: exempt}
  rules:
    - subjects: [{kind: Group, group: {name: ${group}}}]
      resourceRules: [{verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'], clusterScope: true}]
`

describe('an object that a provider maintains', () => {
  it('has at most information, with the name of the provider', async () => {
    const { findings } = await lintText(EXEMPT('eks-exempt', 2, 'eks:authenticated'), { targets: ['1.31'] })
    expect(findings.map(({ severity }) => severity)).not.toContain('error')
    expect(findings.map(({ severity }) => severity)).not.toContain('warning')
    for (const { maintainedBy, message } of findings) {
      expect(maintainedBy).toBe('EKS')
      expect(message).toMatch(/\(EKS\)$/)
    }
  })
})

describe('a value that aliases repeat', () => {
  it('has its finding once, where it stands', async () => {
    const { findings } = await lintText(`\
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata: {name: shop}
spec:
  matchingPrecedence: 1500
  priorityLevelConfiguration: {name: workload-low}
  rules:
    - subjects: [{kind: Group, group: {name: shop-admins}}]
      resourceRules: &lists
        - {verbs: [list], apiGroups: [core], resources: [pods], namespaces: [shop]}
    - subjects: [{kind: Group, group: {name: shop-guests}}]
      resourceRules: *lists
`)
    expect(findings.map(({ rule, at }) => [rule.id, at.line, at.column])).toEqual([['APF207', 10, 39]])
  })
})

describe('several targets', () => {
  const level = (apiVersion: string, shares: string) => `\
apiVersion: flowcontrol.apiserver.k8s.io/${apiVersion}
kind: PriorityLevelConfiguration
metadata: {name: shop}
spec:
  type: Limited
  limited:
    ${shares}
    limitResponse: {type: Reject}
`

  it('share a finding where they have it in common', async () => {
    const text = level('v1beta3', 'nominalConcurrencyShares: 5')
    const { findings } = await lintText(text, { targets: ['1.28', '1.30', '1.32', '1.34'] })
    const targets = (id: string) => findings.filter(({ rule }) => rule.id === id).map((finding) => finding.targets)
    expect(targets('APF105')).toEqual([['1.30']])
    expect(targets('APF104')).toEqual([['1.32', '1.34']])
  })

  it('are each judged by their own rules', async () => {
    const { findings } = await lintText(level('v1', 'nominalConcurrencyShares: 0'), { targets: ['1.29', '1.30'] })
    const errors = findings.filter(({ severity }) => severity === 'error')
    expect(errors.map(({ rule, targets }) => [rule.id, targets])).toEqual([['APF121', ['1.29']]])
  })
})
