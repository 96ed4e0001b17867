/** From flags to the API servers that an answer is about, with the objects that they share. */
import { type RejectionRates, rejectionRates } from '../analysis/server-account.ts'
import type { Problem } from '../apf/problem.ts'
import type { ServerState } from '../metrics/server-state.ts'
import type { Coverage } from '../report/contract.ts'
import type { ClusterState } from '../sources/cluster-state.ts'
import { isSourceFailure, type SourceFailure } from '../sources/failure.ts'
import type { ServerReading } from '../sources/live/ask-servers.ts'
import { parseDuration } from '../sources/live/duration.ts'
import type { AllServers } from '../sources/live/servers.ts'
import { givenVersion } from '../sources/open.ts'
import type { ConnectionPurpose } from './connection.ts'
import { CliError, EXIT, type ExitCode, usageError, worstExit } from './errors.ts'
import type { Io } from './io.ts'
import { printNotes, printProblems } from './messages.ts'
import { announce, exitCodeOf, liveOptions, offlineSource, type SourceFlagValues, withState } from './source.ts'

export interface ServerFlagValues extends SourceFlagValues {
  'all-servers'?: AllServers | undefined
  apiserver?: string[] | undefined
  interval?: string | undefined
}

/** What was read of one API server. */
export interface SeenServer {
  state: ServerState
  /** Null without a second sample of the same process. */
  rates: RejectionRates | null
  /** Versions of the flow control API, the preferred one first; null where it was not told. */
  apfVersions: string[] | null
}

export interface ServersSeen {
  /** The objects; null where there are none to read, or they could not be read. */
  state: ClusterState | null
  /** Why they could not be read. */
  failure: SourceFailure | null
  /** Empty where nothing of a running server was read. */
  servers: SeenServer[]
  coverage: Coverage
}

const NO_SERVER: Coverage = { reached: 0, total: null, unreachable: [] }

/**
 * Opens the source of a command and reads what there is of the API servers, uses both, and closes them.
 * @throws CliError where nothing could be read
 */
export async function withServers(
  flags: ServerFlagValues,
  purpose: ConnectionPurpose,
  io: Io,
  use: (seen: ServersSeen) => Promise<ExitCode>,
): Promise<ExitCode> {
  const source = offlineSource(flags)
  if (source === null) return withLiveServers(flags, purpose, io, use)
  for (const name of ['all-servers', 'apiserver', 'interval'] as const) {
    if (flags[name] !== undefined) {
      throw usageError(`--${name} with ${source}`, `with ${source} no server is asked`, 'leave one of them out')
    }
  }
  if (source === '--metrics') {
    // No objects: still the flags that name a server are refused.
    await liveOptions(flags, purpose, io)
    return useSaved(null, flags, io, use)
  }
  return withState(flags, purpose, io, (state) => useSaved(state, flags, io, use))
}

// Saved

async function useSaved(
  state: ClusterState | null,
  flags: ServerFlagValues,
  io: Io,
  use: (seen: ServersSeen) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { states, problems } = await readSaved(state, flags)
  printProblems(problems, io)
  for (const server of states) printProblems(server.problems, io)
  if (states.length === 0 && problems.length > 0) return exitOf(problems)
  const servers = states.map((server) => ({ state: server, rates: null, apfVersions: null }))
  const answer = await use({
    state,
    failure: null,
    servers,
    coverage: states.length === 0 ? NO_SERVER : covered(states.length),
  })
  return worstExit(answer, exitOf(problems), ...states.map((server) => exitOf(server.problems)))
}

/** Recordings among what --from names, then the files of --metrics. */
async function readSaved(state: ClusterState | null, flags: ServerFlagValues) {
  const files = flags.metrics ?? []
  const recordings = state?.recordings ?? []
  const states: ServerState[] = []
  const problems: Problem[] = []
  if (recordings.length > 0) {
    const { readRecording } = await import('../metrics/read-recording.ts')
    for (const { folder } of recordings) states.push(await readRecording(folder))
  }
  if (files.length > 0) {
    const { readMetricsFiles } = await import('../sources/metrics-files.ts')
    const { observe } = await import('../metrics/observe.ts')
    const saved = await readMetricsFiles(files)
    states.push(...saved.observed.map(observe))
    problems.push(...saved.problems)
  }
  return { states, problems }
}

/** How many servers there are is not known of files. */
function covered(reached: number): Coverage {
  return { reached, total: null, unreachable: [] }
}

function exitOf(problems: readonly Problem[]): ExitCode {
  return problems.some(({ severity }) => severity === 'error') ? EXIT.usage : EXIT.ok
}

async function seenServer({ observations, later, apfVersions }: ServerReading): Promise<SeenServer> {
  const { observe } = await import('../metrics/observe.ts')
  const first = observe(observations)
  if (later === null) return { state: first, rates: null, apfVersions }
  const second = observe({ ...observations, metrics: later.metrics })
  const rates = rejectionRates(first, second, later.seconds)
  return { state: rates === null ? first : second, rates, apfVersions }
}

// Live

async function withLiveServers(
  flags: ServerFlagValues,
  purpose: ConnectionPurpose,
  io: Io,
  use: (seen: ServersSeen) => Promise<ExitCode>,
): Promise<ExitCode> {
  const given = givenVersion({ serverVersion: flags['server-version'] })
  if (given !== null && isSourceFailure(given)) throw new CliError(given)
  const intervalMs = intervalOf(flags.interval)
  const options = await liveOptions(flags, purpose, io)
  if (options === null) throw new TypeError('a live source has options')
  const { connect } = await import('../sources/live/connect.ts')
  const connection = await connect(options)
  if (isSourceFailure(connection)) throw new CliError(connection)
  try {
    const { askServers } = await import('../sources/live/ask-servers.ts')
    const { readCluster } = await import('../sources/live/open.ts')
    const allServers = flags['all-servers'] ?? 'auto'
    const ask = { allServers, urls: flags.apiserver ?? [], intervalMs, sleep: options.surroundings.sleep }
    const [state, asked] = await Promise.all([readCluster(connection, given), askServers(connection, ask)])
    const { readings, ...coverage } = asked
    if (isSourceFailure(state)) {
      if (readings.length === 0) throw new CliError(state)
      printNotes([`the objects are not known: ${state.what}`], flags.quiet, io)
    } else announce(state, flags, io)
    const servers = await Promise.all(readings.map(seenServer))
    for (const server of servers) printProblems(server.state.problems, io)
    const objects = isSourceFailure(state) ? { state: null, failure: state } : { state, failure: null }
    const answer = await use({ ...objects, servers, coverage })
    const incomplete = allServers === 'require' && (coverage.total === null || coverage.reached < coverage.total)
    const ofObjects = isSourceFailure(state) ? EXIT.ok : exitCodeOf(state)
    return worstExit(answer, ofObjects, incomplete ? EXIT.unanswered : EXIT.ok)
  } finally {
    // An open connection would keep the process from ending.
    connection.client.close()
  }
}

function intervalOf(text: string | undefined): number | null {
  if (text === undefined) return null
  const milliseconds = parseDuration(text)
  if (milliseconds !== null && milliseconds > 0) return milliseconds
  throw usageError(`--interval ${text} is no duration`, undefined, 'write it as 5s')
}
