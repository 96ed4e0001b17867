/**
 * The smallest FlowSchema, with a priority level of its own or an existing one, that fences one subject in; and the proof
 * that nothing else moves.
 */
import { bootstrapClass, type ObjectSet } from '../apf/defaults/index.ts'
import type { FlowSchema, NonResourceRule, PriorityLevelConfiguration, ResourceRule, Subject } from '../apf/objects.ts'
import { type EffectiveConfiguration, type EffectiveSchema, effectiveConfiguration } from '../apf/order.ts'
import type { Identity } from '../apf/request.ts'
import { sharesOf } from '../apf/seats.ts'
import { nearest } from '../apf/suggest.ts'
import { sum } from '../apf/sum.ts'
import { newestVersion, type VersionRules } from '../apf/versions.ts'
import { NO_REQUEST, type Region, uniteRegions } from '../regions/region.ts'
import { nonResourceRuleRegion, resourceRuleRegion } from '../regions/rules.ts'
import { fencingLevel, type SharesFor, sharesForSeats, type WantedSeats } from './isolation/level-shape.ts'
import { type Anchor, precedenceBeside } from './isolation/placement.ts'
import { type Landing, landingsOf } from './system-traffic.ts'

export interface IsolationWish {
  /** Whom the new FlowSchema names. */
  subject: Subject
  /** One who is such a subject, with the groups it usually has: tells where its requests land now. */
  identity: Identity
  requests: { resourceRules: readonly ResourceRule[]; nonResourceRules: readonly NonResourceRule[] }
  /** Of the new objects. */
  name: string
  /** The name was asked for; otherwise another one does as well, where it is taken. */
  isNameGiven: boolean
  level: { existing: string } | NewLevel
  /** Next to this schema instead of before those that take the requests now. */
  beside: { side: Anchor['side']; name: string } | null
}

export interface NewLevel {
  wanted: WantedSeats
  response: 'Queue' | 'Reject'
}

export interface Isolation {
  /** One of those fenced in, with the groups that they usually have. */
  identity: Identity
  /** The requests meant. */
  wanted: Region
  schema: FlowSchema
  /** Null where the level exists already. */
  level: PriorityLevelConfiguration | null
  /** What the wanted seats take; null for an existing level. */
  shares: SharesFor | null
  /** Where the requests land now and are taken from. */
  takenFrom: readonly EffectiveSchema[]
  /** Requests that were meant too, but stay where they are, because their schema stands earlier. */
  staying: readonly Landing[]
  anchor: Anchor
  before: EffectiveConfiguration
  after: EffectiveConfiguration
}

/** Why the wish cannot be met, and what it would take. */
export interface IsolationRefusal {
  why: string
  needed: string
}

export function isRefusal(answer: Isolation | IsolationRefusal): answer is IsolationRefusal {
  return 'needed' in answer
}

/**
 * Plans the objects that send these requests of the subject to a level of their own.
 *
 * The new schema stands before the first that takes some of the requests, except for those that keep the cluster alive and
 * those that lead to an exempt level: what these take stays theirs.
 */
export function planIsolation(
  asked: IsolationWish,
  objects: ObjectSet,
  serverSeats: number,
  rules: VersionRules,
): Isolation | IsolationRefusal {
  const before = effectiveConfiguration(objects.flowSchemas, objects.priorityLevels, rules)
  const name = nameFor(asked, objects, rules)
  if (typeof name !== 'string') return name
  const wish = { ...asked, name }
  const wanted = regionOf(wish.requests)
  const landings = landingsOf(wanted, wish.identity, before, rules)
  const anchor = anchorOf(wish, landings, before, rules)
  if ('needed' in anchor) return anchor
  const { precedence, gap } = precedenceBeside(anchor, before)
  if (precedence === null) return noPrecedence(anchor, gap)

  const level = levelOf(wish, before, serverSeats, rules)
  if ('needed' in level) return level
  const schema = schemaOf(wish, precedence, level.name, rules)
  const after = effectiveConfiguration(
    [...objects.flowSchemas, schema],
    level.made === null ? objects.priorityLevels : [...objects.priorityLevels, level.made],
    rules,
  )
  const position = after.order.findIndex((entry) => entry.schema === schema)
  const isBehind = ({ entry }: Landing) => after.order.indexOf(entryNamed(after, entry)) > position
  if (!landings.some(isBehind)) return caughtEarlier(landings)
  return {
    identity: wish.identity,
    wanted,
    schema,
    level: level.made,
    shares: level.shares,
    takenFrom: landings.filter(isBehind).map(({ entry }) => entry),
    staying: landings.filter((landing) => !isBehind(landing)),
    anchor,
    before,
    after,
  }
}

