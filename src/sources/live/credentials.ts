/**
 * What a target needs to be spoken to: certificates and headers. All of it is secret, none of it is ever printed.
 * Source: kubernetes/client-go tools/clientcmd/client_config.go, transport/round_trippers.go
 */
import { readFileSync } from 'node:fs'
import { invalidInput, isSourceFailure, type SourceFailure } from '../failure.ts'
import { isSendable, type PluginEnvironment, runExecPlugin } from './exec-plugin.ts'
import type { Cluster, User } from './kubeconfig/model.ts'
import type { Target } from './kubeconfig/target.ts'

export interface Credentials {
  /** PEM of the authorities that vouch for the server; null: those of the system. */
  certificateAuthority: string | null
  /** PEM of the client's certificate and key; null without. */
  certificate: { certificate: string; key: string } | null
  /** Bearer token; '' without. */
  token: string
  /** `user:password`, for basic authentication; '' without. */
  basic: string
}

const NONE: Credentials = { certificateAuthority: null, certificate: null, token: '', basic: '' }

/** Gathers the credentials. As with kubectl, a server without TLS gets none. */
export async function credentialsOf(
  { cluster, user }: Target,
  secure: boolean,
  environment: PluginEnvironment,
): Promise<Credentials | SourceFailure> {
  if (!secure) return NONE
  const certificateAuthority = authorityOf(cluster)
  if (isSourceFailure(certificateAuthority)) return certificateAuthority
  const given = givenCredentials(user)
  if (isSourceFailure(given)) return given
  const credentials = { ...given, certificateAuthority: certificateAuthority.text || null }
  const hasOwn = given.token !== '' || given.basic !== '' || given.certificate !== null
  if (user.exec === null || hasOwn) return checkedToken(credentials)

  const fromPlugin = await runExecPlugin(user.exec, cluster, certificateAuthority.text, environment)
  if (isSourceFailure(fromPlugin)) return fromPlugin
  const { token, certificate, key } = fromPlugin
  return { ...credentials, token, certificate: certificate === '' ? null : { certificate, key } }
}

function givenCredentials(user: User): Credentials | SourceFailure {
  if (user.authProvider !== '') {
    return invalidInput(
      `the kubeconfig's auth provider ${user.authProvider} is not supported`,
      'auth-provider entries are the old way to get tokens, given up in favour of exec plugins',
      'use an exec plugin (users[].user.exec) or --token',
    )
  }
  const certificate = content('client certificate', user.clientCertificateData, user.clientCertificate)
  if (isSourceFailure(certificate)) return certificate
  const key = content('client key', user.clientKeyData, user.clientKey)
  if (isSourceFailure(key)) return key
  if ((certificate.text === '') !== (key.text === '')) {
    const missing = key.text === '' ? 'client-key' : 'client-certificate'
    return invalidInput(
      'the client certificate of the kubeconfig is incomplete',
      `${missing} is missing`,
      'complete the user entry',
    )
  }
  const fromFile = content('token file', '', user.tokenFile)
  if (isSourceFailure(fromFile) && user.token === '') return fromFile
  const token = isSourceFailure(fromFile) ? user.token : fromFile.text.trim() || user.token
  if (user.tokenFile !== '' && token === '') {
    return invalidInput(`the token file ${user.tokenFile} is empty`, '', 'log in again, or give --token or --user')
  }
  return {
    ...NONE,
    certificate: certificate.text === '' ? null : { certificate: certificate.text, key: key.text },
    token,
    basic: user.username === '' ? '' : `${user.username}:${user.password}`,
  }
}

function authorityOf(cluster: Cluster): { text: string } | SourceFailure {
  const { insecureSkipTlsVerify, certificateAuthorityData, certificateAuthority } = cluster
  if (insecureSkipTlsVerify && (certificateAuthorityData !== '' || certificateAuthority !== '')) {
    return invalidInput(
      'the cluster entry names a certificate authority and says not to verify',
      'insecure-skip-tls-verify and certificate-authority exclude each other',
      'remove one of them, or decide with --insecure-skip-tls-verify',
    )
  }
  return content('certificate authority', certificateAuthorityData, certificateAuthority)
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** Inline data, which is base64 and may be broken into lines, or else the content of a file. */
function content(what: string, data: string, file: string): { text: string } | SourceFailure {
  if (data !== '') {
    if (BASE64.test(data.replace(/[\r\n]/g, ''))) return { text: Buffer.from(data, 'base64').toString('utf8') }
    return invalidInput(
      `the ${what} of the kubeconfig cannot be read`,
      'its data is not base64',
      'correct the kubeconfig',
    )
  }
  if (file === '') return { text: '' }
  try {
    return { text: readFileSync(file, 'utf8') }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    const why =
      code === 'ENOENT' ? 'there is no such file' : code === 'EACCES' ? 'permission denied' : `reading failed (${code})`
    return invalidInput(`the ${what} ${file} cannot be read`, why, 'correct the path in the kubeconfig or flag')
  }
}

function checkedToken(credentials: Credentials): Credentials | SourceFailure {
  if (isSendable(credentials.token)) return credentials
  return invalidInput(
    'the token cannot be sent',
    'it holds blanks, line breaks or other characters that no token has',
    'check token, tokenFile or --token',
  )
}
