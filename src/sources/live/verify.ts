/** The server's own word for where a request lands: a harmless read of the same kind is sent, and its headers compared. */
import { type Classifier, classify, plainClassifier } from '../../apf/classify.ts'
import { type EffectiveConfiguration, type EffectiveSchema, effectiveConfiguration } from '../../apf/order.ts'
import type { Identity, RequestAttributes } from '../../apf/request.ts'
import { minorText } from '../../apf/versions.ts'
import { isSourceFailure, type SourceFailure, unanswered } from '../failure.ts'
import { isFault, type Reply } from './exchange.ts'
import { impersonationOf } from './impersonated-subject.ts'
import { impersonationFault } from './impersonation-headers.ts'
import { type Impersonate, NOBODY } from './kubeconfig/model.ts'
import type { LiveState } from './open.ts'
import { readPfHeaders } from './pf-headers.ts'
import { isNotSent, type Probe, probeFor } from './probe.ts'
import { requestFailure } from './request-failures.ts'
import { messageOf, refusedUser } from './status.ts'

export type Verdict =
  | 'agrees'
  /** The objects have changed since the answer was made; it has to be made anew. */
  | 'stale'
  | 'disagrees'
  /** There is no harmless request that would tell. */
  | 'not-sent'
  /** Sent, but what came back does not tell. */
  | 'undecided'

export interface Verification {
  verdict: Verdict
  /** Null where it could not be told. */
  agrees: boolean | null
  server: string
  httpStatus: number | null
  /** As the server says; '' is a stand-in that has no object, null is no header. */
  flowSchemaUID: string | null
  priorityLevelUID: string | null
  /** Names of the objects with these UIDs; null where none of those that were read has it. */
  flowSchema: string | null
  priorityLevel: string | null
  /** One line for a person; '' where there is nothing to add. */
  note: string
  /** For `not-sent`: a read that lands in the same schema and level and can be sent. */
  instead: RequestAttributes | null
  /** For `undecided`: why the command ends with exit code 3. */
  failure: SourceFailure | null
}

/** What is about to be sent; it will stand in the server's audit log. */
export interface Announcement {
  url: string
  /** Null: as ourselves, without impersonation. */
  impersonate: Impersonate | null
}

export interface VerifierOptions {
  state: LiveState
  announce(announcement: Announcement): void
  sleep(ms: number): Promise<void>
}

export interface Verifier {
  /**
   * @param asCaller  the subject is ourselves: nothing is impersonated
   */
  verify(identity: Identity, request: RequestAttributes, asCaller?: boolean): Promise<Verification>
  /** The state by which the last verification was made: read again where the first probe did not agree. */
  state(): LiveState
}

/** A change has reached every watcher by then. */
const SPREAD_MS = 500

export function createVerifier(options: VerifierOptions): Verifier {
  let known = knowledgeOf(options.state)
  return {
    state: () => known.state,
    async verify(identity, request, asCaller = false) {
      const expected = landing(known, identity, request)
      const probe = probeFor(request, known.state.rules)
      if (isNotSent(probe)) return notSent(known, probe.notSent, readInstead(known, identity, request))
      const impersonate = asCaller ? null : impersonationOf(identity, known.state.rules)
      if (impersonate === null && !asCaller) return notSent(known, whyNobody(identity), null)
      if (expected === null) return notSent(known, 'APF does not see it', null)

      if (known.state.live.mode.mode === 'NotAPF') return { ...unsaid(known), failure: fairnessIsOff() }
      const { server, client } = known.state.live
      const own = client.impersonate.user === '' ? null : client.impersonate
      options.announce({ url: server + probe.path, impersonate: impersonate ?? own })
      const first = await send(known, probe, impersonate)
      const said = read(known, first, expected, impersonate)
      if (said.verdict !== 'disagrees') return said

      const fresh = await known.state.live.reread()
      if (isSourceFailure(fresh)) return { ...said, verdict: 'undecided', agrees: null, failure: fresh }
      const before = known
      known = knowledgeOf(fresh)
      await options.sleep(SPREAD_MS)
      const again = landing(known, identity, request) ?? expected
      const second = read(known, await send(known, probe, impersonate), again, impersonate)
      if (second.verdict === 'undecided') return second
      if (fingerprint(before.state) !== fingerprint(known.state)) return stale(second)
      if (second.verdict === 'agrees')
        return { ...second, note: 'at the second try: the server had not taken up a change before' }
      return second
    },
  }
}

