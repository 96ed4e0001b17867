import { describe, expect, it } from 'vitest'
import { type CostQuestion, requestCost } from '../../src/analysis/request-cost.ts'
import { isRefused, requestInfo } from '../../src/apf/request-info.ts'
import { versionRules } from '../support/versions.ts'

/** The level workload-low of a server of 600 seats, as `versionRules` caps its requests. */
const CAPS_BEFORE_34 = { maxSeatsPerRequest: 10, maxFinalSeats: 10 }
const CAPS = { maxSeatsPerRequest: 37, maxFinalSeats: 10 }

/** A request by its URL, `?` and query included; or, with a method alone, in words. */
function cost(version: string, url: string, given: Partial<CostQuestion> = {}) {
  const [method = '', target = ''] = url.includes(' ') ? url.split(' ') : ['GET', url]
  const request = requestInfo(method, target)
  if (isRefused(request)) throw new Error(`${url} is refused`)
  const rules = versionRules(version)
  const caps = rules.maxListSeats === 100 ? CAPS : CAPS_BEFORE_34
  return requestCost({ request, query: target.split('?')[1] ?? '', exempt: false, caps, stored: null, ...given }, rules)
}

const PODS = '/api/v1/pods'
const EXACT = `${PODS}?resourceVersion=5&resourceVersionMatch=Exact`
const many = (averageBytes: number | null) => ({ stored: { count: 4812, averageBytes } })

describe('a request that costs the same on any server', () => {
  it.each([
    ['1.37', '/api/v1/pods/web', {}, 1, 'this kind of request never costs more'],
    ['1.37', '/healthz', {}, 1, 'this kind of request never costs more'],
    ['1.37', 'POST /api/v1/namespaces/a/serviceaccounts/b/token', {}, 1, 'this kind of request never costs more'],
    ['1.23', 'POST /api/v1/pods', {}, 1, 'this kind of request never costs more'],
    ['1.22', PODS, {}, 1, 'no LIST costs more before Kubernetes 1.23'],
    ['1.33', `${PODS}?fieldSelector=metadata.name%3Dweb`, {}, 1, 'a LIST of one name'],
    ['1.33', `${PODS}?watch=true`, {}, 1, 'no WATCH costs more in this version'],
    ['1.37', `${PODS}?watch=true&resourceVersion=5`, {}, 1, 'a WATCH that brings no objects at its start'],
    [
      '1.29.13',
      PODS,
      many(null),
      1,
      'in Kubernetes 1.29.13 no LIST costs more, by a regression that 1.29.14, 1.30.10 and 1.31 end',
    ],
    [
      '1.37',
      `${PODS}?limit=x`,
      {},
      37,
      'the query does not decode, for which the server charges all that the level admits',
    ],
    ['1.37', PODS, { caps: { maxSeatsPerRequest: 1, maxFinalSeats: 1 } }, 1, 'the level admits no more'],
    ['1.27', PODS, { exempt: true, caps: null }, 0, 'exempt requests take none before Kubernetes 1.28'],
  ])('in %s: %s', (version, url, given, initialSeats, basis) => {
    const work = { initialSeats, finalSeats: 0, additionalLatencySeconds: 0, basis }
    expect(cost(version, url, given)).toEqual({ work })
  })
})

describe('a list whose objects are told', () => {
  it.each([
    ['1.37', PODS, many(2000), 10, '4,812 objects of 2 kB, cache read; the level caps at 37'],
    ['1.37', EXACT, many(2000), 37, '4,812 objects of 2 kB, storage read; the level caps at 37'],
    ['1.37', EXACT, many(20), 1, '4,812 objects of 20 B, storage read; the level caps at 37'],
    [
      '1.37',
      PODS,
      many(null),
      10,
      '4,812 objects taken for 1.5 MB each (→ --object-bytes N), cache read; the level caps at 37',
    ],
    ['1.33', PODS, { stored: { count: 450, averageBytes: null } }, 5, '450 objects, cache read; the level caps at 10'],
    ['1.26', PODS, { stored: { count: 1, averageBytes: null } }, 1, '1 object, storage read; the level caps at 10'],
    [
      '1.37',
      PODS,
      { stored: 'unknown' as const },
      1,
      'objects that this server does not count, cache read; the level caps at 37',
    ],
    [
      '1.33',
      PODS,
      { stored: 'stale' as const },
      10,
      'a stale number of objects, for which the server assumes the worst, cache read; the level caps at 10',
    ],
    ['1.37', PODS, { ...many(1), caps: null }, 1, '4,812 objects of 1 B, cache read'],
    ['1.34', `${PODS}?watch=true&resourceVersion=5`, many(2000), 1, 'a WATCH that brings no objects at its start'],
    ['1.31', 'GET /api/v1/pods?watch=true', { ...many(2000), query: null }, 1, 'no WATCH costs more in this version'],
  ])('in %s: %s', (version, url, given, initialSeats, basis) => {
    const work = { initialSeats, finalSeats: 0, additionalLatencySeconds: 0, basis }
    expect(cost(version, url, given)).toEqual({ work })
  })
})

describe('a request whose cost is open', () => {
  it.each([
    ['1.37', PODS, {}, '1 seat at least; a LIST grows with what it returns, 10 at most here (→ --objects N)'],
    [
      '1.37',
      PODS,
      { query: null },
      '1 seat at least; a LIST grows with what it returns, 37 at most here (→ --objects N)',
    ],
    ['1.37', EXACT, {}, '1 seat at least; a LIST grows with what it returns, 37 at most here (→ --objects N)'],
    [
      '1.37',
      PODS,
      { caps: null },
      '1 seat at least; a LIST grows with what it returns (→ --objects N and --server-seats N)',
    ],
    ['1.37', PODS, { ...many(2000), caps: null }, '10 seats unless the level caps it lower (→ --server-seats N)'],
    [
      '1.37',
      `${PODS}?watch=true`,
      {},
      '1 seat at least; a WATCH that begins with all objects costs as much as their LIST, 10 at most here (→ --objects N)',
    ],
    [
      '1.37',
      'DELETE /api/v1/namespaces/a/pods/b',
      {},
      '1 seat; after its answer up to 10 for a moment, one for every 10 watches of what it writes',
    ],
  ])('in %s: %s', (version, url, given, dependsOn) => {
    expect(cost(version, url, given)).toEqual({ dependsOn })
  })
})
