import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import type { Simulation } from '../../src/report/contract.ts'
import { apf, type Run } from '../support/cli.ts'
import { violations } from '../support/published-schemas.ts'
import { type LiveCluster, removeWorkplace, startLiveCluster } from './live-cluster.ts'
import { SCRAPE } from './scrapes.ts'

type Answers = NonNullable<Parameters<typeof startLiveCluster>[0]>

const FENCE = '-f test/cli/testdata/fence.yaml --defaults 1.37'
const SHOP = '--from examples/shop.yaml --defaults 1.37'
const FOLDER = mkdtempSync(join(tmpdir(), 'kubectl-apf-simulate-'))
afterAll(() => rmSync(FOLDER, { recursive: true }))

function transcript(line: string, { code, stdout, stderr }: Run): string {
  const notes = stderr === '' ? '' : `\nstderr:\n${stderr}`
  return `$ kubectl apf simulate ${line}\n${stdout}${notes}\nexit ${code}\n`.replaceAll(FOLDER, 'FOLDER')
}

/** Words are divided by spaces; one with spaces in it stands in single quotes. */
function simulate(line: string, stdin = ''): Promise<Run> {
  const words = line.match(/(?:'[^']*'|[^\s'])+/g) ?? []
  return apf(['simulate', ...words.map((word) => word.replaceAll("'", ''))], { stdin })
}

async function json(line: string, stdin = ''): Promise<Simulation> {
  const { stdout, stderr } = await simulate(`${line} -o json`, stdin)
  if (stdout === '') throw new Error(stderr)
  const answer: Simulation = JSON.parse(stdout)
  expect(violations(answer.kind, answer)).toEqual([])
  return answer
}

function file(name: string, text: string): string {
  const path = join(FOLDER, name)
  writeFileSync(path, text)
  return path
}

/** The answers as people read them, in golden/simulate. */
const golden: [file: string, line: string][] = [
  ['fence', FENCE],
  ['fence-wide', `${FENCE} -o wide`],
  ['fence-authenticated', `${FENCE} --identities=authenticated`],
  ['fence-markdown', `${FENCE} -o markdown`],
  ['fence-json', `${FENCE} -o json`],
  ['order', `-f test/cli/testdata/market.yaml --delete plc/shop-reports --delete flowschema/shop-reports ${SHOP}`],
  ['set', '--set flowschema/service-accounts.matchingPrecedence=850 --defaults 1.37'],
  ['set-level', '--set plc/workload-low.limited.nominalConcurrencyShares=40 --defaults 1.37 --server-seats 1200'],
  ['set-lending', '--set plc/workload-low.limited.lendablePercent=0 --defaults 1.37'],
  ['set-response', '--set \'plc/workload-low.limited.limitResponse={"type":"Reject"}\' --defaults 1.37'],
  ['upgrade-lending', '--defaults 1.25 --to-defaults 1.26'],
  ['upgrade-exempt', '--defaults 1.27 --to-defaults 1.28'],
  ['redealt', '--set plc/workload-low.limited.limitResponse.queuing.queues=64 --defaults 1.37'],
  ['distinguisher', '--set flowschema/service-accounts.distinguisherMethod.type=ByNamespace --defaults 1.37'],
  ['exempt', '--set flowschema/service-accounts.priorityLevelConfiguration.name=exempt --defaults 1.37'],
  ['exempt-panel', '-f examples/exempt-panel.yaml --defaults 1.37'],
  ['rejected', '--set flowschema/service-accounts.priorityLevelConfiguration.name=catch-all --defaults 1.37'],
  ['dangling', '--set flowschema/service-accounts.priorityLevelConfiguration.name=nowhere --defaults 1.37'],
  ['delete-suggested', '--delete flowschema/system-nodes --defaults 1.37'],
  ['delete-mandatory', '--delete flowschema/exempt --delete plc/exempt --defaults 1.37'],
  ['delete-own', `--delete flowschema/shop-reports --delete plc/shop-reports ${SHOP}`],
  ['upgrade', '--defaults 1.33 --to-defaults 1.34'],
  ['upgrade-watches', '--defaults 1.21 --to-defaults 1.22'],
  ['to', `--defaults 1.37 --to examples/shop.yaml`],
  ['nothing', '--set flowschema/service-accounts.matchingPrecedence=9000 --defaults 1.37'],
  ['saturated', '-f test/cli/testdata/fence.yaml --from test/fixtures/apf/1.37-saturated'],
  ['gates', `${FENCE} --fail-if moves,moves-system,seats-loss=5%`],
  ['requests', `${FENCE} --requests examples/requests.jsonl`],
]

