/** The same evidence in every wrapping. */
import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { answerHeaders, attributeAnswer } from '../../src/limiters/evidence/answer.ts'
import { vectorFile } from '../conformance/vectors.ts'
import { counted, findingsIn } from '../support/evidence.ts'

const WAIT =
  'I1130 14:47:25.379938   15026 request.go:700] Waited for 1.5s due to client-side throttling, not priority and fairness, request: GET:https://127.0.0.1:6443/api/v1/namespaces'
const STRUCTURED =
  'I1130 14:49:51.839802   16633 request.go:754] "Waited before sending request" delay="1.5s" reason="client-side throttling, not priority and fairness" verb="GET" URL="https://127.0.0.1:6443/api/v1/namespaces"'
const FIELDS = {
  delay: '1.5s',
  reason: 'client-side throttling, not priority and fairness',
  verb: 'GET',
  URL: 'https://127.0.0.1:6443/api/v1/namespaces',
}
const STATUS =
  '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Too many requests: limit reached on type Server for key ","reason":"TooManyRequests","code":429}'
const text = (value: unknown) => JSON.stringify(value)
/** Without the header of klog. */
const message = (line: string) => line.slice(line.indexOf('] ') + 2)

const one = async (input: string) => (await findingsIn(input)).items

describe('a wait of client-go', () => {
  it.each([
    ['bare', WAIT],
    ['structured', STRUCTURED],
    ['with a line end of Windows', `${WAIT}\r`],
    ['in colour', `\x1b[32m${WAIT.slice(0, 40)}\x1b[0m${WAIT.slice(40)}`],
    ['of a container runtime', `2026-11-30T14:47:25.379Z stderr F ${STRUCTURED}`],
    ['of Docker', text({ log: `${STRUCTURED}\n`, stream: 'stderr', time: '2026-11-30T14:47:25.379Z' })],
    ['of the journal', text({ MESSAGE: WAIT, _PID: '15026', __REALTIME_TIMESTAMP: '1796050045379938' })],
    ['of the journal as bytes', text({ MESSAGE: [...Buffer.from(WAIT)], __REALTIME_TIMESTAMP: '1796050045379938' })],
    ['of the journal as text', `Nov 30 14:47:25 node1 kubelet[15026]: ${STRUCTURED}`],
    ['with time stamps of kubectl', `2026-11-30T14:47:25.379938Z ${STRUCTURED}`],
    ['with the prefix of kubectl', `[pod/reporter-0/main] ${STRUCTURED}`],
    ['with both', `[pod/reporter-0/main] 2026-11-30T14:47:25.379938Z ${WAIT}`],
    ['in logrus', `time="2026-11-30T14:47:25Z" level=info msg=${text(message(WAIT))} subsys=klog`],
    ['structured in logrus', `level=info msg=${text(message(STRUCTURED))} subsys=klog`],
    ['in JSON in Docker', text({ log: `${text({ level: 'info', msg: message(WAIT) })}\n`, stream: 'stderr' })],
    ['behind the name of a logger', STRUCTURED.replace('"Waited', '"manager: Waited')],
    ['in zap for people', `2026-11-30T14:47:25.379Z\tINFO\tclient\t${message(WAIT)}`],
    [
      'in zap for people, with fields',
      `2026-11-30T14:47:25.379Z\tINFO\tWaited before sending request\t${text(FIELDS)}`,
    ],
    ['with seconds as a number', text({ level: 'info', msg: 'Waited before sending request', ...FIELDS, delay: 1.5 })],
    [
      'with nanoseconds',
      text({ level: 'INFO', msg: 'Waited before sending request', ...FIELDS, delay: 1_500_000_000 }),
    ],
    ['as a payload of a collector', text({ jsonPayload: { msg: 'Waited before sending request', ...FIELDS } })],
    ['in zap', text({ level: 'info', ts: 1796050045.37, logger: 'client', msg: message(WAIT) })],
    [
      'in a stack trace',
      `panic: x\n\ngoroutine 1 [running]:\nmain.main()\n\t/src/main.go:4 +0x1\n${WAIT}\nexit status 2`,
    ],
    ['after bytes that are no text', `\x00\x01\x02${'\ufffd'}\n${WAIT}`],
    ['as the last line without an end', `x\n${WAIT}`],
  ])('is read %s', async (_, input) => {
    expect(await one(input)).toMatchObject([
      {
        layer: 'client-rate-limiter',
        reason: 'wait',
        confidence: 'certain',
        fields: { waitSeconds: 1.5, verb: 'GET' },
      },
    ])
  })

  it.each([40, 60, 90, 120])('is put together where a container runtime has cut it at %i', async (cut) => {
    const part = (mark: string, content: string, stream = 'stderr') =>
      `2026-11-30T14:47:25.379Z ${stream} ${mark} ${content}\n`
    const pieces = [WAIT.slice(0, cut), WAIT.slice(cut, cut + 20), WAIT.slice(cut + 20)]
    const [first = '', second = '', third = ''] = pieces
    const lines = part('P', first) + part('P', second) + part('F', third)
    const between = part('P', first) + part('F', 'quiet', 'stdout') + part('F', second + third)
    for (const input of [lines, between, part('P', WAIT)]) {
      expect(counted(await one(`x\n${input}`))).toEqual({ 'client-rate-limiter/wait': 1 })
    }
  })

  it.each([
    [`[pod/reporter-0/main] ${WAIT}`, 'reporter-0/main'],
    [`Nov 30 14:47:25 node1 kubelet[15026]: ${WAIT}`, 'kubelet on node1'],
    [text({ MESSAGE: WAIT, SYSLOG_IDENTIFIER: 'kubelet', _HOSTNAME: 'node1' }), 'kubelet on node1'],
    [text({ log: WAIT, kubernetes: { pod_name: 'reporter-0', namespace_name: 'shop' } }), 'shop/reporter-0'],
    [WAIT, null],
  ])('says who waits, where that is told: %s', async (input, client) => {
    expect(await one(input)).toMatchObject([{ client }])
  })

  it('keeps the line it stands in', async () => {
    expect(await one(`a\nb\n\n${WAIT}\nc\n${STRUCTURED}\n`)).toMatchObject([{ line: 4 }, { line: 6 }])
  })
})

