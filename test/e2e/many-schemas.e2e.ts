/** A cluster with more FlowSchemas than one page of a list holds. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Cluster, startCluster } from './cluster.ts'
import { createSchemas } from './crowd.ts'
import { startFront } from './front.ts'
import { API_VERSION, apf, missing, programs, title } from './support.ts'

const SCHEMAS = 2000

describe.skipIf(missing)(title(`${SCHEMAS} FlowSchemas`), () => {
  let cluster: Cluster

  beforeAll(async () => {
    cluster = await startCluster(programs())
    await createSchemas(cluster, SCHEMAS, API_VERSION)
  })
  afterAll(() => cluster?.stop())

  it('are all read, page by page', async () => {
    const lines = [1, 777, SCHEMAS].map((number) => ({ id: `${number}`, user: `user-${number}`, url: '/api/v1/pods' }))
    const front = await startFront(cluster)
    const { code, stdout, stderr } = await apf(cluster, ['whereis', '--requests', '-', '-o', 'jsonl'], {
      kubeconfig: cluster.kubeconfig({ cluster: { server: front.url } }),
      stdin: lines.map((line) => JSON.stringify(line)).join('\n'),
    }).finally(() => front.close())
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
    // With the 13 default ones they fill five pages of 500.
    expect(front.seen.filter((request) => /\/flowschemas\?.*continue=/.test(request))).toHaveLength(4)
  })
})
