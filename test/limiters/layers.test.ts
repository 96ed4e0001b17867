import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { isCommandName } from '../../src/cli/manifest.ts'
import { LAYERS } from '../../src/limiters/attribution.ts'
import { attributeText } from '../../src/limiters/evidence/document.ts'
import { attributeHttpLog } from '../../src/limiters/evidence/http-log.ts'
import { allNeedles, Needles } from '../../src/limiters/evidence/needles.ts'
import { NEEDLE_BYTES } from '../../src/limiters/layer-row.ts'
import { LAYER_ROWS } from '../../src/limiters/layers.ts'
import { vectorFile } from '../conformance/vectors.ts'

/** Names that other programs rely on. */
const NAMES: Record<string, string[]> = {
  'client-rate-limiter': ['wait', 'deadline'],
  'client-retry': ['server-throttled', 'retry-after-5xx', 'watch-429-backoff'],
  apf: ['rejected'],
  'max-inflight': ['exceeded'],
  'apf-or-max-inflight': ['too-many-requests', 'rejected-before-authorization'],
  'apf-or-aggregated': ['ambiguous'],
  'server-429-unattributed': ['too-many-requests'],
  'event-rate-limit': ['limit-reached', 'config-invalid'],
  'event-recorder': ['event-dropped'],
  'eviction-pdb': ['budget-exhausted', 'budget-not-observed', 'budget-sync-failed', 'budget'],
  'watch-cache': ['initializing', 'too-large-resource-version'],
  'server-shutdown': ['retry-after-429', 'waitgroup-503'],
  'server-startup': ['paths-not-installed'],
  'request-timeout': ['deadline'],
  'admission-webhook': ['denied-429', 'call-failed-429', 'call-timeout'],
  'aggregated-api': ['backend-429', 'unavailable'],
  etcd: ['too-many-requests', 'no-space', 'timeout', 'request-too-large'],
  cilium: ['limit-wait', 'parallel-wait', 'processed-after-wait', 'request-cancelled', 'client-429', 'client-timeout'],
  kubelet: ['image-pull-qps'],
  registry: ['pull-rate-limit'],
  'external-proxy': ['html-429', 'kubegateway-flowcontrol'],
  'cloud-api': ['cloud-throttle'],
  http2: ['goaway'],
  'not-throttling': ['expired-resource-version', 'cilium-delete-not-found'],
  unknown: ['unexplained-429'],
}

describe('the table of layers', () => {
  it('has each layer once', () => {
    expect(LAYER_ROWS.map(({ layer }) => layer).toSorted()).toEqual([...LAYERS].toSorted())
  })

  it('has a file of its own for each layer', () => {
    const files = readdirSync(new URL('../../src/limiters/layers/', import.meta.url))
    expect(files.toSorted()).toEqual(LAYERS.map((layer) => `${layer}.ts`).toSorted())
  })

  it('has the names that other programs rely on', () => {
    const names = Object.fromEntries(LAYER_ROWS.map(({ layer, reasons }) => [layer, Object.keys(reasons).toSorted()]))
    const expected = Object.fromEntries(Object.entries(NAMES).map(([layer, reasons]) => [layer, reasons.toSorted()]))
    expect(names).toEqual(expected)
  })

  it.each(LAYER_ROWS)('says of $layer what to do, in plain sentences without a full stop', ({ reasons }) => {
    for (const { says, proves, doesNotProve = '', settledBy = '', advice } of Object.values(reasons)) {
      expect([says, proves, advice].filter((text) => text.length < 10)).toEqual([])
      expect([says, proves, doesNotProve, settledBy, advice].filter((text) => text.endsWith('.'))).toEqual([])
    }
  })

  it.each(LAYER_ROWS)('sends nobody from $layer to a command that there is not', ({ reasons }) => {
    const commands = Object.values(reasons).flatMap(({ command }) => command?.split(' ')[0] ?? [])
    expect(commands.filter((command) => !isCommandName(command))).toEqual([])
  })

  it.each(LAYER_ROWS)('has needles for $layer that can be searched for', ({ needles }) => {
    expect(needles.filter((needle) => !/^[ -~]+$/.test(needle) || needle.length < NEEDLE_BYTES)).toEqual([])
  })
})

describe('the search', () => {
  const needles = allNeedles()
  const samples = vectorFile('throttle-samples') as { source: string; text?: string; note: string }[]
  const lines = samples.filter(({ source, text }) => source !== 'response' && text !== undefined)

  it.each(lines)('finds what is attributed: $note', ({ text = '' }) => {
    expect(attributeText(text, (record) => attributeHttpLog(record, false, null))).not.toEqual([])
    expect(needles.standIn(text)).toBe(true)
  })

  it.each([
    ['at the start', 'my-needle one', 0],
    ['at the end', 'a my-needle', 2],
    ['behind a part of itself', 'my-needlmy-needle', 8],
    ['the longer of two', 'xx my-needles', 3],
    ['nowhere', 'my-need le my-needl', -1],
    ['nowhere in little', 'my-need', -1],
    ['nowhere, cut off', 'a my-needl', -1],
  ])('finds a text %s', (_, text, offset) => {
    const bytes = Buffer.from(text)
    expect(new Needles(['my-needle', 'my-needles', 'haystack']).find(bytes, 0, bytes.length)).toBe(offset)
  })

  it('finds none before the offset, and none that ends behind the limit', () => {
    const bytes = Buffer.from('my-needle my-needle')
    const search = new Needles(['my-needle'])
    expect(search.find(bytes, 1, bytes.length)).toBe(10)
    expect(search.find(bytes, 1, bytes.length - 1)).toBe(-1)
  })
})
