/** JUnit XML: a suite for each file, a test case for each finding, one that passes for a file without any. */
import type { Findings, LintFinding } from './contract.ts'
import { byFile, type FindingsContext, type FindingsFormat, wholeMessage, xmlText } from './findings-format.ts'

export const junit: FindingsFormat = (report, context) => {
  const suites = [...byFile(report, context.files)].map(([file, findings]) => suite(file, findings, report, context))
  const { tests, failures } = sums(suites)
  const body = suites.map(({ xml }) => xml).join('')
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="kubectl apf ${context.command}" tests="${tests}" failures="${failures}" errors="0">\n${body}</testsuites>\n`
}

interface Suite {
  tests: number
  failures: number
  xml: string
}

function sums(suites: readonly Suite[]): { tests: number; failures: number } {
  return suites.reduce((sum, suite) => ({ tests: sum.tests + suite.tests, failures: sum.failures + suite.failures }), {
    tests: 0,
    failures: 0,
  })
}

function suite(file: string, findings: readonly LintFinding[], report: Findings, context: FindingsContext): Suite {
  const name = xmlText(file)
  const failures = findings.filter(({ severity }) => context.fails(severity)).length
  const tests = Math.max(1, findings.length)
  const cases =
    findings.length === 0
      ? `    <testcase name="no findings" classname="${name}" time="0"/>\n`
      : findings.map((finding) => testCase(finding, name, report, context)).join('')
  const xml = `  <testsuite name="${name}" tests="${tests}" failures="${failures}" errors="0" skipped="0" time="0">\n${cases}  </testsuite>\n`
  return { tests, failures, xml }
}

/** Findings below the threshold pass, and say what they found. */
function testCase(finding: LintFinding, suiteName: string, report: Findings, { fails }: FindingsContext): string {
  const { rule, name, severity, line, column, object } = finding
  const place = [line, column].filter((part) => part !== null).join(':')
  const title = [`${rule} ${name}`, ...(object === null ? [] : [object.name]), ...(place === '' ? [] : [place])].join(
    ' ',
  )
  const message = xmlText(wholeMessage(finding, report))
  const content = fails(severity)
    ? `<failure message="${message}" type="${severity}">${suiteName}${place === '' ? '' : `:${place}`}: ${message}</failure>`
    : `<system-out>${severity}: ${message}</system-out>`
  const attributes = `name="${xmlText(title)}" classname="${suiteName}" time="0"`
  return `    <testcase ${attributes}>\n      ${content}\n    </testcase>\n`
}
