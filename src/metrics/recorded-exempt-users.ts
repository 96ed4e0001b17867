/** Who executed in exempt levels when a server was recorded. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ExemptUsers, exemptUsers } from './exempt-users.ts'

const FILE = 'dump_requests_details.txt'

export function recordedExemptUsers(folder: string, minor: number): ExemptUsers {
  const path = join(folder, FILE)
  try {
    return exemptUsers(path, readFileSync(path, 'utf8'), minor)
  } catch {
    return { unavailable: `there is no ${FILE}` }
  }
}
