/**
 * Requests that wait for a backend, and the requests by which the backend calls back. A server without a seat for the
 * latter lets the former wait with it, however many seats their own level has.
 */
import { ownGroups } from '../analysis/resource-facts.ts'
import { regionOfRule } from '../analysis/rule-region.ts'
import { landingsOf } from '../analysis/system-traffic.ts'
import { NODES, typicalIdentity } from '../analysis/typical-identity.ts'
import { bootstrapClass } from '../apf/defaults/index.ts'
import { serviceAccountOf } from '../apf/identity.ts'
import { WILDCARD } from '../apf/match.ts'
import type { ResourceRule, Subject } from '../apf/objects.ts'
import type { EffectiveConfiguration, EffectiveSchema } from '../apf/order.ts'
import type { Identity } from '../apf/request.ts'
import { levelSeats } from '../apf/seats.ts'
import { accountSubject, groupSubject, userSubject } from '../apf/subjects.ts'
import { intersectRegions, type Region, regionKey, regionsMeet, uniteRegions } from '../regions/region.ts'
import { resourceRuleRegion } from '../regions/rules.ts'
import { listInWords } from './clauses.ts'
import type { LintContext } from './rule.ts'

/** Where callers of one kind wait for a backend whose call-backs they may come to depend on. */
export interface Wait {
  /** For a sentence: `nodes`. */
  who: string
  from: EffectiveSchema
  /** Takes call-backs: in the same level, or in another one behind that of the callers. */
  to: EffectiveSchema
}

/** Who asks what, of what may be admitted or proxied: not every request that the server would let them make. */
interface Callers {
  who: string
  identity: Identity
  requests: Region
}

const WRITES = ['create', 'update', 'patch', 'delete']
const EVERYTHING = anywhere({ verbs: ['*'], apiGroups: ['*'], resources: ['*'] })

const LEASES = { apiGroups: ['coordination.k8s.io'], resources: ['leases'], clusterScope: false }

function usualCallers(): Callers[] {
  const events = anywhere({ verbs: WRITES, apiGroups: ['', 'events.k8s.io'], resources: ['events'] })
  const leases = (namespace: string) => resourceRuleRegion({ ...LEASES, verbs: WRITES, namespaces: [namespace] })
  const podsDeleted = anywhere({ verbs: ['delete'], apiGroups: [''], resources: ['pods'] })
  return [
    {
      who: 'nodes',
      ...memberOf(NODES),
      requests: [
        events,
        leases('kube-node-lease'),
        podsDeleted,
        anywhere({ verbs: ['create', 'update', 'patch'], apiGroups: [''], resources: ['nodes'] }),
        anywhere({ verbs: WRITES, apiGroups: ['storage.k8s.io'], resources: ['csinodes'] }),
      ].reduce(uniteRegions),
    },
    {
      who: 'the kube-controller-manager',
      ...user('system:kube-controller-manager'),
      requests: [events, leases('kube-system')].reduce(uniteRegions),
    },
    {
      who: 'the kube-scheduler',
      ...user('system:kube-scheduler'),
      requests: [events, leases('kube-system'), podsDeleted].reduce(uniteRegions),
    },
    {
      who: 'the controllers of kube-system',
      ...memberOf('system:serviceaccounts:kube-system'),
      // Garbage collector and namespace controller look after whatever there is.
      requests: [
        anywhere({
          verbs: ['*'],
          apiGroups: ownGroups().filter((group) => !LEASES.apiGroups.includes(group)),
          resources: ['*'],
        }),
        leases('kube-system'),
        anywhere({ verbs: ['get', 'list', 'delete', 'deletecollection'], apiGroups: ['*'], resources: ['*'] }),
      ].reduce(uniteRegions),
    },
    { who: 'other ServiceAccounts', ...memberOf('system:serviceaccounts'), requests: EVERYTHING },
    { who: 'users', ...memberOf('system:authenticated'), requests: EVERYTHING },
  ].flatMap(({ identity, ...callers }) => (identity === null ? [] : [{ ...callers, identity }]))
}

/** Whom schemas name that are no default ones, with the requests that those schemas name; called as the subject is written. */
function namedCallers(entry: EffectiveSchema): Callers[] {
  const { schema } = entry
  return schema.spec.rules.flatMap((rule) =>
    rule.subjects.flatMap((subject) => {
      const identity = typicalIdentity(subject)
      return identity === null ? [] : [{ who: inWords(subject), identity, requests: regionOfRule(rule) }]
    }),
  )
}

function inWords({ kind, user: named, group, serviceAccount }: Subject): string {
  if (kind === 'ServiceAccount') return `${kind} ${serviceAccount?.namespace}/${serviceAccount?.name}`
  return `${kind} ${named?.name ?? group?.name}`
}

/** What a backend asks while it answers: it looks things up, and has its callers authenticated and authorized. */
const CALLBACKS = uniteRegions(
  anywhere({ verbs: ['get', 'list'], apiGroups: [''], resources: ['*'] }),
  anywhere({
    verbs: ['create'],
    apiGroups: ['authentication.k8s.io', 'authorization.k8s.io'],
    resources: ['tokenreviews', 'subjectaccessreviews'],
  }),
)

/**
 * Where the ServiceAccounts of a namespace land with what they ask while they answer. Which of them a backend runs as is
 * not known: where schemas of ours name some, those are meant.
 */
