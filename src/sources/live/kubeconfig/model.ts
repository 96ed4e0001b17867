/**
 * A kubeconfig as kubectl holds it after decoding: paths are absolute, absent strings are '', absent lists are empty.
 * Source: kubernetes/client-go tools/clientcmd/api/v1/types.go
 */

export interface Kubeconfig {
  /** '' without one. */
  currentContext: string
  clusters: ReadonlyMap<string, Cluster>
  users: ReadonlyMap<string, User>
  contexts: ReadonlyMap<string, Context>
  /** Files that were read, in the order in which they count. */
  files: readonly string[]
}

export interface Cluster {
  server: string
  certificateAuthority: string
  /** Base64 of PEM; beats the file. */
  certificateAuthorityData: string
  insecureSkipTlsVerify: boolean
  tlsServerName: string
  proxyUrl: string
  /** What the extension `client.authentication.k8s.io/exec` holds for exec plugins; undefined without it. */
  execConfig: unknown
}

export interface Context {
  cluster: string
  user: string
  namespace: string
}

export interface User {
  clientCertificate: string
  clientCertificateData: string
  clientKey: string
  clientKeyData: string
  token: string
  /** Beats `token` when both are given. */
  tokenFile: string
  username: string
  password: string
  impersonate: Impersonate
  /** Name of a legacy auth provider; '' without. */
  authProvider: string
  exec: ExecPlugin | null
}

export interface Impersonate {
  user: string
  uid: string
  groups: readonly string[]
  extra: Readonly<Record<string, readonly string[]>>
}

export interface ExecPlugin {
  command: string
  args: readonly string[]
  env: readonly { name: string; value: string }[]
  apiVersion: string
  provideClusterInfo: boolean
  /** `Never`, `IfAvailable` or `Always`; '' if not said. */
  interactiveMode: string
  installHint: string
}

export const NOBODY: Impersonate = { user: '', uid: '', groups: [], extra: {} }

export const NO_CREDENTIALS: User = {
  clientCertificate: '',
  clientCertificateData: '',
  clientKey: '',
  clientKeyData: '',
  token: '',
  tokenFile: '',
  username: '',
  password: '',
  impersonate: NOBODY,
  authProvider: '',
  exec: null,
}

export const NO_CLUSTER: Cluster = {
  server: '',
  certificateAuthority: '',
  certificateAuthorityData: '',
  insecureSkipTlsVerify: false,
  tlsServerName: '',
  proxyUrl: '',
  execConfig: undefined,
}
