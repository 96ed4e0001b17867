/** The server's word on our own requests: the headers of the answers that we get anyway. */
import type { OwnRequest } from '../report/contract.ts'
import { landingInWords } from '../report/verification.ts'
import type { LiveState } from '../sources/live/open.ts'

/** Where the server has put our own GETs, by the headers of its answers. */
export function ownLandings({ live, flowSchemas, priorityLevels }: LiveState): OwnRequest[] {
  return live.ownRequests.map(({ path, status, headers }) => ({
    path,
    httpStatus: status,
    flowSchema: nameOf(flowSchemas, headers.flowSchemaUID),
    priorityLevel: live.levelsUnknown === null ? nameOf(priorityLevels, headers.priorityLevelUID) : null,
    flowSchemaUID: headers.flowSchemaUID,
    priorityLevelUID: headers.priorityLevelUID,
  }))
}

function nameOf(objects: readonly { metadata: { name: string; uid: string | null } }[], uid: string | null) {
  if (uid === null || uid === '') return null
  return objects.find(({ metadata }) => metadata.uid === uid)?.metadata.name ?? null
}

/** Our own requests in one line, those that land alike together; null without headers. */
export function ownRequestsInWords(landings: readonly OwnRequest[]): string | null {
  const paths = new Map<string, string[]>()
  for (const own of landings) {
    if (own.flowSchemaUID === null) continue
    const where = landingInWords(own)
    paths.set(where, [...(paths.get(where) ?? []), shortened(own.path)])
  }
  if (paths.size === 0) return null
  return [...paths].map(([where, gets]) => `GET ${gets.join(', ')} landed in ${where}`).join('; ')
}

function shortened(path: string): string {
  return path.startsWith('/apis/') ? path.slice(path.lastIndexOf('/') + 1) : path
}
