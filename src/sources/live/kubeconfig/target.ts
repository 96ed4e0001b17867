/**
 * Which cluster, which user and which namespace a command means, by kubeconfig, flags and the pod it may run in.
 * Source: kubernetes/client-go tools/clientcmd/client_config.go and merged_client_builder.go
 */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { minorText, NEWEST_MINOR } from '../../../apf/versions.ts'
import { invalidInput, isSourceFailure, type SourceFailure, unanswered } from '../../failure.ts'
import { loadKubeconfig } from './load.ts'
import {
  type Cluster,
  type Context,
  type Impersonate,
  type Kubeconfig,
  NO_CLUSTER,
  NO_CREDENTIALS,
  type User,
} from './model.ts'

/** kubectl's connection flags under their own names; '' where a flag is not given. */
export interface ConnectionFlags {
  kubeconfig: string
  context: string
  cluster: string
  user: string
  server: string
  token: string
  clientCertificate: string
  clientKey: string
  certificateAuthority: string
  /** Null: not given. */
  insecureSkipTlsVerify: boolean | null
  tlsServerName: string
  namespace: string
  /** `--connect-as` and its like: whom our own requests impersonate instead of the kubeconfig's `as`. */
  connectAs: Impersonate | null
}

export const NO_FLAGS: ConnectionFlags = {
  kubeconfig: '',
  context: '',
  cluster: '',
  user: '',
  server: '',
  token: '',
  clientCertificate: '',
  clientKey: '',
  certificateAuthority: '',
  insecureSkipTlsVerify: null,
  tlsServerName: '',
  namespace: '',
  connectAs: null,
}

export type Environment = Readonly<Record<string, string | undefined>>

export interface TargetEnvironment {
  env: Environment
  home: string
  /** Folder of the ServiceAccount's files in a pod. */
  serviceAccountFolder: string
}

export interface Target {
  /** '' where no context is involved. */
  context: string
  cluster: Cluster
  user: User
  namespace: { name: string; from: 'flag' | 'context' | 'pod' | 'default' }
  /** For a person: `context prod`, `the pod's ServiceAccount`, `--server`. */
  description: string
}

export const SERVICE_ACCOUNT_FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount'

export function resolveTarget(flags: ConnectionFlags, environment: TargetEnvironment): Target | SourceFailure {
  const kubeconfig = loadKubeconfig({
    explicitPath: flags.kubeconfig,
    listed: environment.env['KUBECONFIG'] ?? '',
    home: environment.home,
  })
  if (isSourceFailure(kubeconfig)) return kubeconfig
  const base = baseTarget(kubeconfig, flags, environment)
  if (isSourceFailure(base)) return base
  return {
    context: base.context,
    description: base.description,
    cluster: overriddenCluster(base.cluster, flags),
    user: overriddenUser(base.user, flags),
    namespace: namespaceOf(flags, base.namespace, environment),
  }
}

interface BaseTarget {
  context: string
  cluster: Cluster
  user: User
  namespace: string
  description: string
}

function baseTarget(
  kubeconfig: Kubeconfig,
  flags: ConnectionFlags,
  environment: TargetEnvironment,
): BaseTarget | SourceFailure {
  const contextName = flags.context || kubeconfig.currentContext
  const context = contextOf(kubeconfig, contextName, flags)
  if (isSourceFailure(context)) return context
  const clusterName = flags.cluster || context.cluster
  const userName = flags.user || context.user

  if (clusterName === '' && flags.server === '') {
    return podTarget(environment) ?? nowhereToGo(kubeconfig)
  }
  const cluster = clusterName === '' ? NO_CLUSTER : kubeconfig.clusters.get(clusterName)
  if (!cluster) return unknownEntry('cluster', clusterName, flags.cluster !== '', contextName, kubeconfig.clusters)
  const user = userName === '' ? NO_CREDENTIALS : kubeconfig.users.get(userName)
  if (!user) return unknownEntry('user', userName, flags.user !== '', contextName, kubeconfig.users)
  const description =
    contextName !== '' ? `context ${contextName}` : clusterName === '' ? '--server' : `cluster ${clusterName}`
  return { context: contextName, cluster, user, namespace: context.namespace, description }
}

const NO_CONTEXT: Context = { cluster: '', user: '', namespace: '' }

function contextOf(kubeconfig: Kubeconfig, name: string, flags: ConnectionFlags): Context | SourceFailure {
  if (name === '') return NO_CONTEXT
  const context = kubeconfig.contexts.get(name)
  if (context) return context
  const what = flags.context === '' ? `the current context ${name} is not defined` : `there is no context ${name}`
  return invalidInput(what, inFiles(kubeconfig, 'contexts'), hintOfNames('--context', kubeconfig.contexts))
}

