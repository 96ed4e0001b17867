/** What `isolate` prints, applied with kubectl, puts the subject's requests and no others into the level, with the seats said. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Isolation } from '../../src/report/contract.ts'
import { type Cluster, startCluster } from './cluster.ts'
import { eventually, nominalLimits } from './limits.ts'
import { type Probe, sendProbes } from './probes.ts'
import { apf, missing, programs, title } from './support.ts'

const REPORTER = 'system:serviceaccount:shop:reporter'
const OPERATOR = 'system:serviceaccount:shop:operator'
const LEASES = '/apis/coordination.k8s.io/v1/namespaces'
const DEPLOYMENTS = '/apis/apps/v1/namespaces/shop/deployments'
const WATCH = '?watch=1&timeoutSeconds=1'

type Row = [name: string, user: string, method: string, url: string, how?: Probe['how'], groups?: string[]]

/** Requests of the subjects and of all who might be moved with them by mistake. */
const ROWS: readonly Row[] = [
  ['reporter lists pods', REPORTER, 'GET', '/api/v1/pods'],
  ['reporter lists pods of shop', REPORTER, 'GET', '/api/v1/namespaces/shop/pods'],
  ['reporter lists pods of depot', REPORTER, 'GET', '/api/v1/namespaces/depot/pods'],
  ['reporter lists nodes', REPORTER, 'GET', '/api/v1/nodes'],
  ['reporter lists deployments', REPORTER, 'GET', DEPLOYMENTS],
  ['reporter watches pods of shop', REPORTER, 'GET', `/api/v1/namespaces/shop/pods${WATCH}`],
  ['reporter gets a pod', REPORTER, 'GET', '/api/v1/namespaces/shop/pods/web'],
  ['reporter creates a pod', REPORTER, 'POST', '/api/v1/namespaces/shop/pods'],
  ['reporter updates its lease', REPORTER, 'PUT', `${LEASES}/shop/leases/reporter`],
  ['reporter reads metrics', REPORTER, 'GET', '/metrics'],
  ['reporter asks for the version', REPORTER, 'GET', '/version'],
  ['reporter probes', REPORTER, 'GET', '/healthz'],

  ['operator gets its lease', OPERATOR, 'GET', `${LEASES}/shop/leases/operator`],
  ['operator creates its lease', OPERATOR, 'POST', `${LEASES}/shop/leases`],
  ['operator updates its lease', OPERATOR, 'PUT', `${LEASES}/shop/leases/operator`],
  ['operator patches its lease', OPERATOR, 'PATCH', `${LEASES}/shop/leases/operator`],
  ['operator lists leases', OPERATOR, 'GET', `${LEASES}/shop/leases`],
  ['operator updates a lease of depot', OPERATOR, 'PUT', `${LEASES}/depot/leases/operator`],
  ['operator lists pods', OPERATOR, 'GET', '/api/v1/pods'],

  ['web of shop lists pods', 'system:serviceaccount:shop:web', 'GET', '/api/v1/pods'],
  ['web of shop lists pods of shop', 'system:serviceaccount:shop:web', 'GET', '/api/v1/namespaces/shop/pods'],
  ['reporter of depot lists pods', 'system:serviceaccount:depot:reporter', 'GET', '/api/v1/pods'],
  ['kube-system lists pods', 'system:serviceaccount:kube-system:coredns', 'GET', '/api/v1/pods'],

  ['otto lists pods', 'otto', 'GET', '/api/v1/pods', 'token'],
  ['otto creates a pod', 'otto', 'POST', '/api/v1/namespaces/shop/pods', 'token'],
  ['otto asks for the version', 'otto', 'GET', '/version', 'token'],
  ['otto probes', 'otto', 'GET', '/healthz', 'token'],
  ['ada of dev lists pods', 'ada', 'GET', '/api/v1/pods', 'token'],
  ['ada of dev patches a deployment', 'ada', 'PATCH', `${DEPLOYMENTS}/web`, 'token'],
  ['jane of dev lists pods', 'jane', 'GET', '/api/v1/pods', 'impersonation', ['dev']],
  ['jane lists pods', 'jane', 'GET', '/api/v1/pods'],
  ['cleo of ops lists pods', 'cleo@example.org', 'GET', '/api/v1/pods', 'token'],

  ['a node lists pods', 'system:node:n1', 'GET', '/api/v1/pods', 'token'],
  ['a node updates its status', 'system:node:n1', 'PATCH', '/api/v1/nodes/n1/status', 'token'],
  ['a node renews its lease', 'system:node:n1', 'PUT', `${LEASES}/kube-node-lease/leases/n1`, 'token'],
  ['the scheduler lists pods', 'system:kube-scheduler', 'GET', '/api/v1/pods', 'token'],
  ['kcm lists pods', 'system:kube-controller-manager', 'GET', '/api/v1/pods'],
  ['kcm stays the leader', 'system:kube-controller-manager', 'PUT', `${LEASES}/kube-system/leases/kcm`],
  ['admin lists pods', 'admin', 'GET', '/api/v1/pods', 'token'],
  ['anybody probes', 'system:anonymous', 'GET', '/livez', 'anonymous'],
]

