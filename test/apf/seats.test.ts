import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { borrowingRound } from '../../src/apf/allocation.ts'
import { allocateFairly } from '../../src/apf/fair-allocation.ts'
import type { ListOptions } from '../../src/apf/list-options.ts'
import { type LevelSeats, levelSeats, maxSeatsOfLevel } from '../../src/apf/seats.ts'
import { rulesFor, VERSION_TABLE, type VersionRules } from '../../src/apf/versions.ts'
import { defaultListFeatures, listWork, writeWork } from '../../src/apf/work-estimate.ts'
import { priorityLevel } from '../support/objects.ts'

const everyMinor = fc.constantFrom(...VERSION_TABLE.map(({ rules }) => rules))
const borrowingMinors = fc.constantFrom(
  ...VERSION_TABLE.map(({ rules }) => rules).filter(({ lendingFields }) => lendingFields),
)
const serverSeats = fc.integer({ min: 1, max: 100_000 })

const limited = fc.record({
  nominalConcurrencyShares: fc.integer({ min: 0, max: 10_000 }),
  lendablePercent: fc.integer({ min: 0, max: 100 }),
  borrowingLimitPercent: fc.option(fc.integer({ min: 0, max: 1000 })),
  handSize: fc.option(fc.integer({ min: 1, max: 10 })),
})
type Limited = typeof limited extends fc.Arbitrary<infer Value> ? Value : never
const exemptBlock = fc.record({
  nominalConcurrencyShares: fc.integer({ min: 0, max: 100 }),
  lendablePercent: fc.integer({ min: 0, max: 100 }),
})
const levelSets = fc.tuple(fc.array(limited, { maxLength: 12 }), exemptBlock)

/** With a catch-all, whose shares keep their sum above 0. */
function levels([limiteds, exempt]: [Limited[], { nominalConcurrencyShares: number; lendablePercent: number }]) {
  const catchAll = { nominalConcurrencyShares: 5, lendablePercent: 0, borrowingLimitPercent: null, handSize: null }
  return [
    priorityLevel({ metadata: { name: 'exempt' }, spec: { type: 'Exempt', exempt } }),
    ...[catchAll, ...limiteds].map(({ handSize, ...shares }, index) => {
      const queuing = { queues: 64, handSize: handSize ?? 1, queueLengthLimit: 50 }
      const limitResponse = handSize === null ? { type: 'Reject' } : { type: 'Queue', queuing }
      const name = index === 0 ? 'catch-all' : `level-${index}`
      return priorityLevel({ metadata: { name }, spec: { type: 'Limited', limited: { ...shares, limitResponse } } })
    }),
  ]
}

describe('the limits of levels', () => {
  it('are whole, not negative, and lower ≤ nominal ≤ reachable ≤ upper', () =>
    fc.assert(
      fc.property(levelSets, serverSeats, everyMinor, (set, seats, rules) => {
        for (const { nominal, lendable, lower, upper, reachable } of levelSeats(levels(set), seats, rules)) {
          for (const limit of [nominal, lendable, lower, upper, reachable]) {
            expect(Number.isSafeInteger(limit) && limit >= 0).toBe(true)
          }
          expect(lower).toBe(nominal - lendable)
          expect(nominal).toBeLessThanOrEqual(reachable)
          expect(reachable).toBeLessThanOrEqual(upper)
        }
      }),
    ))

  it('add up to the seats of the server and less than one more for each level', () =>
    fc.assert(
      fc.property(levelSets, serverSeats, everyMinor, (set, seats, rules) => {
        const limits = levelSeats(levels(set), seats, rules)
        const sum = total(limits.map(({ nominal }) => nominal))
        expect(sum).toBeGreaterThanOrEqual(seats)
        expect(sum).toBeLessThan(seats + limits.length)
      }),
    ))

  it('of a level never sink with its shares, and those of others never rise', () =>
    fc.assert(
      fc.property(levelSets, serverSeats, everyMinor, fc.integer({ min: 1, max: 500 }), (set, seats, rules, more) => {
        const [[first, ...others], exempt] = set
        if (first === undefined) return
        const raised = { ...first, nominalConcurrencyShares: first.nominalConcurrencyShares + more }
        const before = byName(levelSeats(levels([[first, ...others], exempt]), seats, rules))
        const after = byName(levelSeats(levels([[raised, ...others], exempt]), seats, rules))
        for (const [name, { nominal }] of after) {
          const was = before.get(name)?.nominal ?? Number.NaN
          if (name === 'level-1') expect(nominal).toBeGreaterThanOrEqual(was)
          else expect(nominal).toBeLessThanOrEqual(was)
        }
      }),
    ))

  it('let one request take a seat at least, and never more than the level has', () =>
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 100_000 }), fc.integer({ min: 1, max: 60 }), (nominal, handSize) => {
        const most = maxSeatsOfLevel(nominal, handSize) ?? Number.NaN
        expect(most).toBeGreaterThanOrEqual(1)
        expect(most).toBeLessThanOrEqual(Math.max(1, nominal))
      }),
    ))
})

