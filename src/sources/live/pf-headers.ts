/** What a server writes into every answer that has passed APF: the UIDs of the schema and the level. */
import { FLOW_SCHEMA_UID_HEADER, PRIORITY_LEVEL_UID_HEADER } from '../../apf/response-headers.ts'
import type { ReplyHeaders } from './exchange.ts'

export interface PfHeaders {
  /** Null: no such header. '' is a stand-in of the server's, which has no object. */
  flowSchemaUID: string | null
  priorityLevelUID: string | null
  /** Two values: an aggregated API server has added its own behind those of the server we asked, which are the first. */
  fromBackendToo: boolean
}

export function readPfHeaders(headers: ReplyHeaders): PfHeaders {
  const schema = headers.values(FLOW_SCHEMA_UID_HEADER).flatMap(splitJoined)
  const level = headers.values(PRIORITY_LEVEL_UID_HEADER).flatMap(splitJoined)
  return {
    flowSchemaUID: schema[0] ?? null,
    priorityLevelUID: level[0] ?? null,
    fromBackendToo: schema.length > 1,
  }
}

/** A proxy may join two lines into one; no UID holds a comma. */
function splitJoined(value: string): string[] {
  return value.split(',').map((part) => part.trim())
}
