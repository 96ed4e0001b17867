/** Findings about the version of the API that an object names, with the way to another one. */
import type { ApfObject } from '../apf/objects.ts'
import { FLOWCONTROL_GROUP } from '../apf/objects.ts'
import { API_VERSIONS, type ApiVersion, newestVersion, type VersionRules } from '../apf/versions.ts'
import { readingFindings } from './reading.ts'
import type { FieldEdit, Finding, LintContext } from './rule.ts'

/** The problems of one code, each with the edits that move the object to the newest version of the target. */
export function* versionFindings(context: LintContext, code: string): Generator<Finding> {
  for (const finding of readingFindings(context, code)) {
    const edits = finding.object === null ? null : movingEdits(finding.object, context.rules)
    yield edits === null || finding.fix === undefined ? finding : { ...finding, fix: { ...finding.fix, edits } }
  }
}

/**
 * Null where another version would mean something else: zero shares are a default in one and zero in the other, and absent
 * ones depend on an annotation.
 */
function movingEdits(object: ApfObject, rules: VersionRules): FieldEdit[] | null {
  const target = replacementOf(object.apiVersion as ApiVersion, rules)
  const version: FieldEdit = { path: ['apiVersion'], set: `${FLOWCONTROL_GROUP}/${target}` }
  if (object.kind === 'FlowSchema') return [version]
  const { sharesField, zeroShares } = API_VERSIONS[object.apiVersion as ApiVersion]
  const path = ['spec', 'limited', sharesField]
  const written = object.origin?.writtenAt?.(path)
  if (written?.text === '0' && API_VERSIONS[target].zeroShares !== zeroShares) return null
  const renamed = API_VERSIONS[target].sharesField
  return written === undefined || renamed === sharesField ? [version] : [version, { path, rename: renamed }]
}

/** The version that takes the place of one that is deprecated, as far as it is served, else the newest. */
function replacementOf(version: ApiVersion, rules: VersionRules): ApiVersion {
  const { replacedBy } = API_VERSIONS[version]
  return replacedBy !== null && rules.servedVersions.includes(replacedBy) ? replacedBy : newestVersion(rules)
}
