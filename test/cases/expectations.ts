/** What a case may demand of an answer, as test/cases/data/README.md describes it. */
export interface Expectations {
  jsonlSubset?: Record<string, unknown>[]
  jsonSubset?: unknown
  findings?: FindingPattern[]
  noFindingsOn?: string[]
  stdoutMatches?: string[]
  stdoutNotMatches?: string[]
  stderrMatches?: string[]
}

interface FindingPattern {
  rulePrefix?: string
  objectName?: string
  severity?: string[]
  messageMatches?: string
}

interface Finding {
  rule: string
  severity: string
  message: string
  object: { name: string } | null
}

interface Output {
  stdout: string
  stderr: string
}

/** A member of `expect` does not hold. @returns what is missing, in words; [] when everything holds */
export function unmet(expected: Expectations, { stdout, stderr }: Output): string[] {
  const missing: string[] = []
  if (expected.jsonlSubset) missing.push(...unmetLines(expected.jsonlSubset, jsonLines(stdout)))
  if (expected.jsonSubset !== undefined) missing.push(...unmetSubset(expected.jsonSubset, parsed(stdout), '$'))
  if (expected.findings) missing.push(...unmetFindings(expected.findings, findingsOf(stdout)))
  if (expected.noFindingsOn) missing.push(...unwantedFindings(expected.noFindingsOn, findingsOf(stdout)))
  const patterns = [
    ...(expected.stdoutMatches ?? []).map((source) => ({ source, text: stdout, wanted: true })),
    ...(expected.stdoutNotMatches ?? []).map((source) => ({ source, text: stdout, wanted: false })),
    ...(expected.stderrMatches ?? []).map((source) => ({ source, text: stderr, wanted: true })),
  ]
  for (const { source, text, wanted } of patterns) {
    if (new RegExp(source, 'im').test(text) !== wanted) missing.push(`${wanted ? 'no' : 'unwanted'} match of ${source}`)
  }
  return missing
}

function jsonLines(text: string): unknown[] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(parsed)
}

/** The value of a JSON text; undefined, which no expectation accepts, for any other text. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function unmetLines(expected: readonly Record<string, unknown>[], actual: readonly unknown[]): string[] {
  if (expected.length !== actual.length) return [`${actual.length} lines, not ${expected.length}`]
  return expected.flatMap((entry, i) => unmetSubset(entry, actual[i], `line ${i + 1}`))
}

/** Arrays of plain values agree in order; of an array with objects each is found in the actual array. */
function unmetSubset(expected: unknown, actual: unknown, at: string): string[] {
  if (expected === '*') return actual === null || actual === undefined ? [`${at} is not there`] : []
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual)) return [`${at} is no array`]
    if (!expected.some(isObject)) {
      return JSON.stringify(expected) === JSON.stringify(actual) ? [] : [`${at} is ${JSON.stringify(actual)}`]
    }
    return expected
      .filter((wanted) => !actual.some((candidate) => unmetSubset(wanted, candidate, '').length === 0))
      .map((wanted) => `${at} has no ${JSON.stringify(wanted)}`)
  }
  if (isObject(expected)) {
    if (!isObject(actual)) return [`${at} is ${JSON.stringify(actual)}`]
    return Object.entries(expected).flatMap(([key, value]) => unmetSubset(value, actual[key], `${at}.${key}`))
  }
  return expected === actual ? [] : [`${at} is ${JSON.stringify(actual)}, not ${JSON.stringify(expected)}`]
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function findingsOf(stdout: string): Finding[] | null {
  const document = parsed(stdout)
  return isObject(document) && Array.isArray(document['findings']) ? document['findings'] : null
}

function unmetFindings(expected: readonly FindingPattern[], actual: readonly Finding[] | null): string[] {
  if (actual === null) return ['no findings on stdout']
  return expected
    .filter((pattern) => !actual.some((finding) => fits(finding, pattern)))
    .map((pattern) => `no finding ${JSON.stringify(pattern)}`)
}

function fits(
  { rule, severity, message, object }: Finding,
  { rulePrefix = '', objectName, severity: severities, messageMatches = '' }: FindingPattern,
): boolean {
  return (
    rule.toLowerCase().startsWith(rulePrefix.toLowerCase()) &&
    (objectName === undefined || object?.name.toLowerCase() === objectName.toLowerCase()) &&
    (severities === undefined || severities.includes(severity)) &&
    new RegExp(messageMatches, 'i').test(message)
  )
}

function unwantedFindings(names: readonly string[], actual: readonly Finding[] | null): string[] {
  if (actual === null) return ['no findings on stdout']
  return actual
    .filter(({ severity }) => severity !== 'info')
    .filter(({ object }) => names.includes('*') || (object !== null && names.includes(object.name)))
    .map((finding) => `unwanted finding ${JSON.stringify(finding)}`)
}
