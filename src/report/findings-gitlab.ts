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
      // Paths have to be those of the repository, without a leading ./.
      location: { path: pathOf(finding).replace(/^(?:\.\/)+/, ''), lines: { begin: finding.line ?? 1 } },
    })),
  )