describe('a Status', () => {
  const pretty = JSON.stringify(JSON.parse(STATUS), null, 2)
  const twice = JSON.stringify({ items: [JSON.parse(STATUS), JSON.parse(STATUS)] }, null, 4)

  it.each([
    ['on a line', STATUS, 1],
    ['over many lines', pretty, 1],
    ['behind words', `I1130 14:43:53.186853 1096 helpers.go:246] server response object: %s[${pretty}]`, 1],
    ['as a body in a log', `I1130 14:43:53.186853 1096 request.go:1212] Response Body: ${STATUS}`, 1],
    ['in a log between other words', `E0101 00:00:00.000000 1 a.go:1] got ${STATUS} for {x}`, 1],
    [
      'in a log with its keys in another order',
      `body=${text({ apiVersion: 'v1', code: 429, ...JSON.parse(STATUS) })}`,
      1,
    ],
    ['as a string in words', `HttpError: 429 Body: ${text(STATUS)} (attempt 2)`, 1],
    ['as a string in a string in words', `failed ${text(text(STATUS))}`, 1],
    ['behind another document', `sent {"apiVersion":"v1","kind":"Pod"}, error=${text(STATUS)}`, 1],
    ['as a string in JSON', text({ msg: 'refused', body: STATUS }), 1],
    ['as a string in a string', text({ log: `${text({ error: STATUS })}\n` }), 1],
    ['over many lines of a container', pretty.replaceAll(/^/gm, '2026-11-30T14:47:25.379Z stdout F '), 1],
    ['over many lines of a pod', pretty.replaceAll(/^/gm, '[pod/reporter-0/main] '), 1],
    ['in a list over many lines', twice, 2],
    ['in an array', `[${STATUS},${STATUS}]`, 2],
    ['between other lines', `I0101 00:00:00.000000 1 a.go:1] x {\n${pretty}\nbye\n`, 1],
  ])('is read %s', async (_, input, count) => {
    expect(counted(await one(input))).toEqual({ 'event-rate-limit/limit-reached': count })
  })

  it('is read as far as it goes, less sure', async () => {
    const { items, malformed } = await findingsIn(STATUS.slice(0, -30))
    expect(items).toMatchObject([{ layer: 'event-rate-limit', confidence: 'high' }])
    expect(malformed).toBe(1)
  })

  it('is read as far as it goes over many lines', async () => {
    expect(await one(pretty.slice(0, -20))).toMatchObject([{ layer: 'event-rate-limit', confidence: 'high' }])
  })
})

