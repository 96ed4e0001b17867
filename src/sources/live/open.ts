/** A live cluster as a ClusterState, with what only a live one can tell. */
import { type DecodeOptions, decodeObject } from '../../apf/decode.ts'
import { FLOWCONTROL_GROUP, type FlowSchema, type PriorityLevelConfiguration } from '../../apf/objects.ts'
import type { Origin, Problem } from '../../apf/problem.ts'
import { type ApiVersion, type KnownVersion, minorText, type VersionRules } from '../../apf/versions.ts'
import type { ClusterState } from '../cluster-state.ts'
import { isSourceFailure, type SourceFailure } from '../failure.ts'
import { collectionPath, groupIsMissing, servedVersion, type VersionInForce, versionOf } from './api.ts'
import { assumedLevels } from './assumed-levels.ts'
import { type Caller, callerOf, expiryOf } from './caller.ts'
import type { Client } from './client.ts'
import { type Connection, type ConnectOptions, connect } from './connect.ts'
import { type Fault, isFault, type Reply } from './exchange.ts'
import type { Target } from './kubeconfig/target.ts'
import { isListFailure, type ListFailure, type Listing, listAll } from './listing.ts'
import { findMode, type ModeFound } from './mode.ts'
import { type PfHeaders, readPfHeaders } from './pf-headers.ts'
import { type FailureContext, requestFailure } from './request-failures.ts'

export interface LiveState extends ClusterState {
  live: LiveFacts
}

export interface LiveFacts {
  client: Client
  /** Opens the way to other servers of the cluster. */
  connection: Connection
  /** Of the server, without user and password. */
  server: string
  /** '' where no context is involved. */
  context: string
  namespace: Target['namespace']
  mode: ModeFound
  caller: Caller
  /** Our own requests, with the server's word on where they landed. */
  ownRequests: OwnRequest[]
  /**
   * Why the levels could not be read; null if they were. Where they were not, the levels of the state are assumed, the
   * answer is uncertain, and the command ends with this exit code.
   */
  levelsUnknown: SourceFailure | null
  /** Reads version and objects again, over the same connection. */
  reread(): Promise<LiveState | SourceFailure>
}

export interface OwnRequest {
  path: string
  status: number
  headers: PfHeaders
}

export interface LiveOptions extends ConnectOptions {
  /** Of `--server-version`, for a server that does not tell its own. */
  serverVersion: KnownVersion | null
}

/** Connects and reads. The client of the state stays open for more requests; its `close` lets the process end. */
export async function openLive(options: LiveOptions): Promise<LiveState | SourceFailure> {
  const connection = await connect(options)
  if (isSourceFailure(connection)) return connection
  const state = await readCluster(connection, options.serverVersion)
  if (isSourceFailure(state)) connection.client.close()
  return state
}

/** The state of what a connection leads to; the connection stays open, also after a failure. */
export async function readCluster(
  connection: Connection,
  givenVersion: KnownVersion | null,
): Promise<LiveState | SourceFailure> {
  const { client, target, credentials } = connection
  const reading = await readAll(client)
  const version = versionOf(reading.version, givenVersion)
  if (isSourceFailure(version)) return version
  const { rules } = version
  const context: FailureContext = {
    client,
    expiry: expiryOf(credentials, new Date()),
    meanwhile: `--defaults ${minorText(rules.minor)}`,
    levelName: () => null,
  }

  const { objects } = reading
  if (objects === 'no-group') return groupIsMissing(version, client.server.text)
  if ('group' in objects) return requestFailure(`tell the versions of ${FLOWCONTROL_GROUP}`, objects.group, context)

  const problems: Problem[] = []
  const levels = isListFailure(objects.levels)
    ? null
    : decodeLevels(objects.levels, objects.apiVersion, rules, problems)
  context.levelName = (uid) => levels?.find(({ metadata }) => metadata.uid === uid)?.metadata.name ?? null
  if (isListFailure(objects.schemas)) return listFailure('list FlowSchemas', objects.schemas, context)
  const flowSchemas = decodeSchemas(objects.schemas, objects.apiVersion, rules, problems)
  const levelsUnknown = isListFailure(objects.levels)
    ? listFailure('list PriorityLevelConfigurations', objects.levels, context)
    : null

  const ownRequests = ownRequestsOf(reading)
  const mode = await findMode(
    client,
    replies(reading).map(({ reply }) => reply),
  )
  const notes = [
    `objects from ${target.description}, server ${version.basis === 'read' ? version.text : client.server.text}`,
    ...versionNotes(version),
    ...throttlingNotes(client, context.levelName),
    ...(levelsUnknown === null ? [] : ['priority levels are unknown: each that a FlowSchema names is taken to exist']),
  ]
  return {
    source: { kind: 'live', text: `${target.description}, server ${version.text}`, complete: levelsUnknown === null },
    flowSchemas,
    priorityLevels: levels ?? assumedLevels(flowSchemas, rules),
    rules,
    serverVersion: { text: version.text, basis: version.basis, newerThanKnown: version.newerThanKnown },
    problems,
    notes,
    live: {
      client,
      connection,
      server: client.server.text,
      context: target.context,
      namespace: target.namespace,
      mode,
      caller: callerOf(credentials, client.server.secure, target.user.impersonate, rules),
      ownRequests,
      levelsUnknown,
      reread: () => readCluster(connection, givenVersion),
    },
  }
}

