import { describe, expect, it } from 'vitest'
import { readConfiguration } from '../../src/lint/configuration.ts'
import { readDocuments } from '../../src/sources/documents.ts'
import { sourceText } from '../../src/sources/source-text.ts'

async function read(text: string) {
  const { documents } = await readDocuments(sourceText('.kubectl-apf.yaml', text))
  const [document] = documents
  if (document === undefined) throw new Error('no document')
  const { value, locate, duplicateKeys } = document
  const file = '.kubectl-apf.yaml'
  return readConfiguration({ file, value, locate: (path) => locate(path), duplicateKeys }, ['APF201', 'APF204'])
}

describe('a configuration', () => {
  it('says targets, severities and options', async () => {
    const { configuration, problems } = await read(`\
targets: ['1.28', 1.30, 1.34]
failOn: warning
rules:
  APF201: error
  APF204: off
options:
  allowedExempt: ['user:ann', 'group:shop:admins', sa:shop/reporter]
  guaranteedLevels: [shop]
  serverSeats: 800
`)
    expect(problems).toEqual([])
    expect(configuration).toEqual({
      targets: ['1.28', '1.30', '1.34'],
      failOn: 'warning',
      severities: new Map([
        ['APF201', 'error'],
        ['APF204', 'off'],
      ]),
      options: { allowedExempt: ['user:ann', 'group:shop:admins', 'sa:shop/reporter'], guaranteedLevels: ['shop'] },
      serverSeats: 800,
    })
  })
})

describe('a fault of a configuration', () => {
  const cases: [string, string, string, string | undefined][] = [
    ['target: [1.34]', '1:9', 'unknown key "target"', 'did you mean targets?'],
    ['colour: red', '1:9', 'unknown key "colour"', 'there are targets, failOn, rules, options'],
    ["targets: ['1.34', '1.99']", '1:19', '"1.99" is no known minor of Kubernetes', "write it as in '1.34'"],
    ['targets: newest', '1:10', 'targets is no list', undefined],
    ['rules:\n  APF2O1: off', '2:11', 'there is no rule APF2O1; did you mean APF201?', undefined],
    ['rules:\n  APF201: eror', '2:11', '"eror" is none of off, error, warning, info', 'did you mean error?'],
    ['failOn: always', '1:9', '"always" is none of error, warning, info, never', undefined],
    [
      'options:\n  allowedExempt: [ann]',
      '2:19',
      '"ann" is no subject',
      'write user:NAME, group:NAME or sa:NAMESPACE/NAME',
    ],
    ['options:\n  guaranteedLevels: [1]', '2:22', '1 is no text', 'put it in quotes'],
    ['options: {serverSeats: 0}', '1:24', '0 is no number of seats', undefined],
    [
      'rules: {APF201: off, APF201: error}',
      '1:22',
      'rules.APF201 is there twice, first on line 1',
      'remove one of them',
    ],
    ['- targets', '1:1', 'the configuration is no mapping', undefined],
  ]
  it.each(cases)('%j', async (text, place, message, fix) => {
    const { problems } = await read(text)
    expect(problems).toMatchObject([{ severity: 'error', message, at: { file: '.kubectl-apf.yaml' } }])
    const [problem] = problems
    expect(`${problem?.at?.line}:${problem?.at?.column}`).toBe(place)
    expect(problem?.fix).toBe(fix)
  })
})
