/** Moves by their risk: what a reviewer has to see first. */
import { dealtQueues, flowHash } from '../../apf/flow.ts'
import { ALL_AUTHENTICATED, ALL_UNAUTHENTICATED } from '../../apf/identity.ts'
import { subjectMatches } from '../../apf/match.ts'
import type { PriorityLevelConfiguration, QueuingConfiguration, Subject } from '../../apf/objects.ts'
import type { EffectiveSchema } from '../../apf/order.ts'
import type { Identity } from '../../apf/request.ts'
import { dealHand } from '../../apf/shuffle-sharding.ts'
import { cubeContains } from '../../regions/identity.ts'
import { type Breadth, breadthOfIdentities, compareBreadth } from '../breadth.ts'
import type { Move } from '../moves.ts'
import { SYSTEM_TRAFFIC, type SystemTraffic, systemTrafficAmong } from '../system-traffic.ts'
import { typicalIdentity } from '../typical-identity.ts'

export type MoveEffect =
  | 'now-exempt'
  | 'no-longer-exempt'
  /** Refused, instead of queued, where the level is full. */
  | 'now-rejected'
  | 'no-longer-rejected'
  | 'now-catch-all'
  /** Another FlowSchema, or another distinguisher, within one level: the same seats, other queues. */
  | 'same-level'

export interface RatedMove extends Move {
  effects: readonly MoveEffect[]
  /** Classes of system traffic among the requests, vital ones first. */
  system: readonly SystemTraffic[]
  breadth: Breadth
  /**
   * Nobody with the groups that usually go with a name moves so: it takes an impersonation that changes groups, or
   * credentials that nobody has.
   */
  unusual: boolean
  /** Part of the flows that wait in other queues than before, 0…1; null where the level changes or has no such queues. */
  redealt: number | null
}

/**
 * System traffic first, then exemptions won and lost, then by how many are hit; otherwise in the order given. Last come moves
 * of unusual identities.
 */
export function ratedMoves(moves: readonly Move[]): RatedMove[] {
  return moves.map(rated).sort(byRisk)
}

function rated(move: Move): RatedMove {
  return {
    ...move,
    effects: effectsOf(move),
    system: systemAmong(move),
    unusual: isUnusual(move),
    breadth: breadthOfIdentities(move.identities) ?? 'one-identity',
    // Schema and distinguisher both are in the hash of a flow, so that nothing of it stays.
    redealt: levelOf(move.from) === levelOf(move.to) && dealtQueues(move.to.level) !== null ? 1 : null,
  }
}

function effectsOf({ from, to }: Move): MoveEffect[] {
  const effects: MoveEffect[] = []
  const [wasExempt, isExempt] = [isExemptLevel(from.level), isExemptLevel(to.level)]
  if (isExempt && !wasExempt) effects.push('now-exempt')
  if (wasExempt && !isExempt) effects.push('no-longer-exempt')
  if (rejects(to.level) && !rejects(from.level)) effects.push('now-rejected')
  if (rejects(from.level) && !rejects(to.level) && !isExempt) effects.push('no-longer-rejected')
  if (to.schema.metadata.name === 'catch-all' && from.schema.metadata.name !== 'catch-all')
    effects.push('now-catch-all')
  if (levelOf(from) === levelOf(to)) effects.push('same-level')
  return effects
}

/** Identities of system traffic as they usually are, and the named ones that are among its subjects. */
function systemAmong(move: Move): SystemTraffic[] {
  const candidates = [
    ...SYSTEM_TRAFFIC.flatMap((traffic) => traffic.identities),
    ...usualIdentities(move).filter(isSystem),
  ].filter((identity) => isAmong(identity, move))
  const found = new Set(candidates.flatMap((identity) => systemTrafficAmong(identity, move.requests)))
  return SYSTEM_TRAFFIC.filter((traffic) => found.has(traffic))
}

/** See `RatedMove.unusual`. */
export function isUnusual(move: Pick<Move, 'identities'>): boolean {
  return !usualIdentities(move).some((identity) => isAmong(identity, move))
}

function isAmong(identity: Identity, { identities }: Pick<Move, 'identities'>): boolean {
  return identities.some((cube) => cubeContains(cube, identity))
}

