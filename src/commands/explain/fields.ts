/** The fields of the two kinds: what they mean to the server. */
import { type Topic, unbroken } from './topic.ts'

interface Field {
  path: string
  /** Type, default and bounds, in a few words. */
  takes: string
  text: string
  see?: readonly string[]
}

const RULE = 'FlowSchema.spec.rules[]'
const LIMITED = 'PriorityLevelConfiguration.spec.limited'

const FIELDS: readonly Field[] = [
  {
    path: 'FlowSchema.spec.priorityLevelConfiguration.name',
    takes: 'name of a priority level; required',
    text: 'The level that gets the requests. It need not exist when the FlowSchema is created: until it does, the schema takes nothing.',
    see: ['dangling', 'APF201'],
  },
  {
    path: 'FlowSchema.spec.matchingPrecedence',
    takes: '1 to 10000, default 1000; 1 is for exempt alone; 0 counts as absent',
    text: 'The smaller, the earlier the schema is tried. Ties are decided by name, smaller bytes first.',
    see: ['precedence'],
  },
  {
    path: 'FlowSchema.spec.distinguisherMethod.type',
    takes: 'ByUser or ByNamespace; without distinguisherMethod all requests are one flow',
    text: 'What divides the requests of the schema into flows, which share the level fairly.',
    see: ['distinguisher', 'flow'],
  },
  {
    path: `${RULE}.subjects`,
    takes: 'list, at least one; kind User, Group or ServiceAccount with the member of that kind',
    text: `\
Who the rule is for. Names are compared letter by letter; user or group "*" is everybody. A ServiceAccount subject looks at the user name alone, its
name "*" means all of its namespace, and its namespace has no wildcard. Groups have to be the caller's as the server sees them.`,
    see: ['flowschema'],
  },
  {
    path: `${RULE}.resourceRules[].verbs`,
    takes: 'list of create, delete, deletecollection, get, list, patch, proxy, update, watch, or "*" alone',
    text: 'Verbs of the request. A LIST of one object by its name, with a field selector, is still a list.',
  },
  {
    path: `${RULE}.resourceRules[].apiGroups`,
    takes: 'list of groups without versions, "" for the core group, or "*" alone',
    text: 'API groups of the request: apps, not apps/v1.',
    see: ['APF207'],
  },
  {
    path: `${RULE}.resourceRules[].resources`,
    takes: 'list of resources in lower-case plural, resource/subresource, or "*" alone',
    text: 'pods does not cover pods/status, and pods/* matches nothing; "*" covers both.',
    see: ['APF208'],
  },
  {
    path: `${RULE}.resourceRules[].clusterScope`,
    takes: 'true or false, default false',
    text: `\
Whether requests without a namespace match: those on cluster-scoped resources, and those over all namespaces. It says nothing about requests with a
namespace.`,
    see: [`${RULE}.resourceRules[].namespaces`],
  },
  {
    path: `${RULE}.resourceRules[].namespaces`,
    takes: 'list of namespaces, or "*" alone; required unless clusterScope is true',
    text: 'Namespaces of requests that have one. "*" is every namespace, but not a request without one: that needs clusterScope.',
    see: [`${RULE}.resourceRules[].clusterScope`],
  },
  {
    path: `${RULE}.nonResourceRules[].nonResourceURLs`,
    takes: 'list of paths, or "*" alone; a path may end in /*',
    text: '/healthz covers what is below it too; /healthz/* covers only what is below it; / covers every path.',
  },
  {
    path: `${RULE}.nonResourceRules[].verbs`,
    takes: 'list of API verbs, or "*" alone',
    text: 'The HTTP method in lower case. Only get, patch and delete can be named; POST, PUT, HEAD and OPTIONS match through "*" alone.',
  },
  {
    path: 'PriorityLevelConfiguration.spec.type',
    takes: 'Limited or Exempt; required',
    text: 'Exempt is for the level named exempt, and for no other.',
    see: ['exempt', 'priority-level'],
  },
  {
    path: `${LIMITED}.nominalConcurrencyShares`,
    takes: 'number, default 30; 0 from 1.30 on in v1; assuredConcurrencyShares in v1beta1 and v1beta2',
    text: 'The share of the level in the seats of each server.',
    see: ['shares', 'nominal'],
  },
  {
    path: `${LIMITED}.lendablePercent`,
    takes: '0 to 100, default 0; 1.26 and later',
    text: 'Percent of the nominal seats that other levels may use while this one does not need them.',
    see: ['guaranteed', 'borrowing'],
  },
  {
    path: `${LIMITED}.borrowingLimitPercent`,
    takes: 'number, no default: no limit; 1.26 and later',
    text: 'How much the level may borrow, in percent of its nominal seats. 0 lets it borrow nothing.',
    see: ['borrowing'],
  },
  {
    path: `${LIMITED}.limitResponse.type`,
    takes: 'Queue or Reject; required',
    text: 'What happens to a request that finds no seat: it waits in a queue, or is refused at once.',
    see: ['queue', 'reject'],
  },
  {
    path: `${LIMITED}.limitResponse.queuing.queues`,
    takes: '1 to 10000000, default 64; 0 counts as absent',
    text: 'Number of queues. More queues make it rarer that flows meet; with 1 there is no sharding.',
    see: ['queue', 'hand'],
  },
  {
    path: `${LIMITED}.limitResponse.queuing.handSize`,
    takes: '1 to queues, default 8; 0 counts as absent',
    text: 'How many queues one flow may use. It also bounds the seats of one request: nominal seats ÷ handSize.',
    see: ['hand', 'width'],
  },
  {
    path: `${LIMITED}.limitResponse.queuing.queueLengthLimit`,
    takes: '1 or more, default 50; 0 counts as absent',
    text: 'Most requests that wait in one queue; the next is refused.',
    see: ['queue'],
  },
  {
    path: 'PriorityLevelConfiguration.spec.exempt.nominalConcurrencyShares',
    takes: 'number, default 0; 1.28 and later',
    text: 'Shares of the exempt level. Its requests are never limited by them; they are what the level may lend.',
    see: ['exempt', 'shares'],
  },
  {
    path: 'PriorityLevelConfiguration.spec.exempt.lendablePercent',
    takes: '0 to 100, default 0; 1.28 and later',
    text: 'Percent of the nominal seats of the exempt level that others may use.',
    see: ['exempt', 'guaranteed'],
  },
]

/** A topic for each field of the two kinds. */
export function fieldTopics(): Topic[] {
  return FIELDS.map(({ path, takes, text, see = [] }) => ({
    kind: 'field',
    name: path,
    aliases: spellings(path),
    summary: takes,
    text: `${unbroken(text)}\n\nTakes: ${takes}.`,
    commands: [],
    see,
  }))
}

/** A path may be given without its kind, without brackets, and from any of its names on. */
function spellings(path: string): string[] {
  const names = path.replaceAll('[]', '').split('.')
  return names.map((_, index) => names.slice(index).join('.'))
}
