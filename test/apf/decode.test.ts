import { describe, expect, it } from 'vitest'
import { type DecodeOptions, decodeObject } from '../../src/apf/decode.ts'
import type { FieldPath, Origin, Problem } from '../../src/apf/problem.ts'
import { rulesFor } from '../../src/apf/versions.ts'

const GROUP = 'flowcontrol.apiserver.k8s.io'

function schema(spec: unknown, more: object = {}): object {
  return { apiVersion: `${GROUP}/v1`, kind: 'FlowSchema', metadata: { name: 'x' }, spec, ...more }
}

function level(spec: unknown, version = 'v1', annotations: object = {}): object {
  const metadata = { name: 'x', annotations }
  return { apiVersion: `${GROUP}/${version}`, kind: 'PriorityLevelConfiguration', metadata, spec }
}

function decode(value: unknown, minor = 37, options?: DecodeOptions, origin: Origin | null = null) {
  return decodeObject(value, origin, rulesFor({ minor }), options)
}

/** Code and field path of each problem. */
function codes(problems: readonly Problem[]): string[] {
  return problems.map(({ code, at }) => `${code} ${at?.path ?? ''}`.trim())
}

const LEVEL = { priorityLevelConfiguration: { name: 'l' } }

describe('a FlowSchema', () => {
  it('is held as the server holds it', () => {
    const value = schema(
      {
        ...LEVEL,
        distinguisherMethod: { type: 'ByUser' },
        rules: [{ subjects: [{ kind: 'User', user: { name: 'ada' } }], nonResourceRules: [{ verbs: ['get'] }] }],
      },
      {
        metadata: { name: 'x', uid: 'u', generation: 3, labels: { a: 'b' }, creationTimestamp: '2026-01-02T03:04:05Z' },
        status: { conditions: [{ type: 'Dangling', status: 'False', reason: 'Found', message: 'm' }] },
      },
    )
    expect(decode(value)).toEqual({
      object: {
        kind: 'FlowSchema',
        apiVersion: 'v1',
        metadata: { name: 'x', uid: 'u', generation: 3, labels: { a: 'b' }, annotations: {} },
        spec: {
          priorityLevelConfiguration: { name: 'l' },
          matchingPrecedence: 1000,
          distinguisherMethod: { type: 'ByUser' },
          rules: [
            {
              subjects: [{ kind: 'User', user: { name: 'ada' }, group: null, serviceAccount: null }],
              resourceRules: [],
              nonResourceRules: [{ verbs: ['get'], nonResourceURLs: [] }],
            },
          ],
        },
        status: {
          conditions: [{ type: 'Dangling', status: 'False', reason: 'Found', message: 'm', lastTransitionTime: null }],
        },
        origin: null,
      },
      problems: [],
      typeError: null,
    })
  })

  it.each([undefined, null])('with spec %s has an empty one, which is said', (spec) => {
    const { object, problems } = decode(schema(spec))
    expect(object?.spec).toEqual({
      priorityLevelConfiguration: { name: '' },
      matchingPrecedence: 1000,
      distinguisherMethod: null,
      rules: [],
    })
    expect(codes(problems)).toEqual([spec === null ? 'APF108 spec' : 'APF108'])
  })

  it('takes null for absent everywhere, and a null item for an empty item', () => {
    const { object, problems } = decode(
      schema(
        { ...LEVEL, matchingPrecedence: null, distinguisherMethod: null, rules: [null, { subjects: [null] }] },
        { status: null, metadata: { name: 'x', labels: { a: null }, annotations: null, creationTimestamp: null } },
      ),
    )
    expect(problems).toEqual([])
    expect(object?.metadata.labels).toEqual({ a: '' })
    expect(object?.spec).toMatchObject({
      matchingPrecedence: 1000,
      rules: [
        { subjects: [], resourceRules: [], nonResourceRules: [] },
        { subjects: [{ kind: '', user: null, group: null, serviceAccount: null }] },
      ],
    })
  })
})

describe('the annotation that keeps zero shares', () => {
  it('is an ordinary one on a FlowSchema', () => {
    const annotations = { 'flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares': '' }
    const value = { ...schema(LEVEL, { metadata: { name: 'x', annotations } }), apiVersion: `${GROUP}/v1beta3` }
    expect(decode(value, 31).object?.metadata.annotations).toEqual(annotations)
  })
})

