/** Texts as components write them, with the layer that each of them names; and texts that look so and name none. */
import { describe, expect, it } from 'vitest'
import { findingsIn } from '../support/evidence.ts'

const AZURE =
  'Retriable: true, RetryAfter: 124s, HTTPStatusCode: 429, RawError: {"error":{"code":"OperationNotAllowed","message":"too many requests"}}'
const DROPPED = 'E0101 00:00:00.000000 1 event.go:359] "Server rejected event (will not retry!)" event="&Event{}" err='

describe('a text', () => {
  it.each<[text: string, found: string]>([
    [`E0101 00:00:00.000000 1 azure.go:1] ${AZURE}`, 'cloud-api/cloud-throttle high'],
    ['googleapi: Error 403: Rate Limit Exceeded, rateLimitExceeded', 'cloud-api/cloud-throttle high'],
    ['describe failed: Rate exceeded\tstatus code: 400, request id: x', 'cloud-api/cloud-throttle high'],
    [
      'unexpected answer: The apiserver is shutting down, please try again later.',
      'server-shutdown/retry-after-429 certain',
    ],
    [`${DROPPED}"Too many requests: limit reached on type User for key bob"\r`, 'event-recorder/event-dropped certain'],
  ])('names its layer: %s', async (text, found) => {
    const { items } = await findingsIn(`${text}\n`)
    expect(items.map(({ layer, reason, confidence }) => `${layer}/${reason} ${confidence}`)).toEqual([found])
  })

  it.each([
    'googleapi: Error 403: quota exceeded, dailyLimit',
    'frame rate: Rate exceeded the limit of the display',
    `${DROPPED}"admission webhook \\"a.b\\" denied the request: no events on Sunday"`,
    `${DROPPED}"events \\"x\\" is forbidden: unable to create new content in namespace a because it is being terminated"`,
    '2026-11-30T14:47:25.379Z\tINFO\tclient\tWaited for caches\t{"delay": "429ms"}',
  ])('names none: %s', async (text) => {
    expect((await findingsIn(`${text}\n`)).items).toEqual([])
  })
})

it('does not count the end of a Windows line to what it says', async () => {
  const { items } = await findingsIn(
    'E0101 00:00:00.000000 1 a.go:1] failed: Too many requests: limit reached on type Namespace for key shop\r\n',
  )
  expect(items).toMatchObject([{ fields: { limits: [{ type: 'Namespace', key: 'shop' }] } }])
})
