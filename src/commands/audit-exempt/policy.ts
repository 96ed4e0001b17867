/** `--allow`, `--max-breadth` and `--budget`, and the files that `--allow` names. */
import type { Breadth } from '../../analysis/breadth.ts'
import {
  allowedSubject,
  decodePolicy,
  type ExemptPolicy,
  joinPolicies,
  NO_POLICY,
  SUBJECT_FORMS,
} from '../../analysis/exempt-policy.ts'
import { FieldReader } from '../../analysis/field-reader.ts'
import type { Problem } from '../../apf/problem.ts'
import { readConfigurationFile } from '../../cli/configuration-file.ts'
import { readDocuments } from '../../sources/documents.ts'
import { readInputFile } from '../../sources/input.ts'

export interface PolicyFlagValues {
  allow?: string[] | undefined
  config?: string | undefined
  'max-breadth'?: Breadth | undefined
  budget?: number | undefined
}

/** Without --allow, whom the configuration allows. */
export async function readPolicy(flags: PolicyFlagValues): Promise<{ policy: ExemptPolicy; problems: Problem[] }> {
  let policy: ExemptPolicy = {
    ...NO_POLICY,
    maxBreadth: flags['max-breadth'] ?? null,
    budget: flags.budget ?? null,
  }
  const problems: Problem[] = []
  if (flags.allow === undefined) policy = joinPolicies(policy, await readConfiguredPolicy(flags.config, problems))
  for (const word of flags.allow ?? []) {
    const subject = allowedSubject(word, {})
    const part = subject === null ? await readPolicyFile(word, problems) : { ...NO_POLICY, allow: [subject] }
    policy = joinPolicies(policy, part)
  }
  return { policy, problems }
}

async function readConfiguredPolicy(given: string | undefined, problems: Problem[]): Promise<ExemptPolicy> {
  const { path, configuration, problems: ofFile } = await readConfigurationFile(given)
  problems.push(...ofFile)
  const { allowedExempt } = configuration.options
  if (path === null || allowedExempt === undefined) return NO_POLICY
  const allow = allowedExempt.flatMap((text) => allowedSubject(text, { file: path }) ?? [])
  return { ...NO_POLICY, allow, allowedBy: `allowedExempt of ${path}` }
}

async function readPolicyFile(path: string, problems: Problem[]): Promise<ExemptPolicy> {
  const input = readInputFile(path)
  if ('problem' in input) {
    problems.push({ ...input.problem, fix: `--allow takes a file, or ${SUBJECT_FORMS}` })
    return NO_POLICY
  }
  const { file } = input.source
  const { documents, problems: ofDocuments } = await readDocuments(input.source)
  problems.push(...ofDocuments)
  // A file without a single entry allows nobody.
  let policy: ExemptPolicy = documents.length === 0 ? { ...NO_POLICY, allow: [] } : NO_POLICY
  for (const document of documents) {
    const reader = new FieldReader({ file, locate: (field) => document.locate(field) }, 'policy')
    policy = joinPolicies(policy, decodePolicy(document.value, reader))
    problems.push(...reader.problems)
  }
  return policy
}
