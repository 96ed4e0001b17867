import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import zlib, { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import type { Attributions } from '../../src/report/contract.ts'
import { apf, ROOT } from '../support/cli.ts'
import { violations } from '../support/published-schemas.ts'

const folder = mkdtempSync(join(tmpdir(), 'explain-429-'))
afterAll(() => rmSync(folder, { recursive: true }))

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

const WAIT =
  'I1130 14:47:25.379938   15026 request.go:700] Waited for 1.5s due to client-side throttling, not priority and fairness, request: GET:https://127.0.0.1:6443/api/v1/namespaces\n'
const REJECTED =
  'I1130 14:39:20.750802    3340 httplog.go:135] "HTTP" verb="LIST" URI="/api/v1/pods" latency="7µs" userAgent="reporter/v1" apf_pl="tiny" apf_fs="tiny-bob" apf_iseats=1 resp=429\n'
const QUIET = 'I1130 14:39:20.750802    3340 a.go:1] listening on port 429\n'
/** Compresses badly. */
const NOISE = Array.from({ length: 5000 }, (_, index) => `${index} ${Math.sin(index)}\n`).join('')
const EVICTION =
  'error when evicting pods/"web-0" -n "shop" (will retry after 5s): Cannot evict pod as it would violate the pod\'s disruption budget.\n'

const explain = (args: string[], stdin: string | Uint8Array = '') => apf(['explain-429', ...args], { stdin })

describe('the answer for people', () => {
  it('begins with the verdict', async () => {
    const { code, stdout, stderr } = await explain([], WAIT + QUIET + WAIT.replace('1.5s', '2.5s') + REJECTED)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout.split('\n').slice(0, 8)).toEqual([
      '3 throttled calls in 4 lines: the client holds itself back (2), API Priority and Fairness refused (1)',
      '',
      'WHO THROTTLES        WHY       COUNT  SURE     FIRST     EXAMPLE',
      'client-rate-limiter  wait          2  certain  14:47:25  Waited for 1.5s due to client-side throttling, not prior…',
      'apf                  rejected      1  high     14:39:20  "HTTP" verb="LIST" URI="/api/v1/pods" latency="7µs" user…',
      '',
      'clients: reporter/v1 (1)',
      'levels: tiny (1)',
    ])
    expect(stdout).toContain('kubectl apf limits client --qps 5 --burst 10 --calls 200')
    expect(stdout.split('\n').filter((line) => [...line].length > 120)).toEqual([])
  })

  it('names in its first line those who throttle most', async () => {
    const lines = ['pull QPS exceeded\n', 'x: toomanyrequests: y\n', 'etcdserver: no leader\n']
    const { stdout } = await explain([], [WAIT, WAIT.replace('1.5s', '2.5s'), REJECTED, EVICTION, ...lines].join(''))
    expect(stdout.split('\n')[0]).toMatch(
      /^6 throttled calls in 7 lines: the client holds itself back \(2\), .* and 1 more$/,
    )
  })

  it('says so where nothing is throttled', async () => {
    const { code, stdout } = await explain(['--exit-code'], QUIET)
    expect(code).toBe(0)
    expect(stdout).toBe('nothing is throttled in 1 line: no limiter that we know has written any of it\n')
  })

  it('does not call an eviction throttling', async () => {
    const { code, stdout } = await explain(['--exit-code'], EVICTION)
    expect(code).toBe(0)
    expect(stdout).toMatch(/^nothing is throttled in 1 line: a PodDisruptionBudget forbids evictions\n/)
  })

  it('counts a wait that two loggers wrote once', async () => {
    const { stdout } = await explain(['-o', 'json'], WAIT + WAIT.replace('request.go:700', 'request.go:632') + WAIT)
    expect(JSON.parse(stdout)).toMatchObject({ summary: { throttled: 2, repeated: 1 }, items: [{}, {}, {}] })
  })

  it('prints each finding with --all, and the summary at the end', async () => {
    const { stdout } = await explain(['--all'], REJECTED + QUIET + WAIT)
    expect(stdout).toMatch(
      /^1 {2}14:39:20 {2}apf\/rejected {2}high .*\n3 {2}14:47:25 {2}client-rate-limiter\/wait .*\n\n2 thr/,
    )
  })

  it('is safe for terminals', async () => {
    const { stdout } = await explain(['--all'], WAIT.replace('/namespaces', '/\x07\u202e\x1b[2Jx'))
    expect(stdout).not.toMatch(/[\x00-\x09\x0b-\x1f\u202e]/)
    expect(stdout).toContain('client-rate-limiter/wait')
  })
})

