/** Texts as components write them, with the layer that each of them names; and texts that look so and name none. */
import { describe, expect, it } from 'vitest'
import { findingsIn } from '../support/evidence.ts'

const AZURE =
  'Retriable: true, RetryAfter: 124s, HTTPStatusCode: 429, RawError: {"error":{"code":"OperationNotAllowed","message":"too many requests"}}'
const DROPPED = 'E0101 00:00:00.000000 1 event.go:359] "Server rejected event (will not retry!)" event="&Event{}" err='

const HOOK_429 =
  '&errors.StatusError{ErrStatus:v1.Status{Message:"admission webhook \\"a.b\\" denied the request: busy", Code:429}}'
const PULL = 'failed to resolve reference "ghcr.io/a/b:1": unexpected status from HEAD request to https://ghcr.io/v2'
const EXPIRED = { kind: 'Status', message: 'too old resource version: 5 (99)', reason: 'Expired', code: 410 }
const json = (value: unknown) => JSON.stringify(value)

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
    [`W0101 00:00:00.000000 1 a.go:1] rejected by webhook "a.b": ${HOOK_429}`, 'admission-webhook/denied-429 certain'],
    [
      'Internal error occurred: failed calling webhook "a.b": Post https://a.b.svc:443/v?timeout=30s: context deadline exceeded',
      'admission-webhook/call-timeout high',
    ],
    [`${PULL}/a/b/manifests/1: 429 Too Many Requests`, 'registry/pull-rate-limit high'],
    [json({ type: 'ERROR', object: EXPIRED }), 'not-throttling/expired-resource-version certain'],
    [
      json({ kind: 'Pod', apiVersion: 'v1', status: { message: 'pull QPS exceeded' } }),
      'kubelet/image-pull-qps certain',
    ],
    [
      json({ kind: 'Status', message: 'slow down', reason: 'TooManyRequests' }),
      'server-429-unattributed/too-many-requests low',
    ],
    [
      json({
        kind: 'Status',
        message: 'x',
        code: 503,
        details: { causes: [{ reason: 'UnexpectedServerResponse', message: 'service unavailable' }] },
      }),
      'aggregated-api/unavailable high',
    ],
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
    json({ kind: 'ConfigMap', apiVersion: 'v1', data: { 'run.md': 'on "429 Too Many Requests" call ann' } }),
    json({ kind: 'Pod', apiVersion: 'v1', metadata: { annotations: { note: 'pull QPS exceeded' } }, status: {} }),
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

it('tells what the webhook said', async () => {
  const { items } = await findingsIn(`W0101 00:00:00.000000 1 a.go:1] rejected by webhook "a.b": ${HOOK_429}\n`)
  expect(items).toMatchObject([{ fields: { webhook: 'a.b', message: 'busy' } }])
})

it('takes waits for one where two loggers wrote them, and nowhere else', async () => {
  const wait = (source: number) =>
    `I0101 00:00:00.000000 1 request.go:${source}] Waited for 1.5s due to client-side throttling, not priority and fairness, request: GET:https://server/api\n`
  const repeats = async (log: string) => (await findingsIn(log)).items.map((item) => item.repeats)
  expect(await repeats(wait(629) + wait(697))).toEqual([null, 1])
  expect(await repeats(wait(697) + wait(697))).toEqual([null, null])
})

describe('one call of kubectl', () => {
  const GENERIC = 'the server has received too many requests and has asked us to try again later (get pods)'
  const LAST = `Error from server (TooManyRequests): ${GENERIC}\n`

  it.each([
    ['GET https://server/api/v1/pods 429 Too Many Requests in 3 milliseconds'],
    ['"Response" verb="GET" url="https://server/api/v1/pods" status="429 Too Many Requests" milliseconds=3'],
  ])('counts once at -v=6: %s', async (trip) => {
    const { items } = await findingsIn(`I0101 00:00:00.000000 1 round_trippers.go:1] ${trip}\n${LAST}`)
    expect(items.map(({ repeats }) => repeats)).toEqual([null, 1])
  })

  it('tells more by the object than by the status before it', async () => {
    const causes = [{ reason: 'UnexpectedServerResponse', message: 'Too many requests, please try again later.' }]
    const status = { kind: 'Status', message: GENERIC, reason: 'TooManyRequests', details: { causes }, code: 429 }
    const lines = [
      'GET https://server/api/v1/pods 429 Too Many Requests in 3 milliseconds',
      `server response object: [${JSON.stringify(status, null, 2)}]`,
    ]
    const { items } = await findingsIn(
      `${lines.map((line) => `I0101 00:00:00.000000 1 a.go:1] ${line}\n`).join('')}${LAST}`,
    )
    expect(items.map(({ layer, repeats }) => [layer, repeats])).toEqual([
      ['server-429-unattributed', null],
      ['apf-or-max-inflight', null],
      ['server-429-unattributed', 2],
    ])
  })
})
