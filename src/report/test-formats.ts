/** Results of expectations in the formats of CI systems. */

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
  const { name, file, line, passed } = tested
  const place = `file="${xml(file)}"${line === null ? '' : ` line="${line}"`}`
  const open = `    <testcase classname="${xml(file)}" name="${xml(name)}" ${place}`
  if (passed === true) return [`${open}/>`]
  const element = passed === null ? 'error' : 'failure'
  const message = tested.problems[0]?.message ?? ''
  return [
    `${open}>`,
    `      <${element} message="${xml(message)}">${xml(brokenLines(tested, '->').join('\n'))}</${element}>`,
    '    </testcase>',
  ]
}

/** Characters that XML 1.0 has no place for become U+FFFD. */
function xml(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replace(/[&<>"\n]/g, (found) => `&#${found.charCodeAt(0)};`)
}

/** Workflow commands: an annotation at each promise that does not hold. */
function github({ cases }: TestReport): string {
  return cases
    .filter(({ passed }) => passed !== true)
    .map((tested) => {
      const { file, line, column, name, passed } = tested
      const place = [`file=${file}`, ...(line === null ? [] : [`line=${line}`, `col=${column}`]), `title=${name}`]
      const message = brokenLines(tested, '->').slice(1).join('\n')
      return `::${passed === null ? 'warning' : 'error'} ${place.map(commandProperty).join(',')}::${commandData(message)}\n`
    })
    .join('')
}

function commandData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

/** The name of a property ends at the first `=`. */
function commandProperty(text: string): string {
  return commandData(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}

function markdown(report: TestReport): string {
  const rows = report.cases.map((tested) => {
    const { name, problems, expected } = tested
    const cells = [resultWord(tested), name, promiseInWords(expected), problems[0]?.message ?? '', placeInWords(tested)]
    return `| ${cells.map(markdownCell).join(' | ')} |`
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

function markdownCell(text: string): string {
  return text.replace(/[\r\n]+/g, ' ').replace(/[\\|`*_<>[\]&]/g, '\\$&')
}
