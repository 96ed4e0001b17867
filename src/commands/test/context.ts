/** What expectations are held against. */
import { countedObjects } from '../../analysis/counted-objects.ts'
import type { CheckContext } from '../../analysis/expectations/check.ts'
import type { Expectation } from '../../analysis/expectations/model.ts'
import { seatsTold } from '../../analysis/server-account.ts'
import { effectiveConfiguration } from '../../apf/order.ts'
import type { Io } from '../../cli/io.ts'
import { printNotes } from '../../cli/messages.ts'
import { isLive } from '../../cli/source.ts'
import type { ServerState } from '../../metrics/server-state.ts'
import type { ClusterState } from '../../sources/cluster-state.ts'

/** Metrics are read only where a case is about seats: of a live server they may be large. */
export async function contextOf(
  cases: readonly Expectation[],
  state: ClusterState,
  givenSeats: number | undefined,
  io: Io,
): Promise<CheckContext> {
  const configuration = effectiveConfiguration(state.flowSchemas, state.priorityLevels, state.rules)
  const server = cases.some(isAboutSeats) ? await serverOf(state, io) : null
  const told = server === null ? null : seatsTold(server, [...configuration.levels.values()]).value
  return {
    configuration,
    rules: state.rules,
    serverSeats: givenSeats ?? told,
    stored: (request) => (server === null ? null : countedObjects(server, request)),
  }
}

function isAboutSeats(each: Expectation): boolean {
  return each.kind === 'requests' && (each.expected.nominalSeats !== null || each.expected.width !== null)
}

/** The API server as its metrics tell, recorded or live; null where nothing does. */
async function serverOf(state: ClusterState, io: Io): Promise<ServerState | null> {
  const recording = state.recordings?.[0]
  if (recording !== undefined) {
    const { readRecording } = await import('../../metrics/read-recording.ts')
    return readRecording(recording.folder)
  }
  if (!isLive(state)) return null
  const { scrapeServer } = await import('../../cli/scraped-server.ts')
  const scraped = await scrapeServer(state)
  if (!('unavailable' in scraped)) return scraped
  printNotes([`the metrics of the server cannot be read: ${scraped.unavailable}`], false, io)
  return null
}
