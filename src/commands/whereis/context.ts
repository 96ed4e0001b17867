/** What every form of `whereis` answers from. */
import { fairnessIsOff } from '../../analysis/seats.ts'
import type { Unknown, WhereisContext } from '../../analysis/whereis.ts'
import { effectiveConfiguration } from '../../apf/order.ts'
import type { RequestAttributes } from '../../apf/request.ts'
import { DEFAULT_SERVER_SEATS } from '../../apf/seats.ts'
import type { StoredObjects } from '../../apf/work-estimate.ts'
import { ownLandings, ownRequestsInWords } from '../../cli/own-requests.ts'
import type { OutputFlagValues } from '../../cli/print.ts'
import { describeSource, isLive } from '../../cli/source.ts'
import { type Subject, type SubjectFlagValues, subjectInQuestion } from '../../cli/subject.ts'
import type { Source } from '../../report/contract.ts'
import type { Fact, SeatsBasis } from '../../report/whereis-text.ts'
import type { ClusterState } from '../../sources/cluster-state.ts'

export interface Asked {
  subject: Subject
  state: ClusterState
  /** As answers name it, with the limiter that is active on the server. */
  source: Source
  context: WhereisContext
  /** Null: the seats of the server are not known. */
  seats: SeatsBasis | null
  /** False: the levels of a live cluster could not be read, those of `state` are assumed. */
  levelsKnown: boolean
  /** Another limiter than APF is known to be active. */
  fairnessIsOff: boolean
  flags: WhereisFlagValues
}

export interface WhereisFlagValues extends OutputFlagValues, SubjectFlagValues {
  namespace?: string | undefined
  'all-namespaces': boolean
  url?: string | undefined
  method?: string | undefined
  verify: boolean
  cost: boolean
  'server-seats'?: number | undefined
  objects?: number | undefined
  'object-bytes'?: number | undefined
}

/** @throws CliError where it is not known whose requests are in question */
export function askOf(state: ClusterState, flags: WhereisFlagValues): Asked {
  const levelsKnown = !isLive(state) || state.live.levelsUnknown === null
  const source = describeSource(state)
  const seats = levelsKnown ? seatsBasis(state, flags['server-seats']) : null
  return {
    subject: subjectInQuestion(flags, state),
    state,
    source,
    context: {
      configuration: effectiveConfiguration(state.flowSchemas, state.priorityLevels, state.rules),
      rules: state.rules,
      complete: state.source.complete || isLive(state),
      serverSeats: seats?.serverSeats ?? null,
      stored: () => storedObjects(flags),
    },
    seats,
    levelsKnown,
    fairnessIsOff: fairnessIsOff(source),
    flags,
  }
}

/** Those given; without a server those of default flags. What a live server has is not guessed. */
function seatsBasis(state: ClusterState, given: number | undefined): SeatsBasis | null {
  if (given !== undefined) return { serverSeats: given, given: true }
  return isLive(state) ? null : { serverSeats: DEFAULT_SERVER_SEATS, given: false }
}

/** As given for the resource in question; the sizes alone tell nothing. */
function storedObjects({ objects, 'object-bytes': averageBytes }: WhereisFlagValues): StoredObjects | null {
  return objects === undefined ? null : { count: objects, averageBytes: averageBytes ?? null }
}

/** What a live cluster leaves open about these requests of the subject. */
export async function stateUnknowns(
  { state, ...asked }: Asked,
  requests: readonly RequestAttributes[],
): Promise<Unknown[]> {
  if (!isLive(state)) return []
  const { backendUnknowns, callerUnknowns, levelsUnknowns, modeUnknowns } = await import('./live.ts')
  return [
    ...modeUnknowns(state),
    ...levelsUnknowns(state),
    ...callerUnknowns({ ...asked, state }),
    ...(await backendUnknowns(requests, state)),
  ]
}

/** Where the server has put our own requests: the subject's, where that is the caller. */
export function ownRequestsFact({ subject, state }: Asked): Fact[] {
  if (subject.callerBy === null || !isLive(state)) return []
  const text = ownRequestsInWords(ownLandings(state))
  return text === null ? [] : [{ name: 'seen', text }]
}
