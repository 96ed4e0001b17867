/** `status` and `seats` on real API servers: their numbers are those of the server's own metrics, in every mode. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Seats, SeatsLevel, Status } from '../../src/report/contract.ts'
import type { Run } from '../support/cli.ts'
import { type ApiServer, type Cluster, startCluster } from './cluster.ts'
import { createConfigMap, levelFor, type SlowWebhook, startSlowWebhook } from './saturation.ts'
import { apf, missing, programs, title } from './support.ts'
import { tokenOf } from './users.ts'

const FLAGS = ['--max-requests-inflight=40', '--max-mutating-requests-inflight=20']
const BATCH = {
  nominalConcurrencyShares: 12,
  lendablePercent: 0,
  borrowingLimitPercent: 0,
  limitResponse: { type: 'Queue', queuing: { queues: 1, handSize: 1, queueLengthLimit: 2 } },
}
const STRICT = {
  nominalConcurrencyShares: 6,
  lendablePercent: 0,
  borrowingLimitPercent: 0,
  limitResponse: { type: 'Reject' },
}

/** Who may read metrics and no objects, and the two whose creates are held. */
const RIGHTS = [
  role('scraper', [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }]),
  binding('scraper', 'cleo@example.org'),
  role('writer', [{ apiGroups: [''], resources: ['configmaps'], verbs: ['create'] }]),
  binding('writer', 'ada', 'otto'),
]

function role(name: string, rules: object[]): object {
  return { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name }, rules }
}

function binding(name: string, ...users: string[]): object {
  const apiGroup = 'rbac.authorization.k8s.io'
  return {
    apiVersion: `${apiGroup}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name },
    roleRef: { apiGroup, kind: 'ClusterRole', name },
    subjects: users.map((user) => ({ apiGroup, kind: 'User', name: user })),
  }
}

let cluster: Cluster

const as = (user: string) => cluster.kubeconfig({ user: { token: tokenOf(user) } })

async function seats(args: readonly string[] = [], kubeconfig = cluster.kubeconfig()): Promise<Seats> {
  const { stdout, stderr } = await apf(cluster, ['seats', '-o', 'json', ...args], { kubeconfig })
  if (stdout === '') throw new Error(stderr)
  return JSON.parse(stdout)
}

async function status(args: readonly string[] = [], kubeconfig = cluster.kubeconfig()): Promise<Status> {
  const { stdout, stderr } = await apf(cluster, ['status', '-o', 'json', ...args], { kubeconfig })
  if (stdout === '') throw new Error(stderr)
  return JSON.parse(stdout)
}

function level(answer: Seats, name: string, server = 0): SeatsLevel | undefined {
  return answer.servers[server]?.levels.find((each) => each.name === name)
}

/** A gauge of the server by level, from its own text. */
async function gauge(name: string): Promise<Record<string, number>> {
  const { stdout } = await cluster.kubectl(['get', '--raw', '/metrics'])
  const lines = stdout.matchAll(
    new RegExp(`^apiserver_flowcontrol_${name}\\{priority_level="([^"]+)"\\} (\\S+)$`, 'gm'),
  )
  return Object.fromEntries([...lines].map(([, level = '', value]) => [level, Number(value)]))
}

function limits(answer: Seats, of: 'nominal' | 'lower' | 'upper'): Record<string, number | null> {
  return Object.fromEntries(answer.servers[0]?.levels.map((each) => [each.name, each[of]]) ?? [])
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 60; attempt++) {
    if (await condition()) return
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
  throw new Error('it did not come so far')
}

function codes(run: Run): { code: number | null } {
  return { code: run.code }
}

