/** What is outside of the policy as findings, as `lint` reports them. */
import { minorText, type VersionRules } from '../../apf/versions.ts'
import exemptBound from '../../lint/rules/apf202-exempt-bound.ts'
import { API_VERSION, type ExemptAudit, type Findings } from '../../report/contract.ts'
import { fingerprints } from '../../report/fingerprint.ts'

/** The findings of an audit as the document of `lint`, so that every format of findings takes them. */
export function auditFindings({ source, entries, dangling, findings }: ExemptAudit, rules: VersionRules): Findings {
  const targets = [minorText(rules.minor)]
  const found = findings.map((finding) => ({
    ...finding,
    name: exemptBound.name,
    note: null,
    targets,
    endColumn: null,
    maintainedBy: null,
  }))
  const marks = fingerprints(found)
  return {
    apiVersion: API_VERSION,
    kind: 'Findings',
    source,
    findings: found.map((finding, index) => ({ ...finding, fingerprint: marks[index] ?? '' })),
    summary: {
      errors: found.length,
      warnings: 0,
      infos: 0,
      suppressed: 0,
      known: null,
      files: filesOf([...entries, ...dangling]).length,
      objects: new Set([...entries, ...dangling].map(({ flowSchema }) => flowSchema)).size,
      targets,
      newestCommonApiVersion: null,
    },
  }
}

/** Of the audited FlowSchemas that are not the server's own, each once. */
export function filesOf(audited: readonly Pick<ExemptAudit['entries'][number], 'file' | 'maintainedBy'>[]): string[] {
  return [
    ...new Set(audited.flatMap(({ file, maintainedBy }) => (file === null || maintainedBy !== null ? [] : [file]))),
  ]
}
