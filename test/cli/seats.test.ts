import { afterAll, afterEach, describe, expect, it } from 'vitest'
import type { Seats } from '../../src/report/contract.ts'
import { forbidden, LEVELS, SCHEMAS } from '../sources/live/cluster-answers.ts'
import { apf, type Run, type RunOptions } from '../support/cli.ts'
import { violations } from '../support/published-schemas.ts'
import { type LiveCluster, removeWorkplace, standardAnswers, startLiveCluster } from './live-cluster.ts'
import { API_SERVER, SCRAPE, scrapeAt } from './scrapes.ts'

const RECORDED = '--from test/fixtures/apf'

/** A call and all that it prints, as a terminal would show it. */
function transcript(line: string, { code, stdout, stderr }: Run): string {
  const notes = stderr === '' ? '' : `\nstderr:\n${stderr}`
  return `$ kubectl apf ${line}\n${stdout}${notes}\nexit ${code}\n`
}

function seats(line: string, options?: RunOptions): Promise<Run> {
  return apf(['seats', ...line.split(' ').filter((word) => word !== '')], options)
}

async function json(line: string, options?: RunOptions): Promise<Seats> {
  const { stdout, stderr } = await seats(`${line} -o json`, options)
  if (stdout === '') throw new Error(stderr)
  const answer: Seats = JSON.parse(stdout)
  expect(violations(answer.kind, answer)).toEqual([])
  return answer
}

/** The answers as people read them, in golden/seats. */
const golden: [file: string, line: string][] = [
  ['defaults', '--defaults 1.37'],
  ['defaults-wide', '--defaults 1.37 -o wide'],
  ['defaults-json', '--defaults 1.37 --level workload-low -o json'],
  ['defaults-yaml', '--defaults 1.37 --level workload-low -o yaml'],
  ['name', '--defaults 1.37 -o name'],
  ['given', '--defaults 1.37 --server-seats 3000 --sort name'],
  ['no-borrowing', '--defaults 1.25'],
  ['exempt-without-seats', '--defaults 1.27 --sort shares'],
  ['inflight-flags', '--defaults 1.37 --max-requests-inflight 2000 --level system'],
  [
    'added',
    '--defaults 1.37 --add-level name=shop,shares=20,lendable=50 --add-level name=lane,shares=1,borrowing=0,queues=0',
  ],
  ['added-to-a-server', `${RECORDED}/1.37-saturated --add-level name=shop,shares=20`],
  ['saturated', `${RECORDED}/1.37-saturated`],
  ['saturated-wide', `${RECORDED}/1.37-saturated -o wide`],
  ['saturated-before-borrowing', `${RECORDED}/1.24-saturated`],
  ['several', `${RECORDED}/1.37-ha-a ${RECORDED}/1.34-ha-b`],
  ['apf-off', `${RECORDED}/1.37-maxinflight-saturated`],
  ['metrics', '--metrics examples/server-a.prom'],
  ['metrics-and-objects', '--metrics examples/server-a.prom --defaults 1.34'],
  ['explain', 'explain workload-low --defaults 1.37 --server-seats 600'],
  ['explain-lenders', 'explain workload-low --defaults 1.28'],
  ['explain-no-borrowing', 'explain catch-all --defaults 1.25'],
  ['explain-exempt', 'explain exempt --defaults 1.37'],
  ['explain-at-its-limit', `explain capped ${RECORDED}/1.37-borrowing`],
  ['explain-exempt-borrows', `explain busy ${RECORDED}/1.37-exempt-borrowing`],
  ['explain-deleted', `explain doomed ${RECORDED}/1.37-features`],
  ['explain-several', `explain strict ${RECORDED}/1.37-ha-a ${RECORDED}/1.34-ha-b`],
]

