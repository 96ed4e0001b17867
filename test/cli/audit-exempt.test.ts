import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import type { ExemptAudit } from '../../src/report/contract.ts'
import { forbidden } from '../sources/live/cluster-answers.ts'
import { apf, type Run } from '../support/cli.ts'
import { violations } from '../support/published-schemas.ts'
import { type LiveCluster, removeWorkplace, standardAnswers, startLiveCluster } from './live-cluster.ts'

const OWN = '--from test/cli/testdata/exempt.yaml --defaults 1.37'
const PANEL = '--from examples/exempt-panel.yaml --defaults 1.37'

const folder = mkdtempSync(join(tmpdir(), 'audit-exempt-'))
afterAll(() => rmSync(folder, { recursive: true }))

function audit(line: string): Promise<Run> {
  return apf(['audit-exempt', ...line.split(' ')])
}

async function json(line: string): Promise<ExemptAudit> {
  const { stdout, stderr } = await audit(`${line} -o json`)
  if (stdout === '') throw new Error(stderr)
  const answer: ExemptAudit = JSON.parse(stdout)
  expect(violations(answer.kind, answer)).toEqual([])
  return answer
}

function transcript(line: string, { code, stdout, stderr }: Run): string {
  const notes = stderr === '' ? '' : `\nstderr:\n${stderr}`
  return `$ kubectl apf audit-exempt ${line}\n${stdout}${notes}\nexit ${code}\n`
}

/** The answers as people read them, in golden/audit-exempt. */
const golden: [file: string, line: string][] = [
  ['defaults', '--defaults 1.37'],
  ['before-super-admin', '--defaults 1.28'],
  ['own', OWN],
  ['own-wide', `${OWN} -o wide`],
  ['own-markdown', `${OWN} --max-breadth namespace -o markdown`],
  ['names', `${OWN} -o name`],
  ['policy-broken', `${OWN} --max-breadth namespace --budget 1`],
  ['policy-kept', `${PANEL} --allow sa:shop/panel --max-breadth one-identity --budget 1`],
  ['over-budget', `${PANEL} --budget 0 --only exempt`],
  ['unused-allowance', `${PANEL} --allow sa:shop/panel --allow user:ann`],
  ['dangling', `${OWN} --only dangling`],
  ['subject', `${OWN} --as=system:serviceaccount:shop:panel`],
  ['nobody-exempt', `${PANEL} --as=jane --only exempt`],
  ['recorded', '--from test/fixtures/apf/1.37-exempt-borrowing'],
]

