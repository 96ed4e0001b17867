import { describe, expect, it } from 'vitest'
import { rulesFor } from '../../src/apf/versions.ts'
import { LIMITER_SETTINGS } from '../../src/limiters/all-settings.ts'
import { CILIUM_OPTIONS } from '../../src/limiters/cilium.ts'
import { type CiliumSeries, ciliumHealth } from '../../src/limiters/cilium-health.ts'
import { clientsOf, defaultsAt } from '../../src/limiters/client-defaults.ts'
import { clientHealth } from '../../src/limiters/client-health.ts'
import { clientsIn, effectiveClient, flagsOf } from '../../src/limiters/client-settings.ts'
import { formatGoDuration, goQuote, parseGoDuration, parseGoFloat } from '../../src/limiters/go-values.ts'
import { inflightAnswer } from '../../src/limiters/max-in-flight.ts'

describe('the defaults of clients', () => {
  it.each([
    ['kubelet', 0, 26, { qps: 5, burst: 10 }],
    ['kubelet', 0, 27, { qps: 50, burst: 100 }],
    ['kubelet', 1, 26, { qps: 5, burst: 10 }],
    ['kubectl', 1, 22, { qps: 5, burst: 100 }],
    ['kubectl', 1, 23, { qps: 50, burst: 300 }],
    ['client-go', 1, 24, { qps: 5, burst: 100 }],
    ['client-go', 1, 25, { qps: 5, burst: 300 }],
    ['controller-runtime', 0, 20, { qps: 20, burst: 30 }],
    ['controller-runtime', 0, 21, { qps: -1, burst: 0 }],
  ])('of %s (client %i) in minor %i', (component, index, minor, expected) => {
    const client = clientsOf(component)[index]
    expect(client && defaultsAt(client, minor)).toEqual(expected)
  })
})

describe('settings of clients in objects', () => {
  const effective = (object: object) =>
    clientsIn(object).map((client) => [client.component, client.use, effectiveClient(client).limiter])

  it('of kubelet: 0 is 5 for its calls, and no limit for events and image pulls', () => {
    const object = { kind: 'KubeletConfiguration', kubeAPIQPS: 0, eventRecordQPS: 0, registryPullQPS: 0 }
    expect(effective(object)).toEqual([
      ['kubelet', '', { qps: 5, burst: 100 }],
      ['kubelet', 'events', null],
      ['kubelet', 'image pulls', null],
    ])
  })

  it('of kube-scheduler: 0 is its default, below 0 no limit', () => {
    const object = (qps: number) => ({ kind: 'KubeSchedulerConfiguration', clientConnection: { qps } })
    expect(effective(object(0))).toEqual([['kube-scheduler', '', { qps: 50, burst: 100 }]])
    expect(effective(object(-1))).toEqual([['kube-scheduler', '', null]])
  })

  it.each([
    ['--kube-api-qps=7', { qps: 7, burst: 30 }],
    ['--kube-api-qps 7', { qps: 7, burst: 30 }],
    ['-kube-api-qps=7 --kube-api-burst=9', { qps: 7, burst: 9 }],
  ])('of a container with %s', (args, limiter) => {
    const containers = [
      { name: 'kcm', image: 'registry.k8s.io/kube-controller-manager:v1.37.2', args: args.split(' ') },
    ]
    const pod = { kind: 'Pod', spec: { containers } }
    const job = { kind: 'CronJob', spec: { jobTemplate: { spec: { template: { spec: { containers } } } } } }
    for (const object of [pod, job, { kind: 'List', items: [pod] }]) {
      expect(effective(object)).toEqual([['kube-controller-manager', '', limiter]])
    }
  })

  it.each<[unknown]>([
    [null],
    [7],
    [[]],
    [{}],
    [{ kind: 'Pod', spec: null }],
    [{ kind: 'Pod', spec: { containers: [null, 7] } }],
  ])('are not in %j', (value) => expect(clientsIn(value)).toEqual([]))

  it.each([
    ['names with _', ['--kube_api_qps=7'], [['kube-api-qps', '7']]],
    [
      'a script',
      ['/bin/sh', '-c', 'exec /bin/x --v=2 --kube-api-qps "7" --b=\'8\' 1>>/var/log/x.log'],
      [
        ['c', 'exec'],
        ['v', '2'],
        ['kube-api-qps', '7'],
        ['b', '8'],
      ],
    ],
    ['a value with spaces', ['--a=b --c=d'], [['a', 'b --c=d']]],
  ])('takes flags out of %s', (_what, words, flags) => expect([...flagsOf(words)]).toEqual(flags))

  it('takes a flag without a value for true, and the last of two', () => {
    expect([...flagsOf(['x', '--a', '--b=1', '--b=2', 'c'])]).toEqual([
      ['a', 'true'],
      ['b', '2'],
    ])
  })
})