describe('an answer that a program has recorded as JSON', () => {
  const headers = { 'Audit-Id': 'a', 'Retry-After': '1', 'Content-Type': 'text/plain' }
  const pairs = Object.entries(headers)
  const body = 'Too many requests, please try again later.\n'

  it.each([
    ['alone', { code: 429, headers, body }],
    ['beside its request', { request: { path: '/api/v1/pods' }, response: { status: 429, headers: pairs, body } }],
    [
      'as in an HTTP archive',
      {
        request: { url: 'https://server/api/v1/pods' },
        response: { status: 429, headers: pairs.map(([name, value]) => ({ name, value })), content: { text: body } },
      },
    ],
  ])('is read %s', async (_, recorded) => {
    expect(counted(await one(text(recorded)))).toEqual({ 'max-inflight/exceeded': 1 })
    expect(counted(await one(JSON.stringify([recorded], null, 2)))).toEqual({ 'max-inflight/exceeded': 1 })
    expect(counted(await one(text({ log: { entries: [recorded] } })))).toEqual({ 'max-inflight/exceeded': 1 })
  })
})

describe('an Event', () => {
  const event = {
    kind: 'Event',
    apiVersion: 'v1',
    metadata: { name: 'web-0.1', namespace: 'shop' },
    involvedObject: { kind: 'Pod', namespace: 'shop', name: 'web-0' },
    reason: 'Failed',
    message: 'Failed to pull image "library/web:1": toomanyrequests: You have reached your pull rate limit.',
    source: { component: 'kubelet', host: 'n7' },
    lastTimestamp: '2026-11-30T14:47:25Z',
    count: 3,
  }

  it('tells the object, the node and the image', async () => {
    const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [event] }, null, 4)
    for (const input of [text(event), list]) {
      expect(await one(input)).toMatchObject([
        {
          layer: 'registry',
          time: '2026-11-30T14:47:25Z',
          fields: { object: 'Pod/shop/web-0', host: 'n7', image: 'library/web:1', count: 3 },
        },
      ])
    }
  })

  it('of the newer API is read by its note', async () => {
    const { message: note, involvedObject: regarding, ...rest } = event
    const newer = { ...rest, apiVersion: 'events.k8s.io/v1', note, regarding }
    expect(await one(text(newer))).toMatchObject([{ layer: 'registry', fields: { object: 'Pod/shop/web-0' } }])
  })
})

describe('an answer as curl prints it', () => {
  const curl = `HTTP/1.1 429 Too Many Requests\r\nAudit-Id: a\r\nRetry-After: 1\r\n\r\nToo many requests, please try again later.\n`

  it.each([
    ['by itself', curl],
    ['in a container', curl.trimEnd().replaceAll(/^|\n/g, '$&2026-11-30T14:47:25.379Z stdout F ')],
    ['twice', curl + curl],
    ['behind a progress bar', `* Connected to server\n> GET /api/v1/pods HTTP/1.1\n>\n${curl}* Closing connection\n`],
  ])('is read %s', async (_, input) => {
    const found = new Set((await one(input)).map(({ layer, confidence }) => `${layer} ${confidence}`))
    expect(found).toEqual(new Set(['max-inflight high']))
  })
})

