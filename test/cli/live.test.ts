/** `whereis` and `schemas` on a live cluster, run as users run them against a stub of an API server. */
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { forbidden, LEVELS, list, SCHEMAS } from '../sources/live/cluster-answers.ts'
import type { Run } from '../support/cli.ts'
import { violations } from '../support/published-schemas.ts'
import {
  type CallOptions,
  type LiveCluster,
  landing,
  removeWorkplace,
  standardAnswers,
  startLiveCluster,
} from './live-cluster.ts'

const REPORTER = '--as=system:serviceaccount:shop:reporter'
const PODS = '/api/v1/namespaces/shop/pods'
const LIST = `whereis list pods -n shop ${REPORTER}`

const open: LiveCluster[] = []
afterEach(async () => {
  for (const live of open.splice(0)) await live.close()
})
afterAll(removeWorkplace)

type Answers = Parameters<typeof startLiveCluster>[0]

async function start(answers?: Answers): Promise<LiveCluster> {
  const live = await startLiveCluster(answers)
  open.push(live)
  return live
}

async function call(line: string, answers?: Answers, options?: CallOptions): Promise<Run> {
  return (await start(answers)).apf(line, options)
}

function transcript(line: string, { code, stdout, stderr }: Run): string {
  return `$ kubectl apf ${line}\n${stdout}\nstderr:\n${stderr}\nexit ${code}\n`
}

async function json(line: string, answers?: Answers, options?: CallOptions) {
  const { code, stdout, stderr } = await call(`${line} -o json`, answers, options)
  const answer = JSON.parse(stdout)
  expect(violations(answer.kind, answer)).toEqual([])
  return { code, stderr, answer }
}

const AGREES = { [PODS]: { headers: landing('service-accounts', 'workload-low'), status: 403 } }
const DISAGREES = { [PODS]: { headers: landing('global-default', 'global-default') } }
const STRIPPED = { [PODS]: { body: {} } }

/** No answer has headers; the server's health report names the other limiter. */
function offAnswers(livez: string): Answers {
  return { ...bodies(), '/livez': { body: livez } }
}

/** What the standard cluster answers, without headers. */
function bodies(): NonNullable<Answers> {
  return Object.fromEntries(
    Object.entries(standardAnswers()).map(([path, answer]) => [
      path,
      { body: {}, ...(typeof answer === 'function' ? {} : answer), headers: {} },
    ]),
  )
}