describe('values as Go has them', () => {
  it.each([
    ['1h30m', 5_400_000_000_000],
    ['-1.5s', -1_500_000_000],
    ['0', 0],
    ['.5ms', 500_000],
    ['1µs', 1000],
  ])('%s is a duration', (text, value) => expect(parseGoDuration(text)).toEqual({ value }))

  it.each([
    ['', 'time: invalid duration ""'],
    ['1', 'time: missing unit in duration "1"'],
    ['1d', 'time: unknown unit "d" in duration "1d"'],
    ['1µ', 'time: unknown unit "\\xc2\\xb5" in duration "1\\xc2\\xb5"'],
  ])('%s is none', (text, error) => expect(parseGoDuration(text)).toEqual({ error }))

  it.each([
    [0, '0s'],
    [16_444, '16.444µs'],
    [1_500_000_000, '1.5s'],
    [60_000_000_000, '1m0s'],
    [3_600_000_000_000, '1h0m0s'],
    [-46_608, '-46.608µs'],
    [2 ** 63, '2562047h47m16.854775807s'],
  ])('%i ns is printed as %s', (value, text) => expect(formatGoDuration(value)).toBe(text))

  it('quotes', () => expect(goQuote('a"\n\u001b\u202eé')).toBe('"a\\"\\n\\x1b\\u202eé"'))

  it.each([
    ['0x1p4', 16],
    ['1_000', 1000],
    ['+Inf', Number.POSITIVE_INFINITY],
    ['.5', 0.5],
  ])('%s is a number', (text, value) => expect(parseGoFloat(text)).toEqual({ value }))
})

describe('flags of requests in flight', () => {
  const none = {
    maxRequestsInflight: null,
    maxMutatingRequestsInflight: null,
    enablePriorityAndFairness: null,
    featureGates: null,
  }
  const off = { ...none, enablePriorityAndFairness: 'false' }
  it.each([
    ['defaults', none, 37, 'APF', []],
    ['APF off', off, 37, 'MaxInFlight', []],
    ['both 0 without APF', { ...off, maxRequestsInflight: '0', maxMutatingRequestsInflight: '0' }, 37, 'Unlimited', []],
    ['the gate of 1.28', { ...none, featureGates: 'A=true,APIPriorityAndFairness=false' }, 28, 'MaxInFlight', []],
    [
      'the gate of 1.29',
      { ...none, featureGates: 'APIPriorityAndFairness=false' },
      29,
      'Refused',
      ['cannot set feature gate APIPriorityAndFairness to false, feature is locked to true'],
    ],
    [
      'the gate of 1.31',
      { ...none, featureGates: 'APIPriorityAndFairness=true' },
      31,
      'Refused',
      ['unrecognized feature gate: APIPriorityAndFairness'],
    ],
    [
      'a word',
      { ...none, maxRequestsInflight: 'many' },
      37,
      'Refused',
      ['invalid argument "many" for "--max-requests-inflight" flag: strconv.ParseInt: parsing "many": invalid syntax'],
    ],
    [
      'a negative number',
      { ...off, maxRequestsInflight: '-1' },
      37,
      'Refused',
      ['--max-requests-inflight can not be negative value'],
    ],
  ])('%s', (_, given, minor, mode, errors) => {
    expect(inflightAnswer(given, rulesFor({ minor }))).toMatchObject({ mode, errors })
  })

  it.each([
    ['APIPriorityAndFairness', 28, 'Refused', ['missing bool value for APIPriorityAndFairness']],
    [
      'Foo=maybe',
      37,
      'Refused',
      ['invalid value of Foo=maybe, err: strconv.ParseBool: parsing "maybe": invalid syntax'],
    ],
    [' APIPriorityAndFairness = false ', 28, 'MaxInFlight', []],
    ['APIPriorityAndFairness=false,APIPriorityAndFairness=true', 28, 'APF', []],
    ['AllBeta=false', 28, 'MaxInFlight', []],
    ['AllBeta=false,APIPriorityAndFairness=true', 28, 'APF', []],
    ['AllBeta=false', 29, 'APF', []],
    [',,', 28, 'APF', []],
  ])('feature gates %j in 1.%i: %s', (featureGates, minor, mode, errors) => {
    expect(inflightAnswer({ ...none, featureGates }, rulesFor({ minor }))).toMatchObject({ mode, errors })
  })

  it.each([
    [{ featureGates: 'APIPriorityAndFairness=false' }, '--feature-gates', 'leave APIPriorityAndFairness on'],
    [
      { enablePriorityAndFairness: 'false' },
      '--enable-priority-and-fairness',
      'leave --enable-priority-and-fairness on',
    ],
  ])('names what switches APF off: %j', (given, setting, fix) => {
    const { advice } = inflightAnswer({ ...none, ...given }, rulesFor({ minor: 28 }))
    expect(advice).toMatchObject([{ setting, fix }])
  })
})

