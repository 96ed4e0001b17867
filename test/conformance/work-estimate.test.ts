import { describe, expect, it } from 'vitest'
import type { ListOptions } from '../../src/apf/list-options.ts'
import { requestSeatCaps } from '../../src/apf/seats.ts'
import { listWork, type StoredObjects, writeWork } from '../../src/apf/work-estimate.ts'
import { versionRules } from '../support/versions.ts'
import { type Vector, vectors } from './vectors.ts'

interface ListInput extends ListOptions {
  version: string
  verb: 'list' | 'watch'
  objectCount: number | null
  avgObjectBytes: number | null
  stats: 'ok' | 'stale' | 'notfound'
  nameFieldSelector: boolean
  /** 0: none. */
  maxSeatsOfLevel: number
  consistentReadFromCache: boolean
  watchListGate: boolean
  malformedOptions: boolean
}

interface WriteInput {
  version: string
  watchers: number
  maxSeatsOfLevel: number
  serviceAccountToken: boolean
}

interface Expected {
  initialSeats: number
  finalSeats: number
  additionalLatencyNs: number
}

const LISTS = vectors<ListInput, Expected>('seats', 'listWork')
const WATCHES = vectors<ListInput, Expected>('seats', 'watchWork')

describe.each([...LISTS, ...WATCHES].map(titled))('$title', ({ input, expected }) => {
  it('costs what the server reckons', () => {
    const rules = versionRules(input.version)
    const request = {
      verb: input.verb,
      single: input.nameFieldSelector,
      options: input.malformedOptions ? null : input,
    }
    const features = {
      consistentListFromCache: input.consistentReadFromCache,
      watchList: input.watchListGate,
      sizeBasedListCostEstimate: true,
    }
    const caps = requestSeatCaps(input.maxSeatsOfLevel || null, rules)
    expect(listWork(request, storedObjects(input), caps, features, rules)).toEqual(estimate(expected))
  })
})

describe.each(vectors<WriteInput, Expected>('seats', 'mutatingWork').map(titled))('$title', ({ input, expected }) => {
  it('costs what the server reckons', () => {
    const rules = versionRules(input.version)
    const caps = requestSeatCaps(input.maxSeatsOfLevel || null, rules)
    expect(writeWork(input.watchers, input.serviceAccountToken, caps, rules)).toEqual(estimate(expected))
  })
})

function titled<Input extends { version: string }>({ input, expected, note }: Vector<Input, Expected>) {
  return { title: `${input.version}: ${note}`, input, expected }
}

function storedObjects({ stats, objectCount, avgObjectBytes }: ListInput): StoredObjects {
  if (stats === 'ok') return { count: objectCount ?? 0, averageBytes: avgObjectBytes }
  return stats === 'stale' ? 'stale' : 'unknown'
}

function estimate({ additionalLatencyNs, ...seats }: Expected) {
  return { ...seats, additionalLatencyNanoseconds: additionalLatencyNs }
}