/** Those whom the identities of a move name, or who are in one of its groups, with the groups that usually go with it. */
function usualIdentities({ identities }: Pick<Move, 'identities'>): Identity[] {
  const subjects = identities.flatMap(({ users, has }) => [
    ...namesIn(users.exact).map((name) => subjectOf('User', name)),
    ...namesIn(users.families).map((family) => subjectOf('User', `${family}example`)),
    ...has.map((name) => subjectOf('Group', name)),
  ])
  const everybody = [ALL_AUTHENTICATED, ALL_UNAUTHENTICATED].map((name) => subjectOf('Group', name))
  return [...subjects, ...everybody].flatMap((subject) => typicalIdentity(subject) ?? [])
}

function namesIn(answers: ReadonlyMap<string, boolean>): string[] {
  return [...answers].flatMap(([name, inside]) => (inside ? [name] : []))
}

function subjectOf(kind: 'User' | 'Group', name: string): Subject {
  return {
    kind,
    user: kind === 'User' ? { name } : null,
    group: kind === 'Group' ? { name } : null,
    serviceAccount: null,
  }
}

function isSystem(identity: Identity): boolean {
  return SYSTEM_TRAFFIC.some(({ subjects }) => subjects.some((subject) => subjectMatches(subject, identity)))
}

function byRisk(a: RatedMove, b: RatedMove): number {
  return (
    Number(a.unusual) - Number(b.unusual) ||
    systemRank(a) - systemRank(b) ||
    Number(touchesExempt(b)) - Number(touchesExempt(a)) ||
    Number(a.effects.includes('same-level')) - Number(b.effects.includes('same-level')) ||
    compareBreadth(b.breadth, a.breadth)
  )
}

function systemRank({ system }: RatedMove): number {
  const [first] = system
  return first === undefined ? SYSTEM_TRAFFIC.length : SYSTEM_TRAFFIC.indexOf(first)
}

/** Whether requests become exempt, or cease to be. */
export function touchesExempt({ effects }: Pick<RatedMove, 'effects'>): boolean {
  return effects.includes('now-exempt') || effects.includes('no-longer-exempt')
}

function isExemptLevel({ spec }: PriorityLevelConfiguration): boolean {
  return spec.type === 'Exempt'
}

function rejects({ spec }: PriorityLevelConfiguration): boolean {
  return spec.limited?.limitResponse.type === 'Reject'
}

function levelOf({ level }: EffectiveSchema): string {
  return level.metadata.name
}

/** A level whose queues are others, so that flows are dealt anew though no request moves. */
export interface RedealtLevel {
  level: string
  queues: { before: QueuingConfiguration; after: QueuingConfiguration }
  /** Part of the flows that wait in other queues, 0…1, of so many sampled hashes. */
  share: number
  sampled: number
}

const SAMPLED_FLOWS = 2000

/** The levels of both states whose hands are dealt from another number of queues or are of another size. */
export function redealtLevels(
  before: ReadonlyMap<string, PriorityLevelConfiguration>,
  after: ReadonlyMap<string, PriorityLevelConfiguration>,
): RedealtLevel[] {
  return [...after].flatMap(([name, level]) => {
    const old = before.get(name)
    const queues = { before: old ? dealtQueues(old) : null, after: dealtQueues(level) }
    if (queues.before === null || queues.after === null) return []
    if (queues.before.queues === queues.after.queues && queues.before.handSize === queues.after.handSize) return []
    const share = changedHands(queues.before, queues.after)
    return [{ level: name, queues: { before: queues.before, after: queues.after }, share, sampled: SAMPLED_FLOWS }]
  })
}

function changedHands(before: QueuingConfiguration, after: QueuingConfiguration): number {
  let changed = 0
  for (let flow = 0; flow < SAMPLED_FLOWS; flow++) {
    const hash = flowHash('', String(flow))
    const hand = new Set(dealHand(hash, before.queues, before.handSize))
    const dealt = dealHand(hash, after.queues, after.handSize)
    if (dealt.length !== hand.size || dealt.some((queue) => !hand.has(queue))) changed++
  }
  return changed / SAMPLED_FLOWS
}