/** A state with what a server makes of it. */
interface Knowledge {
  state: LiveState
  configuration: EffectiveConfiguration
  classifier: Classifier
}

function knowledgeOf(state: LiveState): Knowledge {
  const configuration = effectiveConfiguration(state.flowSchemas, state.priorityLevels, state.rules)
  return { state, configuration, classifier: plainClassifier(configuration) }
}

/** Null: the request bypasses APF. */
function landing(
  { classifier, state }: Knowledge,
  identity: Identity,
  request: RequestAttributes,
): EffectiveSchema | null {
  const outcome = classify(classifier, identity, request, state.rules)
  return outcome.outcome === 'classified' ? outcome.entry : null
}

function send({ state }: Knowledge, { path, accept }: Probe, impersonate: Impersonate | null) {
  return state.live.client.send('GET', path, {
    accept,
    // Without them the body says why.
    enough: (headers) => readPfHeaders(headers).flowSchemaUID !== null,
    takeThrottling: true,
    ...(impersonate === null ? {} : { impersonate }),
  })
}

type Answered = Awaited<ReturnType<typeof send>>

/** What an answer says of an expectation. */
function read(
  known: Knowledge,
  answer: Answered,
  expected: EffectiveSchema,
  impersonate: Impersonate | null,
): Verification {
  const { state } = known
  const blank = unsaid(known)
  if (isFault(answer)) {
    const context = {
      client: state.live.client,
      expiry: null,
      meanwhile: `--defaults ${minorText(state.rules.minor)}`,
      levelName: () => null,
    }
    return { ...blank, failure: requestFailure('verify', answer, context) }
  }
  const { flowSchemaUID, priorityLevelUID, fromBackendToo } = readPfHeaders(answer.headers)
  if (flowSchemaUID === null || priorityLevelUID === null) {
    return { ...blank, httpStatus: answer.status, failure: withoutHeaders(state, answer, expected, impersonate) }
  }
  const agrees = schemaAgrees(expected, flowSchemaUID) && levelAgrees(known, expected, priorityLevelUID)
  return {
    ...blank,
    verdict: agrees ? 'agrees' : 'disagrees',
    agrees,
    httpStatus: answer.status,
    flowSchemaUID,
    priorityLevelUID,
    flowSchema: nameOf(state.flowSchemas, flowSchemaUID),
    priorityLevel: nameOf(state.priorityLevels, priorityLevelUID),
    note: fromBackendToo ? 'an aggregated API answered, which has classified the request again' : '',
  }
}

function schemaAgrees({ schema, builtIn }: EffectiveSchema, uid: string): boolean {
  return uid === (builtIn ? '' : schema.metadata.uid)
}

/** A server that has seen a mandatory level before it was deleted still gives its old UID. */
function levelAgrees({ state, configuration }: Knowledge, { level }: EffectiveSchema, uid: string): boolean {
  if (state.live.levelsUnknown !== null) return true
  if (!configuration.standInLevels.includes(level.metadata.name)) return uid === level.metadata.uid
  return uid === '' || nameOf(state.priorityLevels, uid) === null
}

function nameOf(objects: readonly { metadata: { name: string; uid: string | null } }[], uid: string): string | null {
  return uid === '' ? null : (objects.find(({ metadata }) => metadata.uid === uid)?.metadata.name ?? null)
}

