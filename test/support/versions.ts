import { resolveVersion, type VersionRules } from '../../src/apf/versions.ts'

/** The rules of a version that is known to be known. */
export function versionRules(text: string): VersionRules {
  const version = resolveVersion(text)
  if (!version.known) throw new Error(`unknown version ${text}`)
  return version.rules
}
