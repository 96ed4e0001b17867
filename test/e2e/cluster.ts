/**
 * A real kube-apiserver on an etcd of its own, on loopback: everything of APF, RBAC, impersonation and the audit log; no
 * controllers and no nodes.
 */
import { generateKeyPairSync } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Authority, createAuthority, type Wanted } from '../sources/live/certificates.ts'
import { type Run, run } from '../support/cli.ts'
import { repositoryRoot } from '../support/go-programs.ts'
import type { Programs } from './build.ts'
import { freePort, Program } from './program.ts'
import { tokenFile, tokenOf } from './users.ts'

const TESTDATA = join(repositoryRoot(), 'test', 'e2e', 'testdata')

const START_MS = 120_000

const AUDIT_POLICY = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules: [{level: Metadata}]
`

/** As in a kubeconfig; names of members as there. */
export interface KubeconfigParts {
  /** Members of the user; the token of `admin` unless given. */
  user?: object
  /** More members of the cluster, or others. */
  cluster?: object
  /** More members of the context, such as `namespace`. */
  context?: object
}

/** Whom the audit log names for a request. */
export interface AuditEvent {
  auditID: string
  requestURI: string
  verb: string
  user: AuditUser
  impersonatedUser?: AuditUser
  responseStatus?: { code: number }
}

export interface AuditUser {
  username?: string
  groups?: string[]
}

/** One kube-apiserver process. */
export interface ApiServer {
  port: number
  url: string
  /** The authority that has signed its certificate, PEM. */
  ca: string
  program: Program
  auditLog: string
}

export interface ClusterOptions {
  /** More flags of kube-apiserver. */
  flags?: readonly string[]
}

/** Starts etcd and one API server, with users and namespaces of testdata/rbac.yaml. Takes 5 to 10 seconds. */
export async function startCluster(programs: Programs, { flags = [] }: ClusterOptions = {}): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), 'kubectl-apf-e2e-'))
  const etcdPort = await freePort()
  const etcdUrl = `http://127.0.0.1:${etcdPort}`
  const etcd = new Program(programs.etcd, etcdFlags(folder, etcdUrl), join(folder, 'etcd.log'))
  const cluster = new Cluster(programs, folder, etcd, etcdUrl)
  try {
    await cluster.addServer(flags)
    await cluster.create(readFileSync(join(TESTDATA, 'rbac.yaml'), 'utf8'))
  } catch (error) {
    await cluster.stop()
    throw error
  }
  return cluster
}

function etcdFlags(folder: string, url: string): string[] {
  return [
    `--data-dir=${join(folder, 'etcd')}`,
    `--listen-client-urls=${url}`,
    `--advertise-client-urls=${url}`,
    '--listen-peer-urls=http://127.0.0.1:0',
    '--log-level=error',
    '--unsafe-no-fsync',
  ]
}

export class Cluster {
  readonly folder: string
  readonly servers: ApiServer[] = []
  /** Signs servers and client certificates. */
  readonly authority: Authority = createAuthority('kubectl-apf e2e')
  readonly #programs: Programs
  readonly #etcd: Program
  readonly #etcdUrl: string
  #kubeconfigs = 0

  constructor(programs: Programs, folder: string, etcd: Program, etcdUrl: string) {
    this.#programs = programs
    this.folder = folder
    this.#etcd = etcd
    this.#etcdUrl = etcdUrl
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    this.#write('ca.crt', this.authority.certificate)
    this.#write('sa.key', privateKey.export({ format: 'pem', type: 'sec1' }).toString())
    this.#write('sa.pub', publicKey.export({ format: 'pem', type: 'spki' }).toString())
    this.#write('tokens.csv', tokenFile())
    this.#write('audit-policy.yaml', AUDIT_POLICY)
    mkdirSync(join(folder, 'home'))
  }

  /** The first API server. */
  get server(): ApiServer {
    const [first] = this.servers
    if (!first) throw new Error('no API server has been started')
    return first
  }

  /** The home of the programs that tests run: nothing of the machine's user is read or written. */
  get env(): Record<string, string> {
    return { HOME: join(this.folder, 'home'), TMPDIR: this.folder }
  }

  /** Starts another API server on the same etcd. */
  async addServer(flags: readonly string[] = []): Promise<ApiServer> {
    const port = await freePort()
    const name = `server-${this.servers.length}`
    const { certificate, key } = this.authority.issue({ commonName: name, names: ['127.0.0.1', 'localhost'] })
    this.#write(`${name}.crt`, certificate)
    this.#write(`${name}.key`, key)
    const auditLog = join(this.folder, `${name}.audit`)
    const program = new Program(
      this.#programs.kubeApiserver,
      [...this.#serverFlags(name, port, auditLog), ...flags],
      join(this.folder, `${name}.log`),
    )
    const server: ApiServer = {
      port,
      url: `https://127.0.0.1:${port}`,
      ca: this.authority.certificate,
      program,
      auditLog,
    }
    this.servers.push(server)
    await program.until(() => isReady(server), START_MS)
    return server
  }

  #serverFlags(name: string, port: number, auditLog: string): string[] {
    const file = (path: string): string => join(this.folder, path)
    return [
      `--etcd-servers=${this.#etcdUrl}`,
      `--secure-port=${port}`,
      '--bind-address=127.0.0.1',
      '--advertise-address=127.0.0.1',
      '--endpoint-reconciler-type=none',
      '--service-cluster-ip-range=10.0.0.0/24',
      `--cert-dir=${file(`${name}.certs`)}`,
      `--tls-cert-file=${file(`${name}.crt`)}`,
      `--tls-private-key-file=${file(`${name}.key`)}`,
      `--client-ca-file=${file('ca.crt')}`,
      `--token-auth-file=${file('tokens.csv')}`,
      '--authorization-mode=RBAC',
      '--service-account-issuer=https://e2e.example',
      `--service-account-key-file=${file('sa.pub')}`,
      `--service-account-signing-key-file=${file('sa.key')}`,
      `--audit-policy-file=${file('audit-policy.yaml')}`,
      `--audit-log-path=${auditLog}`,
    ]
  }

