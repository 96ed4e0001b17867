/** The only way in which this program speaks to an API server: GET. */
import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type { ConnectionOptions } from 'node:tls'
import { invalidInput, isSourceFailure, type SourceFailure } from '../failure.ts'
import type { Credentials } from './credentials.ts'
import { type Consumer, exchange, type Fault, isFault, type Reply, type ReplyHeaders } from './exchange.ts'
import { impersonationFault, impersonationHeaders } from './impersonation-headers.ts'
import type { Cluster, Impersonate } from './kubeconfig/model.ts'
import type { Environment } from './kubeconfig/target.ts'
import { readPfHeaders } from './pf-headers.ts'
import { type ProxyServer, proxyFor } from './proxy.ts'
import { type ServerUrl, serverUrl } from './server-url.ts'
import { oneNameOf, tlsOptions } from './tls.ts'
import { proxyHeaders, TunnelAgent } from './tunnel.ts'

export interface Client {
  server: ServerUrl
  /** Whom our requests impersonate unless they say otherwise. */
  impersonate: Impersonate
  /** The kubeconfig or a flag names the authority for the server's certificate; else those of the system count. */
  hasOwnAuthority: boolean
  /**
   * Sends a request. Anything but GET is refused: that is a broken promise of our own code and throws.
   * @param path  from the root of the server, with its query
   */
  send(method: 'GET', path: string, options?: SendOptions): Promise<Reply | Fault>
  /** Times that the server asked us to wait, so far. */
  throttled: readonly Throttling[]
  /** Milliseconds that are left to the command; null: no limit. */
  remainingMs(): number | null
  close(): void
}

export interface SendOptions {
  accept?: string
  impersonate?: Impersonate
  /** Ends the connection at the headers where it says yes to them; without it the body is read. */
  enough?(headers: ReplyHeaders): boolean
  /** Gives a 429 back as the answer that it is. */
  takeThrottling?: boolean
  /** Takes the body of a 200 as it comes; that of the reply is '' then. A second attempt begins anew. */
  consume?: Consumer
}

/** How one more server is spoken to. */
export interface ClientOptions {
  /** The certificate must be for one of these; without, for the host of the URL or the name of the kubeconfig. */
  names?: readonly string[]
  /** Milliseconds for connecting. */
  connectMs?: number
  /** 1: all requests share one connection, behind a load balancer one server. */
  maxConnections?: number
  /** Milliseconds beyond those that are left to the command, for waiting on purpose. */
  extraMs?: number
}

/** A 429 to one of our own requests. */
export interface Throttling {
  path: string
  /** As the server asked; null: it did not say, and we did not ask again. */
  waitedSeconds: number | null
  /** From the headers of the 429; null: it had none, so that another limiter than APF wrote it. */
  priorityLevelUID: string | null
}

export interface Limits {
  /** Milliseconds of one request; null: no limit. */
  requestMs: number | null
  /** Milliseconds of the whole command; null: no limit. */
  commandMs: number | null
}

export const DEFAULT_LIMITS: Limits = { requestMs: 10_000, commandMs: 30_000 }

export interface ClientEnvironment {
  env: Environment
  limits: Limits
  userAgent: string
  /** Takes one line for every request: method, URL, status, milliseconds. */
  log: ((line: string) => void) | null
  /** Waits; tests replace it. */
  sleep(ms: number): Promise<void>
}

const MAX_BODY_BYTES = 64 << 20
const MAX_CONNECTIONS = 4
/** How often we ask again after a 429. */
const MAX_ATTEMPTS = 4

