import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import type { Whereis, WhereisMap } from '../../src/report/contract.ts'
import { apf, type Run, type RunOptions } from '../support/cli.ts'
import { violations } from '../support/published-schemas.ts'

const REPORTER = '--as=system:serviceaccount:shop:reporter'
const SHOP = '--from examples/shop.yaml --defaults 1.37'
const MARKET = '--from test/cli/testdata/market.yaml --defaults 1.37'

/** A call and all that it prints, as a terminal would show it. */
function transcript(line: string, { code, stdout, stderr }: Run): string {
  const notes = stderr === '' ? '' : `\nstderr:\n${stderr}`
  return `$ kubectl apf ${line}\n${stdout}${notes}\nexit ${code}\n`
}

function whereis(line: string, options?: RunOptions): Promise<Run> {
  return apf(['whereis', ...line.split(' ')], options)
}

/** The answer for programs, which the published schemas must allow. */
async function json<Answer extends Whereis | WhereisMap>(line: string, options?: RunOptions): Promise<Answer> {
  const { code, stdout } = await whereis(`${line} -o json`, options)
  expect(code).toBe(0)
  const answer = JSON.parse(stdout)
  expect(violations(answer.kind, answer)).toEqual([])
  return answer
}

/** Catch-all with a rule of its own, and no rule for anybody else. */
const NARROW_CATCH_ALL = `
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata: {name: catch-all}
spec:
  matchingPrecedence: 10000
  priorityLevelConfiguration: {name: catch-all}
  rules:
    - subjects: [{kind: User, user: {name: nobody}}]
      resourceRules: [{verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*']}]
`

