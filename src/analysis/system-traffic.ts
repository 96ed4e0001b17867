/**
 * The requests by which a cluster keeps itself alive, as classes with names: who sends them and what is sent. Where they
 * land by default is told by the default objects of each version (`defaultLandings`).
 * Source: kubernetes/apiserver pkg/apis/flowcontrol/bootstrap/default.go, whose suggested objects exist for these classes.
 */
import { defaultObjects } from '../apf/defaults/index.ts'
import { ALL_AUTHENTICATED, ALL_UNAUTHENTICATED, ANONYMOUS } from '../apf/identity.ts'
import { subjectMatches } from '../apf/match.ts'
import type { ResourceRule, Subject } from '../apf/objects.ts'
import { type EffectiveConfiguration, type EffectiveSchema, effectiveConfiguration } from '../apf/order.ts'
import type { Identity } from '../apf/request.ts'
import { accountSubject, groupSubject, userSubject } from '../apf/subjects.ts'
import type { VersionRules } from '../apf/versions.ts'
import { intersectRegions, isEmptyRegion, type Region, subtractRegion, uniteRegions } from '../regions/region.ts'
import { nonResourceRuleRegion, resourceRuleRegion } from '../regions/rules.ts'
import { type RequestLine, witness } from '../regions/witness.ts'
import { bypassOf, regionOfCaller } from './rule-region.ts'
import { schemasNaming } from './subject-index.ts'

export interface SystemTraffic {
  /** Stable, in kebab case. */
  name: string
  /** For a sentence: `heartbeats of nodes`. */
  title: string
  /** Who sends it, for a sentence: `nodes`. */
  sender: string
  /** When these wait, the cluster fails: leaders step down, nodes count as lost, probes restart the server. */
  vital: boolean
  /** One of those who send it per subject. */
  identities: readonly Identity[]
  /** An identity sends this traffic exactly if one of these matches it. */
  subjects: readonly Subject[]
  requests: Region
}

