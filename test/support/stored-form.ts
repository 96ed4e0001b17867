/** What a server has stored, as it returns it, without what differs from run to run. */
import { encodeObject } from '../../src/apf/encode.ts'
import type { ApfObject } from '../../src/apf/objects.ts'
import { API_VERSIONS, type ApiVersion, type VersionRules } from '../../src/apf/versions.ts'

/** @param apiVersion  with its group: the version in which the object was sent */
export function storedForm(stored: ApfObject, apiVersion: string, rules: VersionRules): object {
  const version = Object.keys(API_VERSIONS).find((known) => apiVersion.endsWith(`/${known}`)) as ApiVersion
  const encoded = encodeObject(stored, version, rules)
  const { generation, generateName } = stored.metadata
  const metadata = { ...encoded.metadata, generation, ...(generateName !== undefined && { generateName }) }
  return { ...encoded, metadata, status: stored.kind === 'FlowSchema' ? stored.status : {} }
}

/** Without nulls and empty lists, which are as good as absent. */
export function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(
    ([, content]) => content !== null && !(Array.isArray(content) && content.length === 0),
  )
  return Object.fromEntries(entries.map(([key, content]) => [key, withoutEmpty(content)]))
}

/** The value in errors of the fixed spec is incidental. */
export function withoutSpec(message: string): string {
  return message.replace(/Invalid value: .*?: (?=spec of ')/s, '')
}
