/** The flow control API of one server: its version, and the newest form in which it serves the objects. */

import { FLOWCONTROL_GROUP } from '../../apf/objects.ts'
import {
  API_VERSIONS,
  type ApiVersion,
  type KnownVersion,
  minorText,
  NEWEST_MINOR,
  OLDEST_MINOR,
  resolveVersion,
  rulesFor,
  type ServerVersion,
  versionFromVersionJson,
} from '../../apf/versions.ts'
import { type SourceFailure, unanswered } from '../failure.ts'
import type { Client } from './client.ts'
import { type Fault, isFault, type Reply } from './exchange.ts'
import { bodyOf } from './status.ts'

export const GROUP_PATH = `/apis/${FLOWCONTROL_GROUP}`

/** Path of a collection, such as that of all FlowSchemas. */
export function collectionPath(version: ApiVersion, resource: 'flowschemas' | 'prioritylevelconfigurations'): string {
  return `${GROUP_PATH}/${version}/${resource}`
}

export interface VersionInForce extends KnownVersion {
  basis: 'given' | 'read' | 'assumed-newest'
}

/**
 * The version from the answer to GET /version.
 * @param given  of `--server-version`, for a server that does not tell
 */
export function versionOf(reply: Reply | Fault, given: KnownVersion | null): VersionInForce | SourceFailure {
  const read = readVersion(reply)
  if (read === null) {
    if (given !== null) return { ...given, basis: 'given' }
    const rules = rulesFor({ minor: NEWEST_MINOR })
    return { known: true, rules, text: minorText(NEWEST_MINOR), newerThanKnown: false, basis: 'assumed-newest' }
  }
  const resolved = resolveVersion(read)
  if (resolved.known) return { ...resolved, basis: 'read' }
  const why = `APF is an alpha feature there; known are ${minorText(OLDEST_MINOR)} to ${minorText(NEWEST_MINOR)}`
  return unanswered(
    `the server is Kubernetes ${read.text}`,
    why,
    `the rules of ${minorText(OLDEST_MINOR)} are the nearest: --defaults ${minorText(OLDEST_MINOR)}`,
  )
}

function readVersion(reply: Reply | Fault): ServerVersion | null {
  if (isFault(reply) || reply.status !== 200) return null
  const body = bodyOf(reply)
  return body.kind === 'json' ? versionFromVersionJson(body.value) : null
}

/**
 * The newest version of the group that the server says it serves.
 * @returns null where it does not serve the group, or the answer that was no answer
 */
export async function servedVersion(client: Client): Promise<ApiVersion | null | Reply | Fault> {
  const reply = await client.send('GET', GROUP_PATH)
  if (isFault(reply)) return reply
  if (reply.status === 404) return null
  const body = bodyOf(reply)
  const listed = body.kind === 'json' ? body.value['versions'] : undefined
  if (reply.status !== 200 || !Array.isArray(listed)) return reply
  const names = new Set(
    listed.map((entry: unknown) => (typeof entry === 'object' && entry !== null ? Reflect.get(entry, 'version') : '')),
  )
  return NEWEST_FIRST.find((version) => names.has(version)) ?? null
}

const NEWEST_FIRST = newestFirst()

function newestFirst(): ApiVersion[] {
  const order: ApiVersion[] = ['v1', 'v1beta3', 'v1beta2', 'v1beta1', 'v1alpha1']
  return order.filter((version) => version in API_VERSIONS)
}

/** 404 of the whole group: the API is switched off, or something else than an API server answers. */
export function groupIsMissing(version: VersionInForce, server: string): SourceFailure {
  if (version.basis !== 'read') {
    return unanswered(
      `${server} has no API group ${FLOWCONTROL_GROUP} (404)`,
      'it does not tell its version either: this may be no API server',
      'check server: of the cluster',
    )
  }
  return unanswered(
    `the server has no API group ${FLOWCONTROL_GROUP} (404)`,
    `it is ${version.text}, which has it: the API is switched off (--runtime-config or a feature gate)`,
    `with APF on, fresh objects would be those of --defaults ${minorText(version.rules.minor)}`,
  )
}
