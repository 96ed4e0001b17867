/** Load that holds seats for as long as a test needs: creates that a webhook answers late. */
import { createServer, request as httpsRequest } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { ApiServer, Cluster } from './cluster.ts'
import { API_VERSION } from './support.ts'
import { tokenOf } from './users.ts'

export interface SlowWebhook {
  /** Answers everything that waits, and everything from now on at once. */
  release(): void
  close(): Promise<void>
}

/** Registers a webhook for ConfigMaps that lets each create wait until it is released. */
export async function startSlowWebhook(cluster: Cluster): Promise<SlowWebhook> {
  const { certificate, key } = cluster.authority.issue({ commonName: 'webhook', names: ['127.0.0.1'] })
  const held = new Set<() => void>()
  let isOpen = false
  const server = createServer({ cert: certificate, key }, async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const { apiVersion, kind, request: review } = JSON.parse(body)
    const answer = () =>
      response.end(JSON.stringify({ apiVersion, kind, response: { uid: review.uid, allowed: true } }))
    if (isOpen) answer()
    else held.add(answer)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await cluster.create([
    {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'slow' },
      webhooks: [
        {
          name: 'slow.e2e.example',
          admissionReviewVersions: ['v1'],
          sideEffects: 'None',
          timeoutSeconds: 30,
          clientConfig: {
            url: `https://127.0.0.1:${port}/`,
            caBundle: Buffer.from(cluster.authority.certificate).toString('base64'),
          },
          rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'shop' } },
        },
      ],
    },
  ])
  return {
    release() {
      isOpen = true
      for (const answer of held) answer()
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** A level of its own for one user, who may create ConfigMaps in `shop`. */
export function levelFor(user: string, name: string, limited: object): object[] {
  return [
    {
      apiVersion: API_VERSION,
      kind: 'PriorityLevelConfiguration',
      metadata: { name },
      spec: { type: 'Limited', limited },
    },
    {
      apiVersion: API_VERSION,
      kind: 'FlowSchema',
      metadata: { name },
      spec: {
        priorityLevelConfiguration: { name },
        matchingPrecedence: 300,
        distinguisherMethod: { type: 'ByUser' },
        rules: [
          {
            subjects: [{ kind: 'User', user: { name: user } }],
            resourceRules: [
              { verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] },
            ],
          },
        ],
      },
    },
  ]
}

/** Sends a create that the webhook holds. @returns its status, once it has one */
export function createConfigMap({ port, ca }: ApiServer, user: string, query = ''): Promise<number> {
  const body = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'held-' } })
  const headers = { authorization: `Bearer ${tokenOf(user)}`, 'content-type': 'application/json' }
  return new Promise((resolve) => {
    const path = `/api/v1/namespaces/shop/configmaps${query}`
    const request = httpsRequest(
      { host: '127.0.0.1', port, ca, method: 'POST', path, headers, agent: false },
      (answer) => {
        answer.resume()
        answer.on('end', () => resolve(answer.statusCode ?? 0))
      },
    )
    request.on('error', () => resolve(0))
    request.end(body)
  })
}
