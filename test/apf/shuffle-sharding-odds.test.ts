import { describe, expect, it } from 'vitest'
import { squashOdds } from '../../src/apf/shuffle-sharding-odds.ts'

/** The table of the enhancement proposal for API Priority and Fairness. */
const PROPOSED = [
  { handSize: 12, queues: 32, one: 4.428838398950118e-9, four: 0.11431348830099144, sixteen: 0.9935089607656024 },
  { handSize: 10, queues: 32, one: 1.550093439632541e-8, four: 0.0626479840223545, sixteen: 0.9753101519027554 },
  { handSize: 10, queues: 64, one: 6.601827268370426e-12, four: 0.00045571320990370776, sixteen: 0.49999929150089345 },
  { handSize: 9, queues: 64, one: 3.6310049976037345e-11, four: 0.00045501212304112273, sixteen: 0.4282314876454858 },
  { handSize: 8, queues: 64, one: 2.25929199850899e-10, four: 0.0004886697053040446, sixteen: 0.35935114681123076 },
  { handSize: 8, queues: 128, one: 6.994461389026097e-13, four: 3.4055790161620863e-6, sixteen: 0.02746173137155063 },
  { handSize: 7, queues: 128, one: 1.0579122850901972e-11, four: 6.960839379258192e-6, sixteen: 0.02406157386340147 },
  { handSize: 7, queues: 256, one: 7.597695465552631e-14, four: 6.728547142019406e-8, sixteen: 0.0006709661542533682 },
  {
    handSize: 6,
    queues: 256,
    one: 2.7134626662687968e-12,
    four: 2.9516464018476436e-7,
    sixteen: 0.0008895654642000348,
  },
  { handSize: 6, queues: 512, one: 4.116062922897309e-14, four: 4.982983350480894e-9, sixteen: 2.26025764343413e-5 },
  { handSize: 6, queues: 1024, one: 6.337324016514285e-16, four: 8.09060164312957e-11, sixteen: 4.517408062903668e-7 },
]

function expectClose(found: number, expected: number) {
  expect(Math.abs(found / expected - 1)).toBeLessThan(1e-9)
}

describe('squashOdds', () => {
  it.each(PROPOSED)('is that of the proposal for $handSize of $queues queues', (row) => {
    const { queues, handSize } = row
    expectClose(squashOdds(queues, handSize, 1), row.one)
    expectClose(squashOdds(queues, handSize, 4), row.four)
    expectClose(squashOdds(queues, handSize, 16), row.sixteen)
  })

  it.each([
    { queues: 1, handSize: 1, elephants: 1, odds: 1 },
    { queues: 7, handSize: 7, elephants: 1, odds: 1 },
    { queues: 4, handSize: 2, elephants: 0, odds: 0 },
    { queues: 4, handSize: 2, elephants: 1, odds: 1 / 6 },
    { queues: 10, handSize: 1, elephants: 1, odds: 0.1 },
    { queues: 10, handSize: 1, elephants: 2, odds: 0.19 },
  ])('is $odds for $elephants elephants with $handSize of $queues queues', ({ queues, handSize, elephants, odds }) => {
    expect(squashOdds(queues, handSize, elephants)).toBeCloseTo(odds, 12)
  })
})