const golden: [file: string, line: string, answers: Answers, options?: CallOptions][] = [
  ['schemas', 'schemas', {}],
  ['list', LIST, {}],
  ['list-verified', `${LIST} --verify`, AGREES],
  ['list-disagrees', `${LIST} --verify`, DISAGREES],
  ['list-headers-stripped', `${LIST} --verify`, STRIPPED],
  ['write-not-sent', `whereis create pods -n shop ${REPORTER} --verify`, {}],
  ['exec-not-sent', `whereis exec web-0 -n shop ${REPORTER} --verify`, { [`${PODS}/web-0`]: AGREES[PODS] }],
  ['refused-not-sent', `whereis --url /api/v1/%zz ${REPORTER} --verify`, {}],
  [
    'empty-group-verified',
    `${LIST} --as-group= --verify`,
    { [PODS]: { headers: landing('global-default', 'global-default') } },
  ],
  ['nobody-named', 'whereis list pods --as=', {}],
  ['caller', 'whereis list pods', {}, { context: { namespace: 'shop' } }],
  ['caller-verified', 'whereis list pods --verify', DISAGREES, { context: { namespace: 'shop' } }],
  ['caller-map', 'whereis', {}],
  ['caller-unknown', 'whereis', {}, { user: { token: 'opaque' } }],
  [
    'caller-elsewhere',
    'whereis list pods -n shop',
    { '/version': { body: { major: '1', minor: '37', gitVersion: 'v1.37.2' }, headers: landing('exempt', 'exempt') } },
  ],
  [
    'map-verified',
    `whereis ${REPORTER} --verify`,
    {
      '/healthz': { headers: landing('probes', 'exempt') },
      '/api/v1/namespaces/default/pods': { headers: landing('service-accounts', 'workload-low') },
    },
  ],
  ['map-disagrees', `whereis ${REPORTER} --verify`, { '/healthz': { headers: landing('probes', 'exempt') } }],
  ['levels-forbidden', LIST, { [LEVELS]: forbidden('jane', 'prioritylevelconfigurations') }],
  ['schemas-forbidden', LIST, { [SCHEMAS]: forbidden('jane', 'flowschemas') }],
  ['schemas-levels-forbidden', 'schemas', { [LEVELS]: forbidden('jane', 'prioritylevelconfigurations') }],
  ['apf-off', LIST, offAnswers('[+]poststarthook/max-in-flight-filter ok\n')],
  ['apf-off-map', `whereis ${REPORTER}`, offAnswers('[+]poststarthook/max-in-flight-filter ok\n')],
  ['apf-off-verify', `${LIST} --verify`, offAnswers('[+]poststarthook/max-in-flight-filter ok\n')],
  ['mode-unknown', LIST, offAnswers('ok')],
  ['server-seats', `${LIST} --server-seats 1200`, {}],
  [
    'aggregated',
    `whereis list pods.metrics.k8s.io -n shop ${REPORTER}`,
    {
      '/apis/apiregistration.k8s.io/v1/apiservices': {
        body: {
          metadata: { resourceVersion: '1' },
          items: [
            {
              metadata: { name: 'v1beta1.metrics.k8s.io' },
              spec: {
                group: 'metrics.k8s.io',
                version: 'v1beta1',
                service: { namespace: 'kube-system', name: 'metrics-server' },
              },
            },
          ],
        },
      },
    },
  ],
  ['custom-resource', `whereis list widgets -n shop ${REPORTER}`, {}],
  ['unknown-resource', `whereis list gadgets -n shop ${REPORTER}`, {}],
  ['no-discovery', LIST, { '/api': { status: 403 }, '/apis': { status: 403 } }],
  ['hangs', `${LIST} --request-timeout=300ms`, { [LEVELS]: { hang: true } }],
]

describe('a live cluster', () => {
  it.each(golden)('%s', async (file, line, answers, options) => {
    await expect(transcript(line, await call(line, answers, options))).toMatchFileSnapshot(`golden/live/${file}.txt`)
  })
})

describe('objects that change between reading and verifying', () => {
  it('are read again, and the answer is made from the new ones', async () => {
    const complete = standardAnswers()[SCHEMAS]
    const items = complete !== undefined && 'body' in complete ? Object(complete.body).items : []
    const before = items.filter(({ metadata }: { metadata: { name: string } }) => metadata.name !== 'service-accounts')
    let reads = 0
    const changing = () => (reads++ === 0 ? { body: list(before) } : { body: list(items) })
    const { code, stdout, stderr } = await call(`${LIST} --verify`, { ...AGREES, [SCHEMAS]: changing })
    expect(stdout).toContain(' lands in workload-low through service-accounts (9000)\n')
    expect(stdout).toContain('  verified  the server agrees (HTTP 403)\n')
    expect(stderr).toContain('the objects have changed since they were read: answering by the new ones\n')
    expect(code).toBe(0)
  })
})

