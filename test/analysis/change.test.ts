/** What servers make of a change: defaulting, validation, conversion, and what they bring back or undo. */
import { describe, expect, it } from 'vitest'
import { carryOut } from '../../src/analysis/change/apply-change.ts'
import type { ApplyStep, ChangeStep } from '../../src/analysis/change/change.ts'
import { afterUpgrade, atVersion, type MaintenanceScope, maintained } from '../../src/analysis/change/maintained.ts'
import { decodeObject } from '../../src/apf/decode.ts'
import { AUTOUPDATE_ANNOTATION, defaultObjects, type ObjectSet } from '../../src/apf/defaults/index.ts'
import { type EncodedObject, encodeObject, type Json } from '../../src/apf/encode.ts'
import { rulesFor } from '../../src/apf/versions.ts'

const RULES = rulesFor({ minor: 37 })
const API = 'flowcontrol.apiserver.k8s.io/'

function apply(written: unknown, more: Partial<ApplyStep> = {}): ApplyStep {
  const origin = { file: 'change.yaml', locate: () => ({ line: 1, column: 1 }) }
  return { action: 'apply', written, origin, type: null, served: false, serverSide: false, ...more }
}

function schema(name: string, spec: object, more: object = {}): object {
  return { apiVersion: `${API}v1`, kind: 'FlowSchema', metadata: { name, ...more }, spec }
}

const SHOP = {
  priorityLevelConfiguration: { name: 'workload-low' },
  rules: [
    {
      subjects: [{ kind: 'Group', group: { name: 'shop' } }],
      nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/healthz'] }],
    },
  ],
}

function level(name: string, limited: object, version = 'v1', more: object = {}): object {
  return {
    apiVersion: API + version,
    kind: 'PriorityLevelConfiguration',
    metadata: { name, ...more },
    spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' }, ...limited } },
  }
}

function carried(steps: readonly ChangeStep[], minor = 37, base?: ObjectSet) {
  const rules = rulesFor({ minor })
  return carryOut(base ?? defaultObjects(rules), steps, rules)
}

const messages = ({ refusals }: { refusals: { message: string }[] }) => refusals.map(({ message }) => message)

describe('applying an object', () => {
  it('creates it, with the defaults that the server fills in', () => {
    const { objects, steps, rewrites } = carried([apply(schema('shop', SHOP))])
    expect(steps.map(({ effect }) => effect)).toEqual(['created'])
    expect(objects.flowSchemas.at(-1)?.spec.matchingPrecedence).toBe(1000)
    expect(rewrites).toEqual([
      {
        kind: 'defaulted',
        object: { kind: 'FlowSchema', name: 'shop' },
        message: 'FlowSchema shop: the server fills in spec.matchingPrecedence 1000',
      },
    ])
  })

  it('replaces one of its name as a whole', () => {
    const { objects, steps } = carried([apply(schema('probes', { ...SHOP, matchingPrecedence: 7 }))])
    expect(steps.map(({ effect }) => effect)).toEqual(['changed'])
    expect(objects.flowSchemas.filter(({ metadata }) => metadata.name === 'probes')).toMatchObject([
      { metadata: { annotations: {} }, spec: { matchingPrecedence: 7, distinguisherMethod: null } },
    ])
  })

  it('merges it field by field on the server side', () => {
    const partial = {
      apiVersion: `${API}v1`,
      kind: 'FlowSchema',
      metadata: { name: 'probes' },
      spec: { matchingPrecedence: 7 },
    }
    const { objects, rewrites } = carried([apply(partial, { serverSide: true })])
    expect(objects.flowSchemas.find(({ metadata }) => metadata.name === 'probes')).toMatchObject({
      metadata: { annotations: { [AUTOUPDATE_ANNOTATION]: 'true' } },
      spec: { matchingPrecedence: 7, priorityLevelConfiguration: { name: 'exempt' } },
    })
    expect(rewrites).toEqual([])
  })

  it.each<[what: string, object: unknown, message: string]>([
    [
      'an unknown field',
      schema('shop', { ...SHOP, precedence: 7 }),
      'strict decoding error: unknown field "spec.precedence"',
    ],
    ['a wrong type', schema('shop', { ...SHOP, matchingPrecedence: '7' }), 'spec.matchingPrecedence is the string "7"'],
    [
      'a broken rule',
      schema('shop', { ...SHOP, matchingPrecedence: 20000 }),
      'spec.matchingPrecedence: Invalid value: 20000: must not be greater than 10000',
    ],
    ['an edit of a mandatory object', schema('catch-all', SHOP), "spec of 'catch-all' must equal the fixed value"],
    [
      'no spec',
      { apiVersion: `${API}v1`, kind: 'FlowSchema', metadata: { name: 'shop' } },
      'spec.priorityLevelConfiguration.name: Required value',
    ],
  ])('is refused with %s, in the words of the server', (_, object, message) => {
    const { refusals } = carried([apply(object)])
    expect(refusals.length).toBeGreaterThan(0)
    expect(refusals.map((refusal) => refusal.message).join('\n')).toContain(message)
  })

  it.each<[metadata: object, reason: string]>([
    [{ generateName: 'shop-' }, 'with generateName'],
    [{}, 'without a name'],
  ])('is refused by kubectl with the metadata %j', (metadata, reason) => {
    const object = { apiVersion: `${API}v1`, kind: 'FlowSchema', metadata, spec: SHOP }
    expect(messages(carried([apply(object)]))).toEqual([`kubectl cannot apply a FlowSchema ${reason}`])
  })

  it('lets the numbers of the exempt level be edited', () => {
    const exempt = {
      apiVersion: `${API}v1`,
      kind: 'PriorityLevelConfiguration',
      metadata: { name: 'exempt' },
      spec: { type: 'Exempt', exempt: { nominalConcurrencyShares: 10, lendablePercent: 50 } },
    }
    expect(carried([apply(exempt)]).refusals).toEqual([])
    expect(messages(carried([apply(exempt)], 27))).not.toEqual([])
  })
})

