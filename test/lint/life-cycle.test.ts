/** What becomes of objects after they have been applied: who maintains them, what an edit is worth, what they do at all. */
import { describe, expect, it } from 'vitest'
import { applyEdits, editsOf } from '../../src/lint/edits.ts'
import { levelYaml, schemaYaml } from '../../src/lint/examples.ts'
import { lintText } from '../support/lint.ts'

async function found(text: string, minor = '1.34'): Promise<string[]> {
  const { findings } = await lintText(text, { targets: [minor] })
  return findings.map(({ rule, severity, message }) => `${rule.id} ${severity} ${message}`)
}

/** The suggested level workload-low with other shares than the server gives it. */
const EDITED = levelYaml('workload-low')

function withMetadata(text: string, metadata: string): string {
  return text.replace('  name: workload-low\n', `  name: workload-low\n${metadata}`)
}

const OF = 'PriorityLevelConfiguration workload-low'
const annotation = (value: string) => `  annotations: {apf.kubernetes.io/autoupdate-spec: ${value}}\n`

describe('an edit of a suggested object', () => {
  it.each([
    ['', `APF403 warning ${OF} is edited, and does not say that the server is to leave it alone`],
    [annotation('"yes"'), `APF403 warning ${OF} is edited, and does not say that the server is to leave it alone`],
    [annotation('"true"'), `APF403 warning ${OF} is edited, and says that the server keeps it up to date`],
    [annotation('T'), `APF403 warning ${OF} is edited, and says that the server keeps it up to date`],
    ['  generation: 1\n', `APF403 warning ${OF} is edited, and does not say that the server is to leave it alone`],
    ['  generation: 2\n', `APF403 info ${OF} is edited: upgrades will not change it any more`],
  ])('with the metadata %j is found', async (metadata, finding) => {
    expect(await found(withMetadata(EDITED, metadata))).toContain(finding)
  })

  it('is left to whoever has opted out', async () => {
    expect(await found(withMetadata(EDITED, annotation('"false"')))).toEqual([])
  })

  it('stays where no server maintains these objects yet', async () => {
    const text = EDITED.replace('/v1', '/v1beta1')
    expect((await found(text, '1.21')).filter((finding) => finding.startsWith('APF4'))).toEqual([])
  })

  it('is opted out by the fix', async () => {
    const { findings, source } = await lintText(EDITED)
    const edits = findings.flatMap((finding) => editsOf(finding, source.texts))
    expect(applyEdits(EDITED, edits)).toContain('    apf.kubernetes.io/autoupdate-spec:')
    expect(await found(applyEdits(EDITED, edits))).toEqual([])
  })
})

describe('a resourceVersion', () => {
  const asSaved = '  resourceVersion: "4711"\n  uid: 2a3b\n  creationTimestamp: 2026-11-30T10:00:00Z\n'

  it.each([
    ['  resourceVersion: "4711"\n', 'warning'],
    [asSaved.replace(/ {2}uid.*\n/, ''), 'warning'],
    [asSaved, 'info'],
  ])('in the metadata %j is a %s', async (metadata, severity) => {
    const text = withMetadata(EDITED, `${metadata}${annotation('"false"')}`)
    expect(await found(text)).toContain(
      `APF127 ${severity} ${OF} has a resourceVersion, with which it cannot be created`,
    )
  })
})

describe('few queues', () => {
  const level = levelYaml('shop-reports').replace('queues: 64', 'queues: 8')
  const account = (
    name: string,
  ) => `    - subjects: [{kind: ServiceAccount, serviceAccount: {namespace: shop, name: "${name}"}}]
      resourceRules: [{verbs: [list], apiGroups: [''], resources: [pods], namespaces: [shop]}]
`
  const schema = (name: string, rules: string, distinguisher: 'ByUser' | null = 'ByUser') =>
    `${schemaYaml({ name, level: 'shop-reports', distinguisher, rules: '' })}${rules}---\n`

  it.each([
    ['many users', schema('a', account('*')), ['warning']],
    ['two users', schema('a', account('one') + account('two')), ['warning']],
    ['the users of two schemas', schema('a', account('one')) + schema('b', account('two')), ['warning']],
    ['one user', schema('a', account('one')), []],
    ['one schema that tells no flows apart', schema('a', account('*'), null), []],
  ])('of %s', async (_, schemas, severities) => {
    const findings = await found(`${schemas}${level}`)
    expect(findings.filter((finding) => finding.startsWith('APF306')).map((finding) => finding.split(' ')[1])).toEqual(
      severities,
    )
  })
})

describe('a FlowSchema without rules', () => {
  it.each(['rules: []', 'rules: null', 'rules:'])('takes nothing: %s', async (rules) => {
    const text = schemaYaml({ rules: '' }).replace(/ {2}rules:\n/, `  ${rules}\n`)
    expect(await found(text)).toEqual(['APF221 warning FlowSchema shop-reports has no rules: it takes no request'])
  })

  it('is only refused where it has no spec at all', async () => {
    const text = schemaYaml({ rules: '' }).replace(/spec:.*/s, '')
    expect((await found(text)).map((finding) => finding.slice(0, 12))).toEqual(['APF108 error'])
  })
})