function entryNamed({ order, catchAll }: EffectiveConfiguration, { schema }: EffectiveSchema): EffectiveSchema {
  return order.find((entry) => entry.schema.metadata.name === schema.metadata.name) ?? catchAll
}

function regionOf({ resourceRules, nonResourceRules }: IsolationWish['requests']): Region {
  return [...resourceRules.map(resourceRuleRegion), ...nonResourceRules.map(nonResourceRuleRegion)].reduce(
    uniteRegions,
    NO_REQUEST,
  )
}

/** The name asked for, or one like it that is free; a schema of the same subject is probably this fence already. */
function nameFor(wish: IsolationWish, objects: ObjectSet, rules: VersionRules): string | IsolationRefusal {
  const { name, isNameGiven, subject } = wish
  const kind = holderOf(name, wish, objects)
  if (kind === null) return name
  const named = objects.flowSchemas.find(
    (schema) => schema.metadata.name === name && bootstrapClass(schema, rules) === null,
  )
  const isSame = (other: Subject) => JSON.stringify(other) === JSON.stringify(subject)
  if (isNameGiven || named?.spec.rules.some(({ subjects }) => subjects.some(isSame))) {
    const isFence = !isNameGiven && named !== undefined
    return {
      why: `a ${kind} named ${name} exists already${isFence ? ', of the same subject' : ''}`,
      needed: 'another name (--name NAME)',
    }
  }
  const candidates = ['fence', ...Array.from({ length: MOST_NAMES }, (_, index) => `fence-${index + 2}`)]
  const free = candidates.map((end) => `${name}-${end}`).find((each) => holderOf(each, wish, objects) === null)
  return free ?? { why: `${name} and ${MOST_NAMES} names like it exist already`, needed: 'another name (--name NAME)' }
}

const MOST_NAMES = 20

/** The kind of the object that has the name already. */
function holderOf(name: string, { level }: IsolationWish, { flowSchemas, priorityLevels }: ObjectSet): string | null {
  const isTaken = ({ metadata }: { metadata: { name: string } }) => metadata.name === name
  if (flowSchemas.some(isTaken)) return 'FlowSchema'
  return 'wanted' in level && priorityLevels.some(isTaken) ? 'PriorityLevelConfiguration' : null
}

/** Suggested schemas that carry what the control plane and the nodes live on. */
const CONTROL_PLANE_SCHEMAS: ReadonlySet<string> = new Set([
  'system-leader-election',
  'endpoint-controller',
  'workload-leader-election',
  'system-node-high',
  'system-nodes',
  'kube-controller-manager',
  'kube-scheduler',
])

function anchorOf(
  { beside }: IsolationWish,
  landings: readonly Landing[],
  configuration: EffectiveConfiguration,
  rules: VersionRules,
): Anchor | IsolationRefusal {
  const schemas = configuration.order.filter(({ builtIn }) => !builtIn).map(({ schema }) => schema)
  if (beside !== null) {
    const schema = schemas.find(({ metadata }) => metadata.name === beside.name)
    if (schema) return { side: beside.side, schema }
    const meant = nearest(
      beside.name,
      schemas.map(({ metadata }) => metadata.name),
    )
    return {
      why: `no FlowSchema named ${beside.name} is in force`,
      needed: meant === null ? 'the name of one that is: kubectl apf schemas' : `did you mean ${meant}?`,
    }
  }
  const keepsClusterAlive = ({ schema }: EffectiveSchema) =>
    CONTROL_PLANE_SCHEMAS.has(schema.metadata.name) && bootstrapClass(schema, rules) !== null
  const first = landings.find(({ entry }) => entry.level.spec.type !== 'Exempt' && !keepsClusterAlive(entry))
  return first ? { side: 'above', schema: first.entry.schema } : caughtEarlier(landings)
}

const KEPT_SCHEMAS: ReadonlySet<string> = new Set([...CONTROL_PLANE_SCHEMAS, 'probes'])