describe('an answer as kubectl prints it', () => {
  const folder = new URL('testdata/', import.meta.url)

  it.each([
    ['kubectl-1.28-v8.log', ['apf/rejected', '/api/v1/namespaces/noretry/pods']],
    ['kubectl-1.37-v8.log', ['apf/rejected', '/api/v1/namespaces/noretry/pods']],
    ['kubectl-1.28-v9.log', ['eviction-pdb/budget-exhausted', '/api/v1/namespaces/x/eviction']],
    ['kubectl-1.37-v8-eviction.log', ['eviction-pdb/budget-exhausted', '/api/v1/namespaces/x/eviction']],
  ])('%s is put together from its lines', async (name, [found, path]) => {
    const [first] = await one(readFileSync(new URL(name, folder), 'utf8'))
    expect(`${first?.layer}/${first?.reason}`).toBe(found)
    expect(first?.fields).toMatchObject({ requestPath: path })
  })

  it.each(['kubectl-1.28-v8.log', 'kubectl-1.37-v8.log', 'kubectl-1.28-v9.log', 'kubectl-1.37-v8-eviction.log'])(
    '%s is one call, which counts once',
    async (name) => {
      const items = await one(readFileSync(new URL(name, folder), 'utf8'))
      expect(items.map(({ repeats }) => repeats)).toEqual([null, items[0]?.line, items[0]?.line])
    },
  )

  it('has a recording for each form', () => expect(readdirSync(folder)).toHaveLength(4))

  it('is attributed by its headers where its body was not printed', async () => {
    const lines = ['Response Status: 429 Too Many Requests in 1 milliseconds', 'Response Headers:']
    const headers = ['Audit-Id: a', 'Content-Length: 43', 'Content-Type: text/plain; charset=utf-8', 'Retry-After: 1']
    const log = [...lines, ...headers.map((header) => `    ${header}`), 'GET https://127.0.0.1:6443/api/v1/pods']
    const stamped = log.map((line) => `I1130 19:33:38.363843   31121 round_trippers.go:574] ${line}\n`)
    expect(counted(await one(stamped.join('')))).toEqual({ 'max-inflight/exceeded': 1 })
  })
})