function unknownEntry(
  kind: 'cluster' | 'user',
  name: string,
  fromFlag: boolean,
  contextName: string,
  known: ReadonlyMap<string, unknown>,
): SourceFailure {
  const what = fromFlag
    ? `there is no ${kind} ${name}`
    : `context ${contextName} names ${kind} ${name}, which is not defined`
  return invalidInput(what, 'no kubeconfig file has an entry of that name', hintOfNames(`--${kind}`, known))
}

function hintOfNames(flag: string, known: ReadonlyMap<string, unknown>): string {
  const names = [...known.keys()].sort()
  if (names.length === 0) return 'check --kubeconfig and KUBECONFIG'
  const shown = names.slice(0, 8)
  const more = names.length - shown.length
  return `choose one with ${flag}: ${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

function inFiles({ files }: Kubeconfig, entries: string): string {
  return files.length === 0 ? 'no kubeconfig file was found' : `${entries} were read from ${files.join(', ')}`
}

function nowhereToGo(kubeconfig: Kubeconfig): SourceFailure {
  const meanwhile = `answer from stock objects: --defaults ${minorText(NEWEST_MINOR)}`
  if (kubeconfig.files.length === 0) {
    const why = 'there is no kubeconfig file, no --server, and this is no pod'
    return unanswered('no cluster to ask', why, `name a file with --kubeconfig or KUBECONFIG, or ${meanwhile}`)
  }
  const hint =
    kubeconfig.contexts.size === 0 ? 'name a server with --server' : hintOfNames('--context', kubeconfig.contexts)
  return unanswered('no current context is set', inFiles(kubeconfig, 'contexts'), `${hint}, or ${meanwhile}`)
}

/** The API server of the cluster that this process runs in, or null outside of a pod. */
function podTarget({ env, serviceAccountFolder }: TargetEnvironment): BaseTarget | null {
  const host = env['KUBERNETES_SERVICE_HOST'] ?? ''
  const port = env['KUBERNETES_SERVICE_PORT'] ?? ''
  const tokenFile = resolve(serviceAccountFolder, 'token')
  if (host === '' || port === '' || readOptional(tokenFile) === null) return null
  const certificateAuthority = resolve(serviceAccountFolder, 'ca.crt')
  return {
    context: '',
    cluster: {
      ...NO_CLUSTER,
      server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
      certificateAuthority: readOptional(certificateAuthority) === null ? '' : certificateAuthority,
    },
    user: { ...NO_CREDENTIALS, tokenFile },
    namespace: '',
    description: "the pod's ServiceAccount",
  }
}

/** A server or a certificate authority given by flag drops what the kubeconfig says about verifying another one. */
function overriddenCluster(cluster: Cluster, flags: ConnectionFlags): Cluster {
  const result = { ...cluster }
  if (flags.server !== '') result.server = flags.server
  if (flags.server !== '' || flags.tlsServerName !== '') result.tlsServerName = flags.tlsServerName
  if (flags.certificateAuthority !== '') {
    result.certificateAuthority = resolve(flags.certificateAuthority)
    result.certificateAuthorityData = ''
    result.insecureSkipTlsVerify = false
  }
  if (flags.insecureSkipTlsVerify !== null) result.insecureSkipTlsVerify = flags.insecureSkipTlsVerify
  if (flags.insecureSkipTlsVerify === true && flags.certificateAuthority === '') {
    result.certificateAuthority = ''
    result.certificateAuthorityData = ''
  }
  return result
}

function overriddenUser(user: User, flags: ConnectionFlags): User {
  const result = { ...user }
  if (flags.token !== '') {
    result.token = flags.token
    result.tokenFile = ''
  }
  if (flags.clientCertificate !== '') {
    result.clientCertificate = resolve(flags.clientCertificate)
    result.clientCertificateData = ''
  }
  if (flags.clientKey !== '') {
    result.clientKey = resolve(flags.clientKey)
    result.clientKeyData = ''
  }
  if (flags.connectAs !== null) result.impersonate = flags.connectAs
  return result
}

function namespaceOf(flags: ConnectionFlags, ofContext: string, environment: TargetEnvironment): Target['namespace'] {
  if (flags.namespace !== '') return { name: flags.namespace, from: 'flag' }
  if (ofContext !== '') return { name: ofContext, from: 'context' }
  const ofPod = podTarget(environment) === null ? '' : podNamespace(environment)
  return ofPod === '' ? { name: 'default', from: 'default' } : { name: ofPod, from: 'pod' }
}

function podNamespace({ env, serviceAccountFolder }: TargetEnvironment): string {
  return env['POD_NAMESPACE'] || (readOptional(resolve(serviceAccountFolder, 'namespace')) ?? '').trim()
}

function readOptional(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}