describe('simulate', () => {
  it.each(golden)('golden/simulate/%s.txt: %s', async (name, line) => {
    await expect(transcript(line, await simulate(line))).toMatchFileSnapshot(`golden/simulate/${name}.txt`)
  })

  it('says the same in YAML', async () => {
    const { stdout } = await simulate(`${FENCE} -o yaml`)
    expect(parse(stdout)).toEqual(await json(FENCE))
  })

  it('tells identities, requests, a witness and what differs of every move', async () => {
    const { moves } = await json(`${FENCE} --identities=authenticated`)
    expect(moves).toEqual([
      {
        from: { flowSchema: 'service-accounts', priorityLevel: 'workload-low' },
        to: { flowSchema: 'shop-reporter', priorityLevel: 'shop-reporter' },
        changes: ['flowSchema', 'priorityLevel', 'distinguisher'],
        effects: [],
        system: [],
        breadth: 'one-identity',
        unusual: false,
        redealt: null,
        subjects: expect.any(Array),
        requests: [
          {
            verbs: { in: ['list'] },
            apiGroups: { notIn: [] },
            resources: { notIn: [] },
            subresources: { notIn: ['attach', 'exec', 'log', 'portforward', 'proxy'] },
            scope: 'namespaced',
            namespaces: { notIn: [] },
          },
          {
            verbs: { in: ['watch'] },
            apiGroups: { notIn: [] },
            resources: { notIn: [] },
            scope: 'namespaced',
            namespaces: { notIn: [] },
          },
        ],
        witness: expect.objectContaining({ user: 'system:serviceaccount:shop:reporter', verb: 'list' }),
      },
    ])
  })

  it('tells the seats of each level before and after', async () => {
    const { seats } = await json(`${FENCE} --server-seats 600`)
    expect(seats.map(({ level, before, after }) => [level, before?.nominal ?? null, after?.nominal ?? null])).toEqual([
      ['shop-reporter', null, 12],
      ['workload-low', 245, 240],
      ['node-high', 98, 96],
      ['workload-high', 98, 96],
      ['system', 74, 72],
      ['global-default', 49, 48],
      ['leader-election', 25, 24],
      ['catch-all', 13, 12],
      ['exempt', 0, 0],
    ])
  })
})

describe('the exit code of simulate', () => {
  it.each<[line: string, code: number]>([
    [FENCE, 0],
    [`${FENCE} --exit-code`, 1],
    ['--set flowschema/service-accounts.matchingPrecedence=9000 --defaults 1.37 --exit-code', 0],
    [`${FENCE} --fail-if moves`, 1],
    [`${FENCE} --fail-if moves-system,exempt,rejected`, 0],
    [`${FENCE} --fail-if seats-loss=20%`, 0],
    [`${FENCE} --fail-if seats-loss=7`, 1],
    [`${FENCE} --fail-if moves-system --fail-if seats-loss=7%`, 1],
    ['--set flowschema/service-accounts.priorityLevelConfiguration.name=exempt --defaults 1.37 --fail-if exempt', 1],
    [
      '--set flowschema/service-accounts.priorityLevelConfiguration.name=catch-all --defaults 1.37 --fail-if rejected',
      1,
    ],
    ['--set flowschema/service-accounts.matchingPrecedence=850 --defaults 1.37 --fail-if moves-system', 1],
    ['--set \'plc/workload-low.limited.limitResponse={"type":"Reject"}\' --defaults 1.37 --fail-if rejected', 1],
    ['--delete flowschema/system-nodes --defaults 1.37 --fail-if detours', 1],
    ['--set flowschema/service-accounts.priorityLevelConfiguration.name=nowhere --defaults 1.37 --fail-if findings', 1],
  ])('%s: %i', async (line, code) => expect((await simulate(line)).code).toBe(code))
})

