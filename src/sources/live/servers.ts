/**
 * The API servers behind one address. Seats, counters and the active limiter are those of one process, so each that can be
 * asked safely is asked on its own: by its address where its certificate proves it to be of the cluster that the kubeconfig
 * trusts, else by connecting again and again to the common address.
 */
import { isSourceFailure, type SourceFailure } from '../failure.ts'
import type { Client, ClientOptions } from './client.ts'
import type { Connection } from './connect.ts'
import { type Fault, isFault, type Reply } from './exchange.ts'
import { bodyOf } from './status.ts'

export type AllServers = 'auto' | 'never' | 'require'

/** What the cluster says of its API servers. */
export interface ServerDirectory {
  /** Servers that hold a lease; null where the leases cannot be read, or there are none. */
  total: number | null
  /** Host names whose lease has run out: servers that are gone. */
  expired: string[]
  /** URLs, from the endpoints of the service `kubernetes`; empty where they cannot be read. */
  addresses: string[]
}

/** Time to connect to a server that may be unreachable from here; the other answers wait no longer. */
const CONNECT_MS = 1000
/** Certificates of API servers hold the names under which pods know the cluster. */
const IN_CLUSTER_NAMES = [
  'kubernetes.default.svc',
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc.cluster.local',
]

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases'
/** The first since 1.26.1, the other one in 1.26.0. */
const LEASE_LABELS = ['apiserver.kubernetes.io/identity=kube-apiserver', 'k8s.io/component=kube-apiserver']
const ENDPOINTS =
  '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices?labelSelector=kubernetes.io%2Fservice-name%3Dkubernetes'

export async function readDirectory(client: Client): Promise<ServerDirectory> {
  const [endpoints, ...leases] = await Promise.all([
    client.send('GET', ENDPOINTS),
    ...LEASE_LABELS.map((label) => client.send('GET', `${LEASES}?labelSelector=${encodeURIComponent(label)}`)),
  ])
  const found = leases.map(itemsOf).filter((items) => items !== null)
  const holders = found
    .flat()
    .map(leaseOf)
    .filter((lease) => lease !== null)
  const now = serverTime(leases)
  const isExpired = ({ endsAt }: Lease) => endsAt < now
  const alive = new Set(holders.filter((lease) => !isExpired(lease)).map(({ name }) => name))
  return {
    total: alive.size === 0 ? null : alive.size,
    expired: [...new Set(holders.filter(isExpired).map(({ host }) => host))],
    addresses: [...new Set((itemsOf(endpoints) ?? []).flatMap(addressesOf))].sort(),
  }
}

/** Why no other server may get our credentials; null where they may be shown to one with the right certificate. */
export function whyNotDirectly({ client, target, credentials }: Connection): string | null {
  if (!client.server.secure) return 'the kubeconfig reaches its server without TLS'
  if (target.cluster.insecureSkipTlsVerify) return 'the kubeconfig says not to verify certificates'
  if (credentials.certificateAuthority === null) return 'the kubeconfig names no certificate authority of its own'
  if (client.server.prefix !== '') return 'the kubeconfig reaches the cluster through another program'
  return null
}

/**
 * A client for one API server by its own address.
 * @param url  https; of anything else the failure says why not
 * @param extraMs  time between two samples
 */
export function directClient(connection: Connection, url: string, extraMs: number): Client | SourceFailure | string {
  const why = whyNotDirectly(connection)
  if (why !== null) return why
  if (!/^https:\/\//i.test(url)) return 'it is no https URL: credentials are shown over TLS alone'
  const { target, client } = connection
  const own = target.cluster.tlsServerName || client.server.host
  return connection.another(url, { names: [own, ...IN_CLUSTER_NAMES], ...ONE_CONNECTION, extraMs })
}

/** Two samples over one connection are of one process, also behind a load balancer. */
const ONE_CONNECTION: ClientOptions = { connectMs: CONNECT_MS, maxConnections: 1 }

/** A client for whichever server answers at the common address. */
export function anyServer(connection: Connection, extraMs: number): Client | SourceFailure {
  return connection.another(null, { ...ONE_CONNECTION, extraMs })
}

/** The host of a URL, with the port where several servers share a host. */
export function serverName(url: string, urls: readonly string[]): string {
  const { hostname, host } = new URL(url)
  const shared = urls.filter((other) => URL.canParse(other) && new URL(other).hostname === hostname).length > 1
  return shared ? host : hostname.replace(/^\[(.*)\]$/, '$1')
}

// What the API says

function itemsOf(reply: Reply | Fault | undefined): unknown[] | null {
  if (reply === undefined || isFault(reply) || reply.status !== 200) return null
  const body = bodyOf(reply)
  const items = body.kind === 'json' ? body.value['items'] : undefined
  return Array.isArray(items) ? items : null
}

interface Lease {
  name: string
  host: string
  /** Milliseconds since 1970. */
  endsAt: number
}

function leaseOf(item: unknown): Lease | null {
  const metadata = member(item, 'metadata')
  const spec = member(item, 'spec')
  const name = member(metadata, 'name')
  const renewed = Date.parse(String(member(spec, 'renewTime')))
  const seconds = member(spec, 'leaseDurationSeconds')
  if (typeof name !== 'string' || Number.isNaN(renewed) || typeof seconds !== 'number') return null
  const host = member(member(metadata, 'labels'), 'kubernetes.io/hostname')
  return { name, host: typeof host === 'string' ? host : name, endsAt: renewed + seconds * 1000 }
}

/** The server's clock, since leases are written by it; ours where it does not tell. */
function serverTime(replies: readonly (Reply | Fault)[]): number {
  const dates = replies.flatMap((reply) => (isFault(reply) ? [] : reply.headers.values('date'))).map(Date.parse)
  return dates.find((date) => !Number.isNaN(date)) ?? Date.now()
}

function addressesOf(slice: unknown): string[] {
  const ports = list(member(slice, 'ports'))
  const port = ports.find((each) => member(each, 'name') === 'https') ?? ports[0]
  const number = member(port, 'port')
  if (typeof number !== 'number') return []
  return list(member(slice, 'endpoints'))
    .flatMap((endpoint) => list(member(endpoint, 'addresses')))
    .filter((address) => typeof address === 'string')
    .map((address) => `https://${address.includes(':') ? `[${address}]` : address}:${number}`)
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

/** Whether a client could be made. */
export function isClient(value: Client | SourceFailure | string): value is Client {
  return typeof value !== 'string' && !isSourceFailure(value)
}