describe('unknown fields', () => {
  it('are dropped, in the order of the body, with the place of each', () => {
    const { object, problems } = decode(
      schema(
        { ...LEVEL, matchingprecedence: 5, rules: [{ subjects: [{ kind: 'User', name: 'ada' }] }] },
        { metadata: { name: 'x', extra: 1 }, surprise: {} },
      ),
    )
    expect(object?.metadata.name).toBe('x')
    expect(codes(problems)).toEqual([
      'APF101 metadata.extra',
      'APF101 spec.matchingprecedence',
      'APF101 spec.rules[0].subjects[0].name',
      'APF101 surprise',
    ])
    expect(problems[1]).toEqual({
      code: 'APF101',
      severity: 'error',
      message: 'v1 has no field spec.matchingprecedence',
      fix: 'write matchingPrecedence',
      at: { path: 'spec.matchingprecedence' },
      object: { kind: 'FlowSchema', name: 'x' },
    })
  })

  it.each(['constructor', '__proto__', 'toString'])('may be called %s', (name) => {
    const spec = JSON.parse(`{"priorityLevelConfiguration":{"name":"l"},"${name}":{"a":1}}`)
    const { object, problems } = decode(schema(spec))
    expect(codes(problems)).toEqual([`APF101 spec.${name}`])
    expect(object?.spec).toMatchObject({ matchingPrecedence: 1000 })
  })

  it.each([
    ['v1beta2', 'nominalConcurrencyShares', 'assuredConcurrencyShares', 26],
    ['v1beta3', 'assuredConcurrencyShares', 'nominalConcurrencyShares', 28],
    ['v1', 'assuredConcurrencyShares', 'nominalConcurrencyShares', 37],
  ])('of %s include %s, so that 30 shares are left', (version, written, right, minor) => {
    const limited = { [written]: 5, limitResponse: { type: 'Reject' } }
    const { object, problems } = decode(level({ type: 'Limited', limited }, version, {}), minor)
    const unknown = problems.filter(({ code }) => code === 'APF101')
    expect(codes(unknown)).toEqual([`APF101 spec.limited.${written}`])
    expect(unknown[0]?.fix).toBe(`write ${right}`)
    expect(object?.spec).toMatchObject({ limited: { nominalConcurrencyShares: 30 } })
  })

  it.each([
    [25, ['spec.limited.lendablePercent', 'spec.limited.borrowingLimitPercent', 'spec.exempt']],
    [27, ['spec.exempt']],
    [28, []],
  ])('of v1beta2 in 1.%i are %j', (minor, paths) => {
    const limited = { lendablePercent: 10, borrowingLimitPercent: 20, limitResponse: { type: 'Reject' } }
    const { problems } = decode(level({ type: 'Limited', limited, exempt: {} }, 'v1beta2'), minor)
    const unknown = problems.filter(({ code }) => code === 'APF101')
    expect(unknown.map(({ at }) => at?.path)).toEqual(paths)
  })
})

