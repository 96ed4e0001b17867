/** SARIF 2.1.0, for code scanning. */
import type { Edit, LintFinding } from './contract.ts'
import { toJson } from './document.ts'
import { type FindingsFormat, type RuleHelp, repositoryPath, wholeMessage } from './findings-format.ts'

const SCHEMA = 'https://json.schemastore.org/sarif-2.1.0.json'
const LEVELS = { error: 'error', warning: 'warning', info: 'note' } as const

export const sarif: FindingsFormat = (report, { version, rules }) =>
  toJson({
    $schema: SCHEMA,
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'kubectl-apf', version, rules: rules.map(ruleDescriptor) } },
        columnKind: 'utf16CodeUnits',
        results: report.findings.map((finding) => ({
          ruleId: finding.rule,
          ruleIndex: rules.findIndex(({ id }) => id === finding.rule),
          level: LEVELS[finding.severity],
          message: { text: wholeMessage(finding, report) },
          locations: [location(finding)],
          partialFingerprints: { 'apfFinding/v1': finding.fingerprint },
          ...fixes(finding),
        })),
      },
    ],
  })

function ruleDescriptor({ id, name, severity, summary, page }: RuleHelp): object {
  return {
    id,
    name,
    shortDescription: { text: summary },
    fullDescription: { text: `${summary}.` },
    help: { text: page, markdown: page },
    defaultConfiguration: { level: LEVELS[severity] },
  }
}

function location({ file, line, column, endColumn, object, field }: LintFinding): object {
  const name = object === null ? null : `${object.kind}/${object.name}`
  const logical =
    name === null ? [] : [{ fullyQualifiedName: field === null ? name : `${name}/${field}`, kind: 'object' }]
  if (file === null) return { logicalLocations: logical }
  const region = {
    startLine: line ?? 1,
    ...(column !== null && { startColumn: column }),
    ...(endColumn !== null && { endColumn }),
  }
  return { physicalLocation: { artifactLocation: artifact(file), region }, logicalLocations: logical }
}

/** A path as the reference that a URI has to be. */
function artifact(file: string): { uri: string } {
  const path = repositoryPath(file)
  const encoded = path.split('/').map(encodePathSegment).join('/')
  return { uri: path.startsWith('/') ? `file://${encoded}` : encoded }
}

function encodePathSegment(segment: string): string {
  // Half a character cannot be encoded.
  return encodeURIComponent(segment.replace(/\p{Cs}/gu, '\ufffd'))
}

function fixes({ fix }: LintFinding): object {
  if (fix === null || fix.edits.length === 0) return {}
  const files = [...new Set(fix.edits.map(({ file }) => file))]
  const artifactChanges = files.map((file) => ({
    artifactLocation: artifact(file),
    replacements: fix.edits.filter((edit) => edit.file === file).map(replacement),
  }))
  return { fixes: [{ description: { text: fix.text }, artifactChanges }] }
}

function replacement({ range: { start, end }, newText }: Edit): object {
  return {
    deletedRegion: { startLine: start.line, startColumn: start.column, endLine: end.line, endColumn: end.column },
    ...(newText !== '' && { insertedContent: { text: newText } }),
  }
}
