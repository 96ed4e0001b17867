/** What the metrics of a live server add to answers whose cost depends on them. Loaded only where one does. */
import type { Unknown } from '../../analysis/whereis.ts'
import { observe } from '../../metrics/observe.ts'
import { scrape } from '../../sources/live/ask-servers.ts'
import type { LiveState } from '../../sources/live/open.ts'
import { serverName } from '../../sources/live/servers.ts'
import type { Asked } from './context.ts'
import { withServer } from './with-server.ts'

export interface Measured {
  asked: Asked
  /** Why the metrics do not tell what the cost depends on. */
  unknowns: Unknown[]
}

/**
 * The same question with the seats and the numbers of objects in the metrics of the server, as far as they were not given.
 * Costs one GET; a server too busy for it is not asked again.
 */
export async function withLiveMetrics(asked: Asked, { live, serverVersion }: LiveState): Promise<Measured> {
  const name = serverName(live.server, [])
  const scraped = await scrape(name, live.client, { takeThrottling: true })
  if ('unavailable' in scraped) {
    return { asked, unknowns: [unknown(`cannot be read: ${scraped.unavailable}`)] }
  }
  const server = observe({
    name,
    address: live.server,
    version: serverVersion.basis === 'assumed-newest' ? null : serverVersion.text.replace(/^v/, ''),
    metrics: scraped.process,
    levelDump: { unavailable: 'it was not asked for' },
    mode: {},
    problems: scraped.problems,
  })
  const told = withServer(asked, server)
  return { asked: told, unknowns: server.storedObjects.size > 0 ? [] : [unknown('tell of no stored objects')] }
}

function unknown(why: string): Unknown {
  return { code: 'metrics', message: `The metrics of the server, which the cost depends on, ${why}.` }
}