describe('the health of a limiter of the Cilium agent', () => {
  const series = (differs: Partial<CiliumSeries>): CiliumSeries => ({
    group: 'endpoint-create',
    processed: new Map([['success', 100]]),
    inFlight: 0,
    parallelLimit: 4,
    rateLimit: 0.5,
    rateBurst: 4,
    factor: 1,
    meanProcessing: 2,
    estimatedProcessing: 2,
    meanWait: 0,
    maxWait: 60,
    ...differs,
  })
  const full = series({ inFlight: 4 })
  it.each<[string, CiliumSeries, CiliumSeries | null, string]>([
    ['nothing waits', series({}), null, 'free'],
    [
      'places are taken, and calls succeed',
      series({ inFlight: 4, processed: new Map([['success', 120]]) }),
      full,
      'free',
    ],
    ['places stay taken, and none succeeds', full, full, 'stuck'],
    [
      'places are taken, and calls take ten times as long',
      series({ inFlight: 4, meanProcessing: 20 }),
      null,
      'maybe-stuck',
    ],
    ['calls take long', series({ meanProcessing: 7 }), null, 'slow'],
    ['the rate refuses', series({ processed: new Map([['fail-limit-wait', 3]]) }), null, 'limited'],
    ['no place refuses', series({ processed: new Map([['fail-parallel-wait', 3]]) }), null, 'limited'],
    ['calls wait', series({ meanWait: 9 }), null, 'waits'],
    ['an agent that was restarted', series({ processed: new Map([['success', 5]]) }), full, 'free'],
  ])('%s', (_, now, earlier, state) => expect(ciliumHealth(now, earlier).state).toBe(state))
})

describe('the health of a client', () => {
  const attempts = { attempts: 100, attempts429: 0, retries: null }
  it.each([
    [98, 100, 'waits'],
    [49, 100, 'partly-waits'],
    [0.5, 100, 'does-not-wait'],
  ])('with %d of %d seconds before its limiter', (sum, total, verdict) => {
    const limiter = { sum, count: 100, upTo5ms: null }
    expect(clientHealth({ limiter, request: { sum: total, count: 100 }, ...attempts }).verdict).toBe(verdict)
  })

  it.each([
    [9, 'partly-waits'],
    [0.01, 'does-not-wait'],
  ])('with %d s of waits in 11 attempts, and no duration of calls: %s', (sum, verdict) => {
    const limiter = { sum, count: 11, upTo5ms: null }
    expect(clientHealth({ limiter, request: null, ...attempts })).toMatchObject({ verdict, limiterShare: null })
  })

  it('is not known without the histogram', () => {
    expect(clientHealth({ limiter: null, request: null, ...attempts }).verdict).toBe('not-exposed')
  })
})

describe('the texts of settings', () => {
  it('cover every option of the Cilium agent', () => {
    const named = LIMITER_SETTINGS.map(({ name }) => name)
    expect(CILIUM_OPTIONS.filter((option) => !named.includes(option))).toEqual([])
  })

  it('are sentences', () => {
    for (const { name, does, beware = '.' } of LIMITER_SETTINGS)
      expect(does.endsWith('.') && beware.endsWith('.'), name).toBe(true)
  })
})