describe('a version of the API that is not served', () => {
  it('is converted where it means the same', () => {
    const { objects, refusals, rewrites } = carried([apply(level('shop', { assuredConcurrencyShares: 7 }, 'v1beta1'))])
    expect(refusals).toEqual([])
    expect(objects.priorityLevels.at(-1)).toMatchObject({
      apiVersion: 'v1',
      spec: { limited: { nominalConcurrencyShares: 7, lendablePercent: 0 } },
    })
    expect(rewrites.map(({ kind }) => kind)).toEqual(['converted', 'defaulted'])
  })

  it('is converted with absent shares, which are the default in every version', () => {
    const { objects } = carried([apply(level('shop', {}, 'v1beta3'))])
    expect(objects.priorityLevels.at(-1)?.spec.limited?.nominalConcurrencyShares).toBe(30)
  })

  it('is refused with zero shares, which mean something else there', () => {
    expect(messages(carried([apply(level('shop', { nominalConcurrencyShares: 0 }, 'v1beta3'))]))).toEqual([
      'the server refuses PriorityLevelConfiguration shop: spec.limited.nominalConcurrencyShares 0 means the default in v1beta3 and no shares at all in v1, and Kubernetes 1.37 does not serve v1beta3',
    ])
  })

  it('is not also told what the server would make of it, where it is refused', () => {
    expect(carried([apply(level('shop', { assuredConcurrencyShares: 0 }, 'v1beta1'))]).warnings).toEqual([])
  })

  it('is converted with zero shares that an annotation keeps', () => {
    const kept = { annotations: { 'flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares': '' } }
    const { objects, refusals } = carried([apply(level('shop', { nominalConcurrencyShares: 0 }, 'v1beta3', kept))])
    expect(refusals).toEqual([])
    expect(objects.priorityLevels.at(-1)).toMatchObject({
      metadata: { annotations: {} },
      spec: { limited: { nominalConcurrencyShares: 0 } },
    })
  })

  it('is taken as it is where it is served', () => {
    const { rewrites } = carried(
      [apply(level('shop', { nominalConcurrencyShares: 7, lendablePercent: 5 }, 'v1beta3'))],
      31,
    )
    expect(rewrites).toEqual([])
  })
})

