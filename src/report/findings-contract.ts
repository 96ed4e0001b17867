/** The document of `lint`. */
import type { Finding, Source } from './contract.ts'

/** What is wrong or risky in the given objects. */
export interface Findings {
  apiVersion: 'apf.kubectl/v1alpha1'
  kind: 'Findings'
  source: Source
  /** By file, line and column. */
  findings: LintFinding[]
  summary: FindingsSummary
}

export interface LintFinding extends Finding {
  /** Of the rule, such as `dangling`. */
  name: string
  /** What happens because of it, or the proof; null where the message says it all. */
  note: string | null
  /** Minors of Kubernetes for which it was found, oldest first. */
  targets: string[]
  /** Where what is meant ends, in the same line; null where it goes on, or is not known. */
  endColumn: number | null
  /** The same for the same finding in another state of the files, lines shifted. */
  fingerprint: string
  /** `built-in`, or the name of a provider, where the object is as its maker makes it; null for one of ours. */
  maintainedBy: string | null
}

export interface FindingsSummary {
  errors: number
  warnings: number
  infos: number
  /** Findings left out because a comment or an annotation says so. */
  suppressed: number
  /** Findings left out because the base of --diff-base has them too; null without a base. */
  known: number | null
  /** Files, and objects, that were looked at. */
  files: number
  objects: number
  /** Minors of Kubernetes, oldest first. */
  targets: string[]
  /** Newest version of the API that all targets serve; null where there is none. */
  newestCommonApiVersion: string | null
}
