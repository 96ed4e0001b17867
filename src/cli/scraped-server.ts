/** The API server of a live state as its metrics tell. Costs one GET, whose answer may be large. */
import { observe } from '../metrics/observe.ts'
import type { ServerState } from '../metrics/server-state.ts'
import { scrape } from '../sources/live/ask-servers.ts'
import type { LiveState } from '../sources/live/open.ts'
import { serverName } from '../sources/live/servers.ts'

/** A server too busy for it is not asked again. */
export async function scrapeServer({ live, serverVersion }: LiveState): Promise<ServerState | { unavailable: string }> {
  const name = serverName(live.server, [])
  const scraped = await scrape(name, live.client, { takeThrottling: true })
  if ('unavailable' in scraped) return scraped
  return observe({
    name,
    address: live.server,
    version: serverVersion.basis === 'assumed-newest' ? null : serverVersion.text.replace(/^v/, ''),
    metrics: scraped.process,
    levelDump: { unavailable: 'it was not asked for' },
    mode: {},
    problems: scraped.problems,
  })
}