describe('editing what is there', () => {
  const target = { kind: 'FlowSchema', name: 'probes' } as const

  it('patches', () => {
    const patch = { spec: { matchingPrecedence: 7 } }
    const { objects } = carried([{ action: 'patch', target, type: 'merge', patch }])
    expect(objects.flowSchemas.find(({ metadata }) => metadata.name === 'probes')?.spec.matchingPrecedence).toBe(7)
  })

  it('says why a patch does not apply', () => {
    const patch = [{ op: 'replace', path: '/spec/nope', value: 7 }]
    expect(messages(carried([{ action: 'patch', target, type: 'json', patch }]))).toEqual([
      'the server refuses FlowSchema probes: the patch does not apply: operation 0: the object has nothing at /spec/nope',
    ])
  })

  it.each<[patch: Json, message: string]>([
    [{ metadata: { name: 'other' } }, 'the name of the object (other) does not match the name on the URL (probes)'],
    [
      { kind: 'PriorityLevelConfiguration' },
      'PriorityLevelConfiguration in version "v1" cannot be handled as a FlowSchema: converting (v1.PriorityLevelConfiguration) to (flowcontrol.FlowSchema): unknown conversion',
    ],
    [
      { apiVersion: `${API}v1beta3` },
      `the API version in the data (${API}v1beta3) does not match the expected API version (${API}v1)`,
    ],
  ])('keeps name, kind and version: %j', (patch, message) => {
    expect(carried([{ action: 'patch', target, type: 'merge', patch }]).refusals).toMatchObject([
      {
        code: 'refused',
        severity: 'error',
        object: target,
        message: `the server refuses FlowSchema probes: ${message}`,
      },
    ])
  })

  it('sets all fields of one object at once', () => {
    const queuing = ['spec', 'limited', 'limitResponse', 'queuing']
    const step = {
      action: 'set' as const,
      target: { kind: 'PriorityLevelConfiguration' as const, name: 'workload-low' },
      fields: [
        { path: [...queuing, 'queues'], value: 1 },
        { path: [...queuing, 'handSize'], value: 1 },
      ],
    }
    expect(carried([step])).toMatchObject({ refusals: [], steps: [{ effect: 'changed' }] })
  })

  it.each(['"true"', '"false"'])('leaves the annotation %s that is set together with a field', (text) => {
    const fields = [
      { path: ['spec', 'matchingPrecedence'], value: 7 },
      { path: ['metadata', 'annotations', AUTOUPDATE_ANNOTATION], value: JSON.parse(text) },
    ]
    const { objects, rewrites } = carried([{ action: 'set', target, fields }])
    const probes = objects.flowSchemas.find(({ metadata }) => metadata.name === 'probes')
    expect(probes?.metadata.annotations).toEqual({ [AUTOUPDATE_ANNOTATION]: JSON.parse(text) })
    expect(rewrites).toEqual([])
  })

  it('warns of a value that the server replaces', () => {
    const level = { kind: 'PriorityLevelConfiguration', name: 'workload-low' } as const
    const path = ['spec', 'limited', 'nominalConcurrencyShares']
    expect(carried([{ action: 'set', target: level, fields: [{ path, value: 0 }] }], 28).warnings).toMatchObject([
      { message: 'the server replaces spec.limited.nominalConcurrencyShares 0 by the default 30', object: level },
    ])
  })

  it('takes a quick question about a default object as one about an object that is left alone', () => {
    const { objects, rewrites } = carried([
      { action: 'set', target, fields: [{ path: ['spec', 'matchingPrecedence'], value: 7 }] },
    ])
    const probes = objects.flowSchemas.find(({ metadata }) => metadata.name === 'probes')
    expect(probes?.metadata.annotations).toEqual({ [AUTOUPDATE_ANNOTATION]: 'false' })
    expect(rewrites.map(({ kind }) => kind)).toEqual(['note'])
  })

  it.each(['patch', 'set', 'delete'] as const)('cannot %s what is not there', (action) => {
    const missing = { kind: 'FlowSchema', name: 'probe' } as const
    const step = { action, target: missing, type: 'merge', patch: {}, fields: [] } as ChangeStep
    expect(carried([step]).refusals).toMatchObject([
      { code: 'not-found', message: 'there is no FlowSchema probe', fix: 'did you mean probes?' },
    ])
  })

  it('goes on behind a refusal, so that all of them are told', () => {
    const steps = [apply(schema('a', { ...SHOP, x: 1 })), apply(schema('b', { ...SHOP, y: 1 }))]
    expect(messages(carried(steps))).toEqual([
      'the server refuses FlowSchema a: strict decoding error: unknown field "spec.x"',
      'the server refuses FlowSchema b: strict decoding error: unknown field "spec.y"',
    ])
  })
})