describe('a value of the wrong type makes the object unusable', () => {
  it.each([
    ['a quoted number', { ...LEVEL, matchingPrecedence: '500' }, 'spec.matchingPrecedence', 'remove the quotes'],
    ['a fraction', { ...LEVEL, matchingPrecedence: 1.5 }, 'spec.matchingPrecedence', undefined],
    ['a number beyond 32 bits', { ...LEVEL, matchingPrecedence: 2147483648 }, 'spec.matchingPrecedence', undefined],
    ['NaN', { ...LEVEL, matchingPrecedence: Number.NaN }, 'spec.matchingPrecedence', undefined],
    ['infinity', { ...LEVEL, matchingPrecedence: Number.POSITIVE_INFINITY }, 'spec.matchingPrecedence', undefined],
    ['a boolean for a number', { ...LEVEL, matchingPrecedence: true }, 'spec.matchingPrecedence', undefined],
    [
      'a boolean for a name',
      { priorityLevelConfiguration: { name: true } },
      'spec.priorityLevelConfiguration.name',
      'put it in quotes: YAML reads bare yes, no, on, off, y and n as true or false',
    ],
    [
      'a number for a name',
      { priorityLevelConfiguration: { name: 7 } },
      'spec.priorityLevelConfiguration.name',
      'put it in quotes: "7"',
    ],
    ['a mapping for a list', { ...LEVEL, rules: {} }, 'spec.rules', 'write a list, also for a single entry'],
    [
      'a scalar for a list',
      { ...LEVEL, rules: [{ nonResourceRules: [{ verbs: 'get' }] }] },
      'spec.rules[0].nonResourceRules[0].verbs',
      'write a list, also for a single entry',
    ],
    ['a list for a mapping', { priorityLevelConfiguration: ['l'] }, 'spec.priorityLevelConfiguration', undefined],
    ['a scalar for the spec', 'Limited', 'spec', undefined],
  ])('%s', (_, spec, path, fix) => {
    const { object, problems } = decode(schema(spec))
    expect(object).toBeNull()
    expect(problems).toEqual([
      {
        code: 'APF102',
        severity: 'error',
        message: expect.stringMatching(`^${path.replace(/[[\]]/g, '\\$&')} is .*, must be `),
        at: { path },
        object: { kind: 'FlowSchema', name: 'x' },
        ...(fix === undefined ? {} : { fix }),
      },
    ])
  })

  it.each([
    ['label', { name: 'x', labels: { a: true } }, 'metadata.labels.a'],
    ['annotation', { name: 'x', annotations: { a: 1 } }, 'metadata.annotations.a'],
    ['time', { name: 'x', creationTimestamp: 'yesterday' }, 'metadata.creationTimestamp'],
    ['metadata', 'x', 'metadata'],
  ])('in metadata: %s', (_, metadata, path) => {
    const { object, problems } = decode(schema(LEVEL, { metadata }))
    expect(object).toBeNull()
    expect(codes(problems)).toEqual([`APF102 ${path}`])
  })

  it('unless it stands inside an unknown field', () => {
    expect(decode(schema({ ...LEVEL, extra: { matchingPrecedence: 'x' } })).object).not.toBeNull()
  })

  it('but whole numbers may be spelled as fractions, as in YAML', () => {
    expect(decode(schema({ ...LEVEL, matchingPrecedence: 500.0 })).object?.spec).toMatchObject({
      matchingPrecedence: 500,
    })
  })
})

describe('zero', () => {
  it('is replaced by the default and that is said', () => {
    const queuing = { queues: 0, handSize: 0, queueLengthLimit: 0 }
    const limited = { nominalConcurrencyShares: 0, limitResponse: { type: 'Queue', queuing } }
    const { object, problems } = decode(level({ type: 'Limited', limited }, 'v1beta3'), 28)
    expect(object?.spec).toMatchObject({
      limited: {
        nominalConcurrencyShares: 30,
        limitResponse: { queuing: { queues: 64, handSize: 8, queueLengthLimit: 50 } },
      },
    })
    expect(codes(problems)).toEqual([
      'APF106 spec.limited.nominalConcurrencyShares',
      'APF106 spec.limited.limitResponse.queuing.queues',
      'APF106 spec.limited.limitResponse.queuing.handSize',
      'APF106 spec.limited.limitResponse.queuing.queueLengthLimit',
    ])
    expect(problems[0]?.message).toBe('the server replaces spec.limited.nominalConcurrencyShares 0 by the default 30')
  })

  const zero = { type: 'Limited', limited: { nominalConcurrencyShares: 0, limitResponse: { type: 'Reject' } } }
  const preserve = { 'flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares': '' }

  it.each([
    ['v1', {}, 29, 0, {}],
    ['v1', {}, 37, 0, {}],
    ['v1beta3', preserve, 31, 0, {}],
    ['v1beta3', preserve, 28, 30, preserve],
    ['v1beta3', {}, 31, 30, {}],
  ])('shares of %s with annotations %j in 1.%i are %i', (version, annotations, minor, shares, left) => {
    const { object } = decode(level(zero, version, annotations), minor)
    expect(object?.spec).toMatchObject({ limited: { nominalConcurrencyShares: shares } })
    expect(object?.metadata.annotations).toEqual(left)
  })

  it('as borrowing limit stays, absent stays absent', () => {
    const limited = { borrowingLimitPercent: 0, limitResponse: { type: 'Reject' } }
    expect(decode(level({ type: 'Limited', limited })).object?.spec).toMatchObject({
      limited: { borrowingLimitPercent: 0 },
    })
    const absent = { limitResponse: { type: 'Reject' } }
    expect(decode(level({ type: 'Limited', limited: absent })).object?.spec).toMatchObject({
      limited: { borrowingLimitPercent: null, lendablePercent: 0 },
    })
  })
})

