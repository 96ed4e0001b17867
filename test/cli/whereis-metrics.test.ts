/** `whereis` of requests whose cost the metrics of a live server tell. */
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { violations } from '../support/published-schemas.ts'
import { type LiveCluster, landing, removeWorkplace, startLiveCluster } from './live-cluster.ts'
import { SCRAPE } from './scrapes.ts'

const REPORTER = '--as=system:serviceaccount:shop:reporter'
const LIST = `whereis list pods -A ${REPORTER} --cost`
const OBJECTS = `
apiserver_storage_objects{resource="pods"} 4812
apiserver_storage_objects{resource="widgets.example.com"} -1
`
const OWN = landing('global-default', 'global-default')
const served = (body: string) => ({ '/metrics': { body, headers: OWN } })
const ofVersion = (gitVersion: string) => ({ '/version': { body: { gitVersion }, headers: OWN } })

const open: LiveCluster[] = []
afterEach(async () => {
  for (const live of open.splice(0)) await live.close()
})
afterAll(removeWorkplace)

async function call(line: string, answers: Parameters<typeof startLiveCluster>[0]) {
  const live = await startLiveCluster(answers)
  open.push(live)
  const run = await live.apf(line)
  return { ...run, asked: live.asked.filter(({ url }) => url === '/metrics') }
}

async function json(line: string, answers: Parameters<typeof startLiveCluster>[0]) {
  const { code, stdout } = await call(`${line} -o json`, answers)
  const answer = JSON.parse(stdout)
  expect(violations(answer.kind, answer)).toEqual([])
  return { code, answer }
}

describe('the metrics of a live server', () => {
  it('tell what a LIST costs, and the seats of its level', async () => {
    const { code, stdout } = await call(LIST, { ...ofVersion('v1.33.1'), ...served(SCRAPE + OBJECTS) })
    expect(code).toBe(0)
    expect(stdout).toContain(
      '\n  level  workload-low: 245 seats nominal of 600, 368 within reach by borrowing, then queues\n' +
        '  cost   10 seats: 4,812 objects, cache read; the level caps at 10\n',
    )
  })

  it('count the bytes too, by which servers reckon since 1.34', async () => {
    const bytes = 'apiserver_resource_size_estimate_bytes{group="",resource="pods"} 9624000\n'
    const { code, answer } = await json(LIST, served(SCRAPE + OBJECTS + bytes))
    expect(code).toBe(0)
    expect(answer.work).toEqual({
      initialSeats: 10,
      finalSeats: 0,
      additionalLatencySeconds: 0,
      basis: '4,812 objects of 2 kB, cache read; the level caps at 37',
    })
    expect(answer.unknowns).toMatchObject([{ code: 'groups' }])
  })

  it('leave the seats that were given', async () => {
    const { stdout } = await call(`${LIST} --server-seats 60`, served(SCRAPE + OBJECTS))
    expect(stdout).toContain('  level  workload-low: 25 seats nominal of 60,')
    expect(stdout).toContain('objects taken for 1.5 MB each (→ --object-bytes N), cache read; the level caps at 4\n')
  })

  it('may not know a resource, or not know it any more', async () => {
    const costs = async (resource: string) =>
      (await json(`whereis list ${resource} -n shop ${REPORTER} --cost`, served(SCRAPE + OBJECTS))).answer.work.basis
    expect(await costs('configmaps')).toMatch(/^objects that this server does not count, /)
    expect(await costs('widgets')).toMatch(/^a stale number of objects, /)
  })

  it.each([
    ['forbidden', { '/metrics': { status: 403, body: 'forbidden' } }, 'cannot be read: forbidden (403)'],
    ['too busy', { '/metrics': { status: 429, headers: { 'retry-after': '1' } } }, 'the server is too busy (429)'],
    ['slow', { '/metrics': { hang: true as const } }, 'cannot be read: no answer within 0.3 s'],
    ['without objects', served(SCRAPE), 'tell of no stored objects'],
  ])('change nothing of where the request lands where they are %s', async (_, answers, why) => {
    const { code, answer } = await json(`${LIST} --request-timeout=300ms`, answers)
    expect(code).toBe(0)
    expect(answer).toMatchObject({ flowSchema: { name: 'service-accounts' }, work: null })
    expect(answer.unknowns).toContainEqual({
      code: 'metrics',
      message: expect.stringMatching(/^The metrics of the server, which the cost depends on, .*\.$/),
    })
    expect(answer.unknowns.map(({ message }: { message: string }) => message).join()).toContain(why)
  })

  it.each([
    `whereis get pods web -n shop ${REPORTER} --cost`,
    `whereis create pods -n shop ${REPORTER} --cost`,
    `whereis exec web -n shop ${REPORTER} --cost`,
    `${LIST} --objects 450`,
    `whereis ${REPORTER} --cost`,
    `whereis list pods -A ${REPORTER}`,
  ])('are asked for by no request that costs the same without them: %s', async (line) => {
    const { code, asked } = await call(line, served(SCRAPE + OBJECTS))
    expect({ code, asked }).toEqual({ code: 0, asked: [] })
  })

  it('are asked for once', async () => {
    expect((await call('whereis get pods -A --as=jane --cost', served(SCRAPE + OBJECTS))).asked).toHaveLength(1)
  })
})
