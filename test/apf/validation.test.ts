import { describe, expect, it } from 'vitest'
import type { FieldError } from '../../src/apf/field-errors.ts'
import { goQuote } from '../../src/apf/field-errors.ts'
import type { ObjectMeta } from '../../src/apf/objects.ts'
import { formatFieldPath } from '../../src/apf/problem.ts'
import { validateFlowSchema, validatePriorityLevel } from '../../src/apf/validation.ts'
import { rulesFor } from '../../src/apf/versions.ts'
import { flowSchema, priorityLevel } from '../support/objects.ts'

/** `field: message`, messages cut to their first words. */
function lines(errors: readonly FieldError[]): string[] {
  return errors.map(({ path, message }) => `${formatFieldPath(path)}: ${message}`)
}

function levelErrors(spec: Parameters<typeof priorityLevel>[0]['spec'], minor: number): string[] {
  return lines(validatePriorityLevel(priorityLevel({ metadata: { name: 'x' }, spec }), rulesFor({ minor })))
}

function metadataErrors(metadata: Partial<ObjectMeta>, minor = 37): string[] {
  const schema = flowSchema({ metadata: { name: 'x' }, spec: { priorityLevelConfiguration: { name: 'l' } } })
  const rules = rulesFor({ minor })
  return lines(validateFlowSchema({ ...schema, metadata: { ...schema.metadata, ...metadata } }, rules))
}

describe('zero shares', () => {
  const spec = { type: 'Limited', limited: { nominalConcurrencyShares: 0, limitResponse: { type: 'Reject' } } }
  it.each([
    [28, ['spec.limited.nominalConcurrencyShares: Invalid value: 0: must be positive']],
    [29, ['spec.limited.nominalConcurrencyShares: Invalid value: 0: must be positive']],
    [30, []],
  ])('in 1.%i: %j', (minor, errors) => {
    expect(levelErrors(spec, minor)).toEqual(errors)
  })
})

describe('a missing type', () => {
  it.each([
    [35, ['spec.type: Unsupported value: "": supported values: "Exempt", "Limited"']],
    [36, ['spec.type: Required value']],
    [37, ['spec.limited: Forbidden', 'spec.type: Required value']],
  ])('in 1.%i: %j', (minor, errors) => {
    expect(levelErrors({ limited: { limitResponse: { type: 'Reject' } } }, minor)).toEqual(errors)
  })
})

describe('the exempt level', () => {
  const altered = priorityLevel({
    metadata: { name: 'exempt' },
    spec: { type: 'Exempt', exempt: { nominalConcurrencyShares: 5, lendablePercent: 50 } },
  })
  const without = priorityLevel({ metadata: { name: 'exempt' }, spec: { type: 'Exempt' } })

  it('may change its shares from 1.28 on', () => {
    expect(validatePriorityLevel(altered, rulesFor({ minor: 28 }))).toEqual([])
    expect(lines(validatePriorityLevel(altered, rulesFor({ minor: 27 })))).toEqual([
      expect.stringMatching(/^spec: Invalid value: .*: spec of 'exempt' must equal the fixed value$/),
    ])
  })

  it('is accepted without the block that holds them', () => {
    expect(validatePriorityLevel(without, rulesFor({ minor: 27 }))).toEqual([])
    expect(validatePriorityLevel(without, rulesFor({ minor: 37 }))).toEqual([])
  })
})

describe('metadata', () => {
  const long = 'a'.repeat(64)
  const malformed = (name: string) => expect.stringContaining(`Invalid value: ${JSON.stringify(name)}: `)

  it.each<[string, Partial<ObjectMeta>, unknown[]]>([
    ['no name', { name: '' }, ['metadata.name: Required value: name or generateName is required']],
    ['a generated name', { name: '', generateName: 'x-' }, []],
    ['a malformed generated name', { name: '', generateName: 'X-' }, [malformed('X-')]],
    ['a prefix with dots', { labels: { 'example.com/a': 'b' } }, []],
    [
      'an empty prefix',
      { labels: { '/a': 'b' } },
      ['metadata.labels: Invalid value: "/a": prefix part must be non-empty'],
    ],
    ['two slashes', { labels: { 'a/b/c': '' } }, [malformed('a/b/c')]],
    ['an annotation key in upper case', { annotations: { 'Example.COM/A': '' } }, []],
    ['a label key with an upper-case prefix', { labels: { 'Example.COM/A': '' } }, [malformed('Example.COM/A')]],
    ['standard finalizers', { finalizers: ['orphan', 'example.com/keep'] }, []],
    [
      'a finalizer without prefix',
      { finalizers: ['orphan', 'keep'] },
      [
        'metadata.finalizers[1]: Invalid value: "keep": name is neither a standard finalizer name nor is it fully qualified',
      ],
    ],
    [
      'annotations of more than 256 KiB',
      { annotations: { a: 'x'.repeat(256 * 1024) } },
      ['metadata.annotations: Too long: may not be more than 262144 bytes'],
    ],
  ])('%s', (_, metadata, errors) => {
    expect(metadataErrors(metadata)).toEqual(errors)
  })

  it.each([
    [34, 'characters'],
    [35, 'bytes'],
  ])('of 1.%i counts labels in %s, names always in characters', (minor, unit) => {
    expect(metadataErrors({ labels: { a: long } }, minor)).toEqual([
      `metadata.labels: Invalid value: "${long}": must be no more than 63 ${unit}`,
    ])
    expect(metadataErrors({ name: 'a'.repeat(254) }, minor)).toEqual([
      expect.stringMatching(/must be no more than 253 characters$/),
    ])
  })
})

describe('namespaces with dots', () => {
  it.each([
    [26, /a lowercase RFC 1123 label must consist/],
    [27, /must not contain dots/],
  ])('in 1.%i', (minor, message) => {
    const rules = [
      {
        subjects: [{ kind: 'User', user: { name: 'ada' } }],
        resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['a.b'] }],
      },
    ]
    const schema = flowSchema({ metadata: { name: 'x' }, spec: { priorityLevelConfiguration: { name: 'l' }, rules } })
    expect(lines(validateFlowSchema(schema, rulesFor({ minor })))).toEqual([expect.stringMatching(message)])
  })
})

describe('texts are quoted as Go does', () => {
  it.each([
    ['a"b\\c', '"a\\"b\\\\c"'],
    ['a\nb\tc', '"a\\nb\\tc"'],
    ['\u0000\u0007\u007f', '"\\x00\\a\\x7f"'],
    ['é中 😀', '"é中 😀"'],
    ['a\u200eb\u00a0c', '"a\\u200eb\\u00a0c"'],
    ['\u{e0001}', '"\\U000e0001"'],
  ])('%j', (text, quoted) => {
    expect(goQuote(text)).toBe(quoted)
  })
})
