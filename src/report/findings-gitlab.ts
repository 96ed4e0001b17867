/** GitLab's code quality report: a JSON array of issues. */
import { toJson } from './document.ts'
import { type FindingsFormat, pathOf, wholeMessage } from './findings-format.ts'

const SEVERITIES = { error: 'critical', warning: 'major', info: 'info' } as const

export const gitlab: FindingsFormat = (report) =>
  toJson(
    report.findings.map((finding) => ({
      description: `${finding.rule}: ${wholeMessage(finding, report)}`,
      check_name: finding.rule,
      fingerprint: finding.fingerprint,
      severity: SEVERITIES[finding.severity],
      location: { path: pathOf(finding), lines: { begin: finding.line ?? 1 } },
    })),
  )
