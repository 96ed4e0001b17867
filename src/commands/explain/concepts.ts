/** The words of API Priority and Fairness, each with what it means exactly. */
import { type Topic, unbroken } from './topic.ts'

interface Concept {
  name: string
  aliases?: readonly string[]
  summary: string
  text: string
  commands?: readonly string[]
  see?: readonly string[]
}

const CONCEPTS: readonly Concept[] = [
  {
    name: 'flowschema',
    aliases: ['flow-schema', 'fs', 'schema'],
    summary: 'Says which requests go to which priority level, and what divides them into flows',
    text: `\
A FlowSchema matches a request when one of its rules does: one of the rule's subjects is the caller, and one of its
resourceRules (or nonResourceRules, for a request on a path) holds for the request. Subjects of one rule never combine with the
clauses of another.

The server tries FlowSchemas by matchingPrecedence, the smallest first, and takes the first that matches. A schema whose level does
not exist is not tried at all.`,
    commands: ['schemas --defaults 1.37'],
    see: ['precedence', 'dangling', 'priority-level', 'distinguisher'],
  },
  {
    name: 'priority-level',
    aliases: ['prioritylevelconfiguration', 'level', 'plc'],
    summary: 'A share of the seats of each API server, and what happens to requests that find none free',
    text: `\
A PriorityLevelConfiguration of type Limited has a share of the seats. A request that finds no seat waits in a queue, or is refused
at once with 429, as limitResponse says. The level named exempt is the only one of type Exempt: its requests never wait.`,
    commands: ['seats --defaults 1.37 --server-seats 600'],
    see: ['seat', 'shares', 'exempt', 'queue'],
  },
  {
    name: 'precedence',
    aliases: ['matching-precedence', 'order', 'tie'],
    summary: 'The order in which FlowSchemas are tried: smaller numbers first, ties by name',
    text: `\
matchingPrecedence runs from 1 to 10000, and 1 belongs to the FlowSchema exempt alone. Of two schemas with one precedence the one
whose name is smaller by bytes is tried first, so that a rename can change where requests land. The first schema that matches takes
the request; nothing is merged.

The default objects take 100 to 1000 for the system, 9000 for ServiceAccounts and 9900 for everybody else. A schema for your own
accounts belongs between 1000 and 9000.`,
    commands: ['schemas --defaults 1.37'],
    see: ['flowschema', 'shadowing'],
  },
  {
    name: 'shadowing',
    aliases: ['shadowed'],
    summary: 'A schema or rule that gets nothing, because schemas before it take all that it matches',
    text: `\
Whether earlier schemas cover a rule is decided over all requests and all identities, not over samples: together they may cover what
none of them covers alone. Long-running requests do not count, since no schema gets them.`,
    see: ['precedence', 'flowschema'],
  },
  {
    name: 'dangling',
    summary: 'A FlowSchema whose priority level does not exist: it takes no request',
    text: `\
The server accepts such a FlowSchema, sets its condition Dangling to True, and leaves it out. Its requests go on to the schemas behind
it. A level that is malformed does not exist either, nor does a level that the server merely stands in for.`,
    see: ['flowschema', 'stand-in'],
  },
  {
    name: 'seat',
    aliases: ['seats', 'concurrency'],
    summary: 'The unit of concurrency: a request holds one or more seats while it is executed',
    text: `\
An API server process has as many seats as --max-requests-inflight and --max-mutating-requests-inflight add up to, 600 by default.
Reads and writes share them. Most requests hold one seat; a LIST or an initialising WATCH holds more for what it returns, a write may
hold some a little longer for the watchers that are told of it.

Seats are those of one process: three API servers have three times as many, each with queues of its own.`,
    commands: ['seats --defaults 1.37 --server-seats 600'],
    see: ['shares', 'width', 'nominal'],
  },
  {
    name: 'shares',
    aliases: ['concurrency-shares'],
    summary: 'What divides the seats of a server among the levels',
    text: `\
A level gets seats × its shares ÷ the shares of all levels, rounded up. Shares mean nothing alone: a new level takes from all others.
The field is nominalConcurrencyShares; v1beta1 and v1beta2 call it assuredConcurrencyShares. Of a Limited level it is 30 where nothing
is written. From 1.30 on 0 is valid in v1, and such a level lives on what it borrows.`,
    see: ['nominal', 'seat'],
  },
  {
    name: 'nominal',
    aliases: ['nominal-limit', 'nominal-seats', 'assured'],
    summary: 'The seats of a level before any borrowing',
    text: `\
⌈ seats of the server × shares of the level ÷ shares of all levels ⌉. The sum over all levels may be a few seats more than the server
has, for the rounding. The exempt level takes part from 1.28 on, with the shares of spec.exempt.`,
    commands: ['seats explain workload-low --defaults 1.37 --server-seats 600'],
    see: ['shares', 'guaranteed', 'borrowing'],
  },
  {
    name: 'guaranteed',
    aliases: ['lower', 'lendable', 'lending'],
    summary: 'The seats that a level never lends: nominal minus lendable',
    text: `\
lendablePercent of the nominal seats, rounded, may be used by other levels while this one does not need them (1.26 and later). What is
left is always its own. A level that lends 100 percent has to wait until it gets its seats back: running requests are not stopped.`,
    see: ['borrowing', 'nominal'],
  },
  {
    name: 'borrowing',
    aliases: ['reachable', 'upper', 'borrow'],
    summary: 'Seats that others lend and do not use are given to the levels that need them',
    text: `\
Every ten seconds each server shares out what is lent, by the demand of the last seconds, in proportion to nominal seats. No level gets
more than nominal plus borrowingLimitPercent of it; without that field there is no limit of its own. What a level can reach is bounded by
what the others always keep for themselves. 1.25 and older do not borrow.`,
    commands: ['seats explain workload-low --defaults 1.37 --server-seats 600'],
    see: ['guaranteed', 'nominal'],
  },
  {
    name: 'width',
    aliases: ['work-estimate', 'cost', 'initial-seats'],
    summary: 'How many seats one request takes',
    text: `\
One for most requests. A LIST costs by the number of stored objects up to 1.33, by their bytes from 1.34 on. It is capped at 10 seats up to 1.33 and 100 from
1.34 on, and by what its level admits: 15 percent of the nominal seats, rounded up, and no more than nominal ÷ handSize where the level
has queues. A WATCH costs as a LIST while it is being initialised. Without numbers of stored objects every LIST costs one seat.`,
    see: ['seat', 'final-seats', 'hand'],
  },
  {
    name: 'final-seats',
    aliases: ['watchers', 'additional-latency'],
    summary: 'Seats that a write holds for a moment after its answer, for telling its watchers',
    text: `\
From 1.24 on a write costs more the more watchers its objects have: it keeps seats for a computed time after the answer was sent, while
the server tells them. The client does not wait for that.`,
    see: ['width'],
  },
  {
    name: 'flow',
    summary: 'The requests of one FlowSchema with one distinguisher; flows share a level fairly',
    text: `\
A flow is named by its FlowSchema and its distinguisher: ByUser makes one flow for each user, ByNamespace one for each namespace, none at
all one for the whole schema. Fairness is among flows: one that sends much waits in its own queues, while others go on.`,
    see: ['distinguisher', 'hand', 'queue'],
  },
  {
    name: 'distinguisher',
    aliases: ['distinguisher-method', 'byuser', 'bynamespace'],
    summary: 'What divides the requests of a FlowSchema into flows',
    text: `\
ByUser: the name of the user. ByNamespace: the namespace of the request, empty for cluster-scoped requests and those over all
namespaces. Absent: all requests are one flow. A distinguisher that has one value for everything a schema matches tells nothing apart.`,
    see: ['flow'],
  },
  {
    name: 'hand',
    aliases: ['hand-size', 'shuffle-sharding', 'shuffle'],
    summary: 'The few queues of a level that one flow may use',
    text: `\
A hash of the flow deals it handSize of the level's queues, always the same ones. A request goes into the one of them with the least
waiting. Two flows rarely have the same hand: with 128 queues and a hand of 6, one heavy flow shares all six queues of another with a
probability of less than one in a billion. Larger hands spread a flow over more queues and make it likelier that heavy flows cover a
light one's hand.`,
    commands: ['whereis list pods -n shop --as=system:serviceaccount:shop:reporter --defaults 1.37'],
    see: ['flow', 'queue'],
  },
  {
    name: 'queue',
    aliases: ['queuing', 'fair-queuing', 'queue-length-limit'],
    summary: 'Where requests wait for a seat; each flow uses a hand of them',
    text: `\
A level whose limitResponse is Queue has queues of at most queueLengthLimit requests. A request whose queue is full is refused with 429, one
that has waited a quarter of its time-out is refused as well. Queues are served fairly by seat-seconds. A level whose limitResponse is Reject
has none.`,
    see: ['hand', 'flow', 'reject'],
  },
  {
    name: 'reject',
    aliases: ['429', 'refused', 'limit-response'],
    summary: 'Requests that find no seat are refused at once with 429 and Retry-After',
    text: `\
A level whose limitResponse is Reject refuses whatever finds no free seat; one with queues refuses what finds its queue full or waits too long.
The answer is 429 Too Many Requests with Retry-After, and names the UIDs of FlowSchema and level in two headers
(X-Kubernetes-PF-FlowSchema-UID, X-Kubernetes-PF-PriorityLevel-UID).`,
    see: ['queue', 'max-inflight'],
  },
  {
    name: 'exempt',
    aliases: ['exempt-level', 'system-masters'],
    summary: 'The level whose requests never wait and are never refused',
    text: `\
Members of the group system:masters, and probes, go to the level exempt by default. Every FlowSchema that names it lets its subjects past all
limits. A binding to cluster-admin exempts nobody: classification looks at names and groups, and comes before authorization. From 1.28 on
exempt requests hold seats that others cannot use meanwhile.`,
    see: ['mandatory', 'long-running'],
  },
  {
    name: 'mandatory',
    aliases: ['suggested', 'built-in', 'default-objects', 'bootstrap'],
    summary: 'The default objects: exempt and catch-all always exist, the others are suggested',
    text: `\
Every server creates a set of FlowSchemas and levels. The mandatory ones, exempt and catch-all, are kept as they are, but for the shares and
lendablePercent of the exempt level. The suggested ones may be changed once the annotation apf.kubernetes.io/autoupdate-spec is "false"; deleted,
they come back.`,
    commands: ['schemas --defaults 1.37'],
    see: ['autoupdate', 'stand-in'],
  },
  {
    name: 'autoupdate',
    aliases: ['autoupdate-spec', 'apf.kubernetes.io/autoupdate-spec'],
    summary: 'The annotation that says whether the server keeps a default object as it ships it',
    text: `\
apf.kubernetes.io/autoupdate-spec: "true" has the server overwrite changes of the spec within a minute, "false" leaves the object alone (1.22 and
later). On an object of your own "true" has the server delete it, as one that is no default any more.`,
    see: ['mandatory'],
  },
  {
    name: 'stand-in',
    summary: 'The schema or level exempt or catch-all that a server invents while its object is missing',
    text: `\
Its UID is empty. A level that is only stood in for does not count as existing: every other schema that names it is dangling.`,
    see: ['mandatory', 'dangling'],
  },
  {
    name: 'catch-all',
    summary: 'The last FlowSchema and its level: few seats, no queue',
    text: `\
What no other schema takes goes to catch-all at 10000. With the default objects nothing gets there, since global-default at 9900 takes everybody.`,
    see: ['mandatory', 'precedence'],
  },
  {
    name: 'long-running',
    aliases: ['bypass', 'watch', 'exec'],
    summary: 'Requests that fairness does not see: exec, attach, portforward, proxy, log, pprof',
    text: `\
They hold no seat, land in no schema and carry no headers. A WATCH is seen from 1.22 on, and holds seats only until it is initialised.`,
    see: ['exempt', 'flowschema'],
  },
  {
    name: 'breadth',
    summary: 'How many identities something lets through: from one account to everyone',
    text: `\
one-identity, several-identities, namespace, group, all-service-accounts, all-authenticated, everyone: in this order, the widest of what a
schema names.`,
    see: ['exempt'],
  },
]

/** A topic for each concept. */
export function conceptTopics(): Topic[] {
  return CONCEPTS.map(({ aliases = [], commands = [], see = [], ...concept }) => {
    return { kind: 'concept', aliases, commands, see, ...concept, text: unbroken(concept.text) }
  })
}
