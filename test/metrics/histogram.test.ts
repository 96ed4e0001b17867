import { describe, expect, it } from 'vitest'
import {
  addHistograms,
  GrowingHistogram,
  type Histogram,
  histogramDelta,
  mean,
  quantile,
} from '../../src/metrics/histogram.ts'

const histogram = (buckets: [number, number][], sum = 0): Histogram => ({
  buckets: buckets.map(([le, count]) => ({ le, count })),
  sum,
  count: buckets.at(-1)?.[1] ?? 0,
})
const INFINITY = Number.POSITIVE_INFINITY

describe('a quantile', () => {
  const waits = histogram([
    [0, 10],
    [0.1, 10],
    [0.2, 50],
    [0.5, 90],
    [INFINITY, 100],
  ])

  it.each([
    [0.05, 0, false],
    [0.3, 0.15, false],
    [0.5, 0.2, false],
    [0.9, 0.5, false],
    [0.99, 0.5, true],
  ])('of %d is read off its bucket', (part, value, exceeded) => {
    const found = quantile(waits, part)
    expect(found?.value).toBeCloseTo(value, 12)
    expect(found?.exceeded).toBe(exceeded)
  })

  it('of nothing is not known', () => {
    expect(
      quantile(
        histogram([
          [1, 0],
          [INFINITY, 0],
        ]),
        0.5,
      ),
    ).toBeNull()
    expect(quantile(histogram([]), 0.5)).toBeNull()
    expect(mean(histogram([]))).toBeNull()
  })
})

describe('two scrapes', () => {
  const before = histogram(
    [
      [1, 3],
      [INFINITY, 5],
    ],
    7,
  )

  it('give what happened between them', () => {
    expect(
      histogramDelta(
        before,
        histogram(
          [
            [1, 4],
            [INFINITY, 9],
          ],
          17,
        ),
      ),
    ).toEqual(
      histogram(
        [
          [1, 1],
          [INFINITY, 4],
        ],
        10,
      ),
    )
  })

  it.each([
    [
      'restarted',
      histogram(
        [
          [1, 0],
          [INFINITY, 1],
        ],
        1,
      ),
    ],
    [
      'has other buckets',
      histogram(
        [
          [2, 4],
          [INFINITY, 9],
        ],
        17,
      ),
    ],
    [
      'has more buckets',
      histogram(
        [
          [1, 4],
          [2, 5],
          [INFINITY, 9],
        ],
        17,
      ),
    ],
  ])('say nothing if the server %s', (_, after) => {
    expect(histogramDelta(before, after)).toBeNull()
  })
})

describe('histograms of several flows', () => {
  it('add up, bucket by bucket', () => {
    const sum = addHistograms([
      histogram(
        [
          [1, 3],
          [INFINITY, 5],
        ],
        7,
      ),
      histogram(
        [
          [1, 1],
          [INFINITY, 1],
        ],
        1,
      ),
    ])
    expect(sum).toEqual(
      histogram(
        [
          [1, 4],
          [INFINITY, 6],
        ],
        8,
      ),
    )
  })

  it('lose their buckets if those differ', () => {
    const sum = addHistograms([
      histogram(
        [
          [1, 3],
          [INFINITY, 5],
        ],
        7,
      ),
      histogram(
        [
          [2, 1],
          [INFINITY, 1],
        ],
        1,
      ),
    ])
    expect(sum).toEqual({ buckets: [], sum: 8, count: 6 })
  })

  it('of none are none', () => expect(addHistograms([])).toBeNull())
})

it('series come in any order, and count once', () => {
  const growing = new GrowingHistogram()
  const isNew = [
    growing.addBucket(INFINITY, 5),
    growing.addBucket(1, 3),
    growing.addBucket(2, 4),
    growing.addBucket(1, 9),
    growing.addSum(7),
    growing.addSum(8),
    growing.addCount(5),
    growing.addCount(6),
  ]
  expect(isNew).toEqual([true, true, true, false, true, false, true, false])
  const { buckets, sum, count } = growing
  expect({ buckets, sum, count }).toEqual(
    histogram(
      [
        [1, 3],
        [2, 4],
        [INFINITY, 5],
      ],
      7,
    ),
  )
})
