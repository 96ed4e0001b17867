/** An audit of exempt levels for a pull request. */
import type { ExemptAudit as Audit } from '../analysis/exempt-audit.ts'
import type { Column } from '../ui/table.ts'
import type { ExemptAudit } from './exempt-audit-contract.ts'
import { type AuditedPart, auditVerdict, danglingColumns, exemptColumns } from './exempt-audit-text.ts'
import { plain } from './findings-markdown.ts'

export function auditMarkdown(document: ExemptAudit, audit: Audit, part: AuditedPart, subject: string | null): string {
  const exempt = document.entries.flatMap((entry, index) => {
    const audited = audit.entries[index]
    return audited === undefined ? [] : [{ entry, audited }]
  })
  const dangling = document.dangling.flatMap((entry, index) => {
    const audited = audit.dangling[index]
    return audited === undefined ? [] : [{ entry, audited }]
  })
  return [
    `**${plain(auditVerdict(document, part, subject).join('; '))}**`,
    ...(exempt.length === 0 ? [] : ['', ...table(exemptColumns(document, audit.bypass, true), exempt)]),
    ...(dangling.length === 0 ? [] : ['', ...table(danglingColumns(audit.bypass, true), dangling)]),
    '',
  ].join('\n')
}

function table<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string[] {
  return [
    `| ${columns.map(({ header }) => header.toLowerCase()).join(' | ')} |`,
    `|${columns.map(({ align }) => (align === 'right' ? '---:|' : '---|')).join('')}`,
    ...rows.map((row) => `| ${columns.map(({ value }) => plain(String(value(row)))).join(' | ')} |`),
  ]
}