const PROBES = ROWS.map(
  ([, user, method, url, how = 'impersonation', groups = []]): Probe => ({ user, method, url, how, groups }),
)

interface Case {
  args: string[]
  /** Beginnings of the names of the requests that move. */
  moves: string[]
  /** Of requests that begin so and stay nevertheless. */
  stay?: string[]
  /** Of the objects. */
  name: string
  /** Where it is not the new one. */
  level?: string
}

const CASES: Readonly<Record<string, Case>> = {
  'LISTs of a ServiceAccount': {
    args: ['list,watch', `--as=${REPORTER}`, '--seats=12'],
    moves: ['reporter lists', 'reporter watches'],
    name: 'shop-reporter-list-watch',
  },
  'LISTs of one resource in one namespace': {
    args: ['list', 'pods', '-n=shop', `--as=${REPORTER}`],
    moves: ['reporter lists pods of shop'],
    name: 'shop-reporter-list-pods',
  },
  'all requests of a user': {
    args: ['--as=otto', '--share=5%'],
    moves: ['otto '],
    stay: ['otto probes'],
    name: 'otto',
  },
  'a group': {
    args: ['--as-group=dev', '--seats=30'],
    moves: ['ada of dev', 'jane of dev'],
    name: 'dev',
  },
  'refusal instead of queues': {
    args: [`--as=${REPORTER}`, '--reject', '--seats=5'],
    moves: ['reporter '],
    stay: ['reporter probes', 'reporter of depot'],
    name: 'shop-reporter',
  },
  'a path': {
    args: ['get', '/metrics', `--as=${REPORTER}`],
    moves: ['reporter reads metrics'],
    name: 'shop-reporter-get-metrics',
  },
  'an existing level': {
    args: ['list', 'pods', `--as=${REPORTER}`, '--level=global-default'],
    moves: ['reporter lists pods'],
    name: 'shop-reporter-list-pods',
    level: 'global-default',
  },
  'leases of an operator': {
    args: [`--as=${OPERATOR}`, '--preset=leader-election'],
    moves: ['operator gets its lease', 'operator creates its lease', 'operator updates its lease'],
    name: 'shop-operator-leader-election',
    level: 'leader-election',
  },
}

type Landings = Record<string, string>

let cluster: Cluster
let baseline: Landings
let seatsBefore: Record<string, number>
/** YAML that is to be taken back. */
let applied = ''

