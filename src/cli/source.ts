/** From the source flags to the objects of one cluster; what there is to say about them goes to stderr. */
import type { Source } from '../report/contract.ts'
import type { ClusterState } from '../sources/cluster-state.ts'
import { isSourceFailure } from '../sources/failure.ts'
import type { ConnectOptions } from '../sources/live/connect.ts'
import type { LiveState } from '../sources/live/open.ts'
import { openSource } from '../sources/open.ts'
import type { ConnectionFlagValues, ConnectionPurpose } from './connection.ts'
import { CliError, EXIT, type ExitCode, usageError, worstExit } from './errors.ts'
import type { Io } from './io.ts'
import { printFailure, printNotes, printProblems } from './messages.ts'

export interface SourceFlagValues extends ConnectionFlagValues {
  from?: string[] | undefined
  defaults?: string | undefined
  'overlay-defaults': boolean
  'server-version'?: string | undefined
  metrics?: string[] | undefined
  quiet: boolean
}

/**
 * Opens the source of a command, uses it, and closes it. Without --from and --defaults it is the live cluster.
 * @throws CliError when there is no configuration to answer from
 */
export async function withState(
  flags: SourceFlagValues,
  purpose: ConnectionPurpose,
  io: Io,
  use: (state: ClusterState) => Promise<ExitCode>,
): Promise<ExitCode> {
  const state = await openState(flags, purpose, io)
  try {
    return worstExit(exitCodeOf(state), await use(state))
  } finally {
    // An open connection would keep the process from ending.
    if (isLive(state)) state.live.client.close()
  }
}

async function openState(flags: SourceFlagValues, purpose: ConnectionPurpose, io: Io): Promise<ClusterState> {
  const from = flags.from ?? []
  const live = await liveOptions(flags, purpose, io)
  const state = await openSource({
    from,
    defaults: flags.defaults,
    overlayDefaults: flags['overlay-defaults'],
    serverVersion: flags['server-version'],
    ...(from.includes('-') ? { stdin: io.stdin } : {}),
    ...(live === null ? {} : { live }),
  })
  if (isSourceFailure(state)) throw new CliError(state)
  announce(state, flags, io)
  return state
}

/** What there is to say about a source, on stderr. */
export function announce(state: ClusterState, flags: Pick<SourceFlagValues, 'verbose' | 'quiet'>, io: Io): void {
  printProblems(state.problems, io)
  printNotes(flags.verbose ? [...state.notes, inventory(state)] : state.notes, flags.quiet, io)
  if (isLive(state) && state.live.mode.mode === 'NotAPF') noteFairnessIsOff(flags, io)
  if (isLive(state) && state.live.levelsUnknown !== null) printFailure(new CliError(state.live.levelsUnknown), io)
}

export function noteFairnessIsOff({ quiet }: Pick<SourceFlagValues, 'quiet'>, io: Io): void {
  printNotes(['APF is off on this server: the objects have no effect'], quiet, io)
}

/**
 * For commands that answer from the objects.
 * @throws CliError where the source has none
 */
export function requireObjects({ noObjects }: ClusterState): void {
  if (noObjects !== undefined) throw new CliError(noObjects)
}

/** Flags that say which server is asked, and as whom: useless, and so a mistake, where none is. */
const WHICH_SERVER = [
  ...(['kubeconfig', 'context', 'cluster', 'user', 'server', 'token'] as const),
  ...(['connect-as', 'connect-as-group'] as const),
]

/** How to reach a live cluster; null where the flags name another source. */
export async function liveOptions(
  flags: SourceFlagValues,
  purpose: ConnectionPurpose,
  io: Io,
): Promise<ConnectOptions | null> {
  const other = offlineSource(flags)
  if (other === null) {
    const { connectOptions } = await import('./connection.ts')
    return connectOptions(flags, purpose, io)
  }
  const contrary = WHICH_SERVER.find((name) => flags[name] !== undefined)
  const impersonated = Object.entries(purpose.impersonation ?? {}).find(([, value]) => value !== undefined)
  const flag = contrary ?? impersonated?.[0]
  if (flag === undefined) return null
  throw usageError(`--${flag} with ${other}`, `with ${other} no server is asked`, 'leave one of them out')
}

/** The flag that names a source other than the live cluster. */
export function offlineSource({
  from,
  defaults,
  metrics,
}: Pick<SourceFlagValues, 'from' | 'defaults' | 'metrics'>): string | null {
  if (from !== undefined && from.length > 0) return '--from'
  if (defaults !== undefined) return '--defaults'
  return metrics !== undefined && metrics.length > 0 ? '--metrics' : null
}

export function isLive(state: ClusterState): state is LiveState {
  return 'live' in state
}

function inventory({ source, serverVersion, flowSchemas, priorityLevels }: ClusterState): string {
  const objects = `${flowSchemas.length} FlowSchemas and ${priorityLevels.length} priority levels`
  return `${objects} from ${source.text}; server version ${serverVersion.text} (${serverVersion.basis})`
}

/** Exit code of an answer from this state: input with errors in it, or levels that are not known, make it doubtful. */
export function exitCodeOf(state: ClusterState): ExitCode {
  const ofLevels = isLive(state) ? (state.live.levelsUnknown?.exitCode ?? EXIT.ok) : EXIT.ok
  const ofProblems = state.problems.some(({ severity }) => severity === 'error') ? EXIT.usage : EXIT.ok
  return worstExit(ofLevels, ofProblems)
}

/** The source as answers name it. */
export function describeSource(state: ClusterState): Source {
  const mode = isLive(state) ? state.live.mode.mode : null
  return { kind: state.source.kind, serverVersion: state.serverVersion.text, mode }
}
