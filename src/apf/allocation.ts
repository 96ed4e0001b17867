/**
 * The borrowing round: how many seats each level gets until the next one, of its own and of what others lend. A server
 * holds one every ten seconds and at every change of the configuration, from Kubernetes 1.26 on.
 * Source: kubernetes/apiserver pkg/util/flowcontrol/apf_controller.go (updateBorrowingLocked)
 */
import { allocateFairly } from './fair-allocation.ts'
import { sum } from './sum.ts'
import type { VersionRules } from './versions.ts'

/** Time between two rounds. */
export const BORROWING_PERIOD_SECONDS = 10

/** A level at the beginning of a round. All in seats; see `LevelSeats` for the limits. */
export interface BorrowingLevel {
  name: string
  exempt: boolean
  nominal: number
  lower: number
  upper: number
  /** Highest demand since the last round. */
  highWatermark: number
  smoothedDemand: number
  /** Limit in force, which stays if the round fails. */
  current: number
}

/**
 * - `fair`: targets are served in one proportion, within bounds
 * - `proportional`: exempt leaves too little for that; all get a part of what they need beyond their lower limits
 * - `all-at-lower`: exempt leaves no more than the lower limits
 * - `backstop`: no allocation exists; all limits stay
 */
export type BorrowingBranch = 'fair' | 'proportional' | 'all-at-lower' | 'backstop'

export interface BorrowingRound {
  branch: BorrowingBranch
  /** What all levels that take part have together, in seats. */
  nominalSum: number
  /** Seats for each seat of target, as in the metric seat_fair_frac; 0 in all branches but `fair`. */
  fairFraction: number
  /** What the others have after exempt took its demand apart; null where it is not served apart. */
  leftByExempt: number | null
  /** In the order given, without the exempt level where it takes no part. */
  levels: LevelAllocation[]
}

export interface LevelAllocation {
  name: string
  /** What the level surely gets: its demand up to its nominal limit, at least its lower limit. */
  minCurrent: number
  /** What it is given seats for; null for exempt where its demand is served apart. */
  target: number | null
  /** The limit until the next round, an integer. */
  current: number
}

/**
 * One round.
 *
 * @param levels  all levels with limits, quiescing ones included
 * @param rules   of a version in which levels lend (`lendingFields`)
 */
export function borrowingRound(
  levels: readonly BorrowingLevel[],
  rules: Pick<VersionRules, 'exemptLevelHasShares' | 'exemptBorrowsApart'>,
): BorrowingRound {
  const sharing = levels.filter(({ exempt }) => rules.exemptLevelHasShares || !exempt)
  const nominalSum = sum(sharing.map(({ nominal }) => nominal))
  const borrowing = sharing.filter(({ exempt }) => !(exempt && rules.exemptBorrowsApart)).map(claimOf)
  const exemptCurrent = sum(sharing.filter(({ exempt }) => exempt).map(currentOfExempt))
  const remaining = rules.exemptBorrowsApart ? nominalSum - exemptCurrent : null
  const short = remaining === null ? null : shortRound(remaining, borrowing)
  const { branch, fairFraction, currents } = short ?? fairRound(nominalSum, borrowing)

  const allocated = new Map(
    borrowing.map(({ level, minCurrent, target }, index): [string, LevelAllocation] => {
      const current = currents[index] ?? level.current
      return [level.name, { name: level.name, minCurrent, target, current }]
    }),
  )
  return {
    branch,
    nominalSum,
    fairFraction,
    leftByExempt: remaining,
    levels: sharing.map((level) => allocated.get(level.name) ?? exemptAllocation(level)),
  }
}

interface Claim {
  level: BorrowingLevel
  minCurrent: number
  target: number
}

function claimOf(level: BorrowingLevel): Claim {
  const { nominal, lower, highWatermark, smoothedDemand } = level
  const minCurrent = Math.max(lower, Math.min(nominal, highWatermark))
  return { level, minCurrent, target: Math.max(minCurrent, smoothedDemand) }
}

/** Nothing caps the exempt level. */
function currentOfExempt({ lower, highWatermark }: BorrowingLevel): number {
  return Math.max(lower, highWatermark)
}

function exemptAllocation(level: BorrowingLevel): LevelAllocation {
  const current = currentOfExempt(level)
  return { name: level.name, minCurrent: current, target: null, current }
}

interface Outcome {
  branch: BorrowingBranch
  fairFraction: number
  /** By claim; empty where all limits stay. */
  currents: number[]
}

/** The round where the exempt level leaves too little for a fair one, else null. */
function shortRound(remaining: number, claims: readonly Claim[]): Outcome | null {
  const lowerSum = sum(claims.map(({ level }) => level.lower))
  const minCurrentSum = sum(claims.map(({ minCurrent }) => minCurrent))
  if (remaining <= lowerSum) {
    return { branch: 'all-at-lower', fairFraction: 0, currents: claims.map(({ level }) => level.lower) }
  }
  if (remaining > minCurrentSum) return null
  const part = (remaining - lowerSum) / (minCurrentSum - lowerSum)
  const currents = claims.map(({ level, minCurrent }) => level.lower + Math.round((minCurrent - level.lower) * part))
  return { branch: 'proportional', fairFraction: 0, currents }
}

/** All nominal seats are shared, even those that the exempt level uses where it is served apart. */
function fairRound(nominalSum: number, claims: readonly Claim[]): Outcome {
  const items = claims.map(({ level, minCurrent, target }) => ({ lower: minCurrent, upper: level.upper, target }))
  const allocation = allocateFairly(nominalSum, items)
  if ('error' in allocation) return { branch: 'backstop', fairFraction: 0, currents: [] }
  return { branch: 'fair', fairFraction: allocation.proportion, currents: allocation.seats.map(Math.round) }
}
