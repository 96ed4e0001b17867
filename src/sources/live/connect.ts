/** From flags and kubeconfig to a client that may speak to the server. */
import { homedir } from 'node:os'
import { isatty } from 'node:tty'
import { invalidInput, isSourceFailure, type SourceFailure } from '../failure.ts'
import { type Client, type ClientOptions, createClient, DEFAULT_LIMITS, type Limits } from './client.ts'
import { type Credentials, credentialsOf } from './credentials.ts'
import { parseDuration } from './duration.ts'
import {
  type ConnectionFlags,
  type Environment,
  resolveTarget,
  SERVICE_ACCOUNT_FOLDER,
  type Target,
} from './kubeconfig/target.ts'
import { serverUrl } from './server-url.ts'

export interface ConnectOptions {
  flags: ConnectionFlags
  /** `--request-timeout` as given; '' without. */
  requestTimeout: string
  surroundings: Surroundings
}

/** What a connection takes from the process. */
export interface Surroundings {
  env: Environment
  home: string
  serviceAccountFolder: string
  stdinIsTerminal: boolean
  /** Standard input is read by the command itself. */
  stdinTaken: boolean
  /** Where credential plugins write their messages. */
  stderr: 'inherit' | number
  userAgent: string
  /** Takes a line for every request, for `-v`; null without. */
  log: ((line: string) => void) | null
  sleep(ms: number): Promise<void>
}

export interface Connection {
  client: Client
  target: Target
  credentials: Credentials
  /**
   * One more client with the same credentials and what is left of the time.
   * @param server  URL; null: that of the target, over connections of its own
   */
  another(server: string | null, options: ClientOptions): Client | SourceFailure
}

const PLUGIN_TIMEOUT_MS = 30_000
/** Somebody may have to find a phone. */
const INTERACTIVE_PLUGIN_TIMEOUT_MS = 300_000

export function processSurroundings(env: Environment, userAgent: string): Surroundings {
  return {
    env,
    home: env['HOME'] || homedir(),
    serviceAccountFolder: SERVICE_ACCOUNT_FOLDER,
    stdinIsTerminal: isatty(0),
    stdinTaken: false,
    stderr: 'inherit',
    userAgent,
    log: null,
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  }
}

/** Nothing is sent yet, but a credential plugin may run. */
export async function connect({
  flags,
  requestTimeout,
  surroundings,
}: ConnectOptions): Promise<Connection | SourceFailure> {
  const limits = limitsOf(requestTimeout)
  if (limits === null) {
    return invalidInput(
      `--request-timeout ${requestTimeout} is no duration`,
      '',
      'write it as 30s or 1m30s; 0 is no limit',
    )
  }
  const target = resolveTarget(flags, surroundings)
  if (isSourceFailure(target)) return target
  const server = serverUrl(target.cluster)
  if (isSourceFailure(server)) return server
  const credentials = await credentialsOf(target, server.secure, {
    ...surroundings,
    timeoutMs: PLUGIN_TIMEOUT_MS,
    interactiveTimeoutMs: INTERACTIVE_PLUGIN_TIMEOUT_MS,
  })
  if (isSourceFailure(credentials)) return credentials
  const { cluster, user } = target
  const client = createClient(cluster, credentials, user.impersonate, { ...surroundings, limits })
  if (isSourceFailure(client)) return client
  return {
    client,
    target,
    credentials,
    another(server, options) {
      const remaining = client.remainingMs()
      const left = { ...limits, commandMs: remaining === null ? null : remaining + (options.extraMs ?? 0) }
      const other = server === null ? cluster : { ...cluster, server }
      return createClient(other, credentials, user.impersonate, { ...surroundings, limits: left }, options)
    },
  }
}

/** A longer time for one request makes the command's longer too; null: not a duration. */
function limitsOf(requestTimeout: string): Limits | null {
  if (requestTimeout === '') return DEFAULT_LIMITS
  const requestMs = parseDuration(requestTimeout)
  if (requestMs === null) return null
  if (requestMs === 0) return { requestMs: null, commandMs: null }
  return { requestMs, commandMs: Math.max(DEFAULT_LIMITS.commandMs ?? 0, 3 * requestMs) }
}