describe('bad input of simulate', () => {
  const schema = (name: string, more = '') =>
    `apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: FlowSchema\nmetadata: {name: ${name}}\nspec: {priorityLevelConfiguration: {name: workload-low}, matchingPrecedence: 700${more}}\n`
  const removed = (shares: string) =>
    `apiVersion: flowcontrol.apiserver.k8s.io/v1beta3\nkind: PriorityLevelConfiguration\nmetadata: {name: shop}\nspec: {type: Limited, limited: {${shares}limitResponse: {type: Reject}}}\n`

  it('skips objects of other kinds and counts them', async () => {
    const path = file('kinds.yaml', `${schema('a')}---\napiVersion: v1\nkind: Service\nmetadata: {name: s}\n`)
    const { code, stderr } = await simulate(`-f ${path} --defaults 1.37`)
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'skipped 1 object of another kind: 1 Service\n' })
  })

  it('has nothing to do with other kinds alone', async () => {
    const path = file('service.yaml', 'apiVersion: v1\nkind: Service\nmetadata: {name: s}\n')
    expect(await simulate(`-f ${path} --defaults 1.37`)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('error: no FlowSchema and no PriorityLevelConfiguration in what -f names'),
    })
  })

  it('applies an object that is given twice twice, and says so', async () => {
    const path = file('twice.yaml', `${schema('a')}---\n${schema('a', ', distinguisherMethod: {type: ByUser}')}`)
    const { code, stderr } = await simulate(`-f ${path} --defaults 1.37`)
    expect(code).toBe(0)
    expect(stderr).toContain('warning: FlowSchema a is given twice')
    expect(stderr).toContain('the last one counts')
    const { change } = await json(`-f ${path} --defaults 1.37`)
    expect(change.objects).toEqual([{ kind: 'FlowSchema', name: 'a', effect: 'created' }])
  })

  it.each<[what: string, line: string, stderr: RegExp]>([
    [
      'deletes nothing that is not there',
      '--delete flowschema/prob --defaults 1.37',
      /error: there is no FlowSchema prob\n {2}→ did you mean probes\?/,
    ],
    [
      'refuses a patch that does not apply',
      `--patch 'flowschema/probes=[{"op":"test","path":"/spec/matchingPrecedence","value":3}]' --defaults 1.37`,
      /the patch does not apply: operation 0: the test of \/spec\/matchingPrecedence fails: it is 2/,
    ],
    ['refuses a patch that is none', "--patch 'flowschema/probes={' --defaults 1.37", /the patch cannot be read/],
    [
      'refuses a patch of the wrong type',
      "--patch 'flowschema/probes={}' --patch-type json --defaults 1.37",
      /a mapping, which is a merge patch/,
    ],
    ['refuses to set nothing', '--set flowschema/probes --defaults 1.37', /--set flowschema\/probes sets nothing/],
    ['knows no other kinds', '--delete pod/web --defaults 1.37', /--delete pod\/web names no object/],
    [
      'refuses two values of one field',
      '--set flowschema/probes.matchingPrecedence=3 --set flowschema/probes.matchingPrecedence=4 --defaults 1.37',
      /spec\.matchingPrecedence is set to 3 and to 4/,
    ],
    [
      'refuses to delete and to edit one object',
      '--set flowschema/probes.matchingPrecedence=3 --delete flowschema/probes --defaults 1.37',
      /FlowSchema probes is both deleted and edited/,
    ],
    [
      'refuses --to with another change',
      '--to examples/shop.yaml --delete flowschema/probes --defaults 1.37',
      /--to with --delete/,
    ],
    [
      'refuses versions of different minors',
      '--to-defaults 1.33 --to-server-version 1.34 --defaults 1.37',
      /--to-defaults 1\.33 with --to-server-version 1\.34/,
    ],
    [
      'refuses versions that there are not',
      '--to-defaults 2.0 --defaults 1.37',
      /--to-defaults 2\.0: no Kubernetes version that is known/,
    ],
    ['asks which change is meant', '--defaults 1.37', /simulate which change\?/],
    [
      'refuses what the server refuses',
      '--set flowschema/exempt.matchingPrecedence=5 --defaults 1.37',
      /the server refuses FlowSchema exempt: spec: Invalid value: .* must equal the fixed value/,
    ],
    [
      'refuses unknown gates',
      '--set flowschema/probes.matchingPrecedence=3 --fail-if luck --defaults 1.37',
      /--fail-if luck is no gate/,
    ],
    [
      'refuses a gate that is none',
      '--set flowschema/probes.matchingPrecedence=3 --fail-if , --defaults 1.37',
      /--fail-if names no gate/,
    ],
    [
      'refuses a gate that nothing trips',
      '--set flowschema/probes.matchingPrecedence=3 --fail-if seats-loss=200% --defaults 1.37',
      /--fail-if seats-loss=200% never fails/,
    ],
    ['refuses files that are not there', '-f nowhere.yaml --defaults 1.37', /nowhere\.yaml: error: cannot be read/],
    ['reads standard input once', '-f - --from - --defaults 1.37', /standard input is asked for twice/],
    ['needs objects', '-f examples/shop.yaml --metrics examples/server-a.prom', /simulate without objects/],
  ])('%s', async (_, line, stderr) => {
    const run = await simulate(line)
    expect(run.stderr).toMatch(stderr)
    expect({ code: run.code, stdout: run.stdout }).toEqual({ code: 2, stdout: '' })
  })

  it('converts a removed version of the API where its meaning is certain', async () => {
    const path = file('removed.yaml', removed('nominalConcurrencyShares: 7, '))
    const { change, seats } = await json(`-f ${path} --defaults 1.37`)
    expect(change.rewrites.map(({ kind }) => kind)).toEqual(['converted', 'defaulted'])
    expect(seats.find(({ level }) => level === 'shop')?.after?.shares).toBe(7)
  })

  it('refuses it where it is not', async () => {
    const path = file('removed.yaml', removed('nominalConcurrencyShares: 0, '))
    const { code, stdout, stderr } = await simulate(`-f ${path} --defaults 1.37`)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain('0 means the default in v1beta3 and no shares at all in v1')
  })

  it('finds nothing in an empty folder for --to', async () => {
    const empty = mkdtempSync(join(FOLDER, 'empty-'))
    const { code, stdout, stderr } = await simulate(`--to ${empty} --defaults 1.37`)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain('in what --to names')
  })

  it('takes an empty folder beside others for what it is', async () => {
    const empty = mkdtempSync(join(FOLDER, 'empty-'))
    const { code, stderr } = await simulate(`--to ${empty} --to examples/shop.yaml --defaults 1.37`)
    expect(code).toBe(0)
    expect(stderr).toContain('warning: no *.yaml, *.yml or *.json file in this folder')
  })

  it('deletes what is named twice once', async () => {
    expect((await simulate('--delete flowschema/probes --delete flowschema/probes --defaults 1.37')).code).toBe(0)
  })

  it('shows the riskiest lines of very many, unless all are asked for', async () => {
    const rules = (index: number) =>
      `, rules: [{subjects: [{kind: User, user: {name: user-${index}}}], nonResourceRules: [{verbs: [get], nonResourceURLs: [/many]}]}]`
    const schemas = [...Array(60).keys()].map((index) => schema(`many-${index}`, rules(index)))
    const path = file('many.yaml', schemas.join('---\n'))
    const lines = async (line: string) => (await simulate(`-f ${path} --defaults 1.37 ${line}`)).stdout.split('\n')
    expect(await lines('')).toContain('20 more lines (-o wide shows all).')
    expect((await lines('-o wide')).filter((line) => / many-\d/.test(line)).length).toBeGreaterThanOrEqual(60)
  })

  it('takes a saved state for no file that is going to be applied', async () => {
    const path = file('saved.yaml', schema('a').replace('{name: a', '{name: a, uid: u, resourceVersion: "12"'))
    const rules = async (line: string) =>
      (await json(`${line} --defaults 1.37`)).findings.introduced.map(({ rule }) => rule)
    expect(await rules(`--to ${path}`)).not.toContain('APF127')
    expect(await rules(`-f ${path}`)).toContain('APF127')
  })

  it('leaves out the rest of a change of which a part is refused', async () => {
    const path = file('half.yaml', `${schema('a')}---\n${schema('b', ', nope: 1')}`)
    const { code, stdout, stderr } = await simulate(`-f ${path} --defaults 1.37`)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(
      'half.yaml:9:89: error: the server refuses FlowSchema b: strict decoding error: unknown field "spec.nope"',
    )
    expect(stderr).toContain('error: nothing was simulated')
  })

  it('counts malformed request lines, and weighs the others', async () => {
    const path = file('lines.jsonl', '{"user":"jane","url":"/api/v1/pods"}\nnonsense\n')
    const { code, stdout, stderr } = await simulate(
      `--set flowschema/global-default.matchingPrecedence=8000 --defaults 1.37 --requests ${path}`,
    )
    expect(code).toBe(2)
    expect(stderr).toContain('lines.jsonl:2: error: not JSON')
    expect(stdout).toContain('Of 1 given requests')
  })
})

