/** What lint looks at besides the objects of fairness: API servers, and what they call on the way of a request. */
import { seatsTold } from '../../analysis/server-account.ts'
import { rulesOfServer, type StatusOfServer } from '../../analysis/status.ts'
import type { PriorityLevelConfiguration } from '../../apf/objects.ts'
import type { Io } from '../../cli/io.ts'
import { printNotes, printProblems } from '../../cli/messages.ts'
import type { Evidence } from '../../lint/rule.ts'
import type { ServerState } from '../../metrics/server-state.ts'
import type { Recording } from '../../sources/files.ts'
import type { LiveState } from '../../sources/live/open.ts'

/** Asks every API server of a cluster that can be asked. What may not be read is a note. */
export async function liveEvidence(
  state: LiveState,
  flags: { quiet: boolean },
  io: Io,
): Promise<{ evidence: Evidence; notes: string[] }> {
  const { connection, levelsUnknown } = state.live
  printNotes(['reading the metrics of the API servers'], flags.quiet, io)
  const { askServers } = await import('../../sources/live/ask-servers.ts')
  const { listBackends } = await import('../../sources/live/backends.ts')
  const { observe } = await import('../../metrics/observe.ts')
  const ask = { allServers: 'auto', urls: [], intervalMs: null, sleep: async () => {} } as const
  const [{ readings, unreachable }, backends] = await Promise.all([
    askServers(connection, ask),
    listBackends(connection.client),
  ])
  const servers = readings.map(({ observations }) => observe(observations))
  for (const { problems } of servers) printProblems(problems, io)
  const levels = levelsUnknown === null ? state.priorityLevels : null
  return {
    evidence: {
      release: state.rules,
      servers: withSeats(servers, levels),
      readAt: Date.now() / 1000,
      backends: backends.objects,
    },
    notes: [...unread(servers, unreachable), ...backends.notes],
  }
}

/** What was not read, with the reason. */
function unread(servers: readonly ServerState[], unreachable: readonly { name: string; why: string }[]): string[] {
  return [
    ...unreachable.map(({ name, why }) => `${name} not asked: ${why}`),
    ...servers.flatMap(({ name, unknown }) =>
      unknown.filter(({ field }) => field === 'metrics').map(({ why }) => `no metrics of ${name}: ${why}`),
    ),
  ]
}

export interface RecordedFrom extends Pick<Evidence, 'release' | 'backends'> {
  recordings: readonly Recording[]
  /** The levels of the recorded servers; null where the objects are of elsewhere. */
  levels: readonly PriorityLevelConfiguration[] | null
}

/** What recordings hold of their servers. When that was they do not tell. */
export async function recordedEvidence(
  { recordings, levels, release, backends }: RecordedFrom,
  io: Io,
): Promise<Evidence> {
  const { readRecording } = await import('../../metrics/read-recording.ts')
  const servers: ServerState[] = []
  for (const { folder } of recordings) servers.push(await readRecording(folder))
  for (const { problems } of servers) printProblems(problems, io)
  return { release, servers: withSeats(servers, levels), readAt: null, backends }
}

function withSeats(
  servers: readonly ServerState[],
  levels: readonly PriorityLevelConfiguration[] | null,
): StatusOfServer[] {
  return servers.map((server) => ({ server, rules: rulesOfServer(server), limit: seatsTold(server, levels) }))
}