describe('the formats', () => {
  it.each(['', QUIET, WAIT, WAIT + REJECTED + EVICTION])('json and yaml say the same of %j', async (input) => {
    const json: Attributions = JSON.parse((await explain(['-o', 'json'], input)).stdout)
    expect(violations('Attributions', json)).toEqual([])
    expect(parse((await explain(['-o', 'yaml'], input)).stdout)).toEqual(json)
    const lines = (await explain(['-o', 'jsonl'], input)).stdout.split('\n').filter((line) => line !== '')
    expect(lines.map((line) => JSON.parse(line))).toEqual(json.items)
    for (const line of lines) expect(violations('AttributionItem', JSON.parse(line))).toEqual([])
  })

  it('markdown cannot be broken out of', async () => {
    const { stdout } = await explain(['-o', 'markdown'], WAIT.replace('/namespaces', '/`|<script>'))
    expect(stdout).toMatch(/^\*\*1 throttled call in 1 line: the client holds itself back\*\*\n/)
    expect(stdout).toContain('| client-rate-limiter | wait | 1 | certain | 14:47:25 |')
    expect(stdout).not.toContain('/`|')
  })
})

describe('the exit code', () => {
  it.each<[string, string[], string, number]>([
    ['of findings', [], WAIT, 0],
    ['of findings for a gate', ['--exit-code'], WAIT, 1],
    ['of a damaged document', [], '{"kind":"Status","code":429,"mess', 0],
    ['of a damaged document, strictly', ['--strict'], '{"kind":"Status","code":429,"mess', 2],
    ['of a header without a colon', ['--status', '429', '--header', 'x'], '', 2],
    ['of parts beside a file', ['--status', '429', 'examples/client.log'], '', 2],
    ['of a URL alone', ['--url', '/api'], '', 2],
    ['of standard input for two things', ['--from', '-'], WAIT, 2],
    ['of a folder', ['examples'], '', 2],
    ['of a missing file', ['/nonexistent/x.log'], '', 2],
    ['of a cluster that is not there', ['--all-servers=auto'], WAIT, 3],
  ])('%s', async (_, args, input, expected) => expect((await explain(args, input)).code).toBe(expected))

  it('of what could not be read is no word that nothing is throttled', async () => {
    expect((await explain(['/nonexistent/x.log'])).stdout).toBe('nothing could be read\n')
    const { code, stdout } = await explain([file('cut-quiet.gz', gzipSync(NOISE).subarray(0, -2000))])
    expect({ code, stdout }).toMatchObject({ code: 2, stdout: expect.stringContaining('that could be read\n') })
  })

  it('of a file that is missing leaves the others read', async () => {
    const { code, stdout, stderr } = await explain(['/nonexistent/x.log', 'examples/client.log'])
    expect(code).toBe(2)
    expect(stdout).toMatch(/^4 throttled calls/)
    expect(stderr).toContain('/nonexistent/x.log cannot be read')
  })
})

