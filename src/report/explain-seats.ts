/** The arithmetic of one level in sentences, each with its numbers, so that a reader can check it by hand. */
import { fairnessIsOff, type LevelAccount, nominalSum, type ServerAccount } from '../analysis/seats.ts'
import { BORROWING_PERIOD_SECONDS, type BorrowingRound, type LevelAllocation } from '../apf/allocation.ts'
import { LEAST_TARGET } from '../apf/fair-allocation.ts'
import type { PriorityLevelConfiguration } from '../apf/objects.ts'
import { SEATS_PERCENT_OF_LEVEL, sharesOf } from '../apf/seats.ts'
import type { VersionRules } from '../apf/versions.ts'
import { DEFAULT_REQUEST_TIMEOUT_SECONDS, mostWaitingOfFlow, waitLimit } from '../apf/wait-limit.ts'
import { rounded, thousands } from '../ui/numbers.ts'
import type { Fact } from './whereis-text.ts'

export interface ExplainedLevel {
  account: ServerAccount
  level: LevelAccount
  /** Null where no object of the level was read. */
  object: PriorityLevelConfiguration | null
  rules: VersionRules
}

/** What the level has, complete in one line. */
export function explainVerdict({ account, level, rules }: ExplainedLevel, several: boolean): string {
  const where = several ? `${account.name}: ` : ''
  const { name, nominal, lower, reachable, type } = level
  if (fairnessIsOff(account)) return `${where}${name} has no seats: APF is off on this API server`
  if (type === 'Exempt' && !rules.exemptLevelHasShares) {
    return `${where}${name}: never limited, and without seats of its own before Kubernetes 1.28`
  }
  if (nominal === null) return `${where}${name}: its seats are not known`
  if (type === 'Exempt') return `${where}${name}: never limited, ${thousands(nominal)} seats nominal`
  const parts = [`${thousands(nominal)} seats nominal`]
  if (lower !== null && lower !== nominal) parts.push(`${thousands(lower)} guaranteed`)
  if (reachable !== null && reachable !== nominal) parts.push(`${thousands(reachable)} reachable`)
  return `${where}${name}: ${parts.join(', ')}`
}

export function explainFacts(explained: ExplainedLevel): Fact[] {
  const { level, rules } = explained
  const lending = rules.lendingFields
  return [
    fact('nominal', nominalText(explained)),
    fact('lends', lending ? lendingText(explained) : 'nothing: levels lend and borrow from Kubernetes 1.26 on'),
    fact('borrows', lending ? borrowingText(explained) : null),
    fact('reachable', lending ? reachableText(explained) : null),
    fact('one LIST', listText(explained)),
    fact('one write', writeText(level)),
    fact('waiting', fairnessIsOff(explained.account) ? null : waitingText(level, rules)),
    fact('now', nowText(level)),
    fact('next round', roundText(explained)),
    fact('no more', limitText(explained)),
  ].filter((each) => each !== null)
}

function fact(name: string, text: string | null): Fact | null {
  return text === null ? null : { name, text }
}

/** Two decimals, for values between whole seats. */
function exact(value: number): string {
  return thousands(Math.round(value * 100) / 100)
}

/** Six decimals, for a factor: so that the product comes out as it is printed. */
function factor(value: number): string {
  return thousands(Math.round(value * 1e6) / 1e6)
}

function nominalText({ account, level }: ExplainedLevel): string | null {
  const { shares, part, nominal } = level
  const total = account.limit.value
  if (shares === null || part === null)
    return nominal === null ? null : `${thousands(nominal)}, from the server's metrics`
  const allShares = shares === 0 ? 0 : Math.round(shares / part)
  const all = shares === 0 ? '' : ` of ${thousands(allShares)}`
  if (total === null) return `${thousands(shares)}${all} shares, ${rounded(part * 100)} % of the seats of the server`
  const unrounded = shares === 0 ? 0 : (total * shares) / allShares
  const result = nominal === null ? Math.ceil(unrounded) : nominal
  const sum = `${thousands(shares)}${all} shares of ${thousands(total)} seats = ${exact(unrounded)}`
  if (Math.abs(Math.ceil(unrounded - 1e-9) - result) > 0) {
    return `${thousands(result)} by the server's metrics; its objects give ${sum}: other levels still hold shares, or a change is not taken up yet`
  }
  return Number.isInteger(unrounded) ? sum : `${sum}, rounded up: ${thousands(result)}`
}

function lendingText({ level, object }: ExplainedLevel): string | null {
  const { nominal, lendable, lower } = level
  if (nominal === null || lendable === null || lower === null) return null
  const own = `so ${thousands(lower)} ${lower === 1 ? 'is' : 'are'} always its own`
  if (object === null) return `${thousands(lendable)} of ${thousands(nominal)}; ${own}`
  const { lendablePercent } = sharesOf(object)
  if (nominal === 0) return 'nothing: it has none'
  if (lendablePercent === 0) {
    return `nothing: ${nominal === 1 ? 'its 1 is' : `all ${thousands(nominal)} are`} always its own`
  }
  const unrounded = (nominal * lendablePercent) / 100
  const product = `${lendablePercent} % of ${thousands(nominal)} = ${exact(unrounded)}`
  return `${product}${Number.isInteger(unrounded) ? '' : `, rounded: ${thousands(lendable)}`}; ${own}`
}