describe('what servers do by themselves', () => {
  const base = defaultObjects(RULES)
  const scope = (touched: string[], more: Partial<MaintenanceScope> = {}): MaintenanceScope => ({
    before: { objects: base, rules: RULES },
    touched: new Set(touched),
    upgrade: false,
    complete: true,
    withAllDefaults: false,
    ...more,
  })
  const without = (name: string): ObjectSet => ({
    flowSchemas: base.flowSchemas.filter(({ metadata }) => metadata.name !== name),
    priorityLevels: base.priorityLevels.filter(({ metadata }) => metadata.name !== name),
  })
  const edited = (annotations: Record<string, string>, generation: number | null = 2): ObjectSet => ({
    ...base,
    flowSchemas: base.flowSchemas.map((object) =>
      object.metadata.name === 'probes'
        ? {
            ...object,
            metadata: { ...object.metadata, annotations, generation },
            spec: { ...object.spec, matchingPrecedence: 7 },
          }
        : object,
    ),
  })
  const precedenceOfProbes = ({ objects }: { objects: ObjectSet }) =>
    objects.flowSchemas.find(({ metadata }) => metadata.name === 'probes')?.spec.matchingPrecedence

  it.each([
    ['a suggested schema', 'system-nodes'],
    ['a mandatory schema and level', 'exempt'],
    ['a suggested level', 'workload-low'],
  ])('brings back %s that was deleted', (_, name) => {
    const { objects, rewrites } = maintained(without(name), RULES, scope([`FlowSchema/${name}`]))
    expect(objects.flowSchemas).toHaveLength(base.flowSchemas.length)
    expect(objects.priorityLevels).toHaveLength(base.priorityLevels.length)
    expect(rewrites.every(({ kind }) => kind === 'restored')).toBe(true)
  })

  it('does not bring back suggested objects before 1.22', () => {
    const rules = rulesFor({ minor: 21 })
    const old = defaultObjects(rules)
    const left = { ...old, flowSchemas: old.flowSchemas.filter(({ metadata }) => metadata.name !== 'system-nodes') }
    const { objects } = maintained(left, rules, scope(['FlowSchema/system-nodes'], { before: { objects: old, rules } }))
    expect(objects.flowSchemas).toHaveLength(old.flowSchemas.length - 1)
  })

  it.each<[annotation: string | null, generation: number | null, precedence: number, kind: string | undefined]>([
    ['true', 2, 2, 'reverted'],
    ['T', 2, 2, 'reverted'],
    ['false', 2, 7, undefined],
    [null, 2, 7, 'annotated'],
    ['yes', null, 7, 'annotated'],
    [null, 1, 2, 'reverted'],
  ])('with the annotation %s and generation %s an edit becomes %s', (annotation, generation, precedence, kind) => {
    const objects = edited(annotation === null ? {} : { [AUTOUPDATE_ANNOTATION]: annotation }, generation)
    const after = maintained(objects, RULES, scope(['FlowSchema/probes']))
    expect(precedenceOfProbes(after)).toBe(precedence)
    expect(after.rewrites[0]?.kind).toBe(kind)
  })

  it('deletes an object of a user that claims to be a default one', () => {
    const [first] = base.flowSchemas
    if (!first) throw new Error('there are default objects')
    const mine = { ...first, metadata: { ...first.metadata, name: 'mine' } }
    const { objects, rewrites } = maintained(
      { ...base, flowSchemas: [...base.flowSchemas, mine] },
      RULES,
      scope(['FlowSchema/mine']),
    )
    expect(objects.flowSchemas.map(({ metadata }) => metadata.name)).not.toContain('mine')
    expect(rewrites).toMatchObject([{ kind: 'removed', object: { name: 'mine' } }])
  })

  it('leaves alone what the change did not touch', () => {
    expect(maintained(edited({ [AUTOUPDATE_ANNOTATION]: 'true' }), RULES, scope([])).rewrites).toEqual([])
  })

  it('puts spec.exempt back, without which the level is malformed', () => {
    const objects: ObjectSet = {
      ...base,
      priorityLevels: base.priorityLevels.map((object) =>
        object.metadata.name === 'exempt' ? { ...object, spec: { ...object.spec, exempt: null } } : object,
      ),
    }
    const after = maintained(objects, RULES, scope(['PriorityLevelConfiguration/exempt']))
    expect(after.objects.priorityLevels.find(({ metadata }) => metadata.name === 'exempt')?.spec.exempt).toEqual({
      nominalConcurrencyShares: 0,
      lendablePercent: 0,
    })
  })

  it('makes the default objects of one minor those of another', () => {
    for (const [from, to] of [
      [33, 34],
      [25, 26],
      [27, 28],
      [37, 26],
      [34, 33],
    ] as const) {
      const rules = { before: rulesFor({ minor: from }), after: rulesFor({ minor: to }) }
      const old = defaultObjects(rules.before)
      const { objects } = maintained(
        atVersion(old, rules.after),
        rules.after,
        scope([], { before: { objects: old, rules: rules.before }, upgrade: true }),
      )
      const specs = (set: ObjectSet) =>
        Object.fromEntries(
          [...set.flowSchemas, ...set.priorityLevels].map(({ kind, metadata, spec }) => [
            `${kind}/${metadata.name}`,
            spec,
          ]),
        )
      expect(specs(objects)).toEqual(specs(defaultObjects(rules.after)))
    }
  })
})

