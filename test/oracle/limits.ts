/** Random priority levels and demands, shared out by upstream's controller and by us. */
import { type BorrowingLevel, borrowingRound } from '../../src/apf/allocation.ts'
import { SeatDemandIntegrator, smoothedDemand } from '../../src/apf/seat-demand.ts'
import { type LevelSeats, levelSeats, maxSeatsOfLevel } from '../../src/apf/seats.ts'
import { rulesFor, type VersionRules } from '../../src/apf/versions.ts'
import { type PriorityLevelJson, priorityLevel } from '../support/objects.ts'
import { type BorrowingPeriod, Oracle, type UpstreamLevel, type UpstreamRound } from './process.ts'
import { Random } from './random.ts'

export interface LimitsCampaign {
  configurations: number
  /** Limits of one level, compared. */
  levels: number
  /** Levels in borrowing rounds, compared; and the rounds by branch. */
  allocations: number
  branches: Record<string, number>
  disagreements: string[]
}

const QUESTIONS_IN_FLIGHT = 4
const MOST_DISAGREEMENTS = 5
const PERIODS = 4
/** What an allocation makes of lower targets. */
const LEAST_TARGET = 0.001

/** @param count  level limits and allocations to compare, at least */
export async function runLimitsCampaign(
  program: string,
  upstream: string,
  count: number,
  seed: number,
): Promise<LimitsCampaign> {
  const [, minor = 0, patch = 0] = upstream.split('.').map(Number)
  const rules = rulesFor({ minor, patch })
  const result: LimitsCampaign = { configurations: 0, levels: 0, allocations: 0, branches: {}, disagreements: [] }
  const oracle = new Oracle(program)
  let next = seed
  const worker = async (): Promise<void> => {
    while (result.levels + result.allocations < count && result.disagreements.length < MOST_DISAGREEMENTS) {
      const configurationSeed = next++
      const problem = randomProblem(new Random(configurationSeed))
      const rounds = await oracle.limits(problem.serverSeats, problem.levels, problem.periods)
      const faults = compare(problem, rounds, rules, result)
      result.configurations += 1
      if (faults.length > 0) {
        result.disagreements.push(`seed ${configurationSeed}: ${JSON.stringify(problem)}\n  ${faults.join('\n  ')}`)
      }
    }
  }
  try {
    await Promise.all(Array.from({ length: QUESTIONS_IN_FLIGHT }, worker))
  } finally {
    oracle.close()
  }
  return result
}

interface Problem {
  serverSeats: number
  levels: PriorityLevelJson[]
  periods: BorrowingPeriod[]
}

function compare(
  problem: Problem,
  rounds: readonly UpstreamRound[],
  rules: VersionRules,
  result: LimitsCampaign,
): string[] {
  const faults: string[] = []
  const differ = (what: string, ours: unknown, upstream: unknown): void => {
    faults.push(`${what}: ours ${JSON.stringify(ours)}, upstream ${JSON.stringify(upstream)}`)
  }
  const levels = problem.levels.map(priorityLevel)
  const handSizes = new Map(
    levels.map(({ metadata, spec }) => [metadata.name, spec.limited?.limitResponse.queuing?.handSize ?? null]),
  )
  const ours = levelSeats(levels, problem.serverSeats, rules)
  const [digested, ...adjusted] = rounds
  if (!digested || adjusted.length !== problem.periods.length) throw new Error('the oracle left rounds out')
  for (const { name, nominal, lower, upper } of ours) {
    const theirs = levelOf(digested, name)
    const cap = maxSeatsOfLevel(nominal, handSizes.get(name) ?? null) ?? 0
    const [us, them] = [
      [nominal, lower, upper, cap],
      [theirs.nominal, theirs.lower, theirs.upper, theirs.maxSeats],
    ]
    result.levels += 1
    if (String(us) !== String(them)) differ(`limits of ${name}`, us, them)
  }

  let now = 0
  const demands = new Map(ours.map(({ name }) => [name, new SeatDemandIntegrator(now)]))
  let before = digested
  adjusted.forEach((after, index) => {
    for (const { nanoseconds, seats } of problem.periods[index] ?? []) {
      for (const [name, wanted] of Object.entries(seats)) demands.get(name)?.set(now, wanted)
      now += nanoseconds / 1e9
    }
    for (const [name, integrator] of demands) {
      const demand = integrator.finishPeriod(now)
      const theirs = levelOf(after, name)
      const smoothed = smoothedDemand(levelOf(before, name).smoothed, demand)
      const us = [
        demand.highWatermark,
        demand.average ?? theirs.average,
        demand.deviation ?? theirs.deviation,
        smoothed,
      ]
      const them = [theirs.highWatermark, theirs.average, theirs.deviation, theirs.smoothed]
      if (!areClose(us, them)) differ(`demand of ${name} in period ${index}`, us, them)
    }
    compareRound(ours, before, after, rules, result, (what, us, them) => differ(`${what} of round ${index}`, us, them))
    before = after
  })
  return faults
}

