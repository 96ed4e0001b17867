import { describe, expect, it } from 'vitest'
import { accountOfObjects, type LevelAccount, type ServerAccount } from '../../src/analysis/seats.ts'
import { type BorrowingLevel, borrowingRound } from '../../src/apf/allocation.ts'
import type { PriorityLevelConfiguration } from '../../src/apf/objects.ts'
import { explainFacts, explainVerdict } from '../../src/report/explain-seats.ts'
import { versionRules } from '../support/versions.ts'

interface Demand {
  name: string
  shares: number
  lendable?: number
  uses: number
  smoothed: number
}

const SERVER_SEATS = 100

/** What `explain` says of one of these levels on a server of 100 seats. */
function explained(minor: string, name: string, demands: readonly Demand[], current: number | null = null) {
  const rules = versionRules(minor)
  const objects = demands.map(levelOf)
  const computed = accountOfObjects(objects, SERVER_SEATS, rules).map((level, index): LevelAccount => {
    const { uses = 0, smoothed = 0 } = demands[index] ?? {}
    return { ...level, current: current ?? level.nominal, executingSeats: uses, demandSmoothed: smoothed }
  })
  const round = borrowingRound(computed.map(atStartOfRound), rules)
  const account: ServerAccount = {
    name: 'a',
    mode: 'APF',
    limit: { value: SERVER_SEATS, source: 'given' },
    levels: computed,
    round,
    unknown: [],
  }
  const level = computed.find((each) => each.name === name)
  if (level === undefined) throw new Error(name)
  const object = objects.find(({ metadata }) => metadata.name === name) ?? null
  const facts = explainFacts({ account, level, object, rules })
  return {
    verdict: explainVerdict({ account, level, object, rules }, false),
    fact: (wanted: string) => facts.find((fact) => fact.name === wanted)?.text,
  }
}

function levelOf({ name, shares, lendable = 0 }: Demand): PriorityLevelConfiguration {
  const common = { nominalConcurrencyShares: shares, lendablePercent: lendable }
  const limitResponse = { type: 'Reject', queuing: null }
  return {
    kind: 'PriorityLevelConfiguration',
    apiVersion: 'v1',
    metadata: { name, uid: null, generation: null, labels: {}, annotations: {} },
    spec:
      name === 'exempt'
        ? { type: 'Exempt', limited: null, exempt: common }
        : { type: 'Limited', limited: { ...common, borrowingLimitPercent: null, limitResponse }, exempt: null },
    origin: null,
  }
}

function atStartOfRound(level: LevelAccount): BorrowingLevel {
  return {
    name: level.name,
    exempt: level.type === 'Exempt',
    nominal: level.nominal ?? 0,
    lower: level.lower ?? 0,
    upper: level.upper ?? 0,
    highWatermark: level.executingSeats ?? 0,
    smoothedDemand: level.demandSmoothed ?? 0,
    current: level.current ?? 0,
  }
}

const SOON = 'within 10 s, if the demand stays'

