/** How an https server is verified and how we show who we are. */
import { existsSync, readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { type ConnectionOptions, checkServerIdentity, createSecureContext, rootCertificates } from 'node:tls'
import { invalidInput, type SourceFailure } from '../failure.ts'
import type { Credentials } from './credentials.ts'
import type { Cluster } from './kubeconfig/model.ts'
import type { Environment } from './kubeconfig/target.ts'

/** TLS options of every connection to a server. */
export function tlsOptions(
  { insecureSkipTlsVerify, tlsServerName }: Cluster,
  { certificateAuthority, certificate }: Credentials,
  env: Environment,
): ConnectionOptions | SourceFailure {
  if (certificateAuthority !== null && !certificateAuthority.includes('-----BEGIN CERTIFICATE-----')) {
    const why = 'it holds no certificate in PEM form'
    return invalidInput(
      'the certificate authority cannot be used',
      why,
      'check certificate-authority and certificate-authority-data',
    )
  }
  const authorities = insecureSkipTlsVerify ? null : (certificateAuthority ?? systemAuthorities(env))
  try {
    const secureContext = createSecureContext({
      ...(authorities === null ? {} : { ca: authorities }),
      ...(certificate === null ? {} : { cert: certificate.certificate, key: certificate.key }),
    })
    return { secureContext, rejectUnauthorized: !insecureSkipTlsVerify, ...expectedName(tlsServerName) }
  } catch (error) {
    return invalidInput(
      'the client certificate cannot be used',
      pairFault(error),
      'check client-certificate and client-key of the user entry',
    )
  }
}

/** Why a client's certificate and key cannot be used; null: they can. */
export function keyPairFault({ certificate, key }: { certificate: string; key: string }): string | null {
  try {
    createSecureContext({ cert: certificate, key })
    return null
  } catch (error) {
    return pairFault(error)
  }
}

function pairFault(error: unknown): string {
  const reason = error instanceof Error && 'reason' in error ? `: ${error.reason}` : ''
  return `certificate and key are not PEM, or do not belong together${reason}`
}

/** Addresses are no names in the handshake (RFC 6066), but certificates may hold them. */
function expectedName(name: string): ConnectionOptions {
  if (name === '') return {}
  if (isIP(name) === 0) return { servername: name }
  return { servername: '', checkServerIdentity: (_host, certificate) => checkServerIdentity(name, certificate) }
}

/**
 * For a server whose address its certificate need not have: one of these names must be in it. The first one that is no
 * address is asked for in the handshake.
 */
export function oneNameOf(names: readonly string[]): ConnectionOptions {
  return {
    servername: names.find((name) => isIP(name) === 0) ?? '',
    checkServerIdentity(_host, certificate) {
      const faults = names.map((name) => checkServerIdentity(name, certificate))
      return faults.includes(undefined) ? undefined : faults[0]
    },
  }
}

const SYSTEM_BUNDLES = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/ca-bundle.pem',
  '/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem',
  '/etc/ssl/cert.pem',
]

/** The authorities of the system beside those of Node, as kubectl trusts them; null: Node's alone. */
function systemAuthorities(env: Environment): string[] | null {
  const file = [env['SSL_CERT_FILE'] ?? '', ...SYSTEM_BUNDLES].find(
    (candidate) => candidate !== '' && existsSync(candidate),
  )
  if (file === undefined) return null
  try {
    return [...rootCertificates, readFileSync(file, 'utf8')]
  } catch {
    return null
  }
}