/** Why an answer carries no headers, as far as it shows. */
function withoutHeaders(
  { rules }: LiveState,
  answer: Reply,
  { level }: EffectiveSchema,
  impersonate: Impersonate | null,
): SourceFailure {
  const { status } = answer
  const message = messageOf(answer)
  const user = refusedUser(message)
  // The impersonated user is refused behind APF: then the headers were there, and something has taken them away.
  if (status === 403 && impersonate !== null && user !== impersonate.user) {
    const why =
      user === null
        ? message || 'the answer names no reason'
        : `user ${user} lacks the verb impersonate on users, groups or serviceaccounts`
    const next =
      'ask for a role such as: kubectl create clusterrole apf-impersonator --verb=impersonate --resource=users,groups,serviceaccounts'
    return unanswered(`the server does not let us impersonate ${impersonate.user} (403)`, why, next)
  }
  if (status === 401) {
    return unanswered(
      'the server does not accept the credentials (401)',
      message,
      'log in again, or give --token or --user',
    )
  }
  if (!rules.headersOnExempt && level.spec.type === 'Exempt') {
    return unanswered('the answer carries no APF headers', 'this version does not set them on exempt requests', '')
  }
  const why = `status ${status}: refused before APF, or something on the way strips the headers`
  return unanswered(
    'the answer carries no APF headers',
    why,
    'ask the API server itself: --server with its own address',
  )
}

function fairnessIsOff(): SourceFailure {
  return unanswered('nothing to verify: APF is off on this server', 'without it no answer tells a FlowSchema', '')
}

function unsaid({ state }: Knowledge): Verification {
  return {
    verdict: 'undecided',
    agrees: null,
    server: state.live.server,
    httpStatus: null,
    flowSchemaUID: null,
    priorityLevelUID: null,
    flowSchema: null,
    priorityLevel: null,
    note: '',
    instead: null,
    failure: null,
  }
}

/** Why no impersonation gives an identity. */
function whyNobody({ name, groups }: Identity): string {
  return impersonationFault({ ...NOBODY, user: name, groups }) ?? 'no impersonation gives exactly these groups'
}

function notSent(known: Knowledge, why: string, instead: RequestAttributes | null): Verification {
  return { ...unsaid(known), verdict: 'not-sent', note: `not sent: ${why}`, instead }
}

function stale(second: Verification): Verification {
  const now = second.verdict === 'agrees' ? 'by the new ones the server agrees' : 'they are changing still'
  return { ...second, verdict: 'stale', agrees: null, note: `the objects have changed since they were read; ${now}` }
}

/** What changes when any object is made, changed, deleted or made again. */
function fingerprint({ flowSchemas, priorityLevels }: LiveState): string {
  const line = (object: { kind: string; metadata: { name: string; uid: string | null; generation: number | null } }) =>
    `${object.kind}/${object.metadata.name} ${object.metadata.uid} ${object.metadata.generation}`
  return [...flowSchemas, ...priorityLevels].map(line).sort().join('\n')
}

/** A read of the same resource that lands where the request lands; null where there is none. */
function readInstead(known: Knowledge, identity: Identity, request: RequestAttributes): RequestAttributes | null {
  const wanted = landing(known, identity, request)
  if (wanted === null || !request.isResourceRequest) return null
  const collection = {
    ...request,
    name: '',
    subresource: '',
    namespace: request.resource === 'namespaces' ? '' : request.namespace,
  }
  const candidates = [
    { ...collection, verb: 'list' },
    { ...request, verb: 'get', name: request.name || 'any' },
    { ...collection, verb: 'watch' },
  ]
  const same = candidates.find((candidate) => {
    if (isNotSent(probeFor(candidate, known.state.rules))) return false
    const lands = landing(known, identity, candidate)
    return lands?.schema === wanted.schema && lands.level === wanted.level
  })
  return same ?? null
}
