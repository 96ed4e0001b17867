/** What tells a finding again in another state of the files. */
import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import type { LintFinding } from './contract.ts'

export type ReportedFinding = Omit<LintFinding, 'fingerprint'>

/**
 * Fingerprints that survive shifted lines, renamed files and moved list items: of the rule, the object, the field without the
 * numbers of its items, and the message. Findings that are alike in all that are numbered.
 */
export function fingerprints(findings: readonly ReportedFinding[]): string[] {
  const seen = new Map<string, number>()
  return findings.map(({ rule, object, file, field, message }) => {
    const where = object === null ? basename(file ?? '') : `${object.kind}/${object.name}`
    const identity = JSON.stringify([rule, where, withoutIndexes(field ?? ''), withoutIndexes(message)])
    const count = seen.get(identity) ?? 0
    seen.set(identity, count + 1)
    return createHash('sha256')
      .update(`${identity}${count === 0 ? '' : `#${count}`}`)
      .digest('hex')
      .slice(0, 32)
  })
}

function withoutIndexes(text: string): string {
  return text.replace(/\[\d+\]/g, '[]')
}