export function createClient(
  cluster: Cluster,
  credentials: Credentials,
  impersonate: Impersonate,
  environment: ClientEnvironment,
  options: ClientOptions = {},
): Client | SourceFailure {
  const server = serverUrl(cluster)
  if (isSourceFailure(server)) return server
  const proxy = proxyFor(server, cluster.proxyUrl, environment.env)
  if (proxy !== null && isSourceFailure(proxy)) return proxy
  const tls = server.secure ? tlsOptions(cluster, credentials, environment.env) : {}
  if (isSourceFailure(tls)) return tls
  const unsendable = impersonationFault(impersonate)
  if (unsendable !== null) {
    return invalidInput(
      'the identity to impersonate cannot be sent',
      unsendable,
      'correct as: of the kubeconfig user, or --connect-as',
    )
  }

  const checked = options.names === undefined ? tls : { ...tls, ...oneNameOf(options.names) }
  const route = routeTo(server, proxy, checked, options.maxConnections ?? MAX_CONNECTIONS)
  const deadline = environment.limits.commandMs === null ? null : Date.now() + environment.limits.commandMs
  const remainingMs = () => (deadline === null ? null : Math.max(0, deadline - Date.now()))
  const throttled: Throttling[] = []

  const once = async (path: string, send: SendOptions): Promise<Reply | Fault> => {
    const remaining = remainingMs()
    if (remaining === 0) return { fault: 'command-timeout', detail: `${environment.limits.commandMs} ms` }
    const started = performance.now()
    const timeoutMs = least(environment.limits.requestMs, remaining)
    const result = await exchange({
      secure: route.secure,
      request: {
        agent: route.agent,
        host: route.host,
        port: route.port,
        method: 'GET',
        path: route.pathOf(path),
        headers: {
          host: route.hostHeader,
          'user-agent': environment.userAgent,
          accept: send.accept ?? 'application/json',
          'accept-encoding': 'gzip',
          ...route.headers,
          ...authorization(credentials),
          ...impersonationHeaders(send.impersonate ?? impersonate),
        },
      },
      timeoutMs,
      maxBodyBytes: MAX_BODY_BYTES,
      enough: send.enough ?? (() => false),
      connectMs: options.connectMs ?? null,
      consume: send.consume,
    })
    if (!isFault(result) && result.status >= 300) result.body = withoutSecrets(result.body, credentials)
    const outcome = isFault(result) ? `${result.fault} (${result.detail})` : result.status
    environment.log?.(`GET ${server.text}${path} ${outcome} in ${Math.round(performance.now() - started)} ms`)
    const byCommand = isFault(result) && result.fault === 'timeout' && timeoutMs === remaining
    return byCommand ? { fault: 'command-timeout', detail: `${environment.limits.commandMs} ms` } : result
  }

  return {
    server,
    impersonate,
    hasOwnAuthority: credentials.certificateAuthority !== null,
    throttled,
    remainingMs,
    async send(method, path, send = {}) {
      if (method !== 'GET') throw new TypeError(`only GET is ever sent, never ${String(method)}`)
      const askedAgain = { times: 0, waitedSeconds: 0 }
      for (let attempt = 1; ; attempt++) {
        const result = await once(path, send)
        if (isFault(result) || result.status !== 429 || send.takeThrottling) return result
        const wait = retryAfterSeconds(result)
        const remaining = remainingMs()
        const again = wait !== null && attempt < MAX_ATTEMPTS && (remaining === null || wait * 1000 < remaining)
        const { priorityLevelUID } = readPfHeaders(result.headers)
        throttled.push({ path, waitedSeconds: again ? wait : null, priorityLevelUID })
        if (!again) return { ...result, askedAgain }
        askedAgain.times++
        askedAgain.waitedSeconds += wait
        await environment.sleep(wait * 1000)
      }
    },
    close: () => route.agent.destroy(),
  }
}

interface Route {
  secure: boolean
  agent: HttpAgent | HttpsAgent
  host: string
  port: number
  hostHeader: string
  headers: Record<string, string>
  pathOf(path: string): string
}

/** Straight to the server, through a tunnel, or, for a server without TLS, by asking the proxy for the whole URL. */
function routeTo(server: ServerUrl, proxy: ProxyServer | null, tls: ConnectionOptions, maxSockets: number): Route {
  const pooling = { keepAlive: true, maxSockets }
  const { host, port, prefix, secure } = server
  const hostHeader = new URL(server.text).host
  if (secure) {
    const agent = proxy === null ? new HttpsAgent({ ...pooling, ...tls }) : new TunnelAgent(proxy, pooling, tls)
    return { secure, agent, host, port, hostHeader, headers: {}, pathOf: (path) => prefix + path }
  }
  if (proxy === null) {
    const agent = new HttpAgent(pooling)
    return { secure, agent, host, port, hostHeader, headers: {}, pathOf: (path) => prefix + path }
  }
  return {
    secure: proxy.secure,
    agent: proxy.secure ? new HttpsAgent(pooling) : new HttpAgent(pooling),
    host: proxy.host,
    port: proxy.port,
    hostHeader,
    headers: proxyHeaders(proxy),
    pathOf: (path) => server.text + path,
  }
}

function authorization({ token, basic }: Credentials): Record<string, string> {
  if (token !== '') return { authorization: `Bearer ${token}` }
  return basic === '' ? {} : { authorization: `Basic ${Buffer.from(basic).toString('base64')}` }
}

/** Servers and proxies that refuse a request may repeat its headers, and their words are shown. */
function withoutSecrets(text: string, { token, basic }: Credentials): string {
  const secrets = [token, basic === '' ? '' : Buffer.from(basic).toString('base64')]
  return secrets.filter((secret) => secret !== '').reduce((rest, secret) => rest.replaceAll(secret, '…'), text)
}

/** Whole seconds; null where the header is absent or a date, which API servers do not send. */
function retryAfterSeconds({ headers }: Reply): number | null {
  const [value = ''] = headers.values('retry-after')
  return /^\d{1,6}$/.test(value) ? Number(value) : null
}

function least(a: number | null, b: number | null): number | null {
  if (a === null) return b
  return b === null ? a : Math.min(a, b)
}
