/** From the source flags to the objects of one cluster; what there is to say about them goes to stderr. */
import type { Source } from '../report/contract.ts'
import type { ClusterState } from '../sources/cluster-state.ts'
import { isSourceFailure } from '../sources/failure.ts'
import { openSource } from '../sources/open.ts'
import { CliError, EXIT, type ExitCode } from './errors.ts'
import type { Io } from './io.ts'
import { printNotes, printProblems } from './messages.ts'

export interface SourceFlagValues {
  from?: string[] | undefined
  defaults?: string | undefined
  'overlay-defaults': boolean
  'server-version'?: string | undefined
  quiet: boolean
  verbose: boolean
}

/** @throws CliError when there is no configuration to answer from */
export async function openState(flags: SourceFlagValues, io: Io): Promise<ClusterState> {
  const from = flags.from ?? []
  const state = await openSource({
    from,
    defaults: flags.defaults,
    overlayDefaults: flags['overlay-defaults'],
    serverVersion: flags['server-version'],
    ...(from.includes('-') ? { stdin: io.stdin } : {}),
  })
  if (isSourceFailure(state)) throw new CliError(state)
  printProblems(state.problems, io)
  printNotes(flags.verbose ? [...state.notes, inventory(state)] : state.notes, flags.quiet, io)
  return state
}

function inventory({ source, serverVersion, flowSchemas, priorityLevels }: ClusterState): string {
  const objects = `${flowSchemas.length} FlowSchemas and ${priorityLevels.length} priority levels`
  return `${objects} from ${source.text}; server version ${serverVersion.text} (${serverVersion.basis})`
}

/** Exit code of an answer from this state: input with errors in it makes a right answer doubtful. */
export function exitCodeOf(state: ClusterState): ExitCode {
  return state.problems.some(({ severity }) => severity === 'error') ? EXIT.usage : EXIT.ok
}

/** The source as answers name it. */
export function describeSource(state: ClusterState): Source {
  return { kind: state.source.kind, serverVersion: state.serverVersion.text, mode: null }
}
