import { describe, expect, it } from 'vitest'
import { fencingLevel, sharesForSeats } from '../../../src/analysis/isolation/level-shape.ts'
import { rulesFor } from '../../../src/apf/versions.ts'

describe('sharesForSeats', () => {
  it.each([
    { wanted: { seats: 12 }, others: 245, server: 600, shares: 5, nominal: 12 },
    { wanted: { seats: 1 }, others: 245, server: 600, shares: 1, nominal: 3 },
    { wanted: { seats: 3 }, others: 245, server: 600, shares: 1, nominal: 3 },
    { wanted: { seats: 4 }, others: 245, server: 600, shares: 2, nominal: 5 },
    { wanted: { seats: 300 }, others: 245, server: 600, shares: 244, nominal: 300 },
    { wanted: { seats: 600 }, others: 245, server: 600, shares: 146756, nominal: 600 },
    { wanted: { part: 0.02 }, others: 245, server: 600, shares: 5, nominal: 12 },
    { wanted: { part: 0.05 }, others: 245, server: 600, shares: 13, nominal: 31 },
    { wanted: { part: 0.5 }, others: 245, server: 600, shares: 245, nominal: 300 },
    { wanted: { part: 0.0001 }, others: 245, server: 600, shares: 1, nominal: 3 },
  ])(
    'takes $shares shares beside $others for $wanted of $server seats',
    ({ wanted, others, server, shares, nominal }) => {
      expect(sharesForSeats(wanted, others, server)).toEqual({ shares, nominal })
    },
  )

  it.each([
    { wanted: { seats: 601 }, others: 245, server: 600 },
    { wanted: { seats: 600 }, others: 2_000_000_000, server: 600 },
    { wanted: { part: 1 }, others: 245, server: 600 },
  ])('finds none for $wanted of $server seats beside $others shares', ({ wanted, others, server }) => {
    expect(sharesForSeats(wanted, others, server)).toBeNull()
  })
})

describe('fencingLevel', () => {
  it('queues one flow in one queue, which leaves one LIST its 15 % of the level', () => {
    expect(fencingLevel({ shares: 5, nominal: 12 }, 'Queue', false, rulesFor({ minor: 37 }))).toEqual({
      nominalConcurrencyShares: 5,
      lendablePercent: 50,
      borrowingLimitPercent: 25,
      limitResponse: { type: 'Queue', queuing: { queues: 1, handSize: 1, queueLengthLimit: 50 } },
    })
  })

  it.each([
    { nominal: 1, handSize: 1 },
    { nominal: 3, handSize: 3 },
    { nominal: 12, handSize: 6 },
    { nominal: 100, handSize: 6 },
    { nominal: 6, handSize: 6 },
    { nominal: 8, handSize: 4 },
  ])('deals several flows hands of $handSize where it has $nominal seats', ({ nominal, handSize }) => {
    const { limitResponse } = fencingLevel({ shares: 5, nominal }, 'Queue', true, rulesFor({ minor: 37 }))
    expect(limitResponse.queuing).toEqual({ queues: 64, handSize, queueLengthLimit: 50 })
  })

  it('neither lends nor borrows where the version has no such fields', () => {
    expect(fencingLevel({ shares: 5, nominal: 12 }, 'Reject', false, rulesFor({ minor: 25 }))).toEqual({
      nominalConcurrencyShares: 5,
      lendablePercent: 0,
      borrowingLimitPercent: null,
      limitResponse: { type: 'Reject', queuing: null },
    })
  })
})
