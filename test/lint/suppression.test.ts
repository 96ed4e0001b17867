import { describe, expect, it } from 'vitest'
import { type LintTextOptions, lintText, TODAY } from '../support/lint.ts'

/** A dangling FlowSchema with a comment above the object, above a field, behind a line, or annotations. */
function dangling({ file = '', above = '', aboveSpec = '', aboveLevel = '', behind = '', annotations = '' }) {
  return `\
${file}${above}apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata:
  name: shop-reports
${annotations}${aboveSpec}spec:
  matchingPrecedence: 1500
${aboveLevel}  priorityLevelConfiguration:
    name: shop${behind}
  distinguisherMethod: {type: ByUser}
  rules:
    - subjects:
        - {kind: ServiceAccount, serviceAccount: {namespace: shop, name: reporter}}
      resourceRules: [{verbs: [list], apiGroups: [''], resources: [pods], namespaces: [shop]}]
`
}

const annotated = (text: string) => `  annotations:\n    apf.kubectl/lint-ignore: '${text}'\n`

/** Ids of the dangling level and of what is wrong with suppressions: other rules have their own tests. */
async function idsIn(yaml: string, options: LintTextOptions = {}) {
  const { findings, suppressed } = await lintText(yaml, options)
  const ids = (all: typeof findings) => all.map(({ rule }) => rule.id).filter((id) => /^APF(?:201|49\d)$/.test(id))
  return { found: ids(findings), suppressed: ids(suppressed) }
}

describe('a suppression applies', () => {
  const places: [string, Parameters<typeof dangling>[0]][] = [
    ['behind the line of the finding', { behind: ' # apf-lint: ignore APF201 reason="soon"' }],
    ['above the field', { aboveLevel: '  # apf-lint: ignore APF201 reason="soon"\n' }],
    ['above a field around it', { aboveSpec: '# apf-lint: ignore APF201 reason="soon"\n' }],
    ['above the object', { above: '# apf-lint: ignore APF201 reason="soon"\n' }],
    ['above the object, with other comments between', { above: '# apf-lint: ignore APF201 reason="soon"\n\n# shop\n' }],
    ['above the separator of the object', { above: '# apf-lint: ignore APF201 reason="soon"\n---\n' }],
    ['to the file', { file: '# apf-lint: ignore-file APF201 reason="soon"\nkind: List\n---\n' }],
    ['as an annotation', { annotations: annotated('APF201 reason="soon"') }],
    ['as an annotation with the word ignore', { annotations: annotated('ignore APF201 reason="soon; very soon"') }],
    ['as one annotation of several', { annotations: annotated('APF201 reason="a"; APF201 reason="b"') }],
    ['to several rules', { behind: ' # apf-lint: ignore APF201,APF207 reason="soon"' }],
    ['until its last day', { behind: ` # apf-lint: ignore APF201 until=${TODAY} reason="soon"` }],
    ['with a reason of one word', { behind: ' # apf-lint: ignore APF201 reason=soon' }],
  ]
  it.each(places)('%s', async (_, parts) => {
    expect(await idsIn(dangling(parts))).toEqual({ found: [], suppressed: ['APF201'] })
  })
})

describe('a suppression does not apply', () => {
  const cases: [string, Parameters<typeof dangling>[0], string[]][] = [
    [
      'after its last day',
      { behind: ' # apf-lint: ignore APF201 until=2026-11-29 reason="soon"' },
      ['APF201', 'APF490'],
    ],
    ['without a reason', { behind: ' # apf-lint: ignore APF201' }, ['APF201', 'APF492']],
    ['with an empty reason', { behind: ' # apf-lint: ignore APF201 reason=" "' }, ['APF201', 'APF492']],
    ['to another rule', { behind: ' # apf-lint: ignore APF490 reason="soon"' }, ['APF201', 'APF491']],
    ['without a rule', { behind: ' # apf-lint: ignore reason="soon"' }, ['APF201', 'APF493']],
    ['with a rule that is none', { behind: ' # apf-lint: ignore APF2O1 reason="soon"' }, ['APF201', 'APF493']],
    [
      'with a day that is none',
      { behind: ' # apf-lint: ignore APF201 until=2027-02-30 reason="x"' },
      ['APF201', 'APF493'],
    ],
    ['with a word that is none', { behind: ' # apf-lint: ignore APF201 because="x"' }, ['APF201', 'APF493']],
    ['with another verb', { behind: ' # apf-lint: disable APF201 reason="x"' }, ['APF201', 'APF493']],
    ['behind a text that is no comment', { behind: '#apf-lint:ignore' }, ['APF201']],
  ]
  it.each(cases)('%s', async (_, parts, found) => {
    expect(await idsIn(dangling(parts))).toEqual({ found, suppressed: [] })
  })

  it('below the field', async () => {
    const yaml = dangling({}).replace('  rules:', '  # apf-lint: ignore APF201 reason="soon"\n  rules:')
    expect(await idsIn(yaml)).toEqual({ found: ['APF201', 'APF491'], suppressed: [] })
  })

  it('to an object behind it', async () => {
    const second = dangling({}).replace('shop-reports', 'shop-imports')
    const { found, suppressed } = await idsIn(
      `${dangling({ above: '# apf-lint: ignore APF201 reason="x"\n' })}---\n${second}`,
    )
    expect({ found, suppressed }).toEqual({ found: ['APF201'], suppressed: ['APF201'] })
  })
})

describe('what is wrong with a suppression', () => {
  it('says so at its place', async () => {
    const { findings } = await lintText(dangling({ behind: ' # apf-lint: ignore APF2O1 reason="x"' }))
    const finding = findings.find(({ rule }) => rule.id === 'APF493')
    expect(finding).toMatchObject({
      message: 'the suppression has no effect: there is no rule APF2O1; did you mean APF201?',
      severity: 'warning',
      at: { file: '<stdin>', line: 8, column: 16 },
    })
  })

  it('is not said of rules that were not run', async () => {
    const yaml = dangling({ behind: ' # apf-lint: ignore APF201 reason="x"' })
    expect(await idsIn(yaml, { severities: new Map([['APF201', 'off']]) })).toEqual({ found: [], suppressed: [] })
  })

  it('can be switched off like any rule', async () => {
    const yaml = dangling({ behind: ' # apf-lint: ignore APF201' })
    const { found } = await idsIn(yaml, { severities: new Map([['APF492', 'off']]) })
    expect(found).toEqual(['APF201'])
  })
})
