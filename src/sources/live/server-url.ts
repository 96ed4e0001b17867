/** The base of all URLs of one API server. */
import { invalidInput, type SourceFailure } from '../failure.ts'
import type { Cluster } from './kubeconfig/model.ts'

export interface ServerUrl {
  secure: boolean
  /** Without the brackets of an IPv6 address. */
  host: string
  port: number
  /** What stands before every path, as behind Rancher: `/k8s/clusters/c-1`; '' without. */
  prefix: string
  /** For people and logs: no user, no password. */
  text: string
}

/** Reads `server:` of a cluster. As with kubectl a missing scheme is https where the cluster says anything of TLS. */
export function serverUrl(cluster: Cluster): ServerUrl | SourceFailure {
  const { server } = cluster
  const saysTls =
    cluster.insecureSkipTlsVerify || cluster.certificateAuthority !== '' || cluster.certificateAuthorityData !== ''
  const full = /^[a-z][a-z0-9+.-]*:\/\//i.test(server) ? server : `${saysTls ? 'https' : 'http'}://${server}`
  const url = URL.canParse(full) ? new URL(full) : null
  if (url === null || url.hostname === '' || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    const why = server === '' ? 'the cluster entry has no server' : 'it is not an http or https URL'
    return invalidInput(
      'the address of the API server cannot be used',
      why,
      'correct server: of the cluster, or give --server URL',
    )
  }
  const secure = url.protocol === 'https:'
  const prefix = url.pathname.replace(/\/+$/, '')
  return {
    secure,
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? (secure ? 443 : 80) : Number(url.port),
    prefix,
    text: `${url.protocol}//${url.host}${prefix}`,
  }
}
