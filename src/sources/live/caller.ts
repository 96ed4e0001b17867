/**
 * Who we are to the server, as far as the credentials tell without asking it: a SelfSubjectReview would be a POST.
 * Source: kubernetes/apiserver pkg/authentication/request/x509/x509.go, pkg/authentication/serviceaccount/util.go
 */
import { X509Certificate } from 'node:crypto'
import { ALL_AUTHENTICATED, ANONYMOUS, impersonate, impliedGroups, serviceAccountOf } from '../../apf/identity.ts'
import type { Identity } from '../../apf/request.ts'
import type { VersionRules } from '../../apf/versions.ts'
import type { Credentials } from './credentials.ts'
import type { Impersonate } from './kubeconfig/model.ts'

export interface Caller {
  /** Null: the credentials do not tell. */
  identity: Identity | null
  /** What tells it, or why nothing does: `client certificate`, `ServiceAccount token`. */
  basis: string
}

/** The identity under which our own requests are classified. */
export function callerOf(credentials: Credentials, secure: boolean, as: Impersonate, rules: VersionRules): Caller {
  const impersonation = impersonate(as, rules)
  if (impersonation.impersonated) return { identity: impersonation.identity, basis: 'impersonated by our own requests' }
  if (!secure)
    return { identity: null, basis: 'the server is spoken to without TLS, so that another program vouches for us' }
  const { certificate, token, basic } = credentials
  // A server tries the certificate first.
  if (certificate !== null) {
    const identity = certificateIdentity(certificate.certificate)
    return { identity, basis: identity === null ? 'the client certificate names nobody' : 'client certificate' }
  }
  if (token !== '') {
    const identity = serviceAccountIdentity(token)
    return { identity, basis: identity === null ? 'only the server knows whose token it is' : 'ServiceAccount token' }
  }
  if (basic !== '') return { identity: null, basis: 'only the server knows whose password it is' }
  return { identity: { name: ANONYMOUS, groups: impliedGroups(ANONYMOUS) }, basis: 'no credentials' }
}

/** Why credentials may no longer be good, by this machine's clock; null: nothing is known against them. */
export function expiryOf({ certificate, token }: Credentials, now: Date): string | null {
  const parsed = certificate === null ? null : parseCertificate(certificate.certificate)
  if (parsed !== null && new Date(parsed.validTo) < now)
    return `the client certificate expired on ${day(new Date(parsed.validTo))}`
  const expires = claimsOf(token)?.['exp']
  const time = typeof expires === 'number' ? new Date(expires * 1000) : null
  if (time !== null && time < now) return `the token expired on ${day(time)}`
  return null
}

/** Common name and organisations of the subject. */
function certificateIdentity(pem: string): Identity | null {
  const subject = parseCertificate(pem)?.toLegacyObject().subject
  const name = first(subject?.CN)
  if (name === undefined) return null
  return { name, groups: [...all(subject?.O), ALL_AUTHENTICATED] }
}

function parseCertificate(pem: string): X509Certificate | null {
  try {
    return new X509Certificate(pem)
  } catch {
    return null
  }
}

/** The claims are read, not verified: the server does that. */
function serviceAccountIdentity(token: string): Identity | null {
  const subject = claimsOf(token)?.['sub']
  if (typeof subject !== 'string' || serviceAccountOf(subject) === null) return null
  return { name: subject, groups: impliedGroups(subject) }
}

function claimsOf(token: string): Record<string, unknown> | null {
  const parts = token.split('.')
  if (parts.length !== 3) return null
  try {
    const claims: unknown = JSON.parse(Buffer.from(parts[1] ?? '', 'base64url').toString('utf8'))
    return typeof claims === 'object' && claims !== null ? { ...claims } : null
  } catch {
    return null
  }
}

function first(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value
}

function all(value: string | string[] | undefined): string[] {
  return value === undefined ? [] : Array.isArray(value) ? value : [value]
}

function day(date: Date): string {
  return date.toISOString().slice(0, 10)
}