describe('evidence over many lines', () => {
  const carriers: Record<string, (content: string) => string> = {
    'by itself': (content) => content,
    'a container runtime': (content) => `2026-01-02T03:04:05.123456789Z stderr F ${content}`,
    Docker: (content) => text({ log: `${content}\n`, stream: 'stdout', time: '2026-01-02T03:04:05.1Z' }),
    'the journal': (content) => text({ MESSAGE: content, _PID: '1', __REALTIME_TIMESTAMP: '1796050045379938' }),
    syslog: (content) => `Nov 30 14:47:25 node1 kubectl[12]: ${content}`,
    'kubectl logs --prefix': (content) => `[pod/reporter-0/main] ${content}`,
    'kubectl logs --timestamps': (content) => `2026-01-02T03:04:05.123456789Z ${content}`,
    'a terminal': (content) => `\x1b[31m${content}\x1b[0m`,
    Windows: (content) => `${content}\r`,
  }

  const budget = {
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    message: "Cannot evict pod as it would violate the pod's disruption budget.",
    reason: 'TooManyRequests',
    details: {
      causes: [
        { reason: 'DisruptionBudget', message: 'The disruption budget web needs 2 healthy pods and has 1 currently' },
      ],
    },
    code: 429,
  }
  const audit = {
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    auditID: 'a',
    stage: 'ResponseComplete',
    verb: 'list',
    responseStatus: { metadata: {}, code: 429 },
  }
  const pretty = (value: unknown) => JSON.stringify(value, null, 4)
  const head = (more: string[]) => ['HTTP/1.1 429 Too Many Requests', 'Audit-Id: a', ...more, '']
  const uid = 'X-Kubernetes-Pf-Flowschema-Uid: b'
  const sentence = 'Too many requests, please try again later.'
  const request =
    'I1130 14:43:53.186853 9 round_trippers.go:527] "Request" verb="GET" url="https://k/api/v1/pods" headers=<'
  const response = 'I1130 14:43:53.186853 9 round_trippers.go:632] "Response" status="429 Too Many Requests" headers=<'
  const evidence: [what: string, lines: string, found: string][] = [
    ['a Status', pretty(budget), 'eviction-pdb/budget-exhausted'],
    ['an audit event', pretty(audit), 'apf-or-max-inflight/rejected-before-authorization'],
    [
      'a list',
      pretty({ kind: 'EventList', items: [{ auditID: 'b', stage: 'x' }, audit] }),
      'apf-or-max-inflight/rejected-before-authorization',
    ],
    ['an answer', [...head([uid, 'Retry-After: 4']), sentence].join('\n'), 'apf/rejected'],
    [
      'an answer with a document',
      [...head([uid, 'Content-Type: application/json']), pretty(budget)].join('\n'),
      'eviction-pdb/budget-exhausted',
    ],
    [
      'an answer of kubectl -v=8',
      [
        request,
        '\tAccept: x',
        ' >',
        response,
        '\tAudit-Id: a',
        `\t${uid}`,
        '\tRetry-After: 4',
        ' > milliseconds=3',
        'I1130 14:43:53.186853 9 helpers.go:1] "Response Body" body=<',
        `\t${sentence}`,
        ' >',
      ].join('\n'),
      'apf/rejected',
    ],
  ]
  const cases = evidence.flatMap(([what, lines, found]) =>
    Object.entries(carriers).map(([name, carry]) => ({
      what,
      name,
      found,
      input: lines
        .split('\n')
        .map((content) => carry(content))
        .join('\n'),
    })),
  )

  it.each(cases)('is put together: $what through $name', async ({ input, found }) => {
    const { items } = await findingsIn(`quiet\n${input}\nquiet\n`)
    expect(items.map(({ layer, reason, confidence }) => `${layer}/${reason} ${confidence}`)).toEqual([
      `${found} ${found.startsWith('apf-or') ? 'high' : 'certain'}`,
    ])
  })

  it('is put together where curl speaks of the connection in between', async () => {
    const lines = [
      '> GET /api/v1/pods HTTP/1.1',
      '>',
      '< HTTP/2 429 ',
      '< audit-id: a',
      '* Connection state changed',
      `< ${uid}`,
      '< retry-after: 2',
      '< ',
      '{ [43 bytes data]',
      sentence,
    ]
    expect(await one(lines.join('\n'))).toMatchObject([{ layer: 'apf', confidence: 'certain' }])
  })

  it('is put together where wget indents it', async () => {
    const lines = [
      '  HTTP/1.1 429 Too Many Requests',
      '  Audit-Id: a',
      `  ${uid}`,
      '  Content-Type: text/plain; charset=utf-8',
      '  Content-Length: 43',
      '2026-01-02 03:04:05 ERROR 429: Too Many Requests.',
    ]
    expect(await one(lines.join('\n'))).toMatchObject([{ layer: 'apf' }])
  })
})

describe('a refusal of APF on a path of a group that is not built in', () => {
  const pairs: [string, string][] = [
    ['Audit-Id', 'a'],
    ['X-Kubernetes-PF-FlowSchema-UID', 'b'],
    ['Retry-After', '1'],
  ]
  const answer = {
    code: 429,
    headers: answerHeaders(pairs, true),
    body: 'Too many requests, please try again later.',
    requestPath: '/apis/stable.example/v1/namespaces/shop/widgets',
  }

  it.each<[string, ReadonlySet<string> | null, string]>([
    ['may be that of a backend', null, 'apf-or-aggregated'],
    ['may be that of a backend, aggregated by the cluster', new Set(['stable.example/v1']), 'apf-or-aggregated'],
    ['is that of APF, where the cluster serves a custom resource there', new Set(['metrics.k8s.io/v1beta1']), 'apf'],
  ])('%s', (_, aggregatedApis, layer) => {
    expect(attributeAnswer({ ...answer, aggregatedApis })).toMatchObject({ layer })
  })
})

