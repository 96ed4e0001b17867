import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { isSourceFailure } from '../../../src/sources/failure.ts'
import { aggregatedApis } from '../../../src/sources/live/aggregated-apis.ts'
import type { Client } from '../../../src/sources/live/client.ts'
import { connect } from '../../../src/sources/live/connect.ts'
import { discover } from '../../../src/sources/live/discovery.ts'
import { resourcesOf } from '../../../src/sources/live/discovery-cache.ts'
import { kubeconfig, options, type Workplace, workplace } from './connect-helpers.ts'
import { type Handler, type StubServer, startStub } from './stub-server.ts'

let place: Workplace
const opened: (() => unknown)[] = []
beforeAll(() => {
  place = workplace()
})
afterEach(async () => {
  for (const close of opened.splice(0)) await close()
})
afterAll(() => place.remove())

async function client(handler: Handler): Promise<{ client: Client; stub: StubServer }> {
  const stub = await startStub(handler, null)
  const connection = await connect(options(place.write('config', kubeconfig({ server: stub.url }))))
  if (isSourceFailure(connection)) throw new Error(connection.what)
  opened.push(() => connection.client.close())
  opened.push(() => stub.close())
  return { client: connection.client, stub }
}

const WIDGETS = {
  resource: 'widgets',
  singular: 'widget',
  kind: 'Widget',
  shortNames: ['wd'],
  group: 'example.com',
  version: 'v2',
  namespaced: true,
  subresources: ['status'],
}
const NODES = {
  resource: 'nodes',
  singular: 'node',
  kind: 'Node',
  shortNames: ['no'],
  group: '',
  version: 'v1',
  namespaced: false,
  subresources: [],
}

const aggregated: Handler = ({ url }) => {
  const resource = (version: string) => ({
    version,
    resources: [
      {
        resource: 'widgets',
        responseKind: { group: 'example.com', version, kind: 'Widget' },
        scope: 'Namespaced',
        singularResource: 'widget',
        shortNames: ['wd'],
        subresources: [{ subresource: 'status' }],
      },
    ],
  })
  const node = {
    resource: 'nodes',
    responseKind: { kind: 'Node' },
    scope: 'Cluster',
    singularResource: 'node',
    shortNames: ['no'],
  }
  const items =
    url === '/api'
      ? [{ metadata: {}, versions: [{ version: 'v1', resources: [node] }] }]
      : [{ metadata: { name: 'example.com' }, versions: [resource('v2'), resource('v1beta1')] }]
  return { body: { kind: 'APIGroupDiscoveryList', items } }
}

const legacy: Handler = ({ url }) => {
  switch (url) {
    case '/api':
      return { body: { kind: 'APIVersions', versions: ['v1'] } }
    case '/apis':
      return {
        body: {
          kind: 'APIGroupList',
          groups: [
            {
              name: 'example.com',
              versions: [{ version: 'v1beta1' }, { version: 'v2' }],
              preferredVersion: { version: 'v2' },
            },
            { name: 'metrics.k8s.io', versions: [{ version: 'v1beta1' }], preferredVersion: { version: 'v1beta1' } },
          ],
        },
      }
    case '/api/v1':
      return {
        body: {
          resources: [{ name: 'nodes', singularName: 'node', kind: 'Node', shortNames: ['no'], namespaced: false }],
        },
      }
    case '/apis/example.com/v2':
    case '/apis/example.com/v1beta1':
      return {
        body: {
          resources: [
            { name: 'widgets', singularName: 'widget', kind: 'Widget', shortNames: ['wd'], namespaced: true },
            { name: 'widgets/status', kind: 'Widget', namespaced: true },
          ],
        },
      }
    default:
      return { status: 503, body: 'service unavailable' }
  }
}