describe('answers for programs', () => {
  it('name server version and mode, and the UIDs of the objects', async () => {
    const { code, answer } = await json(LIST)
    expect(code).toBe(0)
    expect(answer).toMatchObject({
      source: { kind: 'live', serverVersion: 'v1.37.2', mode: 'APF' },
      flowSchema: { name: 'service-accounts', uid: 'uid-service-accounts' },
      priorityLevel: { name: 'workload-low', uid: 'uid-workload-low' },
      verified: [],
    })
    expect(answer).not.toHaveProperty('ownRequests')
  })

  it('hold the verification', async () => {
    const { code, answer } = await json(`${LIST} --verify`, AGREES)
    expect(code).toBe(0)
    expect(answer.verified).toEqual([
      {
        server: expect.stringMatching('https://server'),
        agrees: true,
        flowSchemaUID: 'uid-service-accounts',
        priorityLevelUID: 'uid-workload-low',
        httpStatus: 403,
        note: null,
      },
    ])
  })

  it('hold where the server has put the requests of the caller', async () => {
    const { answer } = await json('whereis list pods -n shop')
    expect(answer.ownRequests[0]).toEqual({
      path: '/version',
      httpStatus: 200,
      flowSchema: 'global-default',
      priorityLevel: 'global-default',
      flowSchemaUID: 'uid-global-default',
      priorityLevelUID: 'uid-global-default',
    })
  })

  it('give null for what is not known of assumed levels', async () => {
    const { code, answer } = await json(LIST, { [LEVELS]: forbidden('jane', 'prioritylevelconfigurations') })
    expect(code).toBe(3)
    expect(answer).toMatchObject({
      priorityLevel: { name: 'workload-low', uid: null, type: null, response: null },
      flow: null,
      unknowns: expect.arrayContaining([expect.objectContaining({ code: 'levels' })]),
    })
  })

  it('verify every region of a map', async () => {
    const { code, answer } = await json(`whereis ${REPORTER} --verify`, {
      '/healthz': { headers: landing('probes', 'exempt') },
      '/api/v1/namespaces/default/pods': { headers: landing('service-accounts', 'workload-low') },
    })
    expect(code).toBe(0)
    const verified = answer.regions.map((region: { verified?: { agrees: boolean } }) => region.verified?.agrees)
    expect(verified).toEqual([true, true, undefined])
  })
})

describe('which flags go together', () => {
  it.each([
    ['schemas --defaults 1.37 --context prod', '--context with --defaults'],
    ['whereis --as jane --from examples/shop.yaml -s https://server', '--server with --from'],
    ['schemas --defaults 1.37 --as jane', '--as with --defaults'],
    ['whereis list pods --as jane --defaults 1.37 --verify', '--verify with --defaults'],
    ['whereis --requests examples/requests.jsonl --verify', '--verify with --requests'],
    ['schemas --as jane --connect-as joe', '--as with --connect-as'],
    ['schemas --connect-as-group dev', 'a group or UID to impersonate without a user\n  → add --connect-as=USER'],
    ['schemas --as-group dev', 'a group or UID to impersonate without a user\n  → add --as=USER'],
  ])('%s is a wrong call', async (line, what) => {
    const { code, stderr } = await call(line)
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(`error: ${what}\n`) })
  })

  it.each(['--request-timeout=5s', '--insecure-skip-tls-verify'])(
    '%s says nothing about which source is meant',
    async (flag) => {
      expect(await call(`schemas --defaults 1.37 -o name ${flag}`)).toMatchObject({ code: 0, stderr: '' })
    },
  )
})

describe('our own requests', () => {
  it.each([
    ['schemas --as jane --as-group dev', 'jane', 'dev'],
    ['schemas --connect-as jane --connect-as-group dev', 'jane', 'dev'],
    [`${LIST} --connect-as jane`, 'jane', undefined],
    [LIST, undefined, undefined],
  ])('%s impersonates for them whom it says', async (line, user, group) => {
    const live = await start()
    expect((await live.apf(line)).code).toBe(0)
    expect(live.asked).not.toEqual([])
    for (const { headers } of live.asked) {
      expect([headers['impersonate-user'], headers['impersonate-group']]).toEqual([user, group])
    }
  })

  it.each(['-v', '-v=6', '-v8', '--verbose'])('are told with %s, without anything secret', async (flag) => {
    const { stderr } = await call(`schemas ${flag}`, {}, { user: { token: 'very-secret' } })
    expect(stderr).toMatch(/^GET https:\/\/server\/version 200 in \d+ ms$/m)
    expect(stderr).not.toContain('very-secret')
  })

  it('are not told with -v=0', async () => {
    expect((await call('schemas -v=0')).stderr).not.toContain('GET ')
  })

  it('are verified by the authority that the flag names, whatever the kubeconfig says', async () => {
    const { code, stderr } = await call('schemas --insecure-skip-tls-verify=false --tls-server-name=elsewhere')
    expect([code, stderr]).toEqual([3, expect.stringContaining('is not accepted')])
  })

  it('are of the user whose certificate the flags name', async () => {
    const live = await start()
    await live.apf('schemas')
    expect(live.asked.map(({ certificateName }) => certificateName)).toContain('jane')
  })
})
