/** Where one request lands, why not elsewhere, and what of the answer is not known. */
import { type Classifier, classify, type Outcome, plainClassifier } from '../apf/classify.ts'
import { type TraceStep, trace } from '../apf/explain.ts'
import { ALL_AUTHENTICATED, ALL_UNAUTHENTICATED, nodeOf } from '../apf/identity.ts'
import { matchesFlowSchema } from '../apf/match.ts'
import type { FlowSchema } from '../apf/objects.ts'
import { bySchemaOrder, type EffectiveConfiguration } from '../apf/order.ts'
import type { Identity, RequestAttributes } from '../apf/request.ts'
import { type LevelSeats, levelSeats, requestSeatCaps } from '../apf/seats.ts'
import { compareBytes } from '../apf/text.ts'
import type { VersionRules } from '../apf/versions.ts'
import type { StoredObjects } from '../apf/work-estimate.ts'
import { requestCost, type Work } from './request-cost.ts'

export interface WhereisQuestion {
  identity: Identity
  /** False: the groups were implied from the name. */
  groupsGiven: boolean
  request: RequestAttributes
  /** Of the request's URL, without its `?`; null where the request was given in words. */
  query: string | null
}

/** The cluster as far as a question about one request needs it. */
export interface WhereisContext {
  configuration: EffectiveConfiguration
  rules: VersionRules
  /** A level that is not in the set surely does not exist. */
  complete: boolean
  /** Seats of one API server; null where they are not known. */
  serverSeats: number | null
  /** What is stored of the resource of a request, as the server counts it; null where that is not known. */
  stored: (request: RequestAttributes) => StoredObjects | null
}

export interface WhereisAnswer {
  outcome: Outcome
  trace: TraceStep[]
  /** The limits of the level; null for a bypass, without known seats, and for a level that takes no part in sharing. */
  seats: LevelSeats | null
  /** What the request costs; null where that depends on what is not known, see `unknowns`. */
  work: Work | null
  unknowns: Unknown[]
}

/** Something that the answer depends on or lacks, and that was not given. */
export interface Unknown {
  code:
    | 'groups'
    | 'node-groups'
    | 'level'
    | 'server-version'
    | 'work'
    | 'mode'
    | 'levels'
    | 'caller'
    | 'backend'
    | 'metrics'
  message: string
}

/** Groups that come with being authenticated or not; nobody chooses them. */
const AUTHENTICATION_GROUPS = [ALL_AUTHENTICATED, ALL_UNAUTHENTICATED]
const NODE_GROUP = 'system:nodes'

export function whereis(question: WhereisQuestion, context: WhereisContext): WhereisAnswer {
  const { identity, request } = question
  const { configuration, rules } = context
  const classifier = plainClassifier(configuration)
  const outcome = classify(classifier, identity, request, rules)
  if (outcome.outcome === 'bypass') return { outcome, trace: [], seats: null, work: null, unknowns: [] }
  const { level } = outcome.entry
  const seats = seatsOf(level.metadata.name, context)
  const exempt = level.spec.limited === null
  const caps = seats ?? (exempt ? requestSeatCaps(null, rules) : null)
  const stored = context.stored(request)
  const cost = requestCost({ request, query: question.query, exempt, caps, stored }, rules)
  return {
    outcome,
    trace: trace(configuration, outcome, identity, request),
    seats,
    work: 'work' in cost ? cost.work : null,
    unknowns: [
      ...groupUnknowns(question, context, classifier),
      ...levelUnknowns(question, context, outcome),
      ...('dependsOn' in cost ? [{ code: 'work' as const, message: cost.dependsOn }] : []),
    ],
  }
}

function seatsOf(level: string, { configuration, rules, serverSeats }: WhereisContext): LevelSeats | null {
  if (serverSeats === null) return null
  return levelSeats(configuration.levels.values(), serverSeats, rules).find(({ name }) => name === level) ?? null
}

/**
 * Groups that some FlowSchema names, that the caller was not said to be in, and that would change where the request lands.
 * Sorted by bytes.
 */
export function decisiveGroups(
  { identity, request }: WhereisQuestion,
  { configuration }: WhereisContext,
  classifier: Classifier,
): string[] {
  const landing = classifier.find(identity, request).entry
  return namedGroups(configuration)
    .filter((group) => isOpen(group, identity))
    .filter((group) => {
      const withGroup = { name: identity.name, groups: [...identity.groups, group] }
      return classifier.find(withGroup, request).entry !== landing
    })
}

/** What is not known of a subject, whatever it asks. */
export function mapUnknowns(
  { identity, groupsGiven }: Pick<WhereisQuestion, 'identity' | 'groupsGiven'>,
  { configuration }: WhereisContext,
): Unknown[] {
  if (groupsGiven) return []
  const named = namedGroups(configuration).filter((group) => isOpen(group, identity))
  return impliedGroupUnknowns(identity, named, 'it reaches others')
}

function namedGroups({ order }: EffectiveConfiguration): string[] {
  const names = new Set<string>()
  for (const { schema } of order) {
    for (const rule of schema.spec.rules) {
      for (const { kind, group } of rule.subjects) if (kind === 'Group' && group) names.add(group.name)
    }
  }
  names.delete('*')
  return [...names].sort(compareBytes)
}

/** A group that the identity may be in without our knowing. */
function isOpen(group: string, identity: Identity): boolean {
  return !identity.groups.includes(group) && !AUTHENTICATION_GROUPS.includes(group)
}

function groupUnknowns(question: WhereisQuestion, context: WhereisContext, classifier: Classifier): Unknown[] {
  if (question.groupsGiven) return []
  return impliedGroupUnknowns(
    question.identity,
    decisiveGroups(question, context, classifier),
    'it would land elsewhere',
  )
}

function impliedGroupUnknowns({ name, groups }: Identity, decisive: readonly string[], effect: string): Unknown[] {
  const implied = `Groups were implied: ${groups.join(', ')}.`
  const message = decisive.length === 0 ? implied : `${implied} With ${inWords(decisive)} ${effect}.`
  const unknowns: Unknown[] = [{ code: 'groups', message }]
  if (nodeOf(name) !== null && !groups.includes(NODE_GROUP)) {
    const message = `A kubelet's own credential also carries group ${NODE_GROUP}; add --as-group=${NODE_GROUP} for it.`
    unknowns.push({ code: 'node-groups', message })
  }
  return unknowns
}

/** Schemas that would take the request if only the level existed that they name and that the set does not define. */
function levelUnknowns(
  { identity, request }: WhereisQuestion,
  { configuration, complete }: WhereisContext,
  outcome: Outcome & { outcome: 'classified' },
): Unknown[] {
  if (complete) return []
  const landing = outcome.entry.schema
  return configuration.dangling
    .filter(({ schema, because }) => because === 'no-such-level' && standsBefore(schema, landing))
    .filter(({ schema }) => matchesFlowSchema(schema, identity, request) !== null)
    .map(({ schema }) => {
      const level = schema.spec.priorityLevelConfiguration.name
      const message = `Priority level ${level} of FlowSchema ${schema.metadata.name} is not in the given files; if it exists in the cluster, ${schema.metadata.name} takes this request.`
      return { code: 'level', message }
    })
}

function standsBefore(schema: FlowSchema, other: FlowSchema): boolean {
  return bySchemaOrder(schema, other) < 0
}

function inWords(names: readonly string[]): string {
  if (names.length > 4) return `one of ${names.slice(0, 4).join(', ')} or ${names.length - 4} more groups`
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`
}
