/** The priority level for one subject: how many shares its seats take, and how its requests wait. */
import type { LimitedSpec, QueuingConfiguration } from '../../apf/objects.ts'
import { nominalLimit, SEATS_PERCENT_OF_LEVEL } from '../../apf/seats.ts'
import type { VersionRules } from '../../apf/versions.ts'

/** What is wanted of the level: seats of one API server, or a part of all seats (0…1). */
export type WantedSeats = { seats: number } | { part: number }

const MOST_SHARES = 2 ** 31 - 1

/** Shares for the wanted seats, with the nominal limit that they give; null where no number of shares gives so many. */
export interface SharesFor {
  shares: number
  nominal: number
}

/**
 * The fewest shares that give at least the wanted seats, or the nearest to the wanted part.
 * @param otherShares  sum over the levels there are, > 0
 * Source: kubernetes/apiserver pkg/util/flowcontrol/apf_controller.go
 */
export function sharesForSeats(wanted: WantedSeats, otherShares: number, serverSeats: number): SharesFor | null {
  const shares =
    'seats' in wanted ? forSeats(wanted.seats, otherShares, serverSeats) : forPart(wanted.part, otherShares)
  if (shares === null || shares > MOST_SHARES) return null
  return { shares, nominal: nominalLimit(serverSeats, shares, otherShares + shares) }
}

/** Nominal limits are rounded up: more than `seats` − 1 is enough. */
function forSeats(seats: number, otherShares: number, serverSeats: number): number | null {
  const above = seats - 1
  if (above >= serverSeats) return null
  const atLeast = Math.max(1, Math.floor((above * otherShares) / (serverSeats - above)))
  for (let shares = atLeast; shares <= atLeast + 2; shares++) {
    if (nominalLimit(serverSeats, shares, otherShares + shares) >= seats) return shares
  }
  return null
}

function forPart(part: number, otherShares: number): number | null {
  return part < 1 ? Math.max(1, Math.round((part * otherShares) / (1 - part))) : null
}

/** Of its seats others may use half while they are idle, and it may use a quarter more of theirs. */
const LENDABLE_PERCENT = 50
const BORROWING_LIMIT_PERCENT = 25

/**
 * A level that fences in: it waits or is refused within its seats and little more.
 * @param severalFlows  whether its requests are of more than one flow
 */
export function fencingLevel(
  { shares, nominal }: SharesFor,
  response: 'Queue' | 'Reject',
  severalFlows: boolean,
  rules: VersionRules,
): LimitedSpec {
  return {
    nominalConcurrencyShares: shares,
    lendablePercent: rules.lendingFields ? LENDABLE_PERCENT : 0,
    borrowingLimitPercent: rules.lendingFields ? BORROWING_LIMIT_PERCENT : null,
    limitResponse:
      response === 'Reject'
        ? { type: 'Reject', queuing: null }
        : { type: 'Queue', queuing: severalFlows ? queuesForFlows(nominal) : ONE_QUEUE },
  }
}

/** One flow needs one queue: hands spread flows, and each card more lowers what one LIST may take. */
const ONE_QUEUE: QueuingConfiguration = { queues: 1, handSize: 1, queueLengthLimit: 50 }

const QUEUES = 64
const LARGEST_HAND = 8

/** Enough queues that few flows meet, and the largest hand that leaves one request its 15 % of the level. */
function queuesForFlows(nominal: number): QueuingConfiguration {
  const widest = Math.ceil(nominal * (SEATS_PERCENT_OF_LEVEL / 100))
  const handSize = Math.max(1, Math.min(LARGEST_HAND, Math.floor(nominal / Math.max(1, widest))))
  return { queues: QUEUES, handSize, queueLengthLimit: 50 }
}
