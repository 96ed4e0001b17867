/**
 * Whether a proxy stands between us and the server: `proxy-url` of the cluster, or the environment's.
 * Source: golang.org/x/net/http/httpproxy
 */
import { BlockList, isIP } from 'node:net'
import { invalidInput, type SourceFailure } from '../failure.ts'
import type { Environment } from './kubeconfig/target.ts'
import type { ServerUrl } from './server-url.ts'

export interface ProxyServer {
  secure: boolean
  host: string
  port: number
  /** Value of Proxy-Authorization; '' without. */
  authorization: string
  /** For people: no user, no password. */
  text: string
}

/** The proxy for a server, null for none. `proxy-url` counts for every server, also for those that NO_PROXY names. */
export function proxyFor(server: ServerUrl, proxyUrl: string, env: Environment): ProxyServer | null | SourceFailure {
  if (proxyUrl !== '') return readProxy(proxyUrl, 'proxy-url of the cluster')
  const variable = server.secure ? 'HTTPS_PROXY' : 'HTTP_PROXY'
  const address = anyCase(env, variable)
  if (address === '' || isLoopback(server.host) || isExcepted(server, anyCase(env, 'NO_PROXY'))) return null
  return readProxy(address, variable)
}

function anyCase(env: Environment, name: string): string {
  return env[name] || env[name.toLowerCase()] || ''
}

function readProxy(address: string, origin: string): ProxyServer | SourceFailure {
  const full = /^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? address : `http://${address}`
  const url = URL.canParse(full) ? new URL(full) : null
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    const why = url?.protocol.startsWith('socks') ? 'SOCKS proxies are not supported' : 'it is not an http or https URL'
    return invalidInput(`the proxy of ${origin} cannot be used`, why, `correct ${origin}`)
  }
  const secure = url.protocol === 'https:'
  const user = unescaped(url.username)
  const password = unescaped(url.password)
  if (user === null || password === null) {
    const why = 'user and password are not well escaped: % is written %25, and @ %40'
    return invalidInput(`the proxy of ${origin} cannot be used`, why, `correct ${origin}`)
  }
  return {
    secure,
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? (secure ? 443 : 80) : Number(url.port),
    authorization: user === '' ? '' : `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
    text: `${url.protocol}//${url.host}`,
  }
}

/** Null for a percent sign that begins no escape. */
function unescaped(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}

/** NO_PROXY: `*`, names with their subdomains, `.name` for subdomains alone, addresses, CIDR ranges; each with `:port`. */
function isExcepted({ host, port }: ServerUrl, exceptions: string): boolean {
  return exceptions.split(',').some((entry) => {
    const exception = entry.trim().toLowerCase()
    if (exception === '') return false
    if (exception === '*') return true
    if (exception.includes('/')) return inRange(host, exception)
    const { name, onlyPort } = splitPort(exception)
    if (onlyPort !== null && onlyPort !== port) return false
    if (isIP(name) !== 0) return name === host
    const domain = name.replace(/^\*\./, '.')
    return domain.startsWith('.') ? host.endsWith(domain) : host === domain || host.endsWith(`.${domain}`)
  })
}

function splitPort(exception: string): { name: string; onlyPort: number | null } {
  const withPort = isIP(exception) === 6 ? null : /^(.*):(\d+)$/.exec(exception)
  const name = (withPort?.[1] ?? exception).replace(/^\[(.*)\]$/, '$1')
  return { name, onlyPort: withPort ? Number(withPort[2]) : null }
}

function inRange(host: string, range: string): boolean {
  const [network = '', bits = ''] = range.split('/')
  const family = isIP(network)
  if (family === 0 || isIP(host) !== family || !/^\d{1,3}$/.test(bits) || Number(bits) > (family === 4 ? 32 : 128))
    return false
  const type = family === 4 ? 'ipv4' : 'ipv6'
  const list = new BlockList()
  list.addSubnet(network, Number(bits), type)
  return list.check(host, type)
}
