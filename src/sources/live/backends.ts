/** The objects that make an API server call others before it answers: admission webhooks and aggregated APIs. */
import type { Origin } from '../../apf/problem.ts'
import type { ForeignObject } from '../manifests.ts'
import type { Client } from './client.ts'
import { isFault } from './exchange.ts'
import { isListFailure, listAll } from './listing.ts'

const COLLECTIONS = [
  {
    kind: 'ValidatingWebhookConfiguration',
    path: '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
  },
  { kind: 'MutatingWebhookConfiguration', path: '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations' },
  { kind: 'APIService', path: '/apis/apiregistration.k8s.io/v1/apiservices' },
] as const

export interface Backends {
  objects: ForeignObject[]
  /** What may not, or cannot, be read. */
  notes: string[]
}

/** Reads what may be read of them. A server without such an API has none. */
export async function listBackends(client: Client): Promise<Backends> {
  const found = await Promise.all(COLLECTIONS.map((collection) => listCollection(client, collection)))
  return { objects: found.flatMap(({ objects }) => objects), notes: found.flatMap(({ notes }) => notes) }
}

async function listCollection(client: Client, { kind, path }: (typeof COLLECTIONS)[number]): Promise<Backends> {
  const listing = await listAll(client, path)
  if (!isListFailure(listing)) {
    const origin: Origin = { file: path, locate: () => undefined }
    return { objects: listing.items.map((value) => ({ kind, value, origin })), notes: [] }
  }
  const { result } = listing
  if (!isFault(result) && result.status === 404) return { objects: [], notes: [] }
  const why = isFault(result)
    ? result.fault
    : result.status === 403
      ? 'forbidden'
      : `the server answered ${result.status}`
  return { objects: [], notes: [`${kind}s not read: ${why}`] }
}
