/** Results of expectations in the formats of CI systems. */

import { repositoryPath, xmlText } from './findings-format.ts'
import { data, property } from './findings-github.ts'
import { plain } from './findings-markdown.ts'
import type { TestedCase, TestReport } from './test-contract.ts'
import { brokenLines, placeInWords, promiseInWords, resultWord, testVerdict } from './test-text.ts'

export type TestFormat = 'junit' | 'github' | 'markdown'

export function testReportAs(format: TestFormat, report: TestReport): string {
  return { junit, github, markdown }[format](report)
}

/** One suite with a test case for each promise; what cannot be decided is an error there. */
function junit({ cases, summary }: TestReport): string {
  const counts = `tests="${cases.length}" failures="${summary.failed}" errors="${summary.undecided}"`
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="kubectl apf test" ${counts}>`,
    `  <testsuite name="expectations" ${counts}>`,
    ...cases.flatMap(junitCase),
    '  </testsuite>',
    '</testsuites>',
  ]
  return `${lines.join('\n')}\n`
}

function junitCase(tested: TestedCase): string[] {
  const { name, line, passed } = tested
  const file = repositoryPath(tested.file)
  const place = `file="${xmlText(file)}"${line === null ? '' : ` line="${line}"`}`
  const open = `    <testcase classname="${xmlText(file)}" name="${xmlText(name)}" ${place}`
  if (passed === true) return [`${open}/>`]
  const element = passed === null ? 'error' : 'failure'
  const message = tested.problems[0]?.message ?? ''
  return [
    `${open}>`,
    `      <${element} message="${xmlText(message)}">${brokenLines(tested, '->').map(xmlText).join('\n')}</${element}>`,
    '    </testcase>',
  ]
}

/** Workflow commands: an annotation at each promise that does not hold. */
function github({ cases }: TestReport): string {
  return cases
    .filter(({ passed }) => passed !== true)
    .map((tested) => {
      const { file, line, column, name, passed } = tested
      const place = [
        `file=${repositoryPath(file)}`,
        ...(line === null ? [] : [`line=${line}`, `col=${column}`]),
        `title=${name}`,
      ]
      const message = brokenLines(tested, '->').slice(1).map(data).join('%0A')
      return `::${passed === null ? 'warning' : 'error'} ${place.map(property).join(',')}::${message}\n`
    })
    .join('')
}

function markdown(report: TestReport): string {
  const rows = report.cases.map((tested) => {
    const { name, problems, expected } = tested
    const cells = [resultWord(tested), name, promiseInWords(expected), problems[0]?.message ?? '', placeInWords(tested)]
    return `| ${cells.map(plain).join(' | ')} |`
  })
  return [
    `**${testVerdict(report)}**`,
    '',
    '| result | promise | promised | instead | where |',
    '|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n')
}
