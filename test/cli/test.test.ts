import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import type { TestReport } from '../../src/report/contract.ts'
import { apf, ROOT, type Run, type RunOptions } from '../support/cli.ts'
import { violations } from '../support/published-schemas.ts'
import { type LiveCluster, removeWorkplace, startLiveCluster } from './live-cluster.ts'
import { SCRAPE } from './scrapes.ts'

const SHOP = '--from examples/shop.yaml --defaults 1.37'
const PANEL = '--from examples/exempt-panel.yaml --defaults 1.37'

const folder = mkdtempSync(join(tmpdir(), 'expectations-'))
afterAll(() => rmSync(folder, { recursive: true }))

function test(line: string, options?: RunOptions): Promise<Run> {
  return apf(['test', ...line.split(' ')], options)
}

function transcript(line: string, { code, stdout, stderr }: Run): string {
  const notes = stderr === '' ? '' : `\nstderr:\n${stderr}`
  return `$ kubectl apf test ${line}\n${stdout}${notes}\nexit ${code}\n`
}

/** The answers as people and CI systems read them, in golden/test. */
const golden: [file: string, line: string][] = [
  ['holds', `examples/expectations.yaml ${SHOP}`],
  ['broken', `examples/broken-expectations.yaml ${PANEL}`],
  ['broken-junit', `examples/broken-expectations.yaml ${PANEL} -o junit`],
  ['broken-github', `examples/broken-expectations.yaml ${PANEL} -o github`],
  ['broken-markdown', `examples/broken-expectations.yaml ${PANEL} -o markdown`],
  ['broken-json', `examples/broken-expectations.yaml ${PANEL} -o json`],
  ['seats', `examples/seats-expectations.yaml ${SHOP} --server-seats 3000`],
  ['seats-unknown', `examples/seats-expectations.yaml ${SHOP}`],
  ['coverage', `examples/expectations.yaml ${SHOP} --coverage`],
  ['min-coverage', `examples/expectations.yaml ${SHOP} --min-coverage 80`],
  ['several-files', `examples/expectations.yaml examples/broken-expectations.yaml ${PANEL} --no-headers`],
  ['no-file', '--defaults 1.37'],
  ['init-with-file', 'examples/expectations.yaml --init --defaults 1.37'],
  ['missing-file', 'nowhere.yaml --defaults 1.37'],
]