const KCM = authenticated('system:kube-controller-manager')
const SCHEDULER = authenticated('system:kube-scheduler')
const NODE = authenticated('system:node:node-1', 'system:nodes')
const KUBE_SYSTEM_ACCOUNT = authenticated(
  'system:serviceaccount:kube-system:example',
  'system:serviceaccounts',
  'system:serviceaccounts:kube-system',
)
const EVERYTHING = uniteRegions(
  resourceRuleRegion({ verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'], clusterScope: true }),
  nonResourceRuleRegion({ verbs: ['*'], nonResourceURLs: ['*'] }),
)
const LOCK_VERBS = ['get', 'create', 'update']

/** The vital classes first; a request may be in several. */
export const SYSTEM_TRAFFIC: readonly SystemTraffic[] = [
  {
    name: 'leader-election',
    title: 'leader election of the control plane',
    sender: 'the control plane',
    vital: true,
    identities: [KCM, SCHEDULER],
    subjects: [userSubject('system:kube-controller-manager'), userSubject('system:kube-scheduler')],
    requests: requestsOn(namespaced('coordination.k8s.io', ['leases'], LOCK_VERBS, ['kube-system'])),
  },
  {
    name: 'kube-system-leader-election',
    title: 'leader election of kube-system',
    sender: 'ServiceAccounts of kube-system',
    vital: true,
    identities: [KUBE_SYSTEM_ACCOUNT],
    subjects: [accountSubject('kube-system', '*')],
    requests: requestsOn(namespaced('coordination.k8s.io', ['leases'], LOCK_VERBS, ['kube-system'])),
  },
  {
    name: 'node-heartbeats',
    title: 'heartbeats of nodes',
    sender: 'nodes',
    vital: true,
    identities: [NODE],
    subjects: [groupSubject('system:nodes')],
    requests: requestsOn(
      namespaced('coordination.k8s.io', ['leases'], [...LOCK_VERBS, 'patch'], ['kube-node-lease']),
      clusterScoped('', ['nodes', 'nodes/status'], ['get', 'create', 'update', 'patch']),
    ),
  },
  {
    name: 'probes',
    title: 'probes of the API server',
    sender: 'probes',
    vital: true,
    identities: [{ name: ANONYMOUS, groups: [ALL_UNAUTHENTICATED] }],
    subjects: [userSubject(ANONYMOUS)],
    requests: nonResourceRuleRegion({ verbs: ['get'], nonResourceURLs: ['/healthz', '/livez', '/readyz'] }),
  },
  {
    name: 'nodes',
    title: 'requests of nodes',
    sender: 'nodes',
    vital: false,
    identities: [NODE],
    subjects: [groupSubject('system:nodes')],
    requests: EVERYTHING,
  },
  {
    name: 'kube-controller-manager',
    title: 'requests of the kube-controller-manager',
    sender: 'the kube-controller-manager',
    vital: false,
    identities: [KCM],
    subjects: [userSubject('system:kube-controller-manager')],
    requests: EVERYTHING,
  },
  {
    name: 'kube-scheduler',
    title: 'requests of the kube-scheduler',
    sender: 'the kube-scheduler',
    vital: false,
    identities: [SCHEDULER],
    subjects: [userSubject('system:kube-scheduler')],
    requests: EVERYTHING,
  },
  {
    name: 'kube-system',
    title: 'requests of ServiceAccounts of kube-system',
    sender: 'ServiceAccounts of kube-system',
    vital: false,
    identities: [KUBE_SYSTEM_ACCOUNT],
    subjects: [accountSubject('kube-system', '*')],
    requests: EVERYTHING,
  },
]

/** Some requests of one identity and who takes them. */
export interface Landing {
  entry: EffectiveSchema
  requests: Region
  /** Looked for when it is read. */
  readonly witness: RequestLine
}

/** Where these requests of an identity land, in server order. What bypasses APF lands nowhere. */
export function landingsOf(
  requests: Region,
  identity: Identity,
  configuration: EffectiveConfiguration,
  rules: VersionRules,
): Landing[] {
  const landings: Landing[] = []
  let rest = subtractRegion(requests, bypassOf(rules))
  const land = (entry: EffectiveSchema, taken: Region) => {
    if (!isEmptyRegion(taken)) landings.push(landing(entry, taken, identity))
  }
  for (const entry of schemasNaming(configuration, identity)) {
    if (isEmptyRegion(rest)) return landings
    const claimed = regionOfCaller(entry.schema, identity)
    land(entry, intersectRegions(rest, claimed))
    rest = subtractRegion(rest, claimed)
  }
  // Catch-all also answers what no schema matches.
  land(configuration.catchAll, rest)
  return landings
}

function landing(entry: EffectiveSchema, requests: Region, identity: Identity): Landing {
  return {
    entry,
    requests,
    get witness() {
      const example = witness(requests, identity)
      if (example === null) throw new Error('a landing without requests')
      return example
    },
  }
}

/** Where a class lands with nothing but the default objects of a version. */
export function defaultLandings({ requests, identities }: SystemTraffic, rules: VersionRules): Landing[] {
  const { flowSchemas, priorityLevels } = defaultObjects(rules)
  const defaults = effectiveConfiguration(flowSchemas, priorityLevels, rules)
  return identities.flatMap((identity) => landingsOf(requests, identity, defaults, rules))
}

/** The classes that some of these requests of this identity are in, vital ones first. */
export function systemTrafficAmong(identity: Identity, requests: Region): SystemTraffic[] {
  return SYSTEM_TRAFFIC.filter(
    (traffic) =>
      traffic.subjects.some((subject) => subjectMatches(subject, identity)) &&
      !isEmptyRegion(intersectRegions(requests, traffic.requests)),
  )
}

function authenticated(name: string, ...groups: string[]): Identity {
  return { name, groups: [...groups, ALL_AUTHENTICATED] }
}

function requestsOn(...rules: ResourceRule[]): Region {
  return rules.map(resourceRuleRegion).reduce(uniteRegions)
}

function namespaced(apiGroup: string, resources: string[], verbs: string[], namespaces: string[]): ResourceRule {
  return { verbs, apiGroups: [apiGroup], resources, namespaces, clusterScope: false }
}

function clusterScoped(apiGroup: string, resources: string[], verbs: string[]): ResourceRule {
  return { verbs, apiGroups: [apiGroup], resources, namespaces: [], clusterScope: true }
}