// What is read

interface Reading {
  version: Reply | Fault
  objects: ObjectLists | 'no-group' | { group: Reply | Fault }
}

interface ObjectLists {
  apiVersion: ApiVersion
  schemas: Listing | ListFailure
  levels: Listing | ListFailure
}

/** All at once, in the hope that the server has v1; only one without it is asked what it has. */
async function readAll(client: Client): Promise<Reading> {
  const [version, objects] = await Promise.all([client.send('GET', '/version'), readLists(client, 'v1')])
  if (!isListFailure(objects.schemas)) return { version, objects }
  const { result } = objects.schemas
  if (isFault(result) || result.status !== 404) return { version, objects }
  const served = await servedVersion(client)
  if (served === null) return { version, objects: 'no-group' }
  if (typeof served !== 'string') return { version, objects: { group: served } }
  return { version, objects: await readLists(client, served) }
}

async function readLists(client: Client, apiVersion: ApiVersion): Promise<ObjectLists> {
  const [schemas, levels] = await Promise.all([
    listAll(client, collectionPath(apiVersion, 'flowschemas')),
    listAll(client, collectionPath(apiVersion, 'prioritylevelconfigurations')),
  ])
  return { apiVersion, schemas, levels }
}

function replies({ version, objects }: Reading): { path: string; reply: Reply }[] {
  const found: { path: string; reply: Reply }[] = isFault(version) ? [] : [{ path: '/version', reply: version }]
  if (objects === 'no-group' || 'group' in objects) return found
  for (const [resource, listing] of [
    ['flowschemas', objects.schemas],
    ['prioritylevelconfigurations', objects.levels],
  ] as const) {
    const reply = isListFailure(listing) ? listing.result : listing.reply
    if (!isFault(reply)) found.push({ path: collectionPath(objects.apiVersion, resource), reply })
  }
  return found
}

function ownRequestsOf(reading: Reading): OwnRequest[] {
  return replies(reading).map(({ path, reply }) => ({
    path,
    status: reply.status,
    headers: readPfHeaders(reply.headers),
  }))
}

function listFailure(aim: string, { result, pagesRead }: ListFailure, context: FailureContext): SourceFailure {
  const failure = requestFailure(aim, result, context)
  if (pagesRead === 0) return failure
  const why = failure.why === '' ? '' : `${failure.why}; `
  return { ...failure, why: `${why}${pagesRead} ${pagesRead === 1 ? 'page' : 'pages'} of 500 had been read before` }
}

// Objects

function decodeSchemas(
  listing: Listing,
  apiVersion: ApiVersion,
  rules: VersionRules,
  problems: Problem[],
): FlowSchema[] {
  return decodeAll(listing, apiVersion, 'FlowSchema', rules, problems).filter((object) => object.kind === 'FlowSchema')
}

function decodeLevels(
  listing: Listing,
  apiVersion: ApiVersion,
  rules: VersionRules,
  problems: Problem[],
): PriorityLevelConfiguration[] {
  return decodeAll(listing, apiVersion, 'PriorityLevelConfiguration', rules, problems).filter(
    (object) => object.kind === 'PriorityLevelConfiguration',
  )
}

function decodeAll(listing: Listing, version: ApiVersion, kind: string, rules: VersionRules, problems: Problem[]) {
  const options: DecodeOptions = { defaults: { apiVersion: `${FLOWCONTROL_GROUP}/${version}`, kind }, fromServer: true }
  const origin: Origin = {
    file: collectionPath(version, kind === 'FlowSchema' ? 'flowschemas' : 'prioritylevelconfigurations'),
    locate: () => undefined,
  }
  return listing.items.flatMap((item) => {
    const decoded = decodeObject(item, origin, rules, options)
    problems.push(...decoded.problems)
    return decoded.object === null ? [] : [decoded.object]
  })
}

// What is said

function versionNotes({ basis, text, newerThanKnown, rules }: VersionInForce): string[] {
  if (basis === 'assumed-newest') return [`the server does not tell its version: rules of ${text} used`]
  if (basis === 'given') return [`the server does not tell its version: ${text} was given`]
  return newerThanKnown
    ? [`Kubernetes ${text} is newer than what is known: rules of ${minorText(rules.minor)} used`]
    : []
}

function throttlingNotes(client: Client, levelName: (uid: string) => string | null): string[] {
  return client.throttled.flatMap(({ path, waitedSeconds, priorityLevelUID }) => {
    if (waitedSeconds === null) return []
    const level =
      priorityLevelUID === null ? 'no APF headers' : `priority level ${levelName(priorityLevelUID) ?? priorityLevelUID}`
    return [
      `the server was too busy for ${path.split('?', 1)[0]} (429, ${level}): asked again after ${waitedSeconds} s`,
    ]
  })
}