describe('test', () => {
  it.each(golden)('golden/test/%s.txt: %s', async (file, line) => {
    await expect(transcript(line, await test(line))).toMatchFileSnapshot(`golden/test/${file}.txt`)
  })

  it('answers what it could read of a file with mistakes', async () => {
    const stdin = '- {name: good, as: jane, requests: [list pods], expect: {flowSchema: global-default}}\n- {name: bad}'
    const { code, stdout } = await test('- --defaults 1.37', { stdin })
    expect(stdout).toContain('the promise holds')
    expect(code).toBe(2)
  })

  it('reads large files and JSON', async () => {
    const one = { name: 'x', as: 'jane', requests: ['list pods'], expect: { flowSchema: 'global-default' } }
    const cases = Array.from({ length: 600 }, (_, i) => ({ ...one, name: `promise ${i}` }))
    const yaml = `kind: Expectations\ncases:\n${cases.map((each) => `- ${JSON.stringify(each)}\n`).join('')}`
    for (const stdin of [JSON.stringify({ kind: 'Expectations', cases }), yaml]) {
      const { code, stdout } = await test('- --defaults 1.37', { stdin })
      expect(stdout).toMatch(/^all 600 promises hold\n/)
      expect(code).toBe(0)
    }
  })

  it.each(['1.20', '1.24', '1.28', '1.31', '1.34', '1.37'])(
    'begins a file for %s that holds and covers everything',
    async (minor) => {
      const file = join(folder, `first-${minor}.yaml`)
      const { stdout } = await test(`--init --defaults ${minor}`)
      expect(violations('Expectations', parse(stdout))).toEqual([])
      writeFileSync(file, stdout)
      const { code, stdout: answer } = await test(`${file} --defaults ${minor} --min-coverage 100`)
      expect(answer).toMatch(/^all \d+ promises hold\n/)
      expect(code).toBe(0)
    },
  )

  it('begins a file with what one configuration lands that another does not', async () => {
    const file = join(folder, 'first-shop.yaml')
    writeFileSync(file, (await test(`--init ${SHOP}`)).stdout)
    expect((await test(`${file} ${SHOP} --min-coverage 100`)).code).toBe(0)
    const { code, stdout } = await test(`${file} --defaults 1.37`)
    expect(stdout).toContain('1 is broken')
    expect(code).toBe(1)
  })

  it('takes seats and stored objects from a recording', async () => {
    const stdin = `- name: x
  as: jane
  requests: [list pods -A]
  expect: {level: {nominalSeats: {min: 1}}, request: {width: {min: 1, max: 600}}}
`
    const { code, stdout } = await test('- --from test/fixtures/apf/1.37-saturated -o json', { stdin })
    const [only]: TestReport['cases'] = JSON.parse(stdout).cases
    expect(only).toMatchObject({
      passed: true,
      actual: { nominalSeats: expect.any(Number), width: expect.any(Number) },
    })
    expect(code).toBe(0)
  })

  it('keeps hostile texts from the terminal', async () => {
    const stdin = JSON.stringify([
      { name: 'a\u001b[2J', as: 'jane\u202e', requests: ['list pods'], expect: { flowSchema: 'x\u0007' } },
    ])
    for (const output of ['table', 'json', 'yaml', 'junit', 'github', 'markdown']) {
      const { stdout } = await test(`- --defaults 1.37 -o ${output}`, { stdin })
      expect(stdout).toMatch(/jane|global-default/)
      expect(stdout).not.toMatch(/[\u001b\u202e\u0007]/)
    }
  })

  it('writes reports besides', async () => {
    const file = join(folder, 'report')
    const { code, stdout } = await test(
      `./examples/broken-expectations.yaml ${PANEL} -q --report github=${file}.txt --report junit=${file}.xml`,
    )
    expect(stdout).toMatch(/^0 of 3 promises hold/)
    expect(code).toBe(1)
    expect(readFileSync(`${file}.txt`, 'utf8')).toMatch(/^::error file=examples\/broken-expectations.yaml,line=3,/)
    expect(readFileSync(`${file}.xml`, 'utf8')).toContain('<testcase classname="examples/broken-expectations.yaml" ')
    const refused = await test(`examples/expectations.yaml ${PANEL} --report sarif=x`)
    expect(refused.stderr).toContain('the formats are json, yaml, junit, github, markdown')
    expect(refused.code).toBe(2)
  })

  it('shows in its page the very files of the examples', () => {
    const page = readFileSync(`${ROOT}docs/commands/test.md`, 'utf8')
    const blocks = [...page.matchAll(/^```yaml\n(cases:.*?)^```$/gms)].map(([, block]) => parse(block ?? ''))
    expect(blocks).toHaveLength(2)
    for (const block of blocks) expect(violations('Expectations', block)).toEqual([])
  })
})

describe('test on a cluster', () => {
  let live: LiveCluster
  afterEach(() => live.close())
  afterAll(removeWorkplace)

  const seats = join(folder, 'seats.yaml')
  writeFileSync(
    seats,
    '- {name: seats, as: jane, requests: [list pods -A], expect: {level: {nominalSeats: {min: 1}}}}\n',
  )
  const landings = join(folder, 'landings.yaml')
  writeFileSync(
    landings,
    '- {name: landing, as: jane, requests: [list pods -A], expect: {flowSchema: global-default}}\n',
  )

  it('reads the metrics of the server for promises about seats alone', async () => {
    live = await startLiveCluster({ '/metrics': { body: SCRAPE } })
    expect((await live.apf(`test ${landings}`)).code).toBe(0)
    expect(live.asked.filter(({ url }) => url.startsWith('/metrics'))).toEqual([])
    expect((await live.apf(`test ${seats}`)).code).toBe(0)
    expect(live.asked.filter(({ url }) => url.startsWith('/metrics'))).toHaveLength(1)
  })

  it('does not guess the seats of a server that hides its metrics', async () => {
    live = await startLiveCluster()
    const { code, stdout, stderr } = await live.apf(`test ${seats}`)
    expect(stdout).toContain('the seats of the server are not known\n')
    expect(stderr).toContain('the metrics of the server cannot be read: forbidden (403)')
    expect(code).toBe(3)
  })
})