describe('a server that is going down', () => {
  const http = (process: number) =>
    `I1130 14:44:52.511576   ${process} httplog.go:135] "HTTP" verb="LIST" URI="/api/v1/pods" latency="70µs" resp=429`

  it('is told from MaxInFlight by what it said before', async () => {
    const down =
      'I1130 14:44:52.395229   10095 genericapiserver.go:582] "[graceful-termination] shutdown event" name="AfterShutdownDelayDuration"'
    expect(counted(await one([http(10095), down, http(10095), http(10096)].join('\n')))).toEqual({
      'max-inflight/exceeded': 2,
      'server-shutdown/retry-after-429': 1,
    })
  })
})

describe('counters', () => {
  const scrape = (apf: number, requests: number) => `
apiserver_flowcontrol_rejected_requests_total{flow_schema="s",priority_level="tiny",reason="queue-full"} ${apf}
apiserver_request_terminations_total{code="429",resource="pods",verb="LIST"} ${apf}
apiserver_request_total{code="429",resource="pods",verb="LIST"} ${apf}
apiserver_request_total{code="429",resource="pods",subresource="eviction",verb="POST"} ${requests}
`

  it('of one scrape count from the start', async () => {
    expect(await one(scrape(5, 3))).toMatchObject([
      { layer: 'apf', line: null, fields: { count: 5, rejectedBy: [{ priorityLevel: 'tiny', count: 5 }] } },
      { layer: 'eviction-pdb', fields: { count: 3 } },
    ])
  })

  it('of two count what happened between them', async () => {
    expect(await one(scrape(5, 3) + scrape(12, 3))).toMatchObject([{ layer: 'apf', fields: { count: 7 } }])
  })

  it('of a server that has started again count from there', async () => {
    expect(await one(scrape(500, 0) + scrape(12, 0))).toMatchObject([{ layer: 'apf', fields: { count: 12 } }])
  })

  it('of a client show how much of its time it waits for itself', async () => {
    const metrics = `
rest_client_rate_limiter_duration_seconds_sum{host="h",verb="GET"} 91
rest_client_rate_limiter_duration_seconds_count{host="h",verb="GET"} 15
rest_client_request_duration_seconds_sum{host="h",verb="GET"} 92.6
`
    expect(await one(metrics)).toMatchObject([{ layer: 'client-rate-limiter', fields: { count: 15, waitSeconds: 91 } }])
  })
})

describe('any cut of the stream', () => {
  const samples = vectorFile('throttle-samples') as { source: string; text?: string }[]
  const all = `${samples.flatMap(({ source, text: line }) => (source === 'response' ? [] : [line])).join('\n')}\n`

  it('gives the same findings', async () => {
    const whole = (await findingsIn(all)).items
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 5000 }), async (cutAt) => {
        expect((await findingsIn(all, cutAt)).items).toEqual(whole)
      }),
      { numRuns: 30 },
    )
  })
})

describe('input that is no log', () => {
  it('ends without a word', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 4000 }), fc.integer({ min: 1, max: 500 }), async (bytes, cutAt) => {
        expect((await findingsIn(bytes, cutAt)).items).toEqual([])
      }),
      { numRuns: 100 },
    )
  })

  it('does not stop a damaged line from being read', async () => {
    const bytes = Buffer.concat([
      Buffer.from([0xff, 0xfe, 0x00, 0x80]),
      Buffer.from(`\n${WAIT}\n`),
      Buffer.from([0xc3]),
    ])
    expect(counted((await findingsIn(bytes)).items)).toEqual({ 'client-rate-limiter/wait': 1 })
  })

  it('has lines that are too long, which are counted', async () => {
    const { items, report } = await findingsIn(`${'x'.repeat(50 << 20)}\n${WAIT}\n`, 1 << 20)
    expect(report).toMatchObject({ tooLong: 1, lines: 2 })
    expect(items).toMatchObject([{ line: 2 }])
  })
})
