/** Which ServiceAccounts exist, and what runs as them. What may not be read is said, never guessed. */
import { compareBytes } from '../../apf/text.ts'
import type { Client } from './client.ts'
import { isFault } from './exchange.ts'
import { bodyOf } from './status.ts'

/** A ServiceAccount, or with the name `*` all of a namespace. */
export interface AccountPattern {
  namespace: string
  name: string
}

export interface RunningAs {
  /** NAMESPACE/NAME of those that exist; null where they may not be read. */
  serviceAccounts: string[] | null
  workloads: Workload[] | null
  /** What could not be read, or was left out; one phrase each. */
  unknown: string[]
}

/** Pods that run as one of them, by what made them. */
export interface Workload {
  /** `Deployment`, `DaemonSet`, `Job`; `Pod` for one that nothing made. */
  kind: string
  namespace: string
  name: string
  serviceAccount: string
  pods: number
}

const PAGE = 500
/** Namespaces that are looked into. */
const MOST_NAMESPACES = 20

/** One answer for each pattern, in order. Costs two GETs for each namespace. */
export async function runningAs(client: Client, patterns: readonly AccountPattern[]): Promise<RunningAs[]> {
  const namespaces = [...new Set(patterns.map(({ namespace }) => namespace))]
  const read = new Map<string, NamespaceRead>()
  await Promise.all(
    namespaces.slice(0, MOST_NAMESPACES).map(async (namespace) => {
      read.set(namespace, await readNamespace(client, namespace))
    }),
  )
  return patterns.map((pattern) => {
    const known = read.get(pattern.namespace)
    return known === undefined ? NOT_READ : selected(known, pattern)
  })
}

/** How many ServiceAccounts and pods there are in all; null where they may not be counted. */
export async function countAccounts(client: Client): Promise<{ serviceAccounts: number | null; pods: number | null }> {
  const [serviceAccounts, pods] = await Promise.all(
    ['serviceaccounts', 'pods'].map(async (resource) => countOf(await listPage(client, `/api/v1/${resource}?limit=1`))),
  )
  return { serviceAccounts: serviceAccounts ?? null, pods: pods ?? null }
}

const NOT_READ: RunningAs = {
  serviceAccounts: null,
  workloads: null,
  unknown: [`only ${MOST_NAMESPACES} namespaces are looked into`],
}

interface NamespaceRead {
  accounts: Page | { why: string }
  pods: Page | { why: string }
}

interface Page {
  items: unknown[]
  /** More than the page has. */
  isCut: boolean
  total: number | null
}

async function readNamespace(client: Client, namespace: string): Promise<NamespaceRead> {
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}`
  const [accounts, pods] = await Promise.all([
    listPage(client, `${path}/serviceaccounts?limit=${PAGE}`),
    listPage(client, `${path}/pods?limit=${PAGE}`),
  ])
  return { accounts, pods }
}

/** One page: an audit is no reason to read every pod of a large cluster. */
async function listPage(client: Client, path: string): Promise<Page | { why: string }> {
  const reply = await client.send('GET', path, { takeThrottling: true })
  if (isFault(reply)) return { why: `no answer (${reply.fault})` }
  if (reply.status !== 200) return { why: reply.status === 403 ? 'forbidden' : `the server answered ${reply.status}` }
  const body = bodyOf(reply)
  const items = body.kind === 'json' ? body.value['items'] : undefined
  if (body.kind !== 'json' || !Array.isArray(items)) return { why: 'the answer is no list' }
  const rest = field(body.value['metadata'], 'remainingItemCount')
  const isCut = textIn(body.value['metadata'], 'continue') !== ''
  return { items, isCut, total: typeof rest === 'number' ? items.length + rest : isCut ? null : items.length }
}

function countOf(page: Page | { why: string }): number | null {
  return 'why' in page ? null : page.total
}

function selected({ accounts, pods }: NamespaceRead, { namespace, name }: AccountPattern): RunningAs {
  const isMeant = (account: string) => name === '*' || account === name
  const unknown: string[] = []
  const note = (what: string, page: Page | { why: string }) => {
    if ('why' in page) unknown.push(`${what} of namespace ${namespace}: ${page.why}`)
    else if (page.isCut) unknown.push(`only the first ${PAGE} ${what} of namespace ${namespace} were read`)
  }
  note('ServiceAccounts', accounts)
  note('pods', pods)
  return {
    serviceAccounts:
      'why' in accounts
        ? null
        : accounts.items
            .map((item) => textIn(field(item, 'metadata'), 'name'))
            .filter(isMeant)
            .map((account) => `${namespace}/${account}`)
            .sort(compareBytes),
    workloads: 'why' in pods ? null : workloadsOf(pods.items, namespace, isMeant),
    unknown,
  }
}

function workloadsOf(pods: readonly unknown[], namespace: string, isMeant: (account: string) => boolean): Workload[] {
  const byOwner = new Map<string, Workload>()
  for (const pod of pods) {
    // The API server writes `default` where a pod names none.
    const serviceAccount = textIn(field(pod, 'spec'), 'serviceAccountName') || 'default'
    if (!isMeant(serviceAccount)) continue
    const owner = ownerOf(pod)
    const key = JSON.stringify([owner, serviceAccount])
    const known = byOwner.get(key)
    byOwner.set(key, { ...owner, namespace, serviceAccount, pods: (known?.pods ?? 0) + 1 })
  }
  return [...byOwner.values()].sort(
    (a, b) =>
      compareBytes(a.kind, b.kind) || compareBytes(a.name, b.name) || compareBytes(a.serviceAccount, b.serviceAccount),
  )
}

/** The controller of a pod; of a ReplicaSet that a Deployment made, the Deployment. */
function ownerOf(pod: unknown): { kind: string; name: string } {
  const metadata = field(pod, 'metadata')
  const owners = field(metadata, 'ownerReferences')
  const owner = Array.isArray(owners) ? owners.find((each) => field(each, 'controller') === true) : undefined
  if (owner === undefined) return { kind: 'Pod', name: textIn(metadata, 'name') }
  const [kind, name] = [textIn(owner, 'kind'), textIn(owner, 'name')]
  const hash = textIn(field(metadata, 'labels'), 'pod-template-hash')
  const isOfDeployment = kind === 'ReplicaSet' && hash !== '' && name.endsWith(`-${hash}`)
  return isOfDeployment ? { kind: 'Deployment', name: name.slice(0, -hash.length - 1) } : { kind, name }
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

function textIn(value: unknown, name: string): string {
  const text = field(value, name)
  return typeof text === 'string' ? text : ''
}
