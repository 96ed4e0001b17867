/**
 * Who executes in the exempt level, from the dump of requests with their details. Releases before 1.28 list only requests
 * that wait, which exempt ones never do.
 * Source: kubernetes/apiserver pkg/util/flowcontrol/apf_controller_debug.go.
 */
import type { Problem } from '../apf/problem.ts'
import { compareBytes } from '../apf/text.ts'
import { readDump } from './dumps.ts'

/** Requests of one user through one FlowSchema, executing at one moment. */
export interface ExemptUser {
  user: string
  flowSchema: string
  requests: number
}

export type ExemptUsers = { users: ExemptUser[]; problems: Problem[] } | { unavailable: string }

/** Minor in which executing requests came into the dump. */
const EXECUTING_SINCE = 28

/** @param file  how the dump is called in problems */
export function exemptUsers(file: string, text: string, minor: number): ExemptUsers {
  if (minor < EXECUTING_SINCE) {
    return { unavailable: `before 1.${EXECUTING_SINCE} the server does not list requests that execute` }
  }
  const { columns, rows, problems } = readDump(file, text)
  if (!columns.includes('UserName')) return { unavailable: problems[0]?.message ?? 'the dump has no names of users' }
  const counts = new Map<string, ExemptUser>()
  for (const row of rows) {
    if (row['PriorityLevelName'] !== 'exempt') continue
    const user = row['UserName'] ?? ''
    const flowSchema = row['FlowSchemaName'] ?? ''
    const key = JSON.stringify([user, flowSchema])
    counts.set(key, { user, flowSchema, requests: (counts.get(key)?.requests ?? 0) + 1 })
  }
  const users = [...counts.values()].sort(
    (a, b) => compareBytes(a.user, b.user) || compareBytes(a.flowSchema, b.flowSchema),
  )
  return { users, problems }
}
