/** What the metrics of a live server add to answers whose cost depends on them. Loaded only where one does. */
import type { Unknown } from '../../analysis/whereis.ts'
import { scrapeServer } from '../../cli/scraped-server.ts'
import type { LiveState } from '../../sources/live/open.ts'
import type { Asked } from './context.ts'
import { withServer } from './with-server.ts'

export interface Measured {
  asked: Asked
  /** Why the metrics do not tell what the cost depends on. */
  unknowns: Unknown[]
}

/**
 * The same question with the seats and the numbers of objects in the metrics of the server, as far as they were not given.
 */
export async function withLiveMetrics(asked: Asked, state: LiveState): Promise<Measured> {
  const server = await scrapeServer(state)
  if ('unavailable' in server) return { asked, unknowns: [unknown(`cannot be read: ${server.unavailable}`)] }
  const told = withServer(asked, server)
  return { asked: told, unknowns: server.storedObjects.size > 0 ? [] : [unknown('tell of no stored objects')] }
}

function unknown(why: string): Unknown {
  return { code: 'metrics', message: `The metrics of the server, which the cost depends on, ${why}.` }
}
