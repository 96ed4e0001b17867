/** From kubectl's connection flags to a connection. Loaded only where a live cluster is asked. */
import packageJson from '../../package.json' with { type: 'json' }
import { type ConnectOptions, processSurroundings } from '../sources/live/connect.ts'
import { type Impersonate, NOBODY } from '../sources/live/kubeconfig/model.ts'
import { usageError } from './errors.ts'
import type { Io } from './io.ts'
import { printNotes } from './messages.ts'

export interface ConnectionFlagValues {
  kubeconfig?: string | undefined
  context?: string | undefined
  cluster?: string | undefined
  user?: string | undefined
  server?: string | undefined
  token?: string | undefined
  'client-certificate'?: string | undefined
  'client-key'?: string | undefined
  'certificate-authority'?: string | undefined
  /** Undefined: as the kubeconfig says. */
  'insecure-skip-tls-verify': boolean | undefined
  'tls-server-name'?: string | undefined
  'request-timeout'?: string | undefined
  'connect-as'?: string | undefined
  'connect-as-group'?: string[] | undefined
  /** Of the request in question; it is the connection's as well. */
  namespace?: string | undefined
  verbose: boolean
}

export interface ConnectionPurpose {
  /** Whom --as and its companions name for our own requests, in commands where they do; null elsewhere. */
  impersonation: ImpersonationFlagValues | null
  /** The command itself reads standard input. */
  readsStdin: boolean
}

export interface ImpersonationFlagValues {
  as?: string | undefined
  'as-group'?: string[] | undefined
  'as-uid'?: string | undefined
}

export function connectOptions(flags: ConnectionFlagValues, purpose: ConnectionPurpose, io: Io): ConnectOptions {
  const { version } = packageJson
  return {
    flags: {
      kubeconfig: flags.kubeconfig ?? '',
      context: flags.context ?? '',
      cluster: flags.cluster ?? '',
      user: flags.user ?? '',
      server: flags.server ?? '',
      token: flags.token ?? '',
      clientCertificate: flags['client-certificate'] ?? '',
      clientKey: flags['client-key'] ?? '',
      certificateAuthority: flags['certificate-authority'] ?? '',
      insecureSkipTlsVerify: flags['insecure-skip-tls-verify'] ?? null,
      tlsServerName: flags['tls-server-name'] ?? '',
      namespace: flags.namespace ?? '',
      connectAs: ourImpersonation(flags, purpose.impersonation ?? {}),
    },
    requestTimeout: flags['request-timeout'] ?? '',
    surroundings: {
      ...processSurroundings(io.env, `kubectl-apf/${version} (${process.platform}/${process.arch})`),
      stdinTaken: purpose.readsStdin,
      log: flags.verbose ? (line) => printNotes([line], false, io) : null,
    },
  }
}

/** Null: as the kubeconfig says. */
function ourImpersonation(flags: ConnectionFlagValues, kubectls: ImpersonationFlagValues): Impersonate | null {
  const connect = { user: flags['connect-as'], groups: flags['connect-as-group'], uid: undefined }
  const own = { user: kubectls.as, groups: kubectls['as-group'], uid: kubectls['as-uid'] }
  if (isGiven(connect) && isGiven(own)) {
    throw usageError('--as with --connect-as', 'both say whom our own requests impersonate', 'give one of them')
  }
  const { user = '', groups = [], uid = '' } = isGiven(own) ? own : connect
  if (user !== '') return { ...NOBODY, user, groups, uid }
  if (!isGiven(own) && !isGiven(connect)) return null
  const next = isGiven(own) ? 'add --as=USER' : 'add --connect-as=USER'
  throw usageError('a group or UID to impersonate without a user', undefined, next)
}

function isGiven(given: Record<'user' | 'groups' | 'uid', unknown>): boolean {
  return Object.values(given).some((value) => value !== undefined)
}
