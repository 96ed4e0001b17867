/** Reports of findings: valid in their formats, and harmless whatever the cluster's texts are. */
import { readFileSync } from 'node:fs'
import { Ajv } from 'ajv'
import { describe, expect, it } from 'vitest'
import type { Findings, LintFinding } from '../../src/report/contract.ts'
import { checkstyle } from '../../src/report/findings-checkstyle.ts'
import type { FindingsContext, FindingsFormat } from '../../src/report/findings-format.ts'
import { github } from '../../src/report/findings-github.ts'
import { gitlab } from '../../src/report/findings-gitlab.ts'
import { junit } from '../../src/report/findings-junit.ts'
import { markdown } from '../../src/report/findings-markdown.ts'
import { sarif } from '../../src/report/findings-sarif.ts'
import { findingsText } from '../../src/report/findings-text.ts'
import { painter } from '../../src/ui/colour.ts'
import { symbolsFor } from '../../src/ui/symbols.ts'
import { violations } from '../support/published-schemas.ts'

const USUAL: LintFinding = {
  rule: 'APF201',
  name: 'dangling',
  severity: 'error',
  message: 'FlowSchema shop-reports sends its requests to level "shopp", which does not exist',
  object: { kind: 'FlowSchema', name: 'shop-reports' },
  file: 'flow/reports.yaml',
  line: 9,
  column: 11,
  endColumn: 16,
  field: 'spec.priorityLevelConfiguration.name',
  fix: {
    text: 'did you mean "shop"?',
    edits: [
      {
        file: 'flow/reports.yaml',
        range: { start: { line: 9, column: 11 }, end: { line: 9, column: 16 } },
        newText: 'shop',
      },
    ],
  },
  note: 'until it exists, service-accounts (9000) takes them into workload-low',
  targets: ['1.34'],
  maintainedBy: null,
  fingerprint: '0123456789abcdef0123456789abcdef',
}

const LIVE: LintFinding = {
  ...USUAL,
  rule: 'APF202',
  name: 'exempt-bound',
  severity: 'info',
  file: null,
  line: null,
  column: null,
  endColumn: null,
  field: null,
  fix: null,
  note: null,
}

/** ESC, line ends, a mark of direction, a lone surrogate, and what each format takes for its own. */
const EVIL =
  '\x1b[31m\r\n::error::x %0A &<>"\' ]]> | `a` [b](c) <img> @all #1 *_~ http://x.example www.x.example \u202e\ud800'

const HOSTILE: LintFinding = {
  ...USUAL,
  message: EVIL,
  object: { kind: 'FlowSchema', name: EVIL },
  file: `a,b:c ${EVIL}.yaml`,
  note: EVIL,
  fix: { text: EVIL, edits: [] },
}

function report(...findings: LintFinding[]): Findings {
  return {
    apiVersion: 'apf.kubectl/v1alpha1',
    kind: 'Findings',
    source: { kind: 'files', serverVersion: '1.34', mode: null },
    findings,
    summary: {
      errors: findings.filter(({ severity }) => severity === 'error').length,
      warnings: 0,
      infos: findings.filter(({ severity }) => severity === 'info').length,
      suppressed: 0,
      known: null,
      files: 1,
      objects: 2,
      targets: ['1.34'],
      newestCommonApiVersion: 'v1',
    },
  }
}

const CONTEXT: FindingsContext = {
  command: 'lint',
  version: '0.1.0',
  rules: [
    { id: 'APF201', name: 'dangling', severity: 'error', summary: 'A level is missing', page: '# APF201\n\nText.\n' },
  ],
  fails: (severity) => severity === 'error',
  files: ['flow/reports.yaml', 'flow/clean.yaml'],
}

const FORMATS: Record<string, FindingsFormat> = { sarif, github, gitlab, junit, checkstyle, markdown }

function sarifSchema(): object {
  const text = readFileSync(new URL('testdata/sarif-2.1.0-rtm.5.json', import.meta.url), 'utf8')
  // Draft 4 differs from draft 7 in nothing else that the schema uses.
  const { id: _, ...schema } = JSON.parse(text)
  return { ...schema, $schema: 'http://json-schema.org/draft-07/schema#' }
}

describe('the document', () => {
  it.each([
    ['usual', USUAL],
    ['live', LIVE],
    ['hostile', HOSTILE],
  ])('is what its schema says (%s)', (_, finding) => {
    expect(violations('Findings', report(finding))).toEqual([])
  })
})

