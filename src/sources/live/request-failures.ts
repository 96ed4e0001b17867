/** Why a GET did not bring what it was sent for, in words: what, why, what to do. */
import { type SourceFailure, unanswered } from '../failure.ts'
import type { Client } from './client.ts'
import { type Fault, isFault, type Reply } from './exchange.ts'
import { readPfHeaders } from './pf-headers.ts'
import { bodyOf, messageOf, refusedUser } from './status.ts'

export interface FailureContext {
  client: Client
  /** Why the credentials may no longer be good; null: nothing is known against them. */
  expiry: string | null
  /** How to get an answer from stock objects meanwhile, such as `--defaults 1.37`. */
  meanwhile: string
  /** Name of the priority level with a UID, where the levels could be read. */
  levelName(uid: string): string | null
}

/**
 * @param aim  what the request was for, as in `list FlowSchemas`
 * @param result  no answer, or one that is of no use
 */
export function requestFailure(aim: string, result: Reply | Fault, context: FailureContext): SourceFailure {
  if (isFault(result)) return faultFailure(aim, result, context)
  const { status } = result
  const server = context.client.server.text
  if (status >= 300 && status < 400) {
    const [location = ''] = result.headers.values('location')
    const target = URL.canParse(location, server) ? new URL(location, server).host : 'another address'
    return webPage(
      `${server} redirects to ${target} (${status})`,
      'an API server does not: a login proxy stands in between',
    )
  }
  const body = bodyOf(result)
  if (body.kind === 'html') {
    return webPage(
      `${server} answered with a web page (${status})`,
      'a login page or a proxy stands between us and the API server',
    )
  }
  switch (status) {
    case 200:
      return badBody(aim, body.kind, context)
    case 401:
      return unanswered(
        'the server does not accept the credentials (401)',
        context.expiry ?? 'they are missing, expired, or of another cluster',
        'log in again, or give --token, --user or --context',
      )
    case 403:
      return forbidden(aim, messageOf(result), context)
    case 429:
      return tooManyRequests(aim, result, context)
    case 407:
      return unanswered(
        `the proxy on the way to ${server} wants to know who we are (407)`,
        '',
        'give it a user in proxy-url of the cluster or HTTP_PROXY: http://USER:PASSWORD@HOST:PORT',
      )
    default: {
      const message = messageOf(result)
      const wrongScheme = status === 400 && /HTTP request to an HTTPS server/i.test(message)
      const next = wrongScheme
        ? 'use https:// in server: of the cluster'
        : `answer from stock objects: ${context.meanwhile}`
      return unanswered(`the server answered ${status} when asked to ${aim}`, message, next)
    }
  }
}

function badBody(
  aim: string,
  kind: 'json' | 'truncated' | 'other',
  { client, meanwhile }: FailureContext,
): SourceFailure {
  const why = {
    json: 'it is JSON, but not what the API answers',
    truncated: 'the JSON ends in the middle: something between us and the server cuts answers off',
    other: 'it is not JSON',
  }[kind]
  const next = `check server: of the cluster (${client.server.text}), or answer from stock objects: ${meanwhile}`
  return unanswered(`the answer cannot be read when asked to ${aim}`, why, next)
}

function webPage(what: string, why: string): SourceFailure {
  return unanswered(what, why, 'log in where the page asks for it, or check server: of the cluster')
}

/** The role that lets a user read what this program reads, in one command. */
export const READER_ROLE =
  'kubectl create clusterrole apf-reader --verb=list --resource=flowschemas.flowcontrol.apiserver.k8s.io,prioritylevelconfigurations.flowcontrol.apiserver.k8s.io'

