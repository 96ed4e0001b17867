/** Who executes in exempt levels now, on the server that answers. */
import { type ExemptUsers, exemptUsers } from '../../metrics/exempt-users.ts'
import { isFault } from './exchange.ts'
import type { LiveState } from './open.ts'

const DUMP_PATH = '/debug/api_priority_and_fairness/dump_requests'

export async function exemptUsersOn({ live, rules }: LiveState): Promise<ExemptUsers> {
  const reply = await live.client.send('GET', `${DUMP_PATH}?includeRequestDetails=1`, {
    accept: '*/*',
    takeThrottling: true,
  })
  if (isFault(reply)) return { unavailable: `no answer (${reply.fault})` }
  if (reply.status === 403) return { unavailable: `reading ${DUMP_PATH} is forbidden` }
  if (reply.status !== 200) return { unavailable: `the server answered ${reply.status} to ${DUMP_PATH}` }
  return exemptUsers(DUMP_PATH, reply.body, rules.minor)
}