describe('the files of a folder that is called .', () => {
  it.each(['junit', 'checkstyle'])('are there once in %s, as findings name them', (format) => {
    const files = CONTEXT.files.map((file) => `./${file}`)
    const text = FORMATS[format]?.(report({ ...USUAL, file: './flow/reports.yaml' }), { ...CONTEXT, files })
    expect(text?.match(/<(?:testsuite|file) name="[^"]*/g)).toEqual(
      ['flow/reports.yaml', 'flow/clean.yaml'].map((file) => expect.stringMatching(new RegExp(`"${file}$`))),
    )
  })
})

describe('SARIF', () => {
  const validate = new Ajv({ strict: false, validateFormats: false, unicodeRegExp: false }).compile(sarifSchema())

  it.each([
    ['nothing', report()],
    ['usual and live findings', report(USUAL, LIVE)],
    ['hostile findings', report(HOSTILE)],
  ])('is valid with %s', (_, findings) => {
    validate(JSON.parse(sarif(findings, CONTEXT)))
    expect(validate.errors).toBeNull()
  })

  it('says where, what and how to fix it', () => {
    const log = JSON.parse(sarif(report(USUAL), CONTEXT))
    expect(log.runs[0].results[0]).toEqual({
      ruleId: 'APF201',
      ruleIndex: 0,
      level: 'error',
      message: {
        text: `${USUAL.message}; ${USUAL.note}; fix: did you mean "shop"?`,
      },
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: 'flow/reports.yaml' },
            region: { startLine: 9, startColumn: 11, endColumn: 16 },
          },
          logicalLocations: [
            { fullyQualifiedName: 'FlowSchema/shop-reports/spec.priorityLevelConfiguration.name', kind: 'object' },
          ],
        },
      ],
      partialFingerprints: { 'apfFinding/v1': '0123456789abcdef0123456789abcdef' },
      fixes: [
        {
          description: { text: 'did you mean "shop"?' },
          artifactChanges: [
            {
              artifactLocation: { uri: 'flow/reports.yaml' },
              replacements: [
                {
                  deletedRegion: { startLine: 9, startColumn: 11, endLine: 9, endColumn: 16 },
                  insertedContent: { text: 'shop' },
                },
              ],
            },
          ],
        },
      ],
    })
    expect(log.runs[0].tool.driver.rules[0].help.markdown).toContain('# APF201')
  })

  it.each([
    ['./flow/a b.yaml', 'flow/a%20b.yaml'],
    ['/srv/flow/a#1.yaml', 'file:///srv/flow/a%231.yaml'],
    ['<stdin>', '%3Cstdin%3E'],
  ])('makes a reference of %s', (file, uri) => {
    const log = JSON.parse(sarif(report({ ...USUAL, file }), CONTEXT))
    expect(log.runs[0].results[0].locations[0].physicalLocation.artifactLocation.uri).toBe(uri)
  })
})

describe('GitHub workflow commands', () => {
  it('say where and what', () => {
    expect(github(report(USUAL, LIVE), CONTEXT)).toBe(
      `::error file=flow/reports.yaml,line=9,col=11,endColumn=16,title=APF201 dangling::${USUAL.message}; ${USUAL.note}; fix: did you mean "shop"?\n` +
        `::notice title=APF202 exempt-bound::${USUAL.message}\n`,
    )
  })

  it.each([
    ['github', github, 'file=flow/a.yaml,'],
    ['gitlab', gitlab, '"path": "flow/a.yaml"'],
    ['junit', junit, '<testsuite name="flow/a.yaml"'],
  ])('and %s name files as the repository does', (_, format, expected) => {
    expect(format(report({ ...USUAL, file: './flow/a.yaml' }), CONTEXT)).toContain(expected)
  })

  it('are one line each, whatever a text holds', () => {
    const text = github(report(HOSTILE), CONTEXT)
    expect(text.match(/\n/g)).toHaveLength(1)
    expect(text).toContain('file=a%2Cb%3Ac ')
    expect(text).toContain('%250A')
  })
})

describe('GitLab code quality', () => {
  it('is an array of issues', () => {
    expect(JSON.parse(gitlab(report(USUAL), CONTEXT))).toEqual([
      {
        description: `APF201: ${USUAL.message}; ${USUAL.note}; fix: did you mean "shop"?`,
        check_name: 'APF201',
        fingerprint: '0123456789abcdef0123456789abcdef',
        severity: 'critical',
        location: { path: 'flow/reports.yaml', lines: { begin: 9 } },
      },
    ])
  })
})

describe('JUnit', () => {
  it('has a suite for each file, and fails what is at the threshold', () => {
    const text = junit(report(USUAL, { ...USUAL, severity: 'info' }), CONTEXT)
    expect(text).toContain('<testsuites name="kubectl apf lint" tests="3" failures="1" errors="0">')
    expect(text).toContain('<testsuite name="flow/reports.yaml" tests="2" failures="1" ')
    expect(text).toContain('<testcase name="no findings" classname="flow/clean.yaml" time="0"/>')
    expect(text.match(/<failure /g)).toHaveLength(1)
    expect(text.match(/<system-out>/g)).toHaveLength(1)
  })
})

