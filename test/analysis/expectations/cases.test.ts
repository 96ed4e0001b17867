import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { type CheckContext, checkRequestCase } from '../../../src/analysis/expectations/check.ts'
import { proveSetCase } from '../../../src/analysis/expectations/prove.ts'
import { effectiveConfiguration } from '../../../src/apf/order.ts'
import type { Problem } from '../../../src/apf/problem.ts'
import { readExpectations } from '../../../src/commands/test/read.ts'
import type { TestedCase } from '../../../src/report/test-contract.ts'
import { testReport } from '../../../src/report/test-document.ts'
import { isSourceFailure } from '../../../src/sources/failure.ts'
import { openSource } from '../../../src/sources/open.ts'
import { chunks } from '../../support/chunks.ts'
import { ROOT } from '../../support/cli.ts'
import { violations } from '../../support/published-schemas.ts'

const state = await openSource({
  from: [`${ROOT}examples/shop.yaml`],
  defaults: '1.37',
  overlayDefaults: false,
  serverVersion: undefined,
})
if (isSourceFailure(state)) throw new Error(state.what)
const context: CheckContext = {
  configuration: effectiveConfiguration(state.flowSchemas, state.priorityLevels, state.rules),
  rules: state.rules,
  serverSeats: null,
  stored: () => null,
}

const silent = { write: () => undefined, isTTY: false, columns: null }

function read(text: string) {
  return readExpectations(['-'], { stdin: chunks(text), stdout: silent, stderr: silent, env: {}, colour: 'never' })
}

/** As they are printed. */
function inWords({ at, severity, message, fix }: Problem): string {
  return `${at?.file}:${at?.line}:${at?.column}: ${severity}: ${message}${fix === undefined ? '' : `\n  → ${fix}`}`
}

/** Answers one case, written in YAML without its name. */
async function testCase(yaml: string): Promise<TestedCase> {
  const text = `- name: x\n${yaml.replaceAll(/^/gm, '  ')}\n`
  expect(violations('Expectations', { cases: parse(text) })).toEqual([])
  const { cases, problems } = await read(text)
  expect(problems).toEqual([])
  const results = cases.map((each) =>
    each.kind === 'set' ? proveSetCase(each, context) : checkRequestCase(each, context),
  )
  const share = { total: 0, exercised: 0 }
  const coverage = { rules: share, schemas: share, unexercised: [], unreachable: [] }
  const report = testReport(results, coverage, { kind: 'files', serverVersion: '1.37', mode: null })
  expect(violations('TestReport', report)).toEqual([])
  const [only, ...others] = report.cases
  if (only === undefined || others.length > 0) throw new Error('not one case')
  return only
}