function caughtEarlier(landings: readonly Landing[]): IsolationRefusal {
  const last = landings.at(-1)
  if (last === undefined) {
    return { why: 'none of these requests is under APF: they are long-running', needed: 'nothing limits them there' }
  }
  const names = landings.map(
    ({ entry: { schema, level } }) =>
      `${schema.metadata.name} (${schema.spec.matchingPrecedence}) into ${level.metadata.name}`,
  )
  const { name } = last.entry.schema.metadata
  return {
    why: `all of these requests are caught earlier, by ${names.join(', ')}`,
    needed:
      name === 'exempt'
        ? 'the subject must leave group system:masters: no schema can stand before exempt (1)'
        : KEPT_SCHEMAS.has(name)
          ? `that is what a cluster lives on; to stand before it all the same: --above ${name}`
          : `a place before it: --above ${name}`,
  }
}

function noPrecedence({ side, schema }: Anchor, gap: { after: number; before: number }): IsolationRefusal {
  const place = `${side === 'above' ? 'before' : 'behind'} ${schema.metadata.name} (${schema.spec.matchingPrecedence})`
  return {
    why: `no precedence is left ${place}: its neighbours are at ${gap.after} and ${gap.before}`,
    needed: `a free number between them: move one of the two, or choose another place with --above or --below NAME`,
  }
}

interface LevelPlan {
  name: string
  made: PriorityLevelConfiguration | null
  shares: SharesFor | null
}

function levelOf(
  { level, name, subject }: IsolationWish,
  configuration: EffectiveConfiguration,
  serverSeats: number,
  rules: VersionRules,
): LevelPlan | IsolationRefusal {
  if ('existing' in level) {
    if (configuration.levels.has(level.existing)) return { name: level.existing, made: null, shares: null }
    const meant = nearest(level.existing, [...configuration.levels.keys()])
    return {
      why: `no priority level named ${level.existing} can be used`,
      needed: meant === null ? 'the name of one: kubectl apf seats' : `did you mean ${meant}?`,
    }
  }
  const sharing = [...configuration.levels.values()].filter(
    ({ spec }) => rules.exemptLevelHasShares || spec.limited !== null,
  )
  const otherShares = sum(sharing.map((other) => sharesOf(other).nominalConcurrencyShares))
  if ('seats' in level.wanted && serverSeats > 1 && level.wanted.seats === serverSeats) {
    return {
      why: `${level.wanted.seats} of ${serverSeats} seats leave none to the other levels`,
      needed: 'fewer seats',
    }
  }
  const shares = sharesForSeats(level.wanted, otherShares, serverSeats)
  if (shares === null) {
    return {
      why: `no number of shares gives ${inWords(level.wanted)} of ${serverSeats} seats, ${otherShares} shares being the others'`,
      needed: 'fewer seats, or fewer shares of other levels',
    }
  }
  return {
    name,
    shares,
    made: {
      kind: 'PriorityLevelConfiguration',
      apiVersion: newestVersion(rules),
      metadata: metadataOf(name),
      spec: {
        type: 'Limited',
        limited: fencingLevel(shares, level.response, isSeveralIdentities(subject), rules),
        exempt: null,
      },
      origin: null,
    },
  }
}

function inWords(wanted: WantedSeats): string {
  return 'seats' in wanted ? `${wanted.seats}` : `${wanted.part * 100} %`
}

function schemaOf(
  { subject, requests, name }: IsolationWish,
  matchingPrecedence: number,
  levelName: string,
  rules: VersionRules,
): FlowSchema {
  return {
    kind: 'FlowSchema',
    apiVersion: newestVersion(rules),
    metadata: metadataOf(name),
    spec: {
      priorityLevelConfiguration: { name: levelName },
      matchingPrecedence,
      distinguisherMethod: isSeveralIdentities(subject) ? { type: 'ByUser' } : null,
      rules: [
        {
          subjects: [subject],
          resourceRules: [...requests.resourceRules],
          nonResourceRules: [...requests.nonResourceRules],
        },
      ],
    },
    status: { conditions: [] },
    origin: null,
  }
}

function isSeveralIdentities({ kind, serviceAccount }: Subject): boolean {
  return kind === 'Group' || serviceAccount?.name === '*'
}

function metadataOf(name: string): FlowSchema['metadata'] {
  return { name, uid: null, generation: null, labels: {}, annotations: {} }
}