function borrowingText({ account, level, object }: ExplainedLevel): string | null {
  const { nominal, upper, type } = level
  if (nominal === null || upper === null) return null
  if (type === 'Exempt') return 'whatever it needs: nothing limits it'
  const percent = object === null ? undefined : sharesOf(object).borrowingLimitPercent
  if (percent === undefined) return `up to ${thousands(upper - nominal)} seats: upper limit ${thousands(upper)}`
  if (percent === null) {
    return `no limit set: upper limit ${thousands(nominal)} + ${thousands(account.limit.value ?? upper - nominal)} = ${thousands(upper)}`
  }
  if (percent === 0) return `nothing: borrowingLimitPercent is 0, upper limit ${thousands(upper)}`
  const unrounded = (nominal * percent) / 100
  const product = `at most ${thousands(percent)} % of ${thousands(nominal)} = ${exact(unrounded)}`
  const borrowable = Number.isInteger(unrounded) ? '' : `, rounded: ${thousands(upper - nominal)}`
  return `${product}${borrowable}; upper limit ${thousands(upper)}`
}

function reachableText({ account, level, rules }: ExplainedLevel): string | null {
  const { nominal, lower, upper, reachable, type } = level
  if (nominal === null || lower === null || upper === null || reachable === null || type === 'Exempt') return null
  const others = account.levels.filter(({ name }) => name !== level.name)
  const [within, sum] = rules.exemptBorrowsApart ? fromTotal(account, others) : fromLenders(nominal, others)
  return within > upper ? `${sum}, but never more than the upper limit: ${thousands(reachable)}` : sum
}

function fromTotal(account: ServerAccount, others: readonly LevelAccount[]): [number, string] {
  const all = nominalSum(account.levels)
  const excess = account.limit.value === null ? 0 : all - account.limit.value
  const rounding =
    excess > 0 ? `; ${thousands(excess)} more than ${thousands(account.limit.value ?? 0)} by rounding` : ''
  const guaranteed = others.reduce((sum, { type, lower }) => (type === 'Exempt' ? sum : sum + (lower ?? 0)), 0)
  const left = all - guaranteed
  return [
    left,
    `${thousands(all)} (all nominal limits${rounding}) − ${thousands(guaranteed)} guaranteed to the other levels = ${thousands(left)}`,
  ]
}

function fromLenders(nominal: number, others: readonly LevelAccount[]): [number, string] {
  const lent = others.reduce((sum, { lendable }) => sum + (lendable ?? 0), 0)
  const together = nominal + lent
  return [
    together,
    `${thousands(nominal)} of its own + ${thousands(lent)} that all other levels lend = ${thousands(together)}`,
  ]
}

function listText({ level, object, rules }: ExplainedLevel): string | null {
  const { maxSeatsPerRequest, nominal } = level
  if (maxSeatsPerRequest === null || nominal === null) return null
  const most = rules.objectCountsReachEstimator
    ? `${seats(maxSeatsPerRequest)} at most`
    : `1 seat, as every LIST by a regression of this release; its limit is ${seats(maxSeatsPerRequest)}`
  const handSize = object?.spec.limited?.limitResponse.queuing?.handSize
  if (!rules.seatCapPerLevel) return `${most}, as in every level`
  if (handSize === undefined) return `${most}: only levels with queues set a limit of their own`
  const ofLevel = `${SEATS_PERCENT_OF_LEVEL} % of ${thousands(nominal)} rounded up is ${thousands(Math.ceil((nominal * SEATS_PERCENT_OF_LEVEL) / 100))}`
  const ofHand = `${thousands(nominal)} / hand size ${handSize} is ${thousands(Math.floor(nominal / handSize))}`
  return `${most}: ${ofLevel}, ${ofHand}, in any level ${rules.maxListSeats}; the least, but at least 1`
}

function writeText({ maxFinalSeats }: LevelAccount): string | null {
  if (maxFinalSeats === null) return null
  return `1 seat, then ${seats(maxFinalSeats)} at most while its watchers are told; in any level 10`
}

function seats(count: number): string {
  return count === 1 ? '1 seat' : `${thousands(count)} seats`
}

function waitingText({ response, queuing, type }: LevelAccount, rules: VersionRules): string | null {
  if (type === 'Exempt') return 'never'
  if (response === 'Reject') return 'never: what finds no seat is refused at once'
  if (queuing === null) return null
  const { handSize, queueLengthLimit } = queuing
  const most = thousands(mostWaitingOfFlow(queuing))
  const limit = waitLimit({ timeoutSeconds: null, isWatch: false }, DEFAULT_REQUEST_TIMEOUT_SECONDS, rules)
  const long = rules.waitLimitPerRequest
    ? `a quarter of the request's time-out, ${rounded(limit.seconds)} s without one`
    : `${rounded(limit.seconds)} s, a quarter of the server's --request-timeout`
  return `at most ${thousands(handSize)} ${handSize === 1 ? 'queue' : 'queues'} × ${thousands(queueLengthLimit)} = ${most} requests of one flow, each for ${long}`
}