describe('simulate on a live cluster', () => {
  let cluster: LiveCluster | null = null
  afterEach(async () => {
    await cluster?.close()
    cluster = null
  })
  afterAll(removeWorkplace)

  async function live(line: string, metrics: Answers[string]): Promise<Run> {
    cluster = await startLiveCluster({ '/metrics': metrics })
    return cluster.apf(line)
  }

  const FEWER = '--set plc/workload-low.limited.nominalConcurrencyShares=40'

  it.each<[file: string, answer: Answers[string]]>([
    ['live', { body: SCRAPE }],
    ['live-no-metrics', { status: 403, body: 'forbidden' }],
  ])('golden/simulate/%s.txt', async (name, answer) => {
    const run = await live(`simulate ${FEWER} -f test/cli/testdata/fence.yaml`, answer)
    await expect(transcript(`${FEWER} -f test/cli/testdata/fence.yaml`, run)).toMatchFileSnapshot(
      `golden/simulate/${name}.txt`,
    )
  })

  it('cannot tell a loss of seats that nobody told', async () => {
    const forbidden = { status: 403, body: 'forbidden' }
    const { code, stderr } = await live(`simulate ${FEWER} --fail-if seats-loss=20%`, forbidden)
    expect(code).toBe(3)
    expect(stderr).toContain('gate seats-loss=20% cannot tell')
    await cluster?.close()
    expect((await live(`simulate ${FEWER} --fail-if seats-loss=20% --server-seats 600`, forbidden)).code).toBe(1)
  })
})