describe('the API version', () => {
  it('that is no longer served is an error, but the object is read', () => {
    const { object, problems } = decode(level({ type: 'Limited' }, 'v1beta1'), 37)
    expect(object?.apiVersion).toBe('v1beta1')
    expect(problems).toEqual([
      {
        code: 'APF104',
        severity: 'error',
        message: 'flowcontrol.apiserver.k8s.io/v1beta1 is not served by Kubernetes 1.37 (only 1.20 to 1.25)',
        fix: 'use flowcontrol.apiserver.k8s.io/v1',
        at: { path: 'apiVersion' },
        object: { kind: 'PriorityLevelConfiguration', name: 'x' },
      },
    ])
  })

  it('that is not served yet says from when on it is', () => {
    const { problems } = decode(schema(LEVEL), 28)
    expect(problems[0]?.message).toBe(
      'flowcontrol.apiserver.k8s.io/v1 is not served by Kubernetes 1.28 (only from 1.29)',
    )
  })

  it('that is deprecated is a warning in the words of the server', () => {
    const { problems } = decode(schema(LEVEL, { apiVersion: `${GROUP}/v1beta3` }), 31)
    expect(problems).toMatchObject([
      {
        code: 'APF105',
        severity: 'warning',
        message:
          'flowcontrol.apiserver.k8s.io/v1beta3 FlowSchema is deprecated in v1.29+, unavailable in v1.32+; use flowcontrol.apiserver.k8s.io/v1 FlowSchema',
      },
    ])
  })

  it('of a list holds for its items', () => {
    const item = { metadata: { name: 'x' }, spec: LEVEL }
    const defaults = { apiVersion: `${GROUP}/v1`, kind: 'FlowSchema' }
    expect(decode(item, 37, { defaults, fromServer: true })).toMatchObject({
      object: { kind: 'FlowSchema', apiVersion: 'v1', metadata: { name: 'x' } },
      problems: [],
      typeError: null,
    })
  })
})

describe('what is not an object of this API is not read', () => {
  it.each([
    [null, 'not an object of the Kubernetes API: no mapping with apiVersion and kind'],
    ['text', 'not an object of the Kubernetes API: no mapping with apiVersion and kind'],
    [[], 'not an object of the Kubernetes API: no mapping with apiVersion and kind'],
    [{}, 'kind is not set'],
    [{ kind: 5 }, 'kind is not set'],
    [{ kind: 'FlowSchema' }, 'FlowSchema without apiVersion'],
    [schema(LEVEL, { apiVersion: `${GROUP}/v2` }), 'no kind FlowSchema in flowcontrol.apiserver.k8s.io/v2'],
    [schema(LEVEL, { apiVersion: 'apps/v1' }), 'no kind FlowSchema in apps/v1'],
    [schema(LEVEL, { kind: 'Flowschema' }), 'no kind Flowschema in flowcontrol.apiserver.k8s.io/v1'],
    [
      schema(LEVEL, { apiVersion: `${GROUP}/constructor` }),
      'no kind FlowSchema in flowcontrol.apiserver.k8s.io/constructor',
    ],
  ])('%j', (value, message) => {
    const { object, problems } = decode(value)
    expect(object).toBeNull()
    expect(problems).toMatchObject([{ code: 'APF100', severity: 'error', message }])
  })
})

it('data of a server is not blamed for what matters only when it is sent', () => {
  const value = level({ type: 'Limited' }, 'v1beta1')
  expect(decode(value, 37, { fromServer: true }).problems).toEqual([])
})

it('a namespace is dropped and that is said', () => {
  const { problems } = decode(schema(LEVEL, { metadata: { name: 'x', namespace: 'shop' } }))
  expect(problems).toMatchObject([{ code: 'APF107', severity: 'info', at: { path: 'metadata.namespace' } }])
})

it('problems stand where the origin says', () => {
  const origin: Origin = {
    file: 'schemas.yaml',
    locate: (path: FieldPath) => ({ line: path.length, column: 3 }),
  }
  const { problems } = decode(schema({ ...LEVEL, extra: 1 }), 37, {}, origin)
  expect(problems[0]?.at).toEqual({ file: 'schemas.yaml', line: 2, column: 3, path: 'spec.extra' })
})