describe.skipIf(missing)(title('seats and status'), () => {
  beforeAll(async () => {
    cluster = await startCluster(programs(), { flags: FLAGS })
    await cluster.create([...RIGHTS, ...levelFor('ada', 'batch', BATCH), ...levelFor('otto', 'strict', STRICT)])
  })
  afterAll(() => cluster?.stop())

  describe('an idle server', () => {
    it('has APF and the sum of its two flags in seats', async () => {
      const { servers, coverage } = await status()
      expect(servers).toMatchObject([
        { mode: 'APF', serverConcurrencyLimit: { value: 60, source: 'metrics' }, readLimit: null, mutatingLimit: null },
      ])
      expect(servers[0]?.evidence.filter(({ strength, says }) => strength === 'strong' && says !== 'APF')).toEqual([])
      expect(servers[0]?.apfVersionsServed?.length).toBeGreaterThan(0)
      expect(Date.parse(servers[0]?.startedAt ?? '')).toBeLessThan(Date.now())
      expect(coverage).toEqual({ reached: 1, total: 1, unreachable: [] })
    })

    it('passes the gate', async () => {
      expect(codes(await apf(cluster, ['status', '--require=APF', '--all-servers=require']))).toEqual({ code: 0 })
    })

    it('has the limits that its metrics tell, to the seat', async () => {
      const answer = await seats()
      expect(answer.servers[0]?.serverConcurrencyLimit).toEqual({ value: 60, source: 'metrics' })
      expect(limits(answer, 'nominal')).toEqual(await gauge('nominal_limit_seats'))
      expect(limits(answer, 'lower')).toEqual(await gauge('lower_limit_seats'))
      expect(limits(answer, 'upper')).toEqual(await gauge('upper_limit_seats'))
    })

    it('has the limits that are computed from its objects, to the seat', async () => {
      const { stdout } = await cluster.kubectl(['get', 'flowschemas,prioritylevelconfigurations', '-o', 'json'])
      const args = ['seats', '--from', '-', '--server-seats=60', '-o', 'json']
      const version = (await status()).servers[0]?.version ?? ''
      const computed: Seats = JSON.parse(
        (await apf(cluster, [...args, `--server-version=${version}`], { stdin: stdout })).stdout,
      )
      const live = await seats()
      for (const limit of ['nominal', 'lower', 'upper'] as const) {
        expect(limits(computed, limit)).toEqual(limits(live, limit))
      }
      for (const { name, reachable, maxSeatsPerRequest, maxFinalSeats } of live.servers[0]?.levels ?? []) {
        expect(level(computed, name)).toMatchObject({ reachable, maxSeatsPerRequest, maxFinalSeats })
      }
    })
  })

  describe('users with fewer rights', () => {
    it('know shares alone without metrics, and are told so', async () => {
      const run = await apf(cluster, ['seats'], { kubeconfig: as('reader') })
      expect(codes(run)).toEqual({ code: 3 })
      expect(run.stdout).toMatch(/^batch +Queue +12 +4\.\d % +\? /m)
      expect(run.stdout).toContain('--server-seats')
      const given = await seats(['--server-seats=60'], as('reader'))
      expect(level(given, 'batch')).toMatchObject({ nominal: 3, current: null, executingSeats: null })
    })

    it('know the limits without objects, and are told so', async () => {
      const { servers } = await seats([], as('cleo@example.org'))
      const batch = servers[0]?.levels.find(({ name }) => name === 'batch')
      expect(batch).toMatchObject({ nominal: 3, shares: null, type: 'Limited' })
      expect(servers[0]?.unknown).toContainEqual({ field: 'levels[].shares', why: 'no objects were read' })
    })

    it('are refused seats with neither', async () => {
      const run = await apf(cluster, ['seats'], { kubeconfig: as('nobody') })
      expect(codes(run)).toEqual({ code: 3 })
      expect(run.stderr).toContain('error: the server refused to list FlowSchemas (403)')
    })

    it('learn the mode all the same', async () => {
      const { servers, coverage } = await status([], as('nobody'))
      expect(servers).toMatchObject([{ mode: 'APF', serverConcurrencyLimit: { value: null, source: null } }])
      expect(coverage).toEqual({ reached: 1, total: null, unreachable: [] })
    })
  })

  describe('a saturated server', () => {
    let webhook: SlowWebhook
    const sent: Promise<number>[] = []

    beforeAll(async () => {
      webhook = await startSlowWebhook(cluster)
      const create = (user: string, count: number, query?: string) => {
        for (let i = 0; i < count; i++) sent.push(createConfigMap(cluster.server, user, query))
      }
      create('ada', 3)
      create('otto', 2)
      await until(async () => {
        const answer = await seats()
        return level(answer, 'batch')?.executingSeats === 3 && level(answer, 'strict')?.executingSeats === 2
      })
      // Two may wait, for a quarter of their time; the others find a full queue.
      create('ada', 5, '?timeout=8s')
      create('otto', 4)
      await until(async () => (level(await seats(), 'batch')?.rejected ?? 0) >= 5)
      create('ada', 2, '?timeout=28s')
      await until(async () => level(await seats(), 'batch')?.waitingRequests === 2)
    })
    afterAll(async () => {
      webhook?.release()
      await Promise.all(sent)
      await webhook?.close()
    })

    it('shows who holds seats, what waits and what was refused for which reason', async () => {
      const answer = await seats()
      expect(level(answer, 'batch')).toMatchObject({
        nominal: 3,
        current: 3,
        executingSeats: 3,
        executingRequests: 3,
        waitingRequests: 2,
        rejected: 5,
      })
      expect(level(answer, 'batch')?.rejectedBy).toEqual(
        expect.arrayContaining([
          { flowSchema: 'batch', reason: 'queue-full', count: 3, perSecond: null },
          { flowSchema: 'batch', reason: 'time-out', count: 2, perSecond: null },
        ]),
      )
      expect(level(answer, 'strict')).toMatchObject({ executingSeats: 2, waitingRequests: 0, rejected: 4 })
      expect(level(answer, 'strict')?.rejectedBy).toEqual([
        { flowSchema: 'strict', reason: 'concurrency-limit', count: 4, perSecond: null },
      ])
    })

    it('says it in the first line, and why the level gets no more', async () => {
      expect((await apf(cluster, ['seats'])).stdout).toMatch(/^60 seats on this API server \(from its metrics\); /)
      const { stdout } = await apf(cluster, ['seats', 'explain', 'batch'])
      expect(stdout).toMatch(/no more +its own borrowing limit: 3 is its upper limit/)
    })

    it('gives rates between two samples of one process', async () => {
      const refusals = setInterval(() => void createConfigMap(cluster.server, 'otto'), 200)
      const answer = await seats(['--interval=2s'])
      clearInterval(refusals)
      const [strict] = level(answer, 'strict')?.rejectedBy ?? []
      expect(strict?.perSecond).toBeGreaterThan(1)
      expect(strict?.perSecond).toBeLessThan(15)
    })
  })

  describe('servers of one etcd with other flags', () => {
    let larger: ApiServer
    let off: ApiServer

    beforeAll(async () => {
      larger = await cluster.addServer(['--max-requests-inflight=100', '--max-mutating-requests-inflight=80'])
      off = await cluster.addServer([
        ...['--enable-priority-and-fairness=false', '--max-requests-inflight=7', '--max-mutating-requests-inflight=3'],
      ])
    })

    it('have seats of their own', async () => {
      const answer = await seats([`--apiserver=${cluster.server.url}`, `--apiserver=${larger.url}`])
      expect(answer.servers.map(({ serverConcurrencyLimit: { value } }) => value)).toEqual([60, 180])
      expect(level(answer, 'batch', 0)?.nominal).toBe(3)
      expect(level(answer, 'batch', 1)?.nominal).toBe(9)
      expect(answer.coverage).toEqual({ reached: 2, total: 2, unreachable: [] })
    })

    it('differ, which status finds', async () => {
      const urls = [cluster.server, larger, off].map(({ url }) => `--apiserver=${url}`)
      const { servers, findings } = await status(urls)
      expect(servers.map(({ mode }) => mode)).toEqual(['APF', 'APF', 'MaxInFlight'])
      expect(findings.map(({ rule }) => rule)).toEqual(expect.arrayContaining(['APF501', 'APF502', 'APF506']))
      expect(codes(await apf(cluster, ['status', ...urls, '--require=APF']))).toEqual({ code: 1 })
    })

    it('has no seats without APF', async () => {
      const run = await apf(cluster, ['seats', `--apiserver=${off.url}`])
      expect(codes(run)).toEqual({ code: 0 })
      expect(run.stdout).toMatch(/^APF is off on this API server/)
    })

    it('is said of a server that does not answer', async () => {
      const urls = [`--apiserver=${cluster.server.url}`, '--apiserver=https://127.0.0.1:1']
      const { coverage } = await status(urls)
      expect(coverage).toEqual({
        reached: 1,
        total: 2,
        unreachable: [{ name: '127.0.0.1:1', why: 'cannot be reached (ECONNREFUSED)' }],
      })
      expect(codes(await apf(cluster, ['status', ...urls, '--all-servers=require']))).toEqual({ code: 3 })
    })
  })
})
