/** Where a request lands, as the contract writes it. */
import type { SubjectMap } from '../analysis/subject-map.ts'
import type { Unknown, WhereisAnswer } from '../analysis/whereis.ts'
import type { TraceStep as CoreTraceStep } from '../apf/explain.ts'
import { dealtQueues, flowDistinguisher, formatHash } from '../apf/flow.ts'
import type { PriorityLevelConfiguration } from '../apf/objects.ts'
import type { Identity, RequestAttributes } from '../apf/request.ts'
import {
  type AnsweredRequest,
  API_VERSION,
  type Flow,
  type LandingLevel,
  type Source,
  type TraceStep,
  type Whereis,
  type WhereisMap,
} from './contract.ts'

export function whereisDocument(
  answer: WhereisAnswer,
  identity: Identity,
  request: RequestAttributes,
  source: Source,
): Whereis {
  const { outcome, work, unknowns } = answer
  const entry = outcome.outcome === 'classified' ? outcome.entry : null
  return {
    apiVersion: API_VERSION,
    kind: 'Whereis',
    source,
    request: answeredRequest(identity, request),
    outcome: outcome.outcome,
    flowSchema:
      outcome.outcome === 'classified'
        ? {
            name: outcome.entry.schema.metadata.name,
            uid: outcome.entry.schema.metadata.uid,
            matchingPrecedence: outcome.entry.schema.spec.matchingPrecedence,
            ruleIndex: outcome.ruleIndex,
          }
        : null,
    priorityLevel: entry === null ? null : landingLevel(entry.level),
    flow: flowDocument(answer, identity, request),
    trace: answer.trace.map(traceStep),
    work,
    unknowns,
    verified: [],
  }
}

/** The document where the levels are assumed: of one that is not exempt nothing but the name is known. */
export function withoutLevelSettings(document: Whereis): Whereis {
  const { priorityLevel } = document
  if (priorityLevel === null || priorityLevel.type === 'Exempt') return document
  return { ...document, priorityLevel: { ...priorityLevel, uid: null, type: null, response: null }, flow: null }
}

/** A request that the server refuses before APF could see it. */
export function refusedDocument(identity: Identity, refused: string, source: Source): Whereis & { error: string } {
  const nothing = { verb: '', isResourceRequest: false, apiGroup: '', resource: '', subresource: '', namespace: '' }
  return {
    apiVersion: API_VERSION,
    kind: 'Whereis',
    source,
    request: { user: identity.name, groups: [...identity.groups], ...nothing, name: '', path: '' },
    outcome: 'error',
    error: refused,
    flowSchema: null,
    priorityLevel: null,
    flow: null,
    trace: [],
    work: null,
    unknowns: [],
    verified: [],
  }
}

export function whereisMapDocument(map: SubjectMap, source: Source, unknowns: readonly Unknown[]): WhereisMap {
  return {
    apiVersion: API_VERSION,
    kind: 'WhereisMap',
    source,
    subject: { user: map.identity.name, groups: [...map.identity.groups] },
    regions: map.regions.map(({ schema, level, entries, witness }) => ({
      outcome: schema === null ? 'bypass' : 'classified',
      flowSchema: schema === null ? null : schema.schema.metadata.name,
      priorityLevel: level === null ? null : level.metadata.name,
      requests: entries,
      witness,
    })),
    unknowns: [...unknowns],
  }
}

function answeredRequest(identity: Identity, request: RequestAttributes): AnsweredRequest {
  const { verb, isResourceRequest, apiGroup, resource, subresource, namespace, name, path } = request
  return {
    user: identity.name,
    groups: [...identity.groups],
    verb,
    isResourceRequest,
    apiGroup,
    resource,
    subresource,
    namespace,
    name,
    path,
  }
}

function landingLevel({ metadata, spec }: PriorityLevelConfiguration): LandingLevel {
  return {
    name: metadata.name,
    uid: metadata.uid,
    type: spec.type,
    response: spec.limited?.limitResponse.type ?? null,
  }
}

function flowDocument({ outcome }: WhereisAnswer, identity: Identity, request: RequestAttributes): Flow | null {
  if (outcome.outcome !== 'classified') return null
  const { schema, level } = outcome.entry
  const queuing = level.spec.limited?.limitResponse.queuing
  if (!queuing) return null
  const { flow } = outcome
  return {
    distinguisherMethod: schema.spec.distinguisherMethod?.type ?? null,
    distinguisher: dealtQueues(level) === null ? '' : flowDistinguisher(schema, identity, request),
    hash: flow === null ? null : formatHash(flow.hash),
    queues: queuing.queues,
    handSize: queuing.handSize,
    hand: flow?.hand ?? null,
  }
}

function traceStep({ schema, result, because }: CoreTraceStep): TraceStep {
  return {
    flowSchema: schema.metadata.name,
    matchingPrecedence: schema.spec.matchingPrecedence,
    result,
    because,
  }
}