describe('expectations', () => {
  const REPORTER = 'as: system:serviceaccount:shop:reporter\n'
  const forms: [requests: string, tried: number][] = [
    ['[list pods -n shop]', 1],
    ['list pods -n shop', 1],
    ['[get pods -n shop]', 1],
    ['[list po -A, kubectl get deploy -n shop, watch nodes]', 3],
    ['[/api/v1/pods?limit=500, GET /apis/apps/v1/deployments]', 2],
    ['[{verb: list, resource: pods, namespace: shop}]', 1],
    ['[{verb: get, resource: pods/status, namespace: shop, name: web-0}]', 1],
    ['[{method: GET, url: /api/v1/nodes}]', 1],
    ['[{verbs: [get, list, watch], resources: [pods, jobs.batch], namespaces: [shop, depot, ""]}]', 18],
    ['[{verbs: get, apiGroups: ["", apps], resources: [pods, deployments], namespaces: shop}]', 4],
    ['[{verb: [get, list], resource: pods, namespace: shop}]', 2],
    ['[list pods -nshop, list pods -n=shop, list pods --namespace=shop --all-namespaces=false]', 3],
  ]

  it.each(forms)('reads requests: %s', async (requests, tried) => {
    const { passed, requests: count } = await testCase(
      `${REPORTER}requests: ${requests}\nexpect: {flowSchema: shop-reports}`,
    )
    expect({ passed, count }).toEqual({ passed: true, count: tried })
  })

  const holding: [what: string, yaml: string][] = [
    ['paths', 'as: jane\nrequests: [{verbs: [get], paths: [/healthz, /livez/ping]}]\nexpect: {priorityLevel: exempt}'],
    ['a path of a request line', 'as: jane\nrequests: [{verb: get, path: /readyz}]\nexpect: {flowSchema: probes}'],
    [
      'groups, with what the server adds',
      'as: jane\ngroups: [dev]\nrequests: [list pods]\nexpect: {flowSchema: global-default}',
    ],
    ['no groups at all', 'as: jane\ngroups: []\nrequests: [list pods]\nexpect: {flowSchema: catch-all}'],
    [
      'members of system:masters',
      'as: jane\ngroups: [system:masters]\nrequests: [list pods]\nexpect: {priorityLevel: exempt}',
    ],
    [
      'users of request lines',
      'requests: [{user: jane, verb: list, resource: pods}]\nexpect: {flowSchema: global-default}',
    ],
    ['streams, which bypass', 'as: jane\nrequests: [kubectl exec web-0 -n shop]\nexpect: {outcome: bypass}'],
    ['URLs that the server refuses', 'as: jane\nrequests: [/api/v1/watch]\nexpect: {outcome: error}'],
    [
      'the width of a GET without knowing seats',
      'as: jane\nrequests: [{verbs: [get], resources: [pods]}]\nexpect: {request: {width: {max: 1}}}',
    ],
    ['never, of everybody but system:masters', 'forAll: {requests: [list pods]}\nnever: {priorityLevel: exempt}'],
    [
      'never, of a group',
      'forAll: {groups: [dev], requests: [{verbs: "*", resources: "*"}]}\nnever: {flowSchema: service-accounts}',
    ],
    [
      'never, of ServiceAccounts, of which none has the name of another user',
      'forAll: {groups: [system:serviceaccounts:shop, system:serviceaccounts]}\nnever: {flowSchema: kube-scheduler}',
    ],
    [
      'always, of a ServiceAccount',
      'forAll: {users: [system:serviceaccount:shop:a], requests: [{verbs: [get], resources: "*"}]}\nalways: {flowSchema: service-accounts, priorityLevel: workload-low}',
    ],
    [
      'always, of a namespace of them',
      'forAll: {users: ["system:serviceaccount:depot:*"], requests: [list pods]}\nalways: {priorityLevel: workload-low}',
    ],
    [
      'always, of nodes',
      'forAll: {groups: [system:nodes], requests: [{verbs: [update], resources: [leases], namespaces: [kube-node-lease]}]}\nalways: {priorityLevel: node-high}',
    ],
    [
      'always, of paths',
      'forAll: {groups: [dev], requests: [{verbs: [get], paths: [/healthz/*, /livez]}]}\nalways: {priorityLevel: exempt}',
    ],
    [
      'always, but for a group',
      'forAll: {users: [ann], notGroups: [system:masters], requests: [list pods]}\nalways: {priorityLevel: global-default}',
    ],
  ]

  it.each(holding)('promises hold of %s', async (_, yaml) => {
    const { passed, problems } = await testCase(yaml)
    expect({ passed, problems }).toEqual({ passed: true, problems: [] })
  })

  const broken: [what: string, yaml: string, message: RegExp, witness: object | null][] = [
    [
      'another schema',
      'as: jane\nrequests: [list pods -n shop]\nexpect: {flowSchema: service-accounts}',
      /^it lands in global-default through global-default \(9900\)$/,
      { user: 'jane', groups: ['system:authenticated'], namespace: 'shop' },
    ],
    [
      'a name that nothing has',
      'as: jane\nrequests: [list pods]\nexpect: {priorityLevel: global-defaults}',
      /there is no priority level global-defaults; did you mean global-default\?/,
      { verb: 'list' },
    ],
    [
      'a dangling schema',
      'as: system:serviceaccount:shop:a\nrequests: [{verbs: [create], resources: [jobs], namespaces: [shop]}]\nexpect: {flowSchema: shop-imports}',
      /FlowSchema shop-imports takes nothing: its priority level shop-import does not exist/,
      { resource: 'jobs' },
    ],
    [
      'a bypass',
      'as: jane\nrequests: [kubectl logs web-0]\nexpect: {priorityLevel: global-default}',
      /bypasses APF/,
      { subresource: 'log' },
    ],
    ['no bypass', 'as: jane\nrequests: [list pods]\nexpect: {outcome: bypass}', /^it is classified$/, { verb: 'list' }],
    [
      'a refused URL',
      'as: jane\nrequests: [/api/v1/%zz]\nexpect: {priorityLevel: exempt}',
      /refuses it before APF/,
      null,
    ],
    [
      'one request of many',
      'as: system:serviceaccount:shop:reporter\nrequests: [{verbs: [get, create], resources: [pods], namespaces: [shop]}]\nexpect: {flowSchema: shop-reports}',
      /workload-low/,
      { verb: 'create' },
    ],
    [
      'never',
      'forAll: {groups: [dev], requests: [{verbs: [get], paths: ["*"]}]}\nnever: {priorityLevel: exempt}',
      /^it lands in exempt through probes \(2\)$/,
      { groups: expect.arrayContaining(['dev']), verb: 'get' },
    ],
    [
      'always',
      'forAll: {groups: [system:serviceaccounts], requests: [list pods]}\nalways: {priorityLevel: workload-low}',
      /^it lands in (?:workload-high|shop-reports) /,
      { verb: 'list', resource: 'pods' },
    ],
    [
      'always of nothing',
      'forAll: {groups: [dev], requests: [kubectl exec web-0]}\nalways: {priorityLevel: exempt}',
      /^no request of the set is classified/,
      null,
    ],
    [
      'never of nobody',
      'forAll: {groups: [dev], notGroups: [dev]}\nnever: {priorityLevel: exempt}',
      /^nobody is meant: everybody of the set is left out by notGroups$/,
      null,
    ],
    [
      'never of ServiceAccounts that are in none of their groups',
      'forAll: {users: ["system:serviceaccount:shop:*"], notGroups: [system:serviceaccounts]}\nnever: {priorityLevel: exempt}',
      /^nobody is meant/,
      null,
    ],
    [
      'never of a level that does not exist',
      'forAll: {groups: [dev]}\nnever: {priorityLevel: exemt}',
      /there is no priority level exemt; did you mean exempt\?/,
      null,
    ],
  ]

  it.each(broken)('promises are broken by %s', async (_, yaml, message, witness) => {
    const tested = await testCase(yaml)
    expect(tested.passed).toBe(false)
    expect(tested.problems.map((problem) => problem.message)).toContainEqual(expect.stringMatching(message))
    if (witness === null) expect(tested.witness).toBeNull()
    else expect(tested.witness).toMatchObject(witness)
  })

  const mistakes: [yaml: string, says: string][] = [
    ['cases: [{nme: x}]', '<stdin>:1:15: error: cases[0].nme: no such field\n  → did you mean name?'],
    ['cases: []\nkinds: x', 'kinds: no such field\n  → did you mean kind?'],
    ['kind: FlowSchema\nspec: {}', 'kind: expected Expectations, found FlowSchema\n  → objects are given with --from'],
    ['just text', 'expected an object with cases, or a list of them, found the string "just text"'],
    ['- name: x', '[0]: no requests\n  → add requests: [list pods -n shop]'],
    ['- {name: x, as: a, requests: [list pods]}', '[0]: no expect'],
    ['- {as: a, requests: [list pods], expect: {outcome: bypass}}', '[0]: no name'],
    [
      '- {name: x, requests: [list pods], expect: {outcome: bypass}}',
      '[0].requests[0]: whose request is it?\n  → add as: USER to the case',
    ],
    ['- {name: x, groups: [a], requests: [list pods], expect: {outcome: bypass}}', '[0].groups: groups of whom?'],
    ['- {name: x, as: a, requests: [list pods], expect: {}}', '[0].expect: expects nothing'],
    ['- {name: x, as: a, requests: [list pods], expect: {flowSchemas: b}}', 'did you mean flowSchema?'],
    [
      '- {name: x, as: a, requests: [list pods], expect: {outcome: bypas}}',
      'expected classified, bypass, error, found bypas\n  → did you mean bypass?',
    ],
    [
      '- {name: x, as: a, requests: [list pods], expect: {outcome: bypass, flowSchema: b}}',
      'lands in no FlowSchema or level',
    ],
    [
      '- {name: x, as: a, requests: [list pods], expect: {level: {nominalSeats: {min: 5, max: 4}}}}',
      'min 5 is above max 4',
    ],
    ['- {name: x, as: a, requests: [list pods], expect: {request: {width: {}}}}', 'no bound'],
    [
      '- {name: x, as: a, requests: [list pods], expect: {request: {width: {max: two}}}}',
      'expected a whole number, found the string "two"',
    ],
    ['- {name: x, as: a, requests: [list], expect: {outcome: bypass}}', '[0].requests[0]: list of what?'],
    [
      '- {name: x, forAll: {requests: [{verbs: [get], resources: [pods], namespaces: ["shop-*"]}]}, never: {priorityLevel: exempt}}',
      '[0].forAll.requests[0]: shop-* is no name\n  → * alone stands for everything',
    ],
    [
      '- {name: x, forAll: {requests: [{verbs: [get], resources: ["*/status"]}]}, never: {priorityLevel: exempt}}',
      '*/status is no name',
    ],
    ['cases: []', '<stdin>:1:8: error: cases: no cases in it'],
    ['[]', 'no cases in it'],
    [
      'apiVersion: apf.kubectl/v1\ncases: []',
      'apiVersion: expected apf.kubectl/v1alpha1, found apf.kubectl/v1\n  → did you mean apf.kubectl/v1alpha1?',
    ],
    [
      '- {name: x, as: a, requests: [{groups: [b], verb: list, resource: pods}], expect: {outcome: bypass}}',
      '[0].requests[0].groups: groups of whom?\n  → add user: USER, or give the case its as and groups',
    ],
    [
      '- {name: x, forAll: {users: [""]}, never: {priorityLevel: exempt}}',
      '[0].forAll.users: no user has an empty name',
    ],
    [
      '- {name: x, as: a, requests: [list pods --subresource], expect: {outcome: bypass}}',
      '--subresource needs a name',
    ],
    ['- {name: x, as: a, requests: [list pods -A=maybe], expect: {outcome: bypass}}', '-A is true or false, not maybe'],
    ['- {name: x, as: a, requests: [list pods -x], expect: {outcome: bypass}}', 'unknown flag -x'],
    [
      '- {name: x, as: a, requests: [{verb: list}], expect: {outcome: bypass}}',
      'no request: expected url, or verb and resource, or verb and path',
    ],
    ['- {name: x, as: a, requests: [{verbs: [list]}], expect: {outcome: bypass}}', 'neither resources nor paths'],
    [
      '- {name: x, as: a, requests: [{verbs: [list], resources: "*"}], expect: {outcome: bypass}}',
      '* stands for more requests than can be tried one by one\n  → name some, or prove it for all with forAll',
    ],
    [
      '- {name: x, as: 7, requests: [list pods], expect: {outcome: bypass}}',
      '[0].as: expected a string, found the number 7\n  → write "7"',
    ],
    ['- {name: x, forAll: {groups: [a]}}', 'forAll without never or always'],
    ['- {name: x, forAll: {groups: [a]}, never: {}, always: {}}', 'both never and always'],
    ['- {name: x, forAll: {groups: [a]}, never: {}}', 'never: names no landing'],
    ['- {name: x, forAll: {group: [a]}, never: {priorityLevel: exempt}}', 'did you mean groups?'],
    [
      '- {name: x, as: a, forAll: {groups: [a]}, never: {priorityLevel: exempt}}',
      '[0].as: does not go together with forAll\n  → put it into forAll.users',
    ],
    ['- {name: x, as: a, requests: [list pods], never: {priorityLevel: exempt}}', '[0].never: is promised of a set'],
    ['- {name: x, forAll: {requests: [/api/v1/%zz]}, never: {priorityLevel: exempt}}', 'the server refuses it'],
    ['- {name: x, name: y, as: a, requests: [list pods], expect: {outcome: bypass}}', '[0].name stands twice'],
    ['cases:\n\t- name: x', '<stdin>:2:1: error: '],
  ]

  it.each(mistakes)('says what is wrong with %s', async (text, says) => {
    const { problems } = await read(text)
    expect(problems.map(inWords).join('\n')).toContain(says)
    expect(problems.some(({ severity }) => severity === 'error')).toBe(true)
  })

  const alone: [yaml: string, says: string][] = [
    ['kind: FlowSchema\nmetadata: {name: x}\nspec: {}', 'kind: expected Expectations, found FlowSchema'],
    ['kind: [x]\ncases: []', 'kind: expected Expectations, found a list'],
    ['- {name: x, as: 7, requests: [list pods, list nodes], expect: {outcome: bypass}}', '[0].as: expected a string'],
    ['- {name: x, groups: [a], requests: [list pods], expect: {outcome: bypass}}', '[0].groups: groups of whom?'],
  ]

  it.each(alone)('says one thing of %s', async (text, says) => {
    const { problems } = await read(text)
    expect(problems.map(inWords)).toEqual([expect.stringContaining(says)])
  })

  it('refuses lists that stand for too many requests before it makes them', async () => {
    const many = `[${Array.from({ length: 1000 }, (_, index) => `a${index}`).join(', ')}]`
    const lists = `{verbs: ${many}, apiGroups: ${many}, resources: ${many}, namespaces: ${many}}`
    const paths = `{verbs: ${many}, paths: ${many.replaceAll('a', '/a')}}`
    for (const request of [lists, paths]) {
      const { problems } = await read(`- {name: x, as: a, requests: [${request}], expect: {outcome: bypass}}`)
      expect(problems.map(inWords)).toContainEqual(
        '<stdin>:1:31: error: [0].requests[0]: more than 100000 requests\n  → prove it for all of them with forAll',
      )
    }
  })

  it('warns of a name that two cases have', async () => {
    const one = '- {name: x, as: a, requests: [list pods], expect: {outcome: bypass}}\n'
    const { cases, problems } = await read(`${one}${one}---\n${one}`)
    expect(cases).toHaveLength(3)
    expect(problems.map(inWords)).toEqual([
      '<stdin>:2:3: warning: the case in line 1 has the name "x" as well\n  → rename one of them',
      '<stdin>:4:3: warning: the case in line 1 has the name "x" as well\n  → rename one of them',
    ])
  })

  const doubts: [request: string, says: string][] = [
    [
      '{verb: list, resource: deployments, namespace: shop}',
      'warning: [0].requests[0]: deployments without apiGroup is a resource of the core group, which has none of that name\n  → add apiGroup: apps',
    ],
    ['{verbs: [lst], resources: [pods]}', 'no request on a resource has the verb lst\n  → did you mean list?'],
    ['list podz -n shop', 'resource podz is not known here; taken as it is, in the core group; did you mean pods?'],
  ]

  const patterns: [member: string, says: string][] = [
    ['groups: ["tenant-*"]', '[0].forAll.groups: tenant-* is taken as the name of one group, not as a pattern'],
    ['notGroups: ["*"]', '[0].forAll.notGroups: * is taken as the name of one group, not as a pattern'],
    ['users: ["dev-*"]', '[0].forAll.users: dev-* is taken as the name of one user, not as a pattern'],
    [
      'users: ["system:serviceaccount:*"]',
      'not as a pattern\n  → write system:serviceaccount:NAMESPACE:*, or groups: [system:serviceaccounts]',
    ],
  ]

  it.each(patterns)('warns of what only looks like a pattern: %s', async (member, says) => {
    const { problems } = await read(`- {name: x, forAll: {${member}}, never: {priorityLevel: exempt}}`)
    expect(problems.map(inWords)).toEqual([expect.stringContaining(says)])
    expect(problems.map(({ severity }) => severity)).toEqual(['warning'])
  })

  it('warns of a caller that looks like a pattern', async () => {
    const caller = '"system:serviceaccount:shop:*"'
    const { problems } = await read(`- {name: x, as: ${caller}, requests: [list pods], expect: {outcome: bypass}}`)
    expect(problems.map(inWords)).toEqual([
      '<stdin>:1:17: warning: [0].as: system:serviceaccount:shop:* is taken as the name of one user\n' +
        '  → sets of callers are promised of with forAll',
    ])
  })

  it.each(doubts)('warns of %s', async (request, says) => {
    const text = `- {name: x, as: jane, requests: [${request}], expect: {flowSchema: global-default}}`
    const { cases, problems } = await read(text)
    expect(problems.map(inWords).join('\n')).toContain(says)
    expect(problems.map(({ severity }) => severity)).toEqual(['warning'])
    expect(cases).toHaveLength(1)
  })
})