describe('discovery', () => {
  it('takes the whole from two answers of a newer server', async () => {
    const { client: newer, stub } = await client(aggregated)
    expect(await discover(newer)).toEqual({ resources: [NODES, WIDGETS], unavailable: [] })
    expect(stub.asked).toHaveLength(2)
  })

  it('asks an older server group by group and names those that do not answer', async () => {
    const { client: older } = await client(legacy)
    expect(await discover(older)).toEqual({ resources: [NODES, WIDGETS], unavailable: ['metrics.k8s.io/v1beta1'] })
  })

  it('has no answer where the server refuses', async () => {
    const { client: refused } = await client(() => ({ status: 403 }))
    expect(await discover(refused)).toBeNull()
  })
})

describe('discovery on disk', () => {
  const start = new Date('2030-01-01T00:00:00Z')
  const later = (hours: number) => new Date(start.getTime() + hours * 3_600_000)
  const fileFor = (stub: StubServer) =>
    join(place.folder, 'kubectl-apf/discovery', `127.0.0.1_${stub.port}`, 'resources.json')
  const disk = (now: Date, fresh = false) => ({
    env: { XDG_CACHE_HOME: place.folder },
    home: '/nonexistent',
    now,
    fresh,
  })

  it('is believed for six hours, and not when fresh names are wanted', async () => {
    const { client: newer, stub } = await client(aggregated)
    const asked = async (now: Date, fresh = false) => {
      stub.asked.length = 0
      expect((await resourcesOf(newer, disk(now, fresh)))?.resources).toEqual([NODES, WIDGETS])
      return stub.asked.length
    }
    expect([await asked(start), await asked(later(5.9)), await asked(later(6)), await asked(later(6.1), true)]).toEqual(
      [2, 0, 2, 2],
    )
  })

  it.each([
    ['broken', '{'],
    ['of another format', JSON.stringify({ format: 99, savedAt: start.toISOString(), resources: [] })],
    ['of wrong types', JSON.stringify({ format: 1, savedAt: start.toISOString(), resources: [{ resource: 7 }] })],
    ['from the future', JSON.stringify({ format: 1, savedAt: later(1).toISOString(), resources: [] })],
  ])('does not count when it is %s', async (_what, text) => {
    const { client: newer, stub } = await client(aggregated)
    await resourcesOf(newer, disk(start))
    writeFileSync(fileFor(stub), text)
    expect((await resourcesOf(newer, disk(start)))?.resources).toEqual([NODES, WIDGETS])
  })

  it('is not written where a part is missing', async () => {
    const { client: older, stub } = await client(legacy)
    await resourcesOf(older, disk(start))
    expect(existsSync(fileFor(stub))).toBe(false)
  })

  it('may be impossible to write', async () => {
    const { client: newer } = await client(aggregated)
    const nowhere = { ...disk(start), env: { XDG_CACHE_HOME: '/dev/null' } }
    expect((await resourcesOf(newer, nowhere))?.resources).toHaveLength(2)
  })

  it('holds names only', async () => {
    const { client: newer, stub } = await client(aggregated)
    await resourcesOf(newer, disk(start))
    expect(Object.keys(JSON.parse(readFileSync(fileFor(stub), 'utf8')))).toEqual(['format', 'savedAt', 'resources'])
  })
})

describe('aggregated APIs', () => {
  it('are those with a service behind them', async () => {
    const items = [
      { spec: { group: 'apps', version: 'v1' } },
      {
        spec: {
          group: 'metrics.k8s.io',
          version: 'v1beta1',
          service: { namespace: 'kube-system', name: 'metrics-server' },
        },
      },
    ]
    const { client: server } = await client(() => ({ body: { kind: 'APIServiceList', metadata: {}, items } }))
    expect(await aggregatedApis(server)).toEqual({
      apis: [{ group: 'metrics.k8s.io', version: 'v1beta1', service: 'kube-system/metrics-server' }],
    })
  })

  it('are not known to those who may not list them', async () => {
    const { client: server } = await client(() => ({ status: 403 }))
    expect(await aggregatedApis(server)).toEqual({ unknown: 'APIServices could not be listed (403)' })
  })
})