function forbidden(aim: string, message: string, { client, meanwhile }: FailureContext): SourceFailure {
  const user = refusedUser(message)
  if (/cannot impersonate/.test(message)) {
    const whom = client.impersonate.user || 'another user'
    const next = 'ask for the right to impersonate, or give other credentials with --context or --user'
    return unanswered(`the server does not let us impersonate ${whom} (403)`, message, next)
  }
  if (user === 'system:anonymous') {
    const why = 'it takes us for system:anonymous: no credentials were sent, or none that it knows'
    return unanswered(`the server refused to ${aim} (403)`, why, 'log in, or give --token, --user or --context')
  }
  const refused = /cannot (\w+) resource "([^"]+)" in API group "([^"]*)"/.exec(message)
  const [, verb, resource, group] = refused ?? []
  const object = group === '' ? resource : `${resource}.${group}`
  const why = user === null || !refused ? message : `user ${user} may not ${verb} ${object} at cluster scope`
  const next = `ask for a role such as: ${READER_ROLE}; or answer from stock objects: ${meanwhile}`
  return unanswered(`the server refused to ${aim} (403)`, why, next)
}

function tooManyRequests(aim: string, reply: Reply, { levelName }: FailureContext): SourceFailure {
  const { times, waitedSeconds } = reply.askedAgain ?? { times: 0, waitedSeconds: 0 }
  const asked =
    times === 0
      ? 'it gave no time to wait that is left to this command'
      : `asked again ${times === 1 ? 'once' : `${times} times`} within ${waitedSeconds} s`
  const uid = readPfHeaders(reply.headers).priorityLevelUID
  const level = uid === null ? null : (levelName(uid) ?? `with UID ${uid || '"" (a stand-in)'}`)
  const who =
    level === null
      ? 'another limiter than APF refused it (no APF headers)'
      : `APF refused it in priority level ${level}`
  return unanswered(
    `the server is too busy to ${aim} (429)`,
    `${who}; ${asked}`,
    'try again later, or as a user of another priority level',
  )
}

function faultFailure(aim: string, { fault, detail, certificateNames }: Fault, context: FailureContext): SourceFailure {
  const { client, meanwhile } = context
  const server = client.server.text
  const stock = `answer from stock objects: ${meanwhile}`
  switch (fault) {
    case 'unreachable':
      return unanswered(
        `the server ${server} cannot be reached`,
        unreachable(detail),
        `check the address and the network, or ${stock}`,
      )
    case 'timeout':
      return unanswered(
        `the server ${server} did not answer within ${seconds(detail)}`,
        `asked to ${aim}`,
        `allow more with --request-timeout, or ${stock}`,
      )
    case 'command-timeout':
      return unanswered(
        `the time of this command is used up (${seconds(detail)})`,
        `asked ${server} to ${aim}`,
        `allow more with --request-timeout, or ${stock}`,
      )
    case 'proxy':
      return unanswered(
        `the server ${server} cannot be reached through the proxy`,
        detail,
        'check proxy-url, HTTPS_PROXY and NO_PROXY',
      )
    case 'cut-off':
      return unanswered(
        'the answer was cut off',
        `the connection to ${server} ended in the middle (${detail})`,
        `try again, or ${stock}`,
      )
    case 'too-large':
      return unanswered(`the answer is too large when asked to ${aim}`, `more than ${detail}`, stock)
    case 'not-gzip':
      return unanswered(
        'the answer cannot be unpacked',
        `${server} or something on the way says that it is compressed, which it is not (${detail})`,
        `check server: of the cluster, or ${stock}`,
      )
    case 'not-http':
      return unanswered(`${server} does not speak HTTP`, detail, 'check server: of the cluster')
    case 'tls':
      return tlsFailure(server, detail, certificateNames ?? '', context)
  }
}

function unreachable(code: string): string {
  const known: Readonly<Record<string, string>> = {
    ECONNREFUSED: 'connection refused: nothing listens there',
    ENOTFOUND: 'the name does not exist',
    EAI_AGAIN: 'the name cannot be looked up now',
    EHOSTUNREACH: 'no route to the host',
    ENETUNREACH: 'no route to the network',
    ETIMEDOUT: 'connecting took too long',
    ECONNRESET: 'the connection was closed before an answer came',
  }
  return known[code] ?? code
}

const UNTRUSTED = new Set([
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'CERT_SIGNATURE_FAILURE',
  'CERT_UNTRUSTED',
  'INVALID_CA',
])

function tlsFailure(server: string, code: string, names: string, { client, expiry }: FailureContext): SourceFailure {
  const what = `the certificate of ${server} is not accepted`
  if (UNTRUSTED.has(code)) {
    if (!client.hasOwnAuthority) {
      const why = `no authority that this machine trusts has signed it, and the cluster entry names none (${code})`
      return unanswered(what, why, 'add certificate-authority-data, or give --certificate-authority FILE')
    }
    const why = `the certificate authority of the cluster entry did not sign it (${code})`
    return unanswered(what, why, 'correct certificate-authority-data, or give --certificate-authority FILE')
  }
  switch (code) {
    case 'ERR_TLS_CERT_ALTNAME_INVALID': {
      const listed = names.replaceAll(/DNS:|IP Address:/g, '')
      const shown = listed.length > 160 ? `${listed.slice(0, 160)}…` : listed
      const why = shown === '' ? 'it is for other names' : `it is for other names: ${shown}`
      return unanswered(what, why, 'correct server:, or name the expected one with --tls-server-name')
    }
    case 'CERT_HAS_EXPIRED':
      return unanswered(
        what,
        'it has expired',
        'the administrator of the cluster has to renew it; check the clock of this machine too',
      )
    case 'CERT_NOT_YET_VALID':
      return unanswered(what, 'it is not valid yet', 'check the clock of this machine')
    case 'ERR_SSL_WRONG_VERSION_NUMBER':
    case 'ERR_SSL_PACKET_LENGTH_TOO_LONG':
      return unanswered(`${server} does not speak TLS`, code, 'check the scheme and port of server:')
  }
  if (/ALERT/.test(code)) {
    const why = expiry ?? `it ended the handshake (${code})`
    return unanswered(
      'the server does not accept the client certificate',
      why,
      'renew it: log in again, or give --token or --user',
    )
  }
  return unanswered(`no TLS connection to ${server}`, code, 'check server: and certificate-authority of the cluster')
}

function seconds(detail: string): string {
  return `${Number.parseInt(detail, 10) / 1000} s`
}
