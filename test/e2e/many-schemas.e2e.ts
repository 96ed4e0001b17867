/** A cluster with more FlowSchemas than one page of a list holds. */
import { Agent, request } from 'node:https'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Cluster, startCluster } from './cluster.ts'
import { API_VERSION, apf, missing, programs, title } from './support.ts'
import { tokenOf } from './users.ts'

const SCHEMAS = 2000
const AT_ONCE = 8

describe.skipIf(missing)(title(`${SCHEMAS} FlowSchemas`), () => {
  let cluster: Cluster

  beforeAll(async () => {
    cluster = await startCluster(programs())
    await createSchemas(cluster)
  })
  afterAll(() => cluster?.stop())

  it('are all read, page by page', async () => {
    const lines = [1, 777, SCHEMAS].map((number) => ({ id: `${number}`, user: `user-${number}`, url: '/api/v1/pods' }))
    const { code, stdout, stderr } = await apf(cluster, ['whereis', '--requests', '-', '-o', 'jsonl'], {
      stdin: lines.map((line) => JSON.stringify(line)).join('\n'),
    })
    expect({ code, stderr }).toMatchObject({ code: 0 })
    const answers = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(answers.map(({ id, flowSchema }) => [id, flowSchema])).toEqual([
      ['1', 'schema-1'],
      ['777', 'schema-777'],
      ['2000', 'schema-2000'],
    ])
  })
})

/** One FlowSchema each for user-1 … user-2000. */
async function createSchemas({ server }: Cluster): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE, ca: server.ca })
  const numbers = Array.from({ length: SCHEMAS }, (_, index) => index + 1).values()
  const creator = async (): Promise<void> => {
    for (const number of numbers) {
      const status = await post(agent, server.port, `/apis/${API_VERSION}/flowschemas`, flowSchemaFor(number))
      if (status !== 201) throw new Error(`creating schema-${number}: status ${status}`)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, creator))
  agent.destroy()
}

function flowSchemaFor(number: number): object {
  return {
    apiVersion: API_VERSION,
    kind: 'FlowSchema',
    metadata: { name: `schema-${number}` },
    spec: {
      matchingPrecedence: 3000 + number,
      priorityLevelConfiguration: { name: 'workload-low' },
      distinguisherMethod: { type: 'ByUser' },
      rules: [
        {
          subjects: [{ kind: 'User', user: { name: `user-${number}` } }],
          resourceRules: [
            { verbs: ['list'], apiGroups: [''], resources: ['pods'], clusterScope: true, namespaces: ['*'] },
          ],
        },
      ],
    },
  }
}

function post(agent: Agent, port: number, path: string, body: object): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${tokenOf('admin')}`, 'content-type': 'application/json' }
    const sent = request({ agent, host: '127.0.0.1', port, path, method: 'POST', headers }, (response) => {
      response.resume()
      response.on('end', () => resolve(response.statusCode))
    })
    sent.on('error', reject)
    sent.end(JSON.stringify(body))
  })
}