describe.skipIf(missing)(title('isolate'), () => {
  beforeAll(async () => {
    cluster = await startCluster(programs())
    baseline = await landings()
    seatsBefore = await nominalLimits(cluster)
  })
  afterEach(async () => {
    if (applied !== '') await kubectl(['delete', '-f', '-'], applied)
    applied = ''
    await eventually(async () => {
      expect(await landings()).toEqual(baseline)
      expect(await nominalLimits(cluster)).toMatchObject(seatsBefore)
    })
  })
  afterAll(() => cluster?.stop())

  it('begins where the subjects share levels with others', () => {
    expect(baseline).toMatchObject({
      'reporter lists pods': 'service-accounts into workload-low',
      'web of shop lists pods': 'service-accounts into workload-low',
      'otto lists pods': 'global-default into global-default',
      'a node updates its status': 'system-node-high into node-high',
      'kcm stays the leader': 'system-leader-election into leader-election',
      'kube-system lists pods': 'kube-system-service-accounts into workload-high',
      'reporter probes': 'probes into exempt',
    })
  })

  it.each(Object.entries(CASES))(
    '%s: what was asked for moves, and nothing else',
    async (_, { args, moves, stay = [], name, level = name }) => {
      const isMoved = (request: string) =>
        moves.some((start) => request.startsWith(start)) && !stay.some((start) => request.startsWith(start))
      const expected = Object.fromEntries(
        Object.entries(baseline).map(([request, place]) => [
          request,
          isMoved(request) ? `${name} into ${level}` : place,
        ]),
      )
      expect(Object.keys(expected).filter(isMoved).length).toBeGreaterThan(0)

      const { proof } = await isolation(args)
      const yaml = await printed(args)
      await apply(yaml)
      await eventually(async () => expect(await landings()).toEqual(expected))
      const said = seatsPrinted(yaml, name)
      expect(name in said).toBe(name === level)
      await eventually(async () => {
        const seats = await nominalLimits(cluster)
        // Levels of before have left their last values behind.
        expect(seats).toMatchObject({ ...seatsBefore, ...seatsProved(proof) })
        expect(seats).toMatchObject(said)
      })
    },
  )

  it.each([
    ['--queue', 'Queue'],
    ['--reject', 'Reject'],
  ])('asks with %s for the response %s', async (flag, response) => {
    await apply(await printed([`--as=${REPORTER}`, flag, '--name=fence']))
    const path = 'jsonpath={.spec.limited.limitResponse.type}'
    expect(await kubectl(['get', 'prioritylevelconfiguration', 'fence', '-o', path])).toBe(response)
  })
})

async function isolation(args: readonly string[]): Promise<Isolation> {
  return JSON.parse(await printed([...args, '-o', 'json']))
}

async function printed(args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await apf(cluster, ['isolate', ...args])
  expect({ code, stderr }).toMatchObject({ code: 0 })
  return stdout
}

async function apply(yaml: string): Promise<void> {
  await kubectl(['apply', '-f', '-'], yaml)
  applied = yaml
}

async function kubectl(args: readonly string[], stdin = ''): Promise<string> {
  const { code, stdout, stderr } = await cluster.kubectl(args, { stdin })
  if (code !== 0) throw new Error(stderr)
  return stdout
}

/** Where each request lands, by the headers of the server's answer. */
async function landings(): Promise<Landings> {
  const probed = await sendProbes(cluster, PROBES)
  return Object.fromEntries(
    ROWS.map(([name], index) => {
      const { flowSchema, priorityLevel } = probed[index]?.landing ?? {}
      return [name, `${flowSchema} into ${priorityLevel}`]
    }),
  )
}

function seatsProved({ seats }: Isolation['proof']): Record<string, number> {
  return Object.fromEntries(
    seats.flatMap(({ level, after }) => (after === null ? [] : [[level, after.nominal ?? NaN]])),
  )
}

/** In the words in front of the YAML: `12 of 600 seats`, `workload-low 245 -> 240`. */
function seatsPrinted(yaml: string, name: string): Record<string, number> {
  const head = yaml.slice(0, yaml.indexOf('\napiVersion')).replaceAll(/\n# +/g, ' ')
  const own = /: (\d+) of 600 seats/.exec(head)
  const others = [...(/Pays with seats: [^.]*/.exec(head)?.[0].matchAll(/([\w-]+) \d+ -> (\d+)/g) ?? [])]
  return Object.fromEntries([
    ...(own ? [[name, Number(own[1])]] : []),
    ...others.map(([, level, seats]) => [level, Number(seats)]),
  ])
}