describe.each([
  ['junit', junit],
  ['checkstyle', checkstyle],
])('the XML of %s', (_, format) => {
  it('is well-formed, whatever a text holds', () => {
    const text = format(report(HOSTILE, USUAL, LIVE), CONTEXT)
    expect(openElements(text)).toEqual([])
    expect(text).not.toMatch(/&(?!(?:amp|lt|gt|quot|apos);)/)
  })
})

/** Elements left open in XML without comments and CDATA; every tag and attribute is checked on the way. */
function openElements(xml: string): string[] {
  const open: string[] = []
  const rest = xml
    .replace(/^<\?xml [^?]*\?>/, '')
    .replace(/<(\/?)([a-z-]+)((?: [a-z-]+="[^"<]*")*)(\/?)>/g, (_, close, name, __, empty) => {
      if (close) expect(open.pop()).toBe(name)
      else if (!empty) open.push(name)
      return ''
    })
  expect(rest).not.toMatch(/[<>]/)
  return open
}

describe('Markdown', () => {
  it('is a table', () => {
    expect(markdown(report(USUAL), CONTEXT)).toBe(`\
### API Priority and Fairness: 1 error

| | where | finding | fix |
|---|---|---|---|
| error APF201 | flow/reports.yaml:9 | FlowSchema shop-reports sends its requests to level "shopp", which does not exist; until it exists, service-accounts &#40;9000&#41; takes them into workload-low | did you mean "shop"? |

2 objects in 1 file, judged for Kubernetes 1.34.
`)
  })

  it('means nothing but text, whatever a text holds', () => {
    const [, , , , row = ''] = markdown(report(HOSTILE), CONTEXT).split('\n')
    expect(row.split('|')).toHaveLength(6)
    expect(row).not.toMatch(/[`<>[\]*~@]|https?:\/\/|www\.|(?<!&)#/)
  })
})

describe('every format', () => {
  it.each(Object.entries(FORMATS))('%s holds nothing that could steer a terminal', (_, format) => {
    expect(format(report(HOSTILE), CONTEXT).replaceAll('\n', '')).not.toMatch(/[\0-\x1f\x7f-\x9f\u202e]|\p{Cs}/u)
  })

  it.each(Object.entries(FORMATS))('%s ends in a line end', (_, format) => {
    expect(format(report(USUAL), CONTEXT)).toMatch(/[^\n]\n$/)
  })
})

describe('the table', () => {
  const options = { paint: painter({ isTTY: false }, {}), symbols: symbolsFor({ LANG: 'C.UTF-8' }), wide: false }
  const line = (text: string) => ({ ...options, sourceLine: () => text })

  it('shows the line, a caret and the fix', () => {
    expect(findingsText(report(USUAL), line('    name: shopp'))).toBe(`\
flow/reports.yaml:9:11: error: FlowSchema shop-reports sends its requests to level "shopp", which does not exist  [APF201]
   9 |     name: shopp
     |           ^^^^^ did you mean "shop"?
     until it exists, service-accounts (9000) takes them into workload-low

1 error in 2 objects of 1 file for Kubernetes 1.34 → kubectl apf explain APF201
`)
  })

  it('names the object where there is no file', () => {
    expect(findingsText(report({ ...LIVE, fix: USUAL.fix }), line(''))).toMatch(
      /^FlowSchema\/shop-reports: info: .* {2}\[APF202\]\n {5}→ did you mean "shop"\?\n/,
    )
  })

  it('leaves out infos on objects that are as their maker makes them', () => {
    const text = findingsText(report({ ...LIVE, maintainedBy: 'built-in' }), line(''))
    expect(text).toBe(`\
1 info in 2 objects of 1 file for Kubernetes 1.34
1 info on objects that are as their maker makes them is not shown (-o wide shows it)
`)
  })

  it('points at the right column behind wide characters', () => {
    const finding = { ...USUAL, column: 9, endColumn: 12, fix: null, note: null }
    expect(findingsText(report(finding), line('name: 日本abc'))).toContain('     |           ^^^\n')
  })

  it('holds nothing that could steer a terminal', () => {
    const text = findingsText(report(HOSTILE), line(EVIL.replaceAll(/[\r\n]/g, '')))
    expect(text.replaceAll('\n', '')).not.toMatch(/[\0-\x1f\x7f-\x9f\u202e]|\p{Cs}/u)
  })
})
