/** From the flags that name a cluster, or files that stand for one, to what it adds to findings. */
import type { AttributedItem } from '../../analysis/attributions.ts'
import { classify, plainClassifier } from '../../apf/classify.ts'
import { impliedGroups } from '../../apf/identity.ts'
import { effectiveConfiguration } from '../../apf/order.ts'
import { isRefused, requestInfo } from '../../apf/request-info.ts'
import type { ExitCode } from '../../cli/errors.ts'
import type { Io } from '../../cli/io.ts'
import { printNotes } from '../../cli/messages.ts'
import { type SeenServer, type ServersSeen, withServers } from '../../cli/servers.ts'
import { isLive } from '../../cli/source.ts'
import type { AttributionCluster, AttributionLevel } from '../../report/attributions-contract.ts'
import type { ClusterState } from '../../sources/cluster-state.ts'
import { aggregatedApis } from '../../sources/live/aggregated-apis.ts'
import type { Cluster } from './cluster.ts'
import type { Explain429Flags } from './run.ts'

/** Opens the source, uses it, and closes it. @throws CliError where nothing could be read */
export function withCluster(
  flags: Explain429Flags,
  io: Io,
  use: (cluster: Cluster) => Promise<ExitCode>,
): Promise<ExitCode> {
  const impersonation = { as: flags.as, 'as-group': flags['as-group'], 'as-uid': flags['as-uid'] }
  const purpose = { impersonation, readsStdin: true }
  return withServers(flags, purpose, io, async (seen) => use(await clusterOf(seen, flags.quiet, io)))
}

async function clusterOf({ state, servers }: ServersSeen, quiet: boolean, io: Io): Promise<Cluster> {
  const landing = state === null ? () => null : landings(state)
  return {
    aggregatedApis: state === null ? null : await aggregatedOf(state, quiet, io),
    of(item) {
      const found = landing(item) ?? named(item)
      if (found === null) return null
      const levels =
        found.priorityLevel === null ? [] : servers.map((server) => levelOf(server, found.priorityLevel ?? ''))
      return { ...found, levels: levels.filter((level) => level !== null) }
    },
  }
}

async function aggregatedOf(state: ClusterState, quiet: boolean, io: Io): Promise<ReadonlySet<string> | null> {
  if (!isLive(state)) return null
  const found = await aggregatedApis(state.live.client)
  if ('apis' in found) return new Set(found.apis.map(({ group, version }) => `${group}/${version}`))
  printNotes([`${found.unknown}: which APIs are aggregated is not known`], quiet, io)
  return null
}

type Landing = Omit<AttributionCluster, 'levels'>

/** The evidence names them itself, as access logs do. */
function named({ fields }: AttributedItem): Landing | null {
  const { flowSchema, priorityLevel } = fields
  if (typeof flowSchema !== 'string' || typeof priorityLevel !== 'string') return null
  return { flowSchema, priorityLevel, by: 'name', notes: [] }
}

function landings(state: ClusterState): (item: AttributedItem) => Landing | null {
  const schemas = new Map(
    state.flowSchemas.map(({ metadata, spec }) => [
      metadata.uid,
      { name: metadata.name, level: spec.priorityLevelConfiguration.name },
    ]),
  )
  const levels = new Map(state.priorityLevels.map(({ metadata }) => [metadata.uid, metadata.name]))
  const byRequest = classification(state)
  return (item) => {
    const { flowSchemaUid, flowSchemaUids, priorityLevelUid } = item.fields
    // Of two values the first is that of the server in front, which these objects are of.
    const uid = Array.isArray(flowSchemaUids) ? flowSchemaUids[0] : flowSchemaUid
    if (typeof uid !== 'string' || uid === '') return byRequest(item)
    const schema = schemas.get(uid)
    const level = typeof priorityLevelUid === 'string' ? levels.get(priorityLevelUid) : undefined
    if (schema === undefined) {
      const notes = [`no FlowSchema has the UID ${uid}: it is of another cluster, or has been deleted since`]
      return { flowSchema: null, priorityLevel: level ?? null, by: 'uid', notes }
    }
    return { flowSchema: schema.name, priorityLevel: level ?? schema.level, by: 'uid', notes: [] }
  }
}

const METHODS: Readonly<Record<string, string>> = {
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  deletecollection: 'DELETE',
}

/** Where a request of an audit event lands by the objects of now. */
function classification(state: ClusterState): (item: AttributedItem) => Landing | null {
  const classifier = plainClassifier(effectiveConfiguration(state.flowSchemas, state.priorityLevels, state.rules))
  return ({ fields }) => {
    const { user, groups, verb, uri } = fields
    if (typeof user !== 'string' || typeof uri !== 'string' || typeof verb !== 'string') return null
    const request = requestInfo(METHODS[verb] ?? 'GET', uri)
    if (isRefused(request)) return null
    const isKnown = Array.isArray(groups)
    const identity = { name: user, groups: isKnown ? groups.map(String) : impliedGroups(user) }
    const outcome = classify(classifier, identity, request, state.rules)
    if (outcome.outcome === 'bypass') return null
    const { schema, level } = outcome.entry
    const notes = isKnown ? [] : ['the groups of the user are implied from the name']
    return { flowSchema: schema.metadata.name, priorityLevel: level.metadata.name, by: 'classified', notes }
  }
}

function levelOf({ state }: SeenServer, name: string): AttributionLevel | null {
  const level = state.levels.find((each) => each.name === name)
  if (level === undefined) return null
  const { nominal, current, executingSeats, waitingRequests, rejected } = level
  return { server: state.name, nominal, current, executingSeats, waitingRequests, rejected }
}
