/** FlowSchemas by the thousand. */
import { Agent, request } from 'node:https'
import type { Cluster } from './cluster.ts'
import { tokenOf } from './users.ts'

const AT_ONCE = 8

/** Creates schema-1 … schema-COUNT, each of which takes lists of pods by the user of its number. */
export async function createSchemas({ server }: Cluster, count: number, apiVersion: string): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE, ca: server.ca })
  const numbers = Array.from({ length: count }, (_, index) => index + 1).values()
  const creator = async (): Promise<void> => {
    for (const number of numbers) {
      const status = await post(
        agent,
        server.port,
        `/apis/${apiVersion}/flowschemas`,
        flowSchemaFor(number, apiVersion),
      )
      if (status !== 201) throw new Error(`creating schema-${number}: status ${status}`)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, creator))
  agent.destroy()
}

function flowSchemaFor(number: number, apiVersion: string): object {
  return {
    apiVersion,
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
