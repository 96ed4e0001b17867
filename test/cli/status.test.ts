import { afterAll, afterEach, describe, expect, it } from 'vitest'
import type { Status } from '../../src/report/contract.ts'
import { forbidden, LEVELS, SCHEMAS } from '../sources/live/cluster-answers.ts'
import { apf, type Run } from '../support/cli.ts'
import { violations } from '../support/published-schemas.ts'
import { type LiveCluster, removeWorkplace, startLiveCluster } from './live-cluster.ts'
import { API_SERVER, SCRAPE } from './scrapes.ts'

const RECORDED = '--from test/fixtures/apf'

function transcript(line: string, { code, stdout, stderr }: Run): string {
  const notes = stderr === '' ? '' : `\nstderr:\n${stderr}`
  return `$ kubectl apf ${line}\n${stdout}${notes}\nexit ${code}\n`
}

function status(line: string): Promise<Run> {
  return apf(['status', ...line.split(' ')])
}

/** The answers as people read them, in golden/status. */
const golden: [file: string, line: string][] = [
  ['apf', `${RECORDED}/1.37-idle`],
  ['apf-wide', `${RECORDED}/1.28-idle -o wide`],
  ['apf-json', `${RECORDED}/1.37-features -o json`],
  ['max-in-flight', `${RECORDED}/1.37-maxinflight-saturated`],
  ['reads-unlimited', `${RECORDED}/1.37-zero-read-noapf`],
  ['unlimited', `${RECORDED}/1.34-zero-both-noapf`],
  ['no-api', `${RECORDED}/1.37-noapi`],
  ['every-list-costs-one', `${RECORDED}/1.28-seats`],
  ['before-borrowing', `${RECORDED}/1.24-idle`],
  ['differ-in-seats', `${RECORDED}/1.37-ha-a ${RECORDED}/1.34-ha-b`],
  ['differ-in-mode', `${RECORDED}/1.37-idle ${RECORDED}/1.37-maxinflight-idle`],
  ['metrics', '--metrics examples/server-a.prom'],
  ['objects-alone', '--defaults 1.37'],
]

describe('status', () => {
  it.each(golden)('golden/status/%s.txt: %s', async (file, line) => {
    await expect(transcript(`status ${line}`, await status(line))).toMatchFileSnapshot(`golden/status/${file}.txt`)
  })

  it('keeps the contract', async () => {
    for (const recording of ['1.37-idle', '1.24-saturated', '1.37-zero-read-noapf', '1.37-features']) {
      const answer: Status = JSON.parse((await status(`${RECORDED}/${recording} -o json`)).stdout)
      expect(violations('Status', answer)).toEqual([])
    }
  })

  it('is a gate', async () => {
    expect((await status(`${RECORDED}/1.37-idle --require APF`)).code).toBe(0)
    expect((await status(`${RECORDED}/1.37-maxinflight-idle --require APF`)).code).toBe(1)
    expect((await status(`${RECORDED}/1.37-idle ${RECORDED}/1.37-maxinflight-idle --require APF`)).code).toBe(1)
    expect((await status('--metrics examples/server-a.prom --require=APF')).code).toBe(0)
  })
})

const open: LiveCluster[] = []
afterEach(async () => {
  for (const live of open.splice(0)) await live.close()
})
afterAll(removeWorkplace)

const OBJECTS_FORBIDDEN = {
  [SCHEMAS]: forbidden('jane', 'flowschemas'),
  [LEVELS]: forbidden('jane', 'prioritylevelconfigurations'),
}
/** Nothing tells: no headers, no health report, no metrics. */
const SILENT = {
  '/version': { status: 401, body: {} },
  '/livez': { status: 403, body: 'forbidden' },
  '/metrics': { status: 403, body: 'forbidden' },
  '/apis/flowcontrol.apiserver.k8s.io': { status: 403, body: 'forbidden' },
}

describe('status of a live cluster', () => {
  it.each([
    ['live', 'status -o json', { '/metrics': { body: SCRAPE } }],
    ['live-no-metrics', 'status', { '/metrics': { status: 403, body: 'forbidden' } }],
    ['live-no-rights', 'status', { ...OBJECTS_FORBIDDEN, '/metrics': { status: 403, body: 'forbidden' } }],
    ['live-unknown', 'status --require APF', { ...OBJECTS_FORBIDDEN, ...SILENT }],
  ])('golden/status/%s.txt: %s', async (file, line, answers) => {
    const started = await startLiveCluster({ ...API_SERVER, ...answers })
    open.push(started)
    await expect(transcript(line, await started.apf(line))).toMatchFileSnapshot(`golden/status/${file}.txt`)
  })
})