describe('audit-exempt', () => {
  it.each(golden)('golden/audit-exempt/%s.txt: %s', async (file, line) => {
    await expect(transcript(line, await audit(line))).toMatchFileSnapshot(`golden/audit-exempt/${file}.txt`)
  })

  it('tells of each rule which subjects it takes something of, and what it leaves to nobody', async () => {
    const { entries } = await json(OWN)
    const rules = entries.map(({ flowSchema, ruleIndex, extent, breadth, coveredBy, subjects }) => [
      `${flowSchema}/${ruleIndex}`,
      extent,
      breadth,
      extent === 'nothing' ? coveredBy : null,
      subjects.filter(({ takes }) => takes).map(({ name }) => name),
    ])
    expect(rules).toEqual([
      ['exempt/0', 'all', 'group', null, ['system:masters']],
      ['eks-exempt/0', 'part', 'one-identity', null, ['eks:probe']],
      ['probes/0', 'part', 'everyone', null, ['system:unauthenticated', 'system:authenticated']],
      ['ui-exempt/0', 'part', 'all-service-accounts', null, ['system:serviceaccounts']],
      ['ui-exempt/1', 'nothing', 'one-identity', ['kube-system-service-accounts'], []],
      ['ui-exempt/2', 'part', 'several-identities', null, ['ann', 'system:serviceaccount:shop:panel']],
      ['late/0', 'nothing', 'all-authenticated', ['global-default'], []],
    ])
  })

  it('gives the exact region that a rule takes', async () => {
    const { entries } = await json(PANEL)
    const panel = entries.find(({ flowSchema }) => flowSchema === 'shop-panel')
    const resources = {
      apiGroups: { in: [''] },
      resources: { in: ['configmaps', 'pods'] },
      verbs: { in: ['get', 'list'] },
    }
    expect(panel).toMatchObject({
      builtIn: false,
      maintainedBy: null,
      allowed: null,
      witness: {
        user: 'system:serviceaccount:shop:panel',
        verb: expect.stringMatching(/^(?:get|list)$/),
        apiGroup: '',
      },
      file: 'examples/exempt-panel.yaml',
      line: 11,
      column: 7,
    })
    expect(panel?.regions.flatMap(({ requests }) => requests)).toEqual([
      { ...resources, scope: 'namespaced', namespaces: { notIn: [] } },
      { ...resources, scope: 'cluster', namespaces: { in: [] } },
    ])
    expect(panel?.regions.flatMap(({ subjects }) => subjects)).toMatchObject([
      { users: { in: ['system:serviceaccount:shop:panel'] } },
    ])
  })

  it('tells of a FlowSchema without its level what it would take, and where that lands', async () => {
    const { dangling } = await json(`${OWN} --only dangling`)
    expect(dangling).toMatchObject([
      {
        flowSchema: 'misspelt',
        priorityLevel: 'exemt',
        didYouMean: 'exempt',
        wouldTake: [{ ruleIndex: 0, extent: expect.stringMatching(/^(?:all|part)$/), breadth: 'namespace' }],
        landsNow: [{ flowSchema: 'service-accounts', priorityLevel: 'workload-low' }],
      },
    ])
  })

  it('tells a level that is malformed from one that is missing', async () => {
    const schema = (name: string, level: string) => ({
      apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
      kind: 'FlowSchema',
      metadata: { name },
      spec: { matchingPrecedence: 700, priorityLevelConfiguration: { name: level }, rules: [] },
    })
    const free = {
      apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
      kind: 'PriorityLevelConfiguration',
      metadata: { name: 'free' },
      spec: { type: 'Exempt', exempt: {} },
    }
    const file = join(folder, 'levels.json')
    writeFileSync(
      file,
      JSON.stringify({ kind: 'List', apiVersion: 'v1', items: [free, schema('a', 'free'), schema('b', 'fre')] }),
    )
    const { stdout } = await audit(`--from ${file} --defaults 1.37 --only dangling`)
    expect(stdout.split('\n')[0]).toBe(
      '2 FlowSchemas take nothing: the priority level is malformed: type Exempt with name free; the priority level is not in the given files',
    )
  })

  const policies: [policy: string, code: number, why: RegExp | null][] = [
    ['--allow sa:shop/panel', 0, null],
    ['--allow sa:shop/*', 0, null],
    ['--allow user:system:serviceaccount:shop:panel', 0, null],
    ['--allow group:system:serviceaccounts:shop', 0, null],
    ['--allow sa:kube-system/panel', 1, /^sa:shop\/panel not in --allow$/],
    ['--allow sa:shop/pan', 1, /not in --allow/],
    ['--max-breadth one-identity', 0, null],
    ['--budget 1', 0, null],
    ['--budget 0', 1, null],
    ['--allow sa:shop/panel --budget 0', 1, null],
    ['--allow sa:shop/panel --max-breadth everyone --budget 7', 0, null],
  ]

  it.each(policies)('judges a single ServiceAccount by %s: exit %i', async (policy, code, why) => {
    const run = await audit(`${PANEL} ${policy}`)
    expect(run.code).toBe(code)
    const { entries, findings } = await json(`${PANEL} ${policy}`)
    const panel = entries.find(({ flowSchema }) => flowSchema === 'shop-panel')
    expect(panel?.allowed).toBe(why === null)
    if (why !== null) expect(panel?.why).toMatch(why)
    expect(findings).toHaveLength(code)
  })

  const OUTSIDE = 'FlowSchema shop-panel rules[0] bypasses fairness against the policy: sa:shop/panel not in --allow'
  const formats: [output: string, says: string[]][] = [
    ['sarif', ['"ruleId": "APF202"', OUTSIDE, '"uri": "examples/exempt-panel.yaml"', '"startLine": 11']],
    ['junit', ['<testsuites name="kubectl apf audit-exempt" tests="2" failures="2"', `<failure message="${OUTSIDE}`]],
    ['github', [`::error file=examples/exempt-panel.yaml,line=11,col=7,title=APF202 exempt-bound::${OUTSIDE}`]],
    ['gitlab', [`"description": "APF202: ${OUTSIDE}`, '"path": "examples/exempt-panel.yaml"', '"begin": 11']],
    ['checkstyle', ['<error line="11" column="7" severity="error" message="FlowSchema shop-panel rules[0]']],
  ]

  it.each(formats)('tells what is outside of the policy in %s', async (output, says) => {
    const file = join(folder, 'report')
    const line = `${PANEL} --allow sa:a/b --budget 0`
    const { code, stdout } = await audit(`${line} -o ${output}`)
    for (const text of [...says, '1 FlowSchema of yours bypasses fairness, 0 may: shop-panel'])
      expect(stdout).toContain(text)
    expect(code).toBe(1)
    const besides = await audit(`${line} --report ${output}=${file} --report yaml=${file}.yaml`)
    expect(besides.stdout).toMatch(/^3 FlowSchemas bypass fairness/)
    expect(readFileSync(file, 'utf8')).toBe(stdout)
    expect(readFileSync(`${file}.yaml`, 'utf8')).toMatch(/^apiVersion: apf.kubectl\/v1alpha1\nkind: ExemptAudit\n/)
  })

  it('has no finding without a policy in any format', async () => {
    const { code, stdout } = await audit(`${PANEL} -o junit`)
    expect(stdout).toContain('<testcase name="no findings" classname="examples/exempt-panel.yaml" time="0"/>')
    expect(code).toBe(0)
  })

  const refused: [line: string, says: string][] = [
    [
      '--only dangling --budget 0',
      'error: --budget with --only dangling\n  it is about exempt rules, which are left out',
    ],
    ['--only dangling --allow sa:shop/panel', 'error: --allow with --only dangling'],
    ['--only dangling --max-breadth group', 'error: --max-breadth with --only dangling'],
    ['--report pdf=x', 'error: --report pdf=x is not FORMAT=FILE\n  the formats are json, yaml, markdown, sarif'],
    ['--report table=x', 'error: --report table=x is not FORMAT=FILE'],
  ]

  it.each(refused)('refuses %s', async (line, says) => {
    const { code, stdout, stderr } = await audit(`${PANEL} ${line}`)
    expect(stderr).toContain(says)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  })

  const files: [text: string, code: number, says: string | null][] = [
    ['- sa:shop/panel\n', 0, null],
    ['["sa:shop/panel"]', 0, null],
    ['allow: [{subject: sa:shop/panel, until: "2999-12-31", reason: reads are cached soon}]', 0, null],
    ['allow: [{subject: sa:shop/panel, until: 2024-02-29}]', 1, null],
    ['allow: [sa:shop/panel]\nmaxBreadth: one-identity\nbudget: 0', 1, null],
    ['{}', 0, null],
    ['allow: [sa:shop]', 2, ':1:9: error: allow[0]: sa:shop names no subject'],
    ['alow: [sa:shop/panel]', 2, ':1:7: error: alow: no such field\n  → did you mean allow?'],
    ['maxBreadth: namespaces', 2, 'did you mean namespace?'],
    ['budget: many', 2, 'error: budget: expected a whole number, found the string "many"'],
    ['allow: [{subject: sa:shop/panel, until: soon}]', 2, 'error: allow[0].until: no day'],
    ['allow: [{subject: sa:shop/panel, until: 2027-02-31}]', 2, 'error: allow[0].until: no day'],
    ['allow: [{reason: because}]', 2, 'error: allow[0]: no subject'],
    ['allow: [', 2, 'error: '],
  ]

  it.each(files)('reads a policy file %j: exit %i', async (text, code, says) => {
    const file = join(folder, 'policy.yaml')
    writeFileSync(file, text)
    const run = await audit(`${PANEL} --allow ${file}`)
    expect(run.code, run.stderr).toBe(code)
    if (says !== null) expect(run.stderr).toContain(says)
  })

  const configured: [text: string, flags: string, code: number, says: string][] = [
    ['options: {allowedExempt: ["sa:shop/panel"]}', '', 0, '1 is yours, as the policy allows'],
    ['options: {allowedExempt: ["sa:shop/*"]}', '--max-breadth one-identity', 0, '1 is yours, as the policy allows'],
    ['options: {allowedExempt: ["sa:a/b"]}', '', 1, 'no: sa:shop/panel not in allowedExempt of CONFIG'],
    ['options: {allowedExempt: []}', '', 1, 'no: sa:shop/panel not in allowedExempt of CONFIG'],
    ['options: {allowedExempt: ["sa:a/b"]}', '--allow sa:shop/panel', 0, '1 is yours, as the policy allows'],
    ['options: {allowedExempt: ["sa:shop/panel"]}', '--allow sa:a/b', 1, 'no: sa:shop/panel not in --allow'],
    ['options: {allowedExempt: ["sa:shop/panel"]}', '--budget 0', 1, 'of yours the budget allows 0'],
    ['options: {guaranteedLevels: [system]}', '', 0, '1 is yours\n'],
    ['options: {allowedExempt: ["sa:a/b"]}', '--only dangling', 0, 'every FlowSchema has its priority level'],
    ['options: {allowedExempt: [sa]}', '', 2, 'CONFIG:1:27: error: "sa" is no subject'],
    ['rules: {APF999: off}', '', 2, 'CONFIG:1:'],
  ]

  it.each(configured)('takes the configuration %j with %j: exit %i', async (text, flags, code, says) => {
    const file = join(folder, '.kubectl-apf.yaml')
    writeFileSync(file, text)
    const run = await audit(`${PANEL} --config ${file}${flags === '' ? '' : ` ${flags}`}`)
    expect(`${run.stdout}${run.stderr}`).toContain(says.replace('CONFIG', file))
    expect(run.code).toBe(code)
  })

  it('says what --allow takes where there is no such file', async () => {
    const { code, stderr } = await audit(`${PANEL} --allow serviceaccount:shop/panel`)
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `laid over the default objects of Kubernetes 1.37
serviceaccount:shop/panel: error: cannot be read: no such file or folder
  → --allow takes a file, or user:NAME, group:NAME, sa:NAMESPACE/NAME or sa:NAMESPACE/*
`,
    })
  })

  it.each(['1.20', '1.24', '1.28', '1.31', '1.34', '1.37'])('counts no default object of %s as ours', async (minor) => {
    const { code } = await audit(`--defaults ${minor} --budget 0 --max-breadth one-identity`)
    expect(code).toBe(0)
    const { entries } = await json(`--defaults ${minor}`)
    expect(entries.map(({ flowSchema, builtIn }) => ({ flowSchema, builtIn }))).toEqual([
      { flowSchema: 'exempt', builtIn: true },
      { flowSchema: 'probes', builtIn: true },
    ])
  })

  it('spells out what could steer a terminal', async () => {
    const file = join(folder, 'hostile.yaml')
    writeFileSync(
      file,
      `apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata: {name: hostile}
spec:
  priorityLevelConfiguration: {name: exempt}
  matchingPrecedence: 700
  rules:
    - subjects: [{kind: User, user: {name: "ann\\u001b[2J"}}]
      nonResourceRules: [{verbs: [get], nonResourceURLs: ["/x"]}]
`,
    )
    const formats = ['table', 'json', 'yaml', 'markdown', 'sarif', 'junit', 'github', 'gitlab', 'checkstyle']
    for (const output of formats) {
      const { stdout } = await audit(`--from ${file} --defaults 1.37 --allow sa:a/b -o ${output}`)
      expect(stdout).toContain('hostile')
      expect(stdout).not.toContain('\u001b')
    }
  })
})