describe('an allocation', () => {
  const item = fc
    .tuple(fc.nat(1000), fc.nat(1000), fc.double({ min: 0, max: 1000, noNaN: true }))
    .map(([lower, room, more]) => ({ lower, upper: lower + room, target: lower + more }))

  it('shares exactly what there is, within the bounds, in one proportion', () =>
    fc.assert(
      fc.property(
        fc.array(item, { minLength: 1, maxLength: 20 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (items, at) => {
          const lowerSum = total(items.map(({ lower }) => lower))
          const room = total(items.map(({ upper, lower }) => upper - lower))
          const required = lowerSum + Math.round(room * at)
          const result = allocateFairly(required, items)
          if ('error' in result) throw new Error(result.error)
          expect(Math.abs(total(result.seats) - required)).toBeLessThan(1e-6)
          items.forEach(({ lower, upper, target }, index) => {
            const seats = result.seats[index] ?? Number.NaN
            expect(seats).toBeGreaterThanOrEqual(lower - 1e-9)
            expect(seats).toBeLessThanOrEqual(upper + 1e-9)
            const wanted = result.proportion * Math.max(target, 0.001)
            if (seats > lower + 1e-6) expect(wanted).toBeGreaterThanOrEqual(seats - 1e-6)
            if (seats < upper - 1e-6) expect(wanted).toBeLessThanOrEqual(seats + 1e-6)
          })
        },
      ),
    ))
})

describe('a borrowing round', () => {
  const demand = fc.record({
    highWatermark: fc.nat(3000),
    smoothedDemand: fc.double({ min: 0, max: 3000, noNaN: true }),
  })

  it('keeps every level between its lower and its upper limit, and hands out what there is', () =>
    fc.assert(
      fc.property(
        levelSets,
        serverSeats,
        borrowingMinors,
        fc.array(demand, { minLength: 14, maxLength: 14 }),
        (set, seats, rules, demands) => {
          const limits = levelSeats(levels(set), seats, rules)
          const round = borrowingRound(
            limits.map(({ name, nominal, lower, upper }, index) => {
              const { highWatermark = 0, smoothedDemand = 0 } = demands[index] ?? {}
              return {
                name,
                exempt: name === 'exempt',
                nominal,
                lower,
                upper,
                highWatermark,
                smoothedDemand,
                current: nominal,
              }
            }),
            rules,
          )
          const byLevel = byName(limits)
          const shared = round.levels.filter(({ target }) => target !== null)
          for (const { name, current } of shared) {
            const { lower, upper } = byLevel.get(name) ?? { lower: Number.NaN, upper: Number.NaN }
            expect(current).toBeGreaterThanOrEqual(lower)
            expect(current).toBeLessThanOrEqual(upper)
          }
          expect(round.nominalSum).toBe(total(limits.map(({ nominal }) => nominal)))
          if (round.branch !== 'fair') return
          const given = total(shared.map(({ current }) => current))
          expect(Math.abs(given - round.nominalSum)).toBeLessThanOrEqual(shared.length / 2)
        },
      ),
    ))
})

describe('the work of a request', () => {
  const options: fc.Arbitrary<ListOptions> = fc.record({
    limit: fc.constantFrom(0, 1, 50, 500),
    continue: fc.constantFrom('', 'c'),
    resourceVersion: fc.constantFrom('', '0', '5'),
    resourceVersionMatch: fc.constantFrom('', 'Exact', 'NotOlderThan'),
    hasSelector: fc.boolean(),
    sendInitialEvents: fc.boolean(),
  })
  const stored = (count: number, averageBytes: number) => ({ count, averageBytes })
  const cap = fc.integer({ min: 1, max: 200 })

  it('is one seat at least and the cap at most, and never shrinks with the number of objects', () =>
    fc.assert(
      fc.property(
        options,
        fc.nat(100_000),
        fc.nat(10_000),
        fc.nat(100_000),
        cap,
        everyMinor,
        (query, count, more, bytes, most, rules) => {
          const caps = { maxSeatsPerRequest: Math.min(most, rules.maxListSeats) }
          const list = { verb: 'list' as const, single: false, options: query }
          const seats = (objects: number) =>
            listWork(list, stored(objects, bytes), caps, defaultListFeatures(rules), rules).initialSeats
          expect(seats(count)).toBeGreaterThanOrEqual(1)
          expect(seats(count)).toBeLessThanOrEqual(caps.maxSeatsPerRequest)
          expect(seats(count + more)).toBeGreaterThanOrEqual(seats(count))
        },
      ),
    ))

  it('of a write is the same area in every shape', () =>
    fc.assert(
      fc.property(fc.nat(20_000), fc.integer({ min: 1, max: 10 }), (watches, maxFinalSeats) => {
        const { finalSeats, additionalLatencyNanoseconds } = writeWork(watches, false, { maxFinalSeats }, newest)
        const area = watches < 10 ? 0 : Math.ceil(watches / 10) * 5_000_000
        expect(Math.abs(finalSeats * additionalLatencyNanoseconds - area)).toBeLessThan(10)
      }),
    ))
})

const newest: VersionRules = rulesFor({ minor: 37 })

function byName(limits: readonly LevelSeats[]): Map<string, LevelSeats> {
  return new Map(limits.map((level) => [level.name, level]))
}

function total(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0)
}