describe('the input', () => {
  it('may be compressed', async () => {
    expect((await explain([file('a.log.gz', gzipSync(WAIT))])).stdout).toMatch(/^1 throttled call in 1 line/)
  })

  it('may be cut off while compressed', async () => {
    const { code, stdout, stderr } = await explain([file('cut.log.gz', gzipSync(WAIT + NOISE).subarray(0, -2000))])
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('cannot be read to its end') })
    expect(stdout).toMatch(/^1 throttled call/)
  })

  it('may be compressed with zstd, where Node.js can unpack it', async () => {
    const create: unknown = Reflect.get(zlib, 'zstdCompressSync')
    const bytes = typeof create === 'function' ? create(Buffer.from(WAIT)) : Buffer.from('(\xb5/\xfd', 'latin1')
    const { code, stdout, stderr } = await explain([file('a.log.zst', bytes)])
    if (typeof create === 'function') expect(stdout).toMatch(/^1 throttled call/)
    else expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('zstd -dc') })
  })

  it('may be UTF-16, as PowerShell writes it', async () => {
    const { stdout } = await explain([], Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(WAIT, 'utf16le')]))
    expect(stdout).toMatch(/^1 throttled call in 1 line/)
  })

  it('may be several files, which are named', async () => {
    const paths = [file('one.log', WAIT), file('two.log', QUIET + REJECTED)]
    const { items }: Attributions = JSON.parse((await explain([...paths, '-o', 'json'])).stdout)
    expect(items.map(({ file: path, line }) => [path, line])).toEqual([
      [paths[0], 1],
      [paths[1], 2],
    ])
  })

  it('may be binary', async () => {
    const { code, stderr } = await explain([], readFileSync(process.execPath).subarray(0, 1 << 20))
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('is no text') })
  })
})

describe('much of everything', () => {
  const event = (index: number) => ({
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    auditID: `a${index}`,
    stage: 'ResponseComplete',
    user: { username: `user-${index}` },
    responseStatus: { code: 429 },
  })
  const many = Array.from({ length: 3000 }, (_, index) => event(index))

  it('may stand on one line, of which each part is shown by itself', async () => {
    const { stdout, stderr } = await explain([], `${JSON.stringify({ kind: 'EventList', items: many })}\n`)
    expect(stdout).toMatch(/^3,000 throttled calls in 1 line/)
    expect(stdout).not.toContain('EventList')
    expect(stderr).toBe('')
  })

  it.each(['jsonl', 'yaml', 'table'])('is written as %s without a warning of Node.js', async (format) => {
    const { stdout, stderr } = await explain(
      ['--all', '-o', format],
      many.map((each) => JSON.stringify(each)).join('\n'),
    )
    expect(stdout.length).toBeGreaterThan(1 << 19)
    expect(stderr).toBe('')
  })

  it('of series is cut in what people read', async () => {
    const series = many.map((_, index) => `apiserver_flowcontrol_rejected_requests_total{flow_schema="s${index}"} 3\n`)
    const { stdout } = await explain([], series.join(''))
    expect(stdout).toMatch(/^9,000 throttled calls/)
    expect(stdout.length).toBeLessThan(2000)
  })
})

describe('parts of an answer', () => {
  const SENTENCE = 'Too many requests, please try again later.'
  const UID = 'X-Kubernetes-PF-FlowSchema-UID: 1309f002-fd44-4719-971a-896a043c01d1'

  it.each<[string, string[], string]>([
    ['a body alone', ['--body', SENTENCE], 'apf-or-max-inflight'],
    ['with a Retry-After that only APF sends', ['--body', SENTENCE, '--header', 'Retry-After: 8'], 'apf'],
    ['with a header of APF', ['--status', '429', '--body', SENTENCE, '--header', UID], 'apf'],
    [
      'with a path of a backend',
      ['--body', SENTENCE, '--header', UID, '--url', '/apis/metrics.k8s.io/v1beta1/pods'],
      'apf-or-aggregated',
    ],
    ['of a server in front', ['--status', '429', '--header', 'Server: nginx', '--body', '<html>'], 'external-proxy'],
    ['a code alone', ['--status', '429'], 'server-429-unattributed'],
    ['a header that says nothing', ['--body', SENTENCE, '--header', 'Retry-After: 1'], 'apf-or-max-inflight'],
  ])('%s', async (_, args, layer) => {
    const { items }: Attributions = JSON.parse((await explain([...args, '-o', 'json'])).stdout)
    expect(items.map((item) => item.layer)).toEqual([layer])
  })
})

