/** An API that another server behind the API server answers: that server classifies its requests once more. */
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Cluster, startCluster } from './cluster.ts'
import { apf, missing, objectsYaml, programs, title, uidOf } from './support.ts'

const GROUP = 'gadgets.example.org'
const ASKED = ['whereis', 'list', `gadgets.${GROUP}`, '-n', 'shop', '--as=root', '--as-group=system:masters']

describe.skipIf(missing)(title('an aggregated API'), () => {
  let cluster: Cluster
  let backend: Server

  beforeAll(async () => {
    cluster = await startCluster(programs())
    await cluster.create(objectsYaml)
    backend = await startBackend(cluster)
    await cluster.create(aggregation(cluster, (backend.address() as AddressInfo).port))
    await cluster.kubectl(['wait', `apiservice/v1.${GROUP}`, '--for=condition=Available', '--timeout=60s'])
  })
  afterAll(async () => {
    backend?.close()
    backend?.closeAllConnections()
    await cluster?.stop()
  })

  it('is classified by the API server first, whose word counts', async () => {
    const { code, stdout, stderr } = await apf(cluster, [...ASKED, '--verify', '-o', 'json'])
    expect({ code, stderr }).toMatchObject({ code: 0 })
    expect(JSON.parse(stdout).verified).toMatchObject([
      { agrees: true, httpStatus: 200, flowSchemaUID: await uidOf(cluster, 'flowschema/exempt') },
    ])
    expect(JSON.parse(stdout).verified[0].note).toMatch('an aggregated API answered')
  })

  it('is said to be classified again by its backend', async () => {
    const { code, stdout, stderr } = await apf(cluster, ASKED)
    expect({ code, stderr }).toMatchObject({ code: 0 })
    expect(stdout + stderr).toMatch('shop/gadgets')
  })
})

/** Answers discovery and lists, with APF headers of its own. */
async function startBackend(cluster: Cluster): Promise<Server> {
  const { certificate, key } = cluster.authority.issue({ commonName: 'gadgets', names: ['gadgets.shop.svc'] })
  const groupVersion = `${GROUP}/v1`
  const resource = { name: 'gadgets', singularName: 'gadget', namespaced: true, kind: 'Gadget', verbs: ['get', 'list'] }
  const server = createServer({ cert: certificate, key }, (request, response) => {
    const body = request.url?.startsWith(`/apis/${groupVersion}/`)
      ? { kind: 'GadgetList', apiVersion: groupVersion, metadata: {}, items: [] }
      : { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources: [resource] }
    response.writeHead(200, {
      'content-type': 'application/json',
      'x-kubernetes-pf-flowschema-uid': 'schema-of-the-backend',
      'x-kubernetes-pf-prioritylevel-uid': 'level-of-the-backend',
    })
    response.end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

/** A service is reached by its external name, so that nothing has to route to it. */
function aggregation(cluster: Cluster, port: number): object[] {
  return [
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'gadgets', namespace: 'shop' },
      spec: { type: 'ExternalName', externalName: 'localhost' },
    },
    {
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name: `v1.${GROUP}` },
      spec: {
        group: GROUP,
        version: 'v1',
        service: { name: 'gadgets', namespace: 'shop', port },
        caBundle: Buffer.from(cluster.authority.certificate).toString('base64'),
        groupPriorityMinimum: 100,
        versionPriority: 10,
      },
    },
  ]
}