/** The answers as people read them, in golden/whereis. */
const golden: [file: string, line: string][] = [
  // The main job.
  ['list', `list pods -n shop ${REPORTER} --defaults 1.37`],
  ['list-wide', `list pods -n shop ${REPORTER} --defaults 1.37 -o wide`],
  ['list-json', `list pods -n shop ${REPORTER} --defaults 1.37 -o json`],
  ['list-yaml', `list pods -n shop ${REPORTER} --defaults 1.37 -o yaml`],
  ['list-name', `list pods -n shop ${REPORTER} --defaults 1.37 -o name`],
  ['list-jsonl', `list pods -n shop ${REPORTER} --defaults 1.37 -o jsonl`],
  ['list-no-headers', `list pods -n shop ${REPORTER} --defaults 1.37 --no-headers`],
  ['own-objects', `list pods -n shop ${REPORTER} ${SHOP}`],
  ['files-alone', `list pods -n shop ${REPORTER} --from examples/shop.yaml`],
  // The map.
  ['map', `${REPORTER} --defaults 1.37`],
  ['map-own-objects', `${REPORTER} ${SHOP}`],
  ['map-json', `${REPORTER} --defaults 1.37 -o json`],
  ['map-name', `${REPORTER} --defaults 1.37 -o name`],
  ['map-node', '--as=system:node:n1 --as-group=system:nodes --defaults 1.37'],
  ['map-market', `--as=ada ${MARKET}`],
  // Kinds of answers.
  ['bypass', `get pods/log web -n shop ${REPORTER} --defaults 1.37`],
  ['refused', '--url /api/v1/%zz --as=jane --defaults 1.37'],
  ['refused-json', '--url /api/v1/%zz --as=jane --defaults 1.37 -o json'],
  ['exempt', 'get pods -A --as=root --as-group=system:masters --defaults 1.37'],
  ['path', 'get /healthz --as=jane --defaults 1.37'],
  ['reject', `delete pods web -n market --as=ada ${MARKET}`],
  ['by-namespace', `list pods -n market --as=ada ${MARKET}`],
  ['by-namespace-without-one', `list nodes --as=ada ${MARKET}`],
  ['single-queue', `create secrets -n market --as=ada ${MARKET}`],
  ['catch-all', 'list pods -n shop --as=jane --from test/cli/testdata/market.yaml'],
  ['catch-all-without-match', '--url /api/v1/pods --as=ada --from - --server-version 1.37'],
  ['one-predicate-away', `watch secrets -n orchard --as=ada ${MARKET}`],
  // Subjects.
  ['groups-given', 'list pods -n shop --as=jane --as-group=dev --as-group=ops --defaults 1.37'],
  ['node', 'update nodes/status n1 --as=system:node:n1 --defaults 1.37'],
  ['node-with-group', 'update nodes/status n1 --as=system:node:n1 --as-group=system:nodes --defaults 1.37'],
  ['anonymous', 'get /livez --as=system:anonymous --defaults 1.37'],
  // Words as people type them.
  ['all-namespaces', `list pods -A ${REPORTER} --defaults 1.37`],
  ['cluster-scoped', 'list nodes -n shop --as=jane --defaults 1.37'],
  ['namespace-not-given', 'list deploy --as=jane --defaults 1.37'],
  ['unknown-resource', 'list widgetz -n shop --as=jane --defaults 1.37'],
  [
    'log-url',
    '--url https://10.0.0.1:6443/apis/apps/v1/namespaces/shop/deployments?watch=true&limit=500 --as=jane --defaults 1.37',
  ],
  ['cost-of-objects', `list pods -n shop ${REPORTER} --defaults 1.37 --objects 4812 --object-bytes 2000`],
  [
    'cost-of-exact-list',
    '--url /api/v1/pods?resourceVersion=5&resourceVersionMatch=Exact --as=jane --defaults 1.37 --objects 20000',
  ],
  ['cost-in-regression', `list pods -n shop ${REPORTER} --defaults 1.29.13 --objects 4812`],
  ['recording-without-apf', 'list pods -n shop --as=bob --from test/fixtures/apf/1.37-maxinflight-idle'],
  ['recording-without-apf-map', '--as=bob --from test/fixtures/apf/1.28-gate-off'],
  ['cost-in-recording', 'list configmaps -A --as=bob --from test/fixtures/apf/1.37-seats -q'],
  ['cost-json', `list pods -n shop ${REPORTER} --defaults 1.37 --objects 4812 --object-bytes 2000 -o json`],
  ['get-pods', 'get pods -n shop --as=jane --defaults 1.37'],
  ['logs', 'logs po/web -n shop --as=jane --defaults 1.37'],
  ['exec', 'exec po/web -n shop --as=jane --defaults 1.37 -- sh -c ls'],
  ['apply', 'apply deploy web -n shop --as=jane --defaults 1.37'],
  ['scale', 'scale deploy/web -n shop --as=jane --defaults 1.37'],
  ['drain', 'drain n1 --as=jane --defaults 1.37'],
  ['rollout', 'rollout restart deploy/web -n shop --as=jane --defaults 1.37'],
  // What is not known.
  ['level-not-in-files', 'list pods -n shop --as=ada --from test/cli/testdata/market.yaml'],
  ['newer-server', `list pods -n shop ${REPORTER} --from examples/shop.yaml --server-version v1.40.2-eks-1`],
]

describe('the answers to read', () => {
  it.each(golden)('%s', async (file, line) => {
    const run = await whereis(line, { stdin: NARROW_CATCH_ALL })
    await expect(transcript(`whereis ${line}`, run)).toMatchFileSnapshot(`golden/whereis/${file}.txt`)
  })
})