describe('with objects of a cluster', () => {
  it('names what the UIDs stand for, and shows the level', async () => {
    const { stdout } = await explain(['examples/refused.http', '--from', 'examples/saturated', '-o', 'json'])
    expect(JSON.parse(stdout).items).toMatchObject([
      {
        layer: 'apf',
        cluster: {
          flowSchema: 'analysts',
          priorityLevel: 'strict',
          by: 'uid',
          levels: [{ server: 'saturated', nominal: 2, executingSeats: 2, rejected: 87 }],
        },
      },
    ])
  })

  it('classifies the request of an audit event', async () => {
    const event = {
      kind: 'Event',
      apiVersion: 'audit.k8s.io/v1',
      auditID: 'a',
      stage: 'ResponseComplete',
      requestURI: '/api/v1/namespaces/shop/pods',
      verb: 'list',
      user: {
        username: 'system:serviceaccount:shop:reporter',
        groups: ['system:serviceaccounts', 'system:authenticated'],
      },
      responseStatus: { metadata: {}, code: 429 },
    }
    const { stdout } = await explain(['--defaults', '1.37', '-o', 'json'], JSON.stringify(event))
    expect(JSON.parse(stdout).items).toMatchObject([
      { cluster: { flowSchema: 'service-accounts', priorityLevel: 'workload-low', by: 'classified', notes: [] } },
    ])
  })

  it('says where a UID is of no object', async () => {
    const { stdout } = await explain(['examples/refused.http', '--defaults', '1.37'])
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain('no FlowSchema has the UID 5a9f40ec')
  })

  it('asks no cluster unaskedly', async () => {
    const env = { KUBECONFIG: '/nonexistent/config' }
    const { code, stderr } = await apf(['explain-429', 'examples/client.log'], { env, cwd: ROOT })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  })
})

describe('credentials', () => {
  const SECRET = 'hunter2hunter2'
  const input = [
    WAIT.replace('/namespaces', `/namespaces?access_token=${SECRET}`),
    WAIT.replace('https://', `https://bob:${SECRET}@`),
    `> GET /api/v1/pods?token=${SECRET} HTTP/1.1\r\n> Authorization: Bearer ${SECRET}\r\n>\r\n`,
    `< HTTP/1.1 429 Too Many Requests\r\n< Set-Cookie: session=${SECRET}\r\n< Server: x; token=${SECRET}\r\n< \r\n`,
    `<html>password=${SECRET}</html>\n`,
    `{"kind":"Status","status":"Failure","message":"Authorization: Bearer ${SECRET}","reason":"TooManyRequests","code":429}\n`,
    `{"level":"error","msg":"429 Too Many Requests","Cookie":"a=${SECRET}"}\n`,
    `level=error msg="429 Too Many Requests token=${SECRET}"\n`,
  ].join('')

  it.each(['table', 'wide', 'json', 'jsonl', 'yaml', 'markdown'])('are in no output of %s', async (format) => {
    const { stdout, stderr } = await explain(['--all', '-v', '-o', format], input)
    expect(stdout).toContain('redacted')
    expect(stdout + stderr).not.toContain(SECRET)
  })

  it('are in none where they are parts', async () => {
    const parts = ['--status', '429', '--header', `Server: ${SECRET}; token=${SECRET}`, '--body', `token=${SECRET}`]
    const { stdout, stderr } = await explain([...parts, '--url', `/api?token=${SECRET}`])
    expect((stdout + stderr).replaceAll(`${SECRET}; token`, '')).not.toContain(SECRET)
  })
})