function nowText(level: LevelAccount): string | null {
  const { current, executingSeats, executingRequests, waitingRequests, type, demandSmoothed } = level
  const used = executingSeats ?? executingRequests
  if (used === null) return null
  const limit = type === 'Exempt' ? 'no limit' : current === null ? 'limit not known' : `limit ${thousands(current)}`
  const waiting = waitingRequests === 1 ? '1 request' : `${thousands(waitingRequests ?? 0)} requests`
  const wanted = demandSmoothed === null ? '' : `; smoothed demand of the last round ${exact(demandSmoothed)}`
  return `${limit}, ${seats(used)} in use, ${waiting} waiting${wanted}`
}

/** What the next borrowing round does if the demand stays what it is. */
function roundText({ account: { round, levels }, level }: ExplainedLevel): string | null {
  const own = round?.levels.find(({ name }) => name === level.name)
  if (round === null || own === undefined) return null
  if (round.branch === 'backstop' && own.target !== null) return BACKSTOP
  return `${thousands(own.current)}: ${shareText(round, own, levels, level)}; within ${BORROWING_PERIOD_SECONDS} s, if the demand stays`
}

const BACKSTOP = 'no round can serve all levels: the limits stay as they are'

function shareText(
  round: BorrowingRound,
  own: LevelAllocation,
  levels: readonly LevelAccount[],
  { lower, upper }: LevelAccount,
): string {
  if (own.target === null) return `the greater of ${thousands(lower ?? 0)} guaranteed and what it uses`
  if (round.branch === 'fair') return fairText(round.fairFraction, own, own.target, upper)
  const left = thousands(Math.max(0, round.leftByExempt ?? 0))
  const guaranteed = sumOf(round, levels, ({ lower }) => lower ?? 0)
  if (round.branch === 'all-at-lower') {
    return `exempt leaves ${left}, no more than the ${thousands(guaranteed)} guaranteed to all other levels, so that each gets what is guaranteed to it`
  }
  const wanted = sumOf(round, levels, (_, { minCurrent }) => minCurrent)
  const part = ((round.leftByExempt ?? 0) - guaranteed) / (wanted - guaranteed)
  const split = `(${left} left by exempt − ${thousands(guaranteed)} guaranteed) / (${thousands(wanted)} needed − ${thousands(guaranteed)}) = ${factor(part)}`
  return `${thousands(lower ?? 0)} guaranteed + (${thousands(own.minCurrent)} needed − ${thousands(lower ?? 0)}) × ${factor(part)}, where ${split}`
}

/** Over the levels that take part beside exempt. */
function sumOf(
  round: BorrowingRound,
  levels: readonly LevelAccount[],
  value: (level: LevelAccount, allocation: LevelAllocation) => number,
): number {
  const byName = new Map(levels.map((level) => [level.name, level]))
  return round.levels.reduce((sum, allocation) => {
    const level = byName.get(allocation.name)
    return level === undefined || allocation.target === null ? sum : sum + value(level, allocation)
  }, 0)
}

function fairText(
  fairFraction: number,
  { current, minCurrent }: LevelAllocation,
  target: number,
  upper: number | null,
): string {
  const bounds = `at least ${thousands(minCurrent)}, at most ${thousands(upper ?? current)}`
  // A level without demand counts as one with a thousandth of a seat.
  const counted = Math.max(target, LEAST_TARGET)
  return `target ${factor(counted)} × ${factor(fairFraction)} seats for each seat of target = ${exact(counted * fairFraction)}, ${bounds}`
}

/** Why a level with more demand than seats gets no more. */
function limitText({ account, level, rules }: ExplainedLevel): string | null {
  const { current, upper, waitingRequests, nominal } = level
  if (current === null || nominal === null || level.type === 'Exempt' || !(waitingRequests ?? 0)) return null
  if (!rules.lendingFields) return 'levels do not borrow in this version'
  if (upper !== null && current >= upper) return `its own borrowing limit: ${thousands(upper)} is its upper limit`
  const lenders = account.levels.filter(({ name, lendable }) => name !== level.name && (lendable ?? 0) > 0)
  if (lenders.length === 0) return 'no other level lends'
  const { round } = account
  if (round === null) return null
  if (round.branch === 'backstop') return BACKSTOP
  if (round.branch !== 'fair') return 'exempt uses the seats that could be lent'
  if (level.nextTarget !== null && level.nextTarget > current)
    return `it will: the next round gives ${thousands(level.nextTarget)}`
  return 'the levels that could lend use what is theirs, or others borrow as well: all get the same part of their targets'
}
