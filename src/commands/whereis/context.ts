/** What every form of `whereis` answers from. */
import type { WhereisContext } from '../../analysis/whereis.ts'
import type { OutputFlagValues } from '../../cli/print.ts'
import type { Subject } from '../../cli/subject.ts'
import type { SeatsBasis } from '../../report/whereis-text.ts'
import type { ClusterState } from '../../sources/cluster-state.ts'

export interface Asked {
  subject: Subject
  state: ClusterState
  context: WhereisContext
  seats: SeatsBasis
  flags: OutputFlagValues & {
    namespace?: string | undefined
    'all-namespaces': boolean
    url?: string | undefined
    method?: string | undefined
  }
}
