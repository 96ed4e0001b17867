import { describe, expect, it } from 'vitest'
import { decideMode, healthChecksIn, type InflightFlags, type ModeObservations } from '../../src/metrics/mode.ts'

const APF_HOOK = 'poststarthook/priority-and-fairness-filter'
const PLAIN_HOOK = 'poststarthook/max-in-flight-filter'
const withHeaders = { path: '/version', status: 200, hasApfHeaders: true }
const withoutHeaders = { path: '/version', status: 200, hasApfHeaders: false }
const off = (read: number | null, mutating: number | null): InflightFlags => ({
  apfEnabled: false,
  maxRequestsInflight: read,
  maxMutatingRequestsInflight: mutating,
})

describe('evidence of one process', () => {
  it.each<[string, ModeObservations, string]>([
    ['nothing at all', {}, 'Unknown'],
    ['a proxy that strips headers', { healthChecks: [APF_HOOK], answer: withoutHeaders }, 'APF'],
    ['no headers, and the debug endpoint exists', { debugStatus: 200, answer: withoutHeaders }, 'APF'],
    ['an answer before any handler', { answer: { ...withoutHeaders, status: 401 } }, 'Unknown'],
    ['a 403 without headers', { answer: { ...withoutHeaders, status: 403 } }, 'NotAPF'],
    ['a throttled health endpoint', { healthThrottled: true }, 'MaxInFlight'],
    [
      'the hook of the plain limiter and its flags',
      { healthChecks: [PLAIN_HOOK], flags: off(null, null) },
      'MaxInFlight',
    ],
    ['flags of 0 and 0', { healthChecks: [PLAIN_HOOK], flags: off(0, 0) }, 'Unlimited'],
    ['flags of 0 and 2', { flags: off(0, 2) }, 'MaxInFlight'],
    ['an API that is not served', { apiGroupServed: false }, 'NotAPF'],
    ['objects with conditions', { flowSchemasExist: true, danglingConditions: true }, 'Unknown'],
  ])('%s', (_, observations, mode) => {
    expect(decideMode(observations)).toMatchObject({ mode, contradiction: null })
  })

  it('is listed strongest first', () => {
    const { evidence } = decideMode({ answer: withoutHeaders, flowSchemasExist: true, healthChecks: [PLAIN_HOOK] })
    expect(evidence.map(({ says, strength }) => [says, strength])).toEqual([
      ['NotAPF', 'strong'],
      ['NotAPF', 'weak'],
      ['Unknown', 'weak'],
    ])
  })
})

describe('a proxy that answers 404 to what it does not let through', () => {
  it.each<[string, ModeObservations]>([
    ['hooks', { healthChecks: [APF_HOOK] }],
    ['headers', { answer: withHeaders }],
    ['flags', { flags: { ...off(null, null), apfEnabled: true } }],
  ])('hides nothing that %s prove', (_, observations) => {
    const { mode, contradiction, evidence } = decideMode({ ...observations, debugStatus: 404, apiGroupServed: false })
    expect({ mode, contradiction }).toEqual({ mode: 'APF', contradiction: null })
    expect(evidence.filter(({ says }) => says === 'NotAPF')).toEqual([
      {
        what: '/debug/api_priority_and_fairness does not exist, or a proxy hides it',
        says: 'NotAPF',
        strength: 'weak',
      },
      {
        what: 'the group flowcontrol.apiserver.k8s.io is not served, or a proxy hides it',
        says: 'NotAPF',
        strength: 'weak',
      },
    ])
  })
})

describe('evidence of two processes behind one address', () => {
  it.each<[string, ModeObservations]>([
    ['hooks against headers', { healthChecks: [PLAIN_HOOK], answer: withHeaders }],
    ['debug endpoint against hooks', { healthChecks: [PLAIN_HOOK], debugStatus: 200 }],
    ['flags against the health endpoint', { flags: off(0, 0), healthThrottled: true }],
  ])('%s: the mode is not known', (_, observations) => {
    const { mode, contradiction } = decideMode(observations)
    expect(mode).toBe('Unknown')
    expect(contradiction).toContain('not the same process')
  })
})

it('a health report names its checks, whatever became of them', () => {
  const report = [
    '[+]ping ok',
    `[-]${APF_HOOK} failed: reason withheld`,
    '[+]etcd excluded: ok',
    'livez check failed',
  ].join('\n')
  expect(healthChecksIn(report)).toEqual(['ping', APF_HOOK, 'etcd'])
})