/** The demands are taken from upstream, so that their rounding does not add up with that of the allocation. */
function compareRound(
  limits: readonly LevelSeats[],
  before: UpstreamRound,
  after: UpstreamRound,
  rules: VersionRules,
  result: LimitsCampaign,
  differ: (what: string, ours: unknown, upstream: unknown) => void,
): void {
  const levels = limits.map(({ name, nominal, lower, upper }): BorrowingLevel => {
    const { highWatermark, smoothed } = levelOf(after, name)
    const { current } = levelOf(before, name)
    const exempt = name === 'exempt'
    return { name, exempt, nominal, lower, upper, highWatermark, smoothedDemand: smoothed, current }
  })
  const round = borrowingRound(levels, rules)
  result.branches[round.branch] = (result.branches[round.branch] ?? 0) + 1
  if (!areClose([round.fairFraction], [after.fairFraction])) {
    differ('fair fraction', round.fairFraction, after.fairFraction)
  }
  for (const { name, target, current } of round.levels) {
    const theirs = levelOf(after, name)
    result.allocations += 1
    const seats = round.fairFraction * Math.max(target ?? 0, LEAST_TARGET)
    if (current !== theirs.current && !isToss(seats, current, theirs.current)) {
      differ(`current limit of ${name}`, current, theirs.current)
    }
    if (target !== null && !areClose([target], [theirs.target])) differ(`target of ${name}`, target, theirs.target)
  }
}

/** Upstream adds up in random order; so the least bit decides how a half is rounded. */
function isToss(seats: number, ours: number, upstream: number): boolean {
  return Math.abs(ours - upstream) === 1 && Math.abs(seats - (ours + upstream) / 2) < 1e-6
}

function levelOf({ levels }: UpstreamRound, name: string): UpstreamLevel {
  const level = levels[name]
  if (!level) throw new Error(`upstream has no limits of ${name}`)
  return level
}

/** Close in the measure of the greatest: cancellation leaves a constant demand with some deviation. */
function areClose(ours: readonly number[], upstream: readonly number[]): boolean {
  const scale = Math.max(1, ...ours)
  return ours.every((value, index) => Math.abs(value - (upstream[index] ?? Number.NaN)) <= 1e-6 * scale)
}

function randomProblem(random: Random): Problem {
  const lends = random.chance(0.8)
  const names = Array.from({ length: random.integer(0, 24) }, (_, index) => `level-${index}`)
  const levels = [
    exemptLevel(random),
    limitedLevel(random, 'catch-all', random.integer(1, 20), lends),
    ...names.map((name) => limitedLevel(random, name, randomShares(random), lends)),
  ]
  const serverSeats = random.chance(0.2) ? 600 : Math.ceil(10 ** (random.next() * 4))
  const all = ['exempt', 'catch-all', ...names]
  const periods = Array.from({ length: PERIODS }, () => randomPeriod(random, all, serverSeats))
  return { serverSeats, levels, periods }
}

function randomShares(random: Random): number {
  return random.chance(0.1)
    ? 0
    : random.pick([random.integer(1, 10), random.integer(5, 100), random.integer(1, 10_000)])
}

function exemptLevel(random: Random): PriorityLevelJson {
  const exempt = random.chance(0.6)
    ? { nominalConcurrencyShares: 0, lendablePercent: 0 }
    : { nominalConcurrencyShares: random.integer(0, 60), lendablePercent: random.integer(0, 100) }
  return { metadata: { name: 'exempt' }, spec: { type: 'Exempt', exempt } }
}

function limitedLevel(random: Random, name: string, shares: number, lends: boolean): PriorityLevelJson {
  const handSize = random.integer(1, 8)
  const queuing = { queues: 64, handSize, queueLengthLimit: 50 }
  return {
    metadata: { name },
    spec: {
      type: 'Limited',
      limited: {
        nominalConcurrencyShares: shares,
        lendablePercent: lends ? random.pick([0, 33, 50, 100, random.integer(0, 100)]) : 0,
        ...(random.chance(0.5) ? { borrowingLimitPercent: random.pick([0, 50, random.integer(0, 400)]) } : {}),
        limitResponse: random.chance(0.2) ? { type: 'Reject' } : { type: 'Queue', queuing },
      },
    },
  }
}

/** Levels that are mostly idle, and now and then want more than the whole server has. */
function randomPeriod(random: Random, names: readonly string[], serverSeats: number): BorrowingPeriod {
  const busy = random.next()
  const heavyExempt = random.chance(0.25)
  return Array.from({ length: random.integer(1, 3) }, () => ({
    nanoseconds: random.integer(1, 10_000_000_000),
    seats: Object.fromEntries(
      names
        .filter(() => random.chance(0.7))
        .map((name) => {
          const most = name === 'exempt' && !heavyExempt ? serverSeats / 10 : serverSeats * 1.2
          return [name, random.chance(busy) ? Math.floor(most * random.next() ** 2) : 0]
        }),
    ),
  }))
}

export function limitsSummary({ configurations, levels, allocations, branches }: LimitsCampaign): string {
  const parts = Object.entries(branches).map(([branch, times]) => `${branch} ${times}`)
  return `${levels} limits and ${allocations} allocations in ${configurations} configurations; rounds: ${parts.join(', ')}`
}