describe('encodeObject', () => {
  it('is the way back from decoding, in every version of the API', () => {
    for (let minor = 20; minor <= 37; minor++) {
      const rules = rulesFor({ minor })
      const { flowSchemas, priorityLevels } = defaultObjects(rules)
      for (const object of [...flowSchemas, ...priorityLevels]) {
        for (const version of rules.servedVersions) {
          // The exempt level has its block in some versions only.
          if (object.metadata.name === 'exempt' && version === 'v1beta1') continue
          const encoded: EncodedObject = encodeObject(object, version, rules)
          const decoded = decodeObject(encoded, null, rules)
          expect(decoded.problems.filter(({ severity }) => severity === 'error')).toEqual([])
          const lending = version === 'v1beta1' ? {} : { spec: object.spec }
          expect(decoded.object).toMatchObject({ kind: object.kind, ...lending })
        }
      }
    }
  })

  it('keeps zero shares through a version that cannot express them', () => {
    const rules = rulesFor({ minor: 31 })
    const [first] = defaultObjects(rules).priorityLevels.filter(({ metadata }) => metadata.name === 'system')
    if (!first?.spec.limited) throw new Error('there is a level system')
    const zero = { ...first, spec: { ...first.spec, limited: { ...first.spec.limited, nominalConcurrencyShares: 0 } } }
    const { object } = decodeObject(encodeObject(zero, 'v1beta3', rules), null, rules)
    expect(object?.spec).toEqual(zero.spec)
  })
})

describe('an upgrade over several minors', () => {
  const upgraded = (from: number, to: number, objects = defaultObjects(rulesFor({ minor: from }))) =>
    afterUpgrade({ objects, rules: rulesFor({ minor: from }) }, rulesFor({ minor: to }), {
      upgrade: true,
      complete: true,
      withAllDefaults: true,
    })
  const names = ({ objects }: { objects: ObjectSet }) => objects.flowSchemas.map(({ metadata }) => metadata.name).sort()

  it.each([
    [20, 37],
    [21, 34],
    [22, 37],
    [28, 32],
    [33, 34],
  ])('from 1.%i to 1.%i leaves the default schemas of the last one', (from, to) => {
    const expected = defaultObjects(rulesFor({ minor: to })).flowSchemas.map(({ metadata }) => metadata.name)
    expect(names(upgraded(from, to))).toEqual(expected.sort())
  })

  it('tells what becomes of each object in the end', () => {
    const told = upgraded(20, 37).rewrites.map(({ kind, object }) => `${kind} ${object.name}`)
    expect(told).toContain('removed workload-leader-election')
    expect(told).toContain('restored system-node-high')
    expect(told.filter((line) => line.endsWith(' node-high'))).toEqual(['restored node-high'])
  })

  it('keeps an edit that servers without the annotation have left alone', () => {
    const [from, target] = [rulesFor({ minor: 21 }), { kind: 'FlowSchema', name: 'service-accounts' } as const]
    const fields = [{ path: ['spec', 'matchingPrecedence'], value: 8000 }]
    const { objects } = carryOut(defaultObjects(from), [{ action: 'set', target, fields }], from)
    const kept = upgraded(21, 37, objects).objects.flowSchemas.find(({ metadata }) => metadata.name === target.name)
    expect(kept).toMatchObject({
      metadata: { annotations: { [AUTOUPDATE_ANNOTATION]: 'false' } },
      spec: { matchingPrecedence: 8000 },
    })
  })

  it('is one step where it goes back', () => {
    expect(names(upgraded(37, 28))).toContain('workload-leader-election')
  })
})
