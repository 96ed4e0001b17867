/** From flags to the API servers that an answer is about, with the objects that they share. */

import type { RejectionRates } from '../analysis/server-account.ts'
import type { ServerState } from '../metrics/server-state.ts'
import type { Coverage } from '../report/contract.ts'
import type { ClusterState } from '../sources/cluster-state.ts'
import type { ConnectionPurpose } from './connection.ts'
import type { ExitCode } from './errors.ts'
import type { Io } from './io.ts'
import { type SourceFlagValues, withState } from './source.ts'

export interface ServerFlagValues extends SourceFlagValues {
  metrics?: string[] | undefined
  'all-servers'?: string | undefined
  apiserver?: string[] | undefined
  interval?: string | undefined
}

/** What was read of one API server. */
export interface SeenServer {
  state: ServerState
  /** Null without a second sample of the same process. */
  rates: RejectionRates | null
}

export interface ServersSeen {
  /** The objects; null where only metrics were given. */
  state: ClusterState | null
  /** Empty where nothing of a running server was read. */
  servers: SeenServer[]
  coverage: Coverage
}

const NO_SERVER: Coverage = { reached: 0, total: null, unreachable: [] }

/** Opens the source of a command and reads what there is of the API servers, uses both, and closes them. */
export async function withServers(
  flags: ServerFlagValues,
  purpose: ConnectionPurpose,
  io: Io,
  use: (seen: ServersSeen) => Promise<ExitCode>,
): Promise<ExitCode> {
  return withState(flags, purpose, io, (state) => use({ state, servers: [], coverage: NO_SERVER }))
}
