/** What a live cluster adds to an answer of `whereis`. Loaded only where one is asked. */
import { homedir } from 'node:os'
import type { Unknown } from '../../analysis/whereis.ts'
import { classify, plainClassifier } from '../../apf/classify.ts'
import type { RequestAttributes } from '../../apf/request.ts'
import { isRefused, requestInfo } from '../../apf/request-info.ts'
import type { Io } from '../../cli/io.ts'
import { ownLandings } from '../../cli/own-requests.ts'
import { type ArgumentProblem, isArgumentProblem } from '../../kubectl/note.ts'
import type { PlannedRequests, RequestArguments } from '../../kubectl/planned-request.ts'
import { givesPath, requestsFromArguments } from '../../kubectl/request-arguments.ts'
import { builtInResources, type ResourceCatalog } from '../../kubectl/resources.ts'
import { landingInWords } from '../../report/verification.ts'
import { aggregatedApis } from '../../sources/live/aggregated-apis.ts'
import { resourcesOf } from '../../sources/live/discovery-cache.ts'
import type { LiveState } from '../../sources/live/open.ts'
import type { Asked } from './context.ts'

// Words

export interface PlannedOnServer {
  planned: PlannedRequests | ArgumentProblem
  catalog: ResourceCatalog
  /** On what could not be found out. */
  notes: string[]
}

/** The requests that words mean on this server: its resources, the namespace of its context. */
export async function planOnServer(words: RequestArguments, { live }: LiveState, io: Io): Promise<PlannedOnServer> {
  const given = { ...words, assumedNamespace: assumedNamespace(live) }
  if (givesPath(given)) {
    return { planned: requestsFromArguments(given), catalog: builtInResources(), notes: [] }
  }
  const read = async (fresh: boolean): Promise<PlannedOnServer> => {
    const options = { env: io.env, home: io.env['HOME'] || homedir(), now: new Date(), fresh }
    const discovered = await resourcesOf(live.client, options)
    const catalog = discovered?.resources ?? builtInResources()
    return {
      planned: requestsFromArguments(given, catalog),
      catalog,
      notes: discoveryNotes(discovered?.unavailable ?? null),
    }
  }
  const first = await read(false)
  return hasUnknownResource(first.planned) ? read(true) : first
}

function assumedNamespace({ namespace, context }: LiveState['live']): RequestArguments['assumedNamespace'] {
  const whose = { flag: '', context: `of context ${context}`, pod: 'of this pod', default: '' }[namespace.from]
  return { name: namespace.name, whose }
}

/** @param unavailable  group versions that did not answer; null: none did */
function discoveryNotes(unavailable: readonly string[] | null): string[] {
  if (unavailable === null)
    return ['the server does not tell its resources: names are read as those of Kubernetes itself']
  if (unavailable.length === 0) return []
  return [`the resources of ${unavailable.join(', ')} are not known: no answer to discovery`]
}

function hasUnknownResource(planned: PlannedRequests | ArgumentProblem): boolean {
  return !isArgumentProblem(planned) && planned.notes.some(({ code }) => code === 'unknown-resource')
}

// What is not known

/** Whether APF is on, where nothing tells. */
export function modeUnknowns({ live }: LiveState): Unknown[] {
  if (live.mode.mode !== 'Unknown') return []
  const evidence = live.mode.evidence.map(({ what }) => what).join('; ')
  return [{ code: 'mode', message: `Whether APF is on at this server is not known: ${evidence}.` }]
}

/** What the answer rests on where the levels could not be read. */
export function levelsUnknowns({ live }: LiveState): Unknown[] {
  if (live.levelsUnknown === null) return []
  const message = 'The priority levels could not be read; each that a FlowSchema names was taken to exist.'
  return [{ code: 'levels', message }]
}

/** Why this program's own requests cast doubt on who the caller is taken for. */
export function callerUnknowns({ subject, state, context }: Asked & { state: LiveState }): Unknown[] {
  if (subject.callerBy === null) return []
  const classifier = plainClassifier(context.configuration)
  const contrary = ownLandings(state).find((own) => {
    const request = requestInfo('GET', own.path)
    if (isRefused(request) || own.flowSchemaUID === null) return false
    const outcome = classify(classifier, subject.identity, request, state.rules)
    return outcome.outcome === 'classified' && own.flowSchemaUID !== (outcome.entry.schema.metadata.uid ?? '')
  })
  if (!contrary) return []
  const { name } = subject.identity
  const message = `The server puts our own GET ${contrary.path} into ${landingInWords(contrary)}, which is not where one of ${name} lands: it may take us for somebody else, or the objects have just changed.`
  return [{ code: 'caller', message }]
}

/** Groups that every API server serves itself. */
const OWN_GROUPS = new Set(
  builtInResources()
    .map(({ group }) => group)
    .filter((group) => !group.includes('metrics')),
)

/** Requests that a server behind this one answers, and classifies again. */
export async function backendUnknowns(requests: readonly RequestAttributes[], { live }: LiveState): Promise<Unknown[]> {
  const groups = new Set(requests.map(({ apiGroup }) => apiGroup).filter((group) => !OWN_GROUPS.has(group)))
  if (groups.size === 0) return []
  const found = await aggregatedApis(live.client)
  if ('unknown' in found) {
    const message = `Whether an aggregated API server answers for ${[...groups].join(', ')} is not known: ${found.unknown}.`
    return [{ code: 'backend', message }]
  }
  return [...groups].flatMap((group) => {
    const api = found.apis.find((api) => api.group === group)
    if (!api) return []
    const message = `${group} is an aggregated API: this server classifies its requests as said, then service ${api.service} behind it does so again, by limits that are not visible here.`
    return [{ code: 'backend' as const, message }]
  })
}