  /** Writes a kubeconfig with one context and returns its path. */
  kubeconfig({ user, cluster, context }: KubeconfigParts = {}): string {
    return this.#write(
      `kubeconfig-${this.#kubeconfigs++}.json`,
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Config',
        clusters: [
          {
            name: 'e2e',
            cluster: { server: this.server.url, 'certificate-authority': this.file('ca.crt'), ...cluster },
          },
        ],
        users: [{ name: 'e2e', user: user ?? { token: tokenOf('admin') } }],
        contexts: [{ name: 'e2e', context: { cluster: 'e2e', user: 'e2e', ...context } }],
        'current-context': 'e2e',
      }),
    )
  }

  /** A kubeconfig user who shows a certificate, by default a valid one. */
  certified(wanted: Wanted): object {
    const { certificate, key } = this.authority.issue(wanted)
    const base64 = (text: string): string => Buffer.from(text).toString('base64')
    return { 'client-certificate-data': base64(certificate), 'client-key-data': base64(key) }
  }

  /** The path of a file in the cluster's folder. */
  file(name: string): string {
    return join(this.folder, name)
  }

  #write(name: string, text: string): string {
    writeFileSync(this.file(name), text, { mode: 0o600 })
    return this.file(name)
  }

  /** Runs kubectl as admin, or by the kubeconfig given. */
  kubectl(args: readonly string[], { stdin = '', kubeconfig = this.kubeconfig(), env: more = {} } = {}): Promise<Run> {
    const env = { ...this.env, KUBECONFIG: kubeconfig, ...more }
    return run(this.#programs.kubectl, args, { cwd: this.folder, stdin, env })
  }

  /**
   * Creates objects and waits until APF has taken them up.
   *
   * @param manifests  YAML or the objects themselves
   */
  async create(manifests: string | readonly object[]): Promise<void> {
    const stdin =
      typeof manifests === 'string' ? manifests : JSON.stringify({ apiVersion: 'v1', kind: 'List', items: manifests })
    const { code, stderr } = await this.kubectl(['create', '--validate=false', '-f', '-'], { stdin })
    if (code !== 0) throw new Error(stderr)
    await this.settled()
  }

  /** Waits until every FlowSchema has been taken up, which its condition tells. */
  async settled(): Promise<void> {
    await this.server.program.until(async () => {
      const schemas = await this.list<{ status?: { conditions?: unknown[] } }>('flowschemas')
      return schemas.every(({ status }) => (status?.conditions ?? []).length > 0)
    }, START_MS)
  }

  /** All objects of a cluster-scoped kind. */
  async list<T = unknown>(resource: string): Promise<T[]> {
    const { stdout, stderr } = await this.kubectl(['get', resource, '-o', 'json'])
    if (stdout === '') throw new Error(stderr)
    return JSON.parse(stdout).items
  }

  /** What the audit logs tell of these requests, waited for; absent where a request did not come so far. */
  async audited(auditIDs: readonly string[], patienceMs = 10_000): Promise<Map<string, AuditEvent>> {
    const deadline = Date.now() + patienceMs
    for (;;) {
      const events = new Map(this.#auditEvents().map((event) => [event.auditID, event]))
      if (auditIDs.every((id) => events.has(id)) || Date.now() > deadline) return events
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
  }

  #auditEvents(): AuditEvent[] {
    return this.servers.flatMap(({ auditLog }) => {
      const text = existsSync(auditLog) ? readFileSync(auditLog, 'utf8') : ''
      // The last line may still be being written.
      const lines = text.slice(0, text.lastIndexOf('\n') + 1).split('\n')
      return lines.filter((line) => line !== '').map((line): AuditEvent => JSON.parse(line))
    })
  }

  /** Ends all programs and removes the folder. */
  async stop(): Promise<void> {
    await Promise.all([this.#etcd, ...this.servers.map(({ program }) => program)].map((program) => program.stop()))
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

function isReady({ port, ca }: ApiServer): Promise<boolean> {
  return new Promise((resolve) => {
    const headers = { authorization: `Bearer ${tokenOf('admin')}` }
    const asked = request({ host: '127.0.0.1', port, path: '/readyz', ca, headers, timeout: 5000 }, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    asked.on('timeout', () => asked.destroy())
    asked.on('error', () => resolve(false))
    asked.end()
  })
}