describe('seats', () => {
  it.each(golden)('golden/seats/%s.txt: %s', async (file, line) => {
    await expect(transcript(`seats ${line}`, await seats(line))).toMatchFileSnapshot(`golden/seats/${file}.txt`)
  })

  it('fits a default table into 100 columns', async () => {
    for (const line of [
      '--defaults 1.37',
      `${RECORDED}/1.37-saturated`,
      `${RECORDED}/1.37-ha-a ${RECORDED}/1.34-ha-b`,
    ]) {
      const [, ...table] = (await seats(line)).stdout.split('\n')
      expect(
        table.filter((text) => text.length > 100 && !text.startsWith('All nominal')),
        line,
      ).toEqual([])
    }
  })

  it('shows bars where the locale has no blocks', async () => {
    const { stdout } = await seats(`${RECORDED}/1.37-saturated --level batch`, { env: { LANG: 'C' } })
    expect(stdout).toMatch(/##########\s+3\/3/)
  })

  it('names the source of the total', async () => {
    const sourceOf = async (line: string) => (await json(line)).servers[0]?.serverConcurrencyLimit
    expect(await sourceOf('--defaults 1.37')).toEqual({ value: 600, source: 'assumed-default' })
    expect(await sourceOf('--defaults 1.37 --server-seats 7')).toEqual({ value: 7, source: 'given' })
    expect(await sourceOf('--defaults 1.37 --max-mutating-requests-inflight 0')).toEqual({
      value: 400,
      source: 'inflight-flags',
    })
    expect(await sourceOf('--metrics examples/server-a.prom')).toEqual({ value: 4000, source: 'metrics' })
    expect(await sourceOf('--metrics examples/server-a.prom --server-seats 7')).toEqual({ value: 7, source: 'given' })
  })

  it('says of what was not asked that it is not known', async () => {
    const { servers, coverage } = await json('--defaults 1.37')
    expect(coverage).toEqual({ reached: 0, total: null, unreachable: [] })
    expect(servers[0]?.unknown).toContainEqual({ field: 'levels[].current', why: 'no server was asked' })
  })

  it.each([
    ['seats explain --defaults 1.37', 'explain which level?'],
    ['seats explain workload-lo --defaults 1.37', 'there is no priority level workload-lo'],
    ['seats tell --defaults 1.37', 'unknown word "tell"'],
    ['seats --level nowhere --defaults 1.37', 'there is no priority level nowhere'],
    ['seats --defaults 1.37 --add-level shares=3', '--add-level shares=3 describes no level'],
    ['seats --defaults 1.37 --add-level name=a,share=3', '--add-level name=a,share=3 describes no level'],
    ['seats --defaults 1.25 --add-level name=a,lendable=3', '--add-level name=a,lendable=3 describes no level'],
    ['seats --defaults 1.37 --add-level name=a=b', '--add-level name=a=b describes no level'],
    ['seats --defaults 1.37 --add-level name=a,shares=1,shares=2', 'shares stands twice'],
    ['seats --defaults 1.37 --add-level name=a --add-level name=a', 'a is added already'],
    ['seats --defaults 1.37 --add-level name=Not_A_Name', 'metadata.name: Invalid value'],
    ['seats --defaults 1.37 --add-level name=catch-all,shares=9', 'spec: Invalid value'],
    ['seats --defaults 1.37 --add-level name=a,handSize=0', 'handSize: Invalid value'],
    ['seats --defaults 1.37 --add-level name=a,queueLength=0', 'queueLengthLimit: Invalid value'],
    ['seats --defaults 1.37 --add-level name=a,queues=0,handSize=3', 'with queues=0 it refuses'],
    // 50 cards of 10,000,000 need more than 60 bits.
    ['seats --defaults 1.37 --add-level name=a,queues=10000000,handSize=50', 'handSize: Invalid value'],
    ['seats --defaults 1.37 --server-seats 99999999999', 'parsing --server-seats'],
    ['seats --defaults 1.37 --max-requests-inflight 99999999999', 'parsing --max-requests-inflight'],
    [
      'seats --defaults 1.37 --max-requests-inflight=-1',
      'no API server of this version starts with these in-flight limits',
    ],
    ['seats --defaults 1.37 --interval 5s', '--interval with --defaults'],
    ['seats --metrics examples/shop.yaml --all-servers=never', '--all-servers with --metrics'],
    ['seats --interval soon', '--interval soon is no duration'],
  ])('refuses %s', async (line, what) => {
    const { code, stdout, stderr } = await apf(line.split(' '))
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/^error: /)
    expect(stderr).toContain(what)
  })

  it.each([
    // The limits of exempt are no answer for the levels that are limited.
    ['--metrics negative-all.prom', 3],
    ['--metrics negative-all.prom --level exempt', 0],
    ['--metrics negative.prom', 0],
    ['--metrics negative.prom --level batch', 3],
    ['--metrics negative.prom --level batch --level strict', 0],
    ['explain batch --metrics negative.prom', 3],
    ['explain exempt --metrics negative.prom', 0],
    // Exempt has no seats of its own before 1.28, which is known.
    ['explain exempt --defaults 1.24', 0],
    ['--defaults 1.24 --level exempt', 0],
    // That levels have no seats is an answer.
    [`explain workload-low ${RECORDED}/1.37-maxinflight-saturated`, 0],
    [`${RECORDED}/1.37-maxinflight-saturated`, 0],
  ])('ends %s with %i', async (line, expected) => {
    const { code } = await seats(line.replace('--metrics ', '--metrics test/cli/testdata/'))
    expect(code).toBe(expected)
  })

  it('takes every name of a level for a name', async () => {
    const { code, stdout } = await seats('--metrics test/cli/testdata/names-of-objects.prom --sort name -o name')
    const names = stdout.trimEnd().split('\n')
    expect(code).toBe(0)
    expect(names.map((name) => name.split('/')[1])).toEqual(['__proto__', 'constructor', 'exempt', 'toString'])
  })

  it('says what a file is that holds no metrics', async () => {
    const { code, stderr } = await seats('--metrics examples/requests.jsonl')
    expect(code).toBe(2)
    expect(stderr).toMatch(/^examples\/requests\.jsonl:.*error: .*JSON/)
  })
})