describe('the answers for programs', () => {
  const requests: [what: string, line: string][] = [
    ['a level with queues', `list pods -n shop ${REPORTER} --defaults 1.37`],
    ['files', `list pods -n shop ${REPORTER} ${SHOP}`],
    ['a bypass', `logs web -n shop ${REPORTER} --defaults 1.37`],
    ['a refused target', '--url /api/v1/%zz --as=jane --defaults 1.37'],
    ['an exempt level', 'get /healthz --as=jane --defaults 1.20'],
    ['a level that refuses', `delete pods web -n market --as=ada ${MARKET}`],
    ['a single queue', `create secrets -n market --as=ada ${MARKET}`],
    ['a map', `--as=ada ${MARKET}`],
    ['a map over files alone', '--as=ada --from test/cli/testdata/market.yaml'],
  ]
  it.each(requests)('follow the published schema: %s', async (_, line) => {
    await json(line)
  })

  it.each([
    ['1.37-maxinflight-idle', 'MaxInFlight'],
    ['1.28-gate-off', 'MaxInFlight'],
    ['1.37-zero-both-noapf', 'Unlimited'],
    ['1.37-idle', 'APF'],
  ])('name the limiter of a recorded server: %s', async (recording, mode) => {
    const from = `--as=bob --from test/fixtures/apf/${recording}`
    const { source } = await json<Whereis>(`list pods -n shop ${from}`)
    expect(source).toMatchObject({ kind: 'snapshot', mode })
    expect((await json<WhereisMap>(from)).source).toEqual(source)
  })

  it('name every part of the answer', async () => {
    expect(Object.keys(await json(`list pods -n shop ${REPORTER} --defaults 1.37`))).toEqual([
      'apiVersion',
      'kind',
      'source',
      'request',
      'outcome',
      'flowSchema',
      'priorityLevel',
      'flow',
      'trace',
      'work',
      'unknowns',
      'verified',
    ])
  })

  it('have the same parts in JSON, YAML and JSON lines', async () => {
    const line = `list pods -n market --as=ada ${MARKET}`
    const [answer, yaml, jsonl] = await Promise.all([
      json(line),
      whereis(`${line} -o yaml`),
      whereis(`${line} -o jsonl`),
    ])
    expect(parse(yaml.stdout)).toEqual(answer)
    expect(JSON.parse(jsonl.stdout)).toEqual(answer)
  })

  it('give flow and hand of a level with queues', async () => {
    const { flowSchema, priorityLevel, flow } = await json<Whereis>(`list pods -n market --as=ada ${MARKET}`)
    expect(flowSchema).toEqual({ name: 'market', uid: null, matchingPrecedence: 1000, ruleIndex: 0 })
    expect(priorityLevel).toEqual({ name: 'market', uid: null, type: 'Limited', response: 'Queue' })
    expect(flow).toMatchObject({ distinguisherMethod: 'ByNamespace', distinguisher: 'market', queues: 8, handSize: 2 })
    expect(flow?.hash).toMatch(/^\d+$/)
    expect(flow?.hand).toHaveLength(2)
  })

  it('have an empty distinguisher for a flow without a namespace', async () => {
    const { flow } = await json<Whereis>(`list nodes --as=ada ${MARKET}`)
    expect(flow).toMatchObject({ distinguisherMethod: 'ByNamespace', distinguisher: '', hand: [4, 2] })
  })

  it('have no hash and no hand where there is a single queue', async () => {
    const { flow } = await json<Whereis>(`create secrets -n market --as=ada ${MARKET}`)
    expect(flow).toEqual({
      distinguisherMethod: 'ByUser',
      distinguisher: '',
      hash: null,
      queues: 1,
      handSize: 1,
      hand: null,
    })
  })

  it('have no flow where the level refuses', async () => {
    const { flow, priorityLevel } = await json<Whereis>(`delete pods web -n market --as=ada ${MARKET}`)
    expect(flow).toBeNull()
    expect(priorityLevel).toMatchObject({ type: 'Limited', response: 'Reject' })
  })

  it('have neither flow nor response where the level is exempt', async () => {
    const { flow, priorityLevel } = await json<Whereis>('get /healthz --as=jane --defaults 1.37')
    expect(flow).toBeNull()
    expect(priorityLevel).toEqual({ name: 'exempt', uid: null, type: 'Exempt', response: null })
  })

  it('have the UID "" for what the server invents', async () => {
    // A recording in which the mandatory objects are missing.
    const { flowSchema, priorityLevel } = await json<Whereis>(
      'list pods -n shop --as=jane --from test/sources/testdata/inputs/recordings/server-a',
    )
    expect(flowSchema).toMatchObject({ name: 'catch-all', uid: '', ruleIndex: 0 })
    expect(priorityLevel).toMatchObject({ name: 'catch-all', uid: '', response: 'Reject' })
  })

  it('have no rule where catch-all answers without matching', async () => {
    const { flowSchema, trace } = await json<Whereis>('list pods -n shop --as=ada --from - --server-version 1.37', {
      stdin: NARROW_CATCH_ALL,
    })
    expect(flowSchema).toMatchObject({ name: 'catch-all', uid: null, ruleIndex: null })
    expect(trace.at(-1)).toMatchObject({ flowSchema: 'catch-all', result: 'no-match', because: { code: 'subject' } })
  })

  it('show dangling schemas at their would-be place, also behind the match', async () => {
    const { trace } = await json<Whereis>(`list pods -n market --as=ada ${MARKET}`)
    expect(trace.map(({ flowSchema, result, because }) => `${flowSchema} ${result} ${because?.code ?? '-'}`)).toEqual([
      'exempt no-match subject',
      'probes no-match kind',
      'system-leader-election no-match subject',
      'stalls-before dangling dangling',
      'system-node-high no-match subject',
      'system-nodes no-match subject',
      'kube-controller-manager no-match subject',
      'kube-scheduler no-match subject',
      'kube-system-service-accounts no-match subject',
      'market matched -',
      'till not-reached -',
      'gate not-reached -',
      'service-accounts not-reached -',
      'global-default not-reached -',
      'stalls-behind dangling dangling',
      'catch-all not-reached -',
    ])
  })

  it.each([
    ['create secrets -n orchard', 'till', 'namespace', 'spec.rules[0].resourceRules[0].namespaces'],
    ['watch secrets -n market', 'till', 'verb', 'spec.rules[0].resourceRules[0].verbs'],
    ['list configmaps -n market', 'market', 'resource', 'spec.rules[0].resourceRules[0].resources'],
    ['list deployments.apps -n market', 'market', 'apiGroup', 'spec.rules[0].resourceRules[0].apiGroups'],
    ['delete nodes n1', 'gate', 'scope', 'spec.rules[0].resourceRules[0].clusterScope'],
    ['get /metrics', 'market', 'kind', 'spec.rules[0].nonResourceRules'],
    ['get /metrics', 'probes', 'nonResourceURL', 'spec.rules[0].nonResourceRules[0].nonResourceURLs'],
  ])('tell of %s why not %s: %s', async (words, schema, code, field) => {
    const { trace } = await json<Whereis>(`${words} --as=ada ${MARKET}`)
    expect(trace.find(({ flowSchema }) => flowSchema === schema)).toMatchObject({
      result: 'no-match',
      because: { code, field },
    })
  })

  it('tell that the server refuses the target', async () => {
    expect(await json('--url /api/v1/%zz --as=jane --defaults 1.37')).toMatchObject({
      outcome: 'error',
      error: expect.stringContaining('a bad percent escape in the path'),
      flowSchema: null,
      priorityLevel: null,
      flow: null,
      trace: [],
    })
  })

  it('hold the requests that kubectl sends besides', async () => {
    const { request, alsoSent = [] } = await json<Whereis>('get pods -n shop --as=jane --defaults 1.37')
    expect(request).toMatchObject({ verb: 'get', resource: 'pods', namespace: 'shop' })
    expect(alsoSent.map(({ request }) => request)).toMatchObject([
      { verb: 'list', resource: 'pods', namespace: 'shop' },
    ])
  })

  it('name what is not known', async () => {
    const { unknowns, work } = await json<Whereis>('list pods -n shop --as=ada --from test/cli/testdata/market.yaml')
    expect(work).toBeNull()
    expect(unknowns.map(({ code }) => code)).toEqual(['groups', 'level', 'work', 'server-version'])
  })

  it('spell what could steer a terminal as escapes', async () => {
    for (const format of ['json', 'jsonl', 'yaml', 'table']) {
      const { stdout } = await apf(['whereis', 'get', '/x', '--as=a\x1b[2J\u202e', '--defaults', '1.37', '-o', format])
      expect(stdout).not.toMatch(/[\x1b\u202e]/)
      expect(stdout).toMatch(/\\(u001b|u\{1b\}|e)\[2J/)
    }
  })
})

describe('an answer at a glance', () => {
  it('is a map of at most 12 lines for an ordinary ServiceAccount', async () => {
    const { stdout } = await whereis(`${REPORTER} --defaults 1.37`)
    expect(stdout.trimEnd().split('\n').length).toBeLessThanOrEqual(12)
  })

  it('names of 200 schemas those that came near', async () => {
    const schemas = Array.from({ length: 200 }, (_, i) => ({
      apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
      kind: 'FlowSchema',
      metadata: { name: `team-${i}` },
      spec: {
        matchingPrecedence: 1000 + i,
        priorityLevelConfiguration: { name: 'workload-low' },
        rules: [
          {
            subjects: [{ kind: 'User', user: { name: i % 50 === 7 ? 'jane' : `user-${i}` } }],
            resourceRules: [{ verbs: ['create'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'] }],
          },
        ],
      },
    }))
    const stdin = schemas.map((schema) => JSON.stringify(schema)).join('\n')
    const { stdout } = await whereis('list pods -n shop --as=jane --from - --defaults 1.37', { stdin })
    expect(stdout.split('\n').slice(7, 13)).toEqual([
      '  PRECEDENCE  PASSED OVER  WHY NOT',
      '        1007  team-7       verb list is not in create',
      '        1057  team-57      verb list is not in create',
      '        1107  team-107     verb list is not in create',
      '        1157  team-157     verb list is not in create',
      '  and 205 more whose subjects or kind of request are others (-o wide shows them)',
    ])
    const wide = await whereis('list pods -n shop --as=jane --from - --defaults 1.37 -o wide', { stdin })
    expect(wide.stdout.match(/^ +\d+ {2}/gm)).toHaveLength(209)
  })
})

describe('a call that is no question', () => {
  it.each([
    [
      'list pods --defaults 1.37',
      'whose request is it?\n  without a cluster there is no caller to take\n  → add --as=USER, such as --as=system:serviceaccount:NAMESPACE:NAME',
    ],
    [
      'list pods --as-group=dev --defaults 1.37',
      'a group, UID or extra without --as\n  the server answers 400 to impersonation without a user\n  → add --as=USER',
    ],
    ['pods --as=jane --defaults 1.37', 'pods of what?\n  → write VERB RESOURCE [NAME], or VERB /path'],
    [
      'get pods web -A --as=jane --defaults 1.37',
      'web is in one namespace, and -A means all of them\n  → write -n NAMESPACE, or leave the name out',
    ],
    ['list pods --method POST --as=jane --defaults 1.37', '--method without --url'],
    [
      'list pods --url /api --as=jane --defaults 1.37',
      'a request in words and --url together\n  each of them is a request\n  → give one',
    ],
    [
      'get pods -l app=web --as=jane --defaults 1.37',
      'unknown flag -l\n  the words of a kubectl command are understood, its flags (-f, -l, -it …) are not: leave them out\n  → kubectl apf whereis --help',
    ],
    [
      'list pods --as=jane --object-bytes 9 --defaults 1.37',
      '--object-bytes without --objects\n  the size of the objects alone tells no cost\n  → add --objects N',
    ],
    ['list pods --as=jane --as-user-extra=scope --defaults 1.37', '--as-user-extra scope: no KEY=VALUE'],
  ])('%s', async (line, message) => {
    expect(await whereis(line)).toEqual({ code: 2, stdout: '', stderr: `error: ${message}\n` })
  })
})
