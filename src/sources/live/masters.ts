/**
 * Who is known to be in group system:masters. Nobody can list its members: the group comes with a credential, and no object
 * of the cluster says who has one. Only what maps cloud identities to groups can be read, where there is such an object.
 */
import { readDocuments } from '../documents.ts'
import { sourceText } from '../source-text.ts'
import type { Client } from './client.ts'
import { isFault } from './exchange.ts'
import { bodyOf } from './status.ts'

export const MASTERS = 'system:masters'

/** The ConfigMap with which EKS maps roles and users of AWS to groups. */
export const AWS_AUTH = 'kube-system/aws-auth'
const AWS_AUTH_PATH = '/api/v1/namespaces/kube-system/configmaps/aws-auth'

/** ARNs; `absent` where there is no such object. */
export type MappedMasters = { members: string[] } | 'absent' | { unknown: string }

export async function mappedMasters(client: Client): Promise<MappedMasters> {
  const reply = await client.send('GET', AWS_AUTH_PATH, { takeThrottling: true })
  if (isFault(reply)) return { unknown: `no answer (${reply.fault})` }
  if (reply.status === 404) return 'absent'
  if (reply.status !== 200) {
    return { unknown: reply.status === 403 ? 'forbidden' : `the server answered ${reply.status}` }
  }
  const body = bodyOf(reply)
  const data = body.kind === 'json' ? body.value['data'] : undefined
  const members: string[] = []
  for (const [key, arn] of [
    ['mapRoles', 'rolearn'],
    ['mapUsers', 'userarn'],
  ] as const) {
    const text = field(data, key)
    if (typeof text !== 'string') continue
    const entries = await entriesOf(text)
    if (entries === null) return { unknown: `${key} is no list` }
    members.push(...entries.filter(isMaster).map((entry) => String(field(entry, arn) ?? field(entry, 'username'))))
  }
  return { members }
}

async function entriesOf(text: string): Promise<unknown[] | null> {
  const { documents, problems } = await readDocuments(sourceText(AWS_AUTH, text))
  if (problems.length > 0) return null
  const [first] = documents
  if (first === undefined || first.value === null) return []
  return Array.isArray(first.value) ? first.value : null
}

function isMaster(entry: unknown): boolean {
  const groups = field(entry, 'groups')
  return Array.isArray(groups) && groups.includes(MASTERS)
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}