const open: LiveCluster[] = []
afterEach(async () => {
  for (const live of open.splice(0)) await live.close()
})
afterAll(removeWorkplace)

async function live(line: string, answers: Parameters<typeof startLiveCluster>[0] = {}): Promise<Run> {
  const started = await startLiveCluster({ ...API_SERVER, ...answers })
  open.push(started)
  return started.apf(line)
}

/** Each call of a path gets the next answer. */
function inTurn<Answer>(...answers: Answer[]): () => Answer {
  let next = 0
  return () => answers[Math.min(next++, answers.length - 1)] as Answer
}

const METRICS_FORBIDDEN = { '/metrics': { status: 403, body: 'forbidden' } }
const OBJECTS_FORBIDDEN = {
  [SCHEMAS]: forbidden('jane', 'flowschemas'),
  [LEVELS]: forbidden('jane', 'prioritylevelconfigurations'),
}

describe('seats of a live cluster', () => {
  it.each([
    ['live', 'seats', { '/metrics': { body: SCRAPE } }],
    ['live-no-metrics', 'seats', METRICS_FORBIDDEN],
    ['live-no-metrics-given', 'seats --server-seats 600 --level workload-low', METRICS_FORBIDDEN],
    ['live-no-objects', 'seats --level workload-low', { ...OBJECTS_FORBIDDEN, '/metrics': { body: SCRAPE } }],
    ['live-neither', 'seats', { ...OBJECTS_FORBIDDEN, ...METRICS_FORBIDDEN }],
  ])('golden/seats/%s.txt: %s', async (file, line, answers) => {
    await expect(transcript(line, await live(line, answers))).toMatchFileSnapshot(`golden/seats/${file}.txt`)
  })

  it('has rates of what two samples of one process differ in', async () => {
    const scrapes = inTurn({ body: scrapeAt(100, 1000) }, { body: scrapeAt(100, 1010) })
    const { stdout } = await live('seats --interval 50ms -o json --level workload-low', { '/metrics': scrapes })
    const answer: Seats = JSON.parse(stdout)
    const [rejections] = answer.servers[0]?.levels[0]?.rejectedBy ?? []
    expect(rejections).toMatchObject({ flowSchema: 'service-accounts', reason: 'queue-full', count: 1010 })
    expect(rejections?.perSecond).toBeGreaterThan(0)
  })

  it('has no rates where the process was restarted between the samples', async () => {
    const scrapes = inTurn({ body: scrapeAt(100, 1000) }, { body: scrapeAt(200, 3) })
    const { stdout } = await live('seats --interval 50ms -o json --level workload-low', { '/metrics': scrapes })
    const answer: Seats = JSON.parse(stdout)
    expect(answer.servers[0]?.levels[0]?.rejectedBy).toEqual([
      { flowSchema: 'service-accounts', reason: 'queue-full', count: 1000, perSecond: null },
    ])
  })

  it('says how many of the servers it speaks of', async () => {
    const renewTime = new Date().toISOString()
    const leases = ['a', 'b', 'c'].map((name) => ({
      metadata: { name },
      spec: { renewTime, leaseDurationSeconds: 3600 },
    }))
    const { code, stdout } = await live('seats --level system', {
      '/metrics': { body: SCRAPE },
      '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases': { body: { items: leases } },
    })
    expect(code).toBe(0)
    expect(stdout).toContain('1 of 3 API servers were asked.\n? 2 other API servers: no address of theirs is known\n')
  })

  it('needs all servers only on demand', async () => {
    const line = 'seats --all-servers=require'
    expect((await live(line, { ...standardAnswers(), '/metrics': { body: SCRAPE } })).code).toBe(3)
  })
})