describe('the next round in words', () => {
  const idle = { name: 'idle', shares: 50, lendable: 50, uses: 0, smoothed: 0 }
  const busy = { name: 'busy', shares: 50, lendable: 50, uses: 60, smoothed: 0 }
  const exempt = { name: 'exempt', shares: 0, uses: 0, smoothed: 0 }

  it('has factors whose product is the one that is printed', () => {
    // Of 100 seats 25 + 45 are wanted: 100 / 70 = 1.428571….
    const demands = [idle, { ...busy, uses: 45 }, exempt]
    expect(explained('1.37', 'busy', demands).fact('next round')).toBe(
      `64: target 45 × 1.428571 seats for each seat of target = 64.29, at least 45, at most 150; ${SOON}`,
    )
  })

  it('gives exempt its share of a fair round where it takes part in it', () => {
    // Of 100 seats 25 + 45 + 2 are wanted: 100 / 72 = 1.388888….
    const demands = [idle, { ...busy, uses: 45 }, { ...exempt, uses: 1, smoothed: 2 }]
    expect(explained('1.28', 'exempt', demands).fact('next round')).toBe(
      `3: target 2 × 1.388889 seats for each seat of target = 2.78, at least 0, at most 100; ${SOON}`,
    )
  })

  it('gives exempt what is guaranteed to it or what it uses where it is served apart', () => {
    const own = { ...exempt, shares: 100, uses: 1 }
    expect(explained('1.31', 'exempt', [idle, busy, own]).fact('next round')).toBe(
      `50: the greater of 50 guaranteed and what it uses; ${SOON}`,
    )
  })

  it('shows the part of what is needed where exempt leaves too little', () => {
    // Exempt leaves 60: 25 + 25 are guaranteed, 25 + 50 needed.
    const demands = [idle, busy, { ...exempt, uses: 40 }]
    expect(explained('1.37', 'busy', demands).fact('next round')).toBe(
      `35: 25 guaranteed + (50 needed − 25) × 0.4, where (60 left by exempt − 50 guaranteed) / (75 needed − 50) = 0.4; ${SOON}`,
    )
  })

  it('leaves nothing where exempt uses more than there is', () => {
    const demands = [idle, busy, { ...exempt, uses: 120 }]
    expect(explained('1.37', 'busy', demands).fact('next round')).toMatch(/^25: exempt leaves 0, no more than the 50 /)
  })

  it('shows what exempt leaves where that is no more than what is guaranteed', () => {
    const demands = [idle, busy, { ...exempt, uses: 55 }]
    expect(explained('1.37', 'busy', demands).fact('next round')).toBe(
      `25: exempt leaves 45, no more than the 50 guaranteed to all other levels, so that each gets what is guaranteed to it; ${SOON}`,
    )
  })
})

describe('one level in words', () => {
  it('has no seats as exempt before Kubernetes 1.28', () => {
    const demands = [{ name: 'exempt', shares: 0, uses: 0, smoothed: 0 }]
    expect(explained('1.27', 'exempt', demands).verdict).toBe(
      'exempt: never limited, and without seats of its own before Kubernetes 1.28',
    )
  })

  it('says where a LIST costs one seat whatever it returns', () => {
    const demands = [{ name: 'a', shares: 2, uses: 1, smoothed: 0 }]
    const regression = '1 seat, as every LIST by a regression of this release; its limit is 10 seats'
    expect(explained('1.28', 'a', demands).fact('one LIST')).toMatch(regression)
    expect(explained('1.30.9', 'a', demands).fact('one LIST')).toMatch(regression)
    expect(explained('1.30.10', 'a', demands).fact('one LIST')).toMatch(/^10 seats at most/)
    expect(explained('1.27', 'a', demands).fact('one LIST')).toMatch(/^10 seats at most/)
    expect(explained('1.31', 'a', demands).fact('one LIST')).toMatch(/^10 seats at most/)
  })

  it('counts one as one', () => {
    const demands = [
      { name: 'a', shares: 2, lendable: 50, uses: 1, smoothed: 0 },
      { name: 'b', shares: 98, uses: 0, smoothed: 0 },
    ]
    expect(explained('1.37', 'a', demands).fact('lends')).toBe('50 % of 2 = 1; so 1 is always its own')
    expect(explained('1.37', 'b', demands).fact('lends')).toBe('nothing: all 98 are always its own')
  })

  it('does not round what comes out whole', () => {
    // 49 of 700 of 100 seats are 7; 100 × (49 / 700) is a little more in floating point.
    const demands = [
      { name: 'a', shares: 49, uses: 0, smoothed: 0 },
      { name: 'b', shares: 651, uses: 0, smoothed: 0 },
    ]
    expect(explained('1.37', 'a', demands).fact('nominal')).toBe('49 of 700 shares of 100 seats = 7')
  })
})