describe('audit-exempt on a cluster', () => {
  let live: LiveCluster
  afterEach(() => live.close())
  afterAll(removeWorkplace)

  const panel = {
    metadata: { name: 'shop-panel', uid: 'uid-shop-panel', generation: 1 },
    spec: {
      priorityLevelConfiguration: { name: 'exempt' },
      matchingPrecedence: 1000,
      rules: [
        {
          subjects: [
            { kind: 'ServiceAccount', serviceAccount: { namespace: 'shop', name: 'panel' } },
            { kind: 'Group', group: { name: 'system:serviceaccounts:depot' } },
          ],
          resourceRules: [{ verbs: ['list'], apiGroups: [''], resources: ['pods'], namespaces: ['*'] }],
        },
      ],
    },
  }
  const SCHEMAS = '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas'
  const withPanel = () => {
    const standard = standardAnswers()[SCHEMAS]
    if (typeof standard !== 'object') throw new Error('no standard answer')
    const body = structuredClone(standard.body)
    if (typeof body !== 'object' || body === null || !('items' in body) || !Array.isArray(body.items))
      throw new Error('no list')
    body.items.push(panel)
    return { [SCHEMAS]: { ...standard, body } }
  }
  const listed = (...items: object[]) => ({ body: { metadata: { resourceVersion: '7' }, items } })
  const pod = (name: string, serviceAccountName: string, owner: object | null, hash = '') => ({
    metadata: {
      name,
      ...(hash === '' ? {} : { labels: { 'pod-template-hash': hash } }),
      ...(owner === null ? {} : { ownerReferences: [{ controller: true, ...owner }] }),
    },
    spec: { serviceAccountName },
  })
  const web = { kind: 'ReplicaSet', name: 'web-7d9f' }
  const cluster = () => ({
    ...withPanel(),
    '/api/v1/namespaces/shop/serviceaccounts': listed(
      { metadata: { name: 'panel' } },
      { metadata: { name: 'default' } },
    ),
    '/api/v1/namespaces/shop/pods': listed(
      pod('web-7d9f-a', 'panel', web, '7d9f'),
      pod('web-7d9f-b', 'panel', web, '7d9f'),
      pod('alone', 'panel', null),
      pod('other', 'default', null),
    ),
    '/api/v1/namespaces/depot/serviceaccounts': listed({ metadata: { name: 'default' } }),
    '/api/v1/namespaces/depot/pods': listed(pod('db-0', 'default', { kind: 'StatefulSet', name: 'db' })),
    '/api/v1/namespaces/kube-system/configmaps/aws-auth': {
      body: {
        data: {
          mapRoles:
            '- rolearn: arn:aws:iam::1:role/ops\n  groups: [system:masters]\n- rolearn: arn:aws:iam::1:role/node\n  groups: [system:nodes]\n',
          mapUsers: '- userarn: arn:aws:iam::1:user/ann\n  groups:\n  - system:masters\n',
        },
      },
    },
    '/debug/api_priority_and_fairness/dump_requests': {
      body: [
        'PriorityLevelName, FlowSchemaName, QueueIndex, RequestIndexInQueue, FlowDistingsher, ArriveTime, InitialSeats, FinalSeats, AdditionalLatency, StartTime, UserName, Verb, APIPath, Namespace, Name, APIVersion, Resource, SubResource',
        'exempt, shop-panel, -1, -1, , 2026-03-09T08:15:30Z, 1, 0, 0s, 2026-03-09T08:15:30Z, system:serviceaccount:shop:panel, list, /api/v1/pods, , , v1, pods, ',
        'workload-low, service-accounts, 3, -1, jane, 2026-03-09T08:15:30Z, 1, 0, 0s, 2026-03-09T08:15:30Z, jane, list, /api/v1/pods, , , v1, pods, ',
        '',
      ].join('\n'),
    },
  })

  it('tells which ServiceAccounts exist, what runs as them, and who executes', async () => {
    live = await startLiveCluster(cluster())
    const line = 'audit-exempt'
    await expect(transcript('', await live.apf(line))).toMatchFileSnapshot('golden/audit-exempt/live.txt')
    const { stdout } = await live.apf(`${line} -o json`)
    const answer: ExemptAudit = JSON.parse(stdout)
    expect(violations(answer.kind, answer)).toEqual([])
    expect(answer.entries.find(({ flowSchema }) => flowSchema === 'shop-panel')?.running).toEqual({
      serviceAccounts: ['shop/panel', 'depot/default'],
      workloads: [
        { kind: 'Deployment', namespace: 'shop', name: 'web', serviceAccount: 'panel', pods: 2 },
        { kind: 'Pod', namespace: 'shop', name: 'alone', serviceAccount: 'panel', pods: 1 },
        { kind: 'StatefulSet', namespace: 'depot', name: 'db', serviceAccount: 'default', pods: 1 },
      ],
    })
    expect(answer.masters.find(({ source }) => source === 'aws-auth')?.members).toEqual([
      'arn:aws:iam::1:role/ops',
      'arn:aws:iam::1:user/ann',
    ])
    expect(answer.observed).toMatchObject([{ user: 'system:serviceaccount:shop:panel', flowSchema: 'shop-panel' }])
    expect(answer.unknowns).toEqual([])
  })

  it('says what may not be read, and answers the rest', async () => {
    live = await startLiveCluster({
      ...cluster(),
      '/api/v1/namespaces/shop/pods': forbidden('jane', 'pods'),
      '/api/v1/namespaces/depot/serviceaccounts': forbidden('jane', 'serviceaccounts'),
      '/api/v1/namespaces/kube-system/configmaps/aws-auth': forbidden('jane', 'configmaps'),
      '/debug/api_priority_and_fairness/dump_requests': forbidden('jane', 'dumps'),
    })
    const { code, stdout } = await live.apf('audit-exempt -o json')
    const { entries, observed, unknowns, masters }: ExemptAudit = JSON.parse(stdout)
    expect(code).toBe(0)
    expect(entries.find(({ flowSchema }) => flowSchema === 'shop-panel')?.running).toEqual({
      serviceAccounts: null,
      workloads: null,
    })
    expect(observed).toBeNull()
    expect(masters.map(({ source }) => source)).toEqual(['client-certificates', 'kubeadm'])
    expect(unknowns.map(({ message }) => message).toSorted()).toEqual([
      'ConfigMap kube-system/aws-auth, if there is one, could not be read: forbidden.',
      'Not known who executes on https://server: reading /debug/api_priority_and_fairness/dump_requests is forbidden.',
      'Not known: ServiceAccounts of namespace depot: forbidden.',
      'Not known: pods of namespace shop: forbidden.',
    ])
  })

  it('asks nothing of pods and ServiceAccounts where nothing of ours is exempt', async () => {
    live = await startLiveCluster({})
    const { code } = await live.apf('audit-exempt')
    expect(code).toBe(0)
    expect(live.asked.filter(({ url }) => /pods|serviceaccounts/.test(url ?? ''))).toEqual([])
  })
})