function callbackSchemas(namespace: string, { configuration, rules }: LintContext): EffectiveSchema[] {
  const named = configuration.order
    .filter(({ schema }) => bootstrapClass(schema, rules) === null)
    .flatMap(({ schema }) => schema.spec.rules.flatMap(({ subjects }) => subjects))
    .map(typicalIdentity)
    .filter((identity) => identity !== null && isAccountOf(namespace, identity))
  const anyone = typicalIdentity(accountSubject(namespace, WILDCARD))
  const identities = [...(named.length > 0 ? named : [anyone])].filter((identity) => identity !== null)
  const entries = identities.flatMap((identity) => landingsOf(CALLBACKS, identity, configuration, rules))
  return [...new Set(entries.map(({ entry }) => entry))].filter(({ level }) => level.spec.type !== 'Exempt')
}

function isAccountOf(namespace: string, { name }: Identity): boolean {
  return serviceAccountOf(name)?.namespace === namespace
}

/** What there is to say of the requests that wait for a backend. */
export interface Dependence {
  /** Those for another level; else those in one that is too small; else those in the same level. */
  waits: Wait[]
  /** The level of the call-backs may be full while the callers' own would not hold them up. */
  isReal: boolean
}

/** Null where no request waits, or all call-backs go before their callers. */
export function dependenceOn(
  backend: { namespace: string; requests: Region },
  context: LintContext,
): Dependence | null {
  const waits = waitsFor(backend, context)
  const inverted = waits.filter(({ from, to }) => from.level !== to.level)
  if (inverted.length > 0) return { waits: inverted, isReal: true }
  const cramped = waits.filter(({ to }) => isSmall(to, context))
  if (cramped.length > 0) return { waits: cramped, isReal: true }
  return waits.length > 0 ? { waits, isReal: false } : null
}

/** Each kind of callers with each schema in which they wait, and each that takes call-backs they may come to depend on. */
function waitsFor({ namespace, requests }: { namespace: string; requests: Region }, context: LintContext): Wait[] {
  const callbacks = callbackSchemas(namespace, context)
  if (callbacks.length === 0) return []
  const waits = callersOf(requests, context)
    .filter(({ identity }) => !isAccountOf(namespace, identity))
    .flatMap(({ who, from }) => callbacks.filter((to) => dependsOn(from, to, context)).map((to) => ({ who, from, to })))
  const byText = new Map(waits.map((wait) => [JSON.stringify([wait.who, levelOf(wait.from), levelOf(wait.to)]), wait]))
  return [...byText.values()]
}

interface Caller extends Pick<Callers, 'who' | 'identity'> {
  from: EffectiveSchema
}

/** Webhooks are about the same requests more often than not. */
const callersByRequests = new WeakMap<EffectiveConfiguration, Map<string, Caller[]>>()

/** Who sends such requests, and which schema takes them. */
function callersOf(requests: Region, { configuration, rules }: LintContext): Caller[] {
  const known = callersByRequests.get(configuration) ?? new Map<string, Caller[]>()
  callersByRequests.set(configuration, known)
  const key = regionKey(requests)
  const found = known.get(key)
  if (found !== undefined) return found
  const landing = ({ who, identity, requests: asked }: Callers): Caller[] =>
    regionsMeet(requests, asked)
      ? landingsOf(intersectRegions(requests, asked), identity, configuration, rules).map(({ entry: from }) => ({
          who,
          identity,
          from,
        }))
      : []
  const own = configuration.order.filter(({ schema }) => bootstrapClass(schema, rules) === null)
  const callers = [
    ...usualCallers().flatMap(landing),
    ...own.flatMap((entry) =>
      namedCallers(entry)
        .flatMap(landing)
        .filter(({ from }) => from === entry),
    ),
  ]
  known.set(key, callers)
  return callers
}

/** Levels have no rank of their own; the order of the schemas that lead to them is the nearest thing to one. */
function dependsOn(from: EffectiveSchema, to: EffectiveSchema, { configuration: { order } }: LintContext): boolean {
  if (from.level.spec.type === 'Exempt') return false
  return from.level === to.level || order.indexOf(from) < order.indexOf(to)
}

/** As many waiting callers as this leave no seat for what they wait for. */
const HANDFUL = 10

function isSmall({ level }: EffectiveSchema, { configuration, serverSeats, rules }: LintContext): boolean {
  const seats = levelSeats([...configuration.levels.values()], serverSeats.value, rules)
  const found = seats.find(({ name }) => name === level.metadata.name)
  return found !== undefined && found.nominal <= HANDFUL
}

/** `nodes (system, node-high) and users (global-default)`. */
export function callersInWords(waits: readonly Wait[]): string {
  const levels = new Map<string, string[]>()
  for (const { who, from } of waits) {
    const known = levels.get(who) ?? []
    if (!known.includes(levelOf(from))) levels.set(who, [...known, levelOf(from)])
  }
  const callers = [...levels].map(([who, names]) => `${who} (${names.join(', ')})`)
  const others = callers.length - CALLERS_TOLD
  return listInWords(others > 1 ? [...callers.slice(0, CALLERS_TOLD), `${others} others`] : callers)
}

const CALLERS_TOLD = 6

/** The levels that take the call-backs. */
export function callbackLevels(waits: readonly Wait[]): string {
  return listInWords([...new Set(waits.map(({ to }) => levelOf(to)))])
}

function levelOf({ level }: EffectiveSchema): string {
  return level.metadata.name
}

function anywhere(rule: Pick<ResourceRule, 'verbs' | 'apiGroups' | 'resources'>): Region {
  return resourceRuleRegion({ ...rule, clusterScope: true, namespaces: [WILDCARD] })
}

function user(name: string) {
  return { identity: typicalIdentity(userSubject(name)) }
}

function memberOf(name: string) {
  return { identity: typicalIdentity(groupSubject(name)) }
}
