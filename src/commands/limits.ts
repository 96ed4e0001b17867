import * as Args from '@oclif/core/args'
import { nearest } from '../apf/suggest.ts'
import { defineCommand } from '../cli/command.ts'
import { usageError } from '../cli/errors.ts'
import {
  connectionFlags,
  impersonationFlags,
  inflightFlags,
  limitsFlags,
  outputFlag,
  outputFlags,
  serverFlags,
  sourceFlags,
} from '../cli/flags.ts'

const flags = {
  output: outputFlag(['table', 'wide', 'json', 'yaml']),
  ...outputFlags,
  ...limitsFlags,
  metrics: {
    ...serverFlags.metrics,
    description: 'cilium: saved metrics of one agent; a second file is a later sample of it',
  },
  ...inflightFlags,
  ...sourceFlags,
  ...connectionFlags,
  ...impersonationFlags,
}

/** Flags that say something to one topic alone, by topic. */
const FLAGS_OF = {
  client: [
    ...(['config', 'qps', 'burst', 'component', 'calls', 'workers', 'latency', 'rate', 'deadline'] as const),
    ...(['clients', 'from-metrics', 'from', 'defaults', 'overlay-defaults', 'server-version'] as const),
    ...(['max-requests-inflight', 'max-mutating-requests-inflight'] as const),
  ],
  events: ['config', 'events', 'server-version'],
  cilium: ['config', 'api-rate-limit', 'cilium-version', 'pods-per-node', 'processing', 'metrics'],
  inflight: [
    ...(['manifest', 'max-requests-inflight', 'max-mutating-requests-inflight'] as const),
    ...(['enable-priority-and-fairness', 'feature-gates', 'server-version'] as const),
  ],
} as const

type Topic = keyof typeof FLAGS_OF

const TOPICS: readonly string[] = Object.keys(FLAGS_OF)

function isTopic(word: string): word is Topic {
  return TOPICS.includes(word)
}

export default defineCommand({
  description:
    'What stands on the way of a request besides APF: the token bucket inside of the client, the admission plugin ' +
    'EventRateLimit, the in-flight limits of the API server, and beside that way the limiter of the Cilium agent. Settings ' +
    'are checked as the component checks them, with its own words, explained, and computed: who waits, how long, who is refused.',
  usage: [
    'limits client [--qps N --burst N | --component NAME | --config FILE | --from-metrics FILE] [flags]',
    'limits events --config FILE [--events FILE] [flags]',
    'limits cilium [--api-rate-limit TEXT | --config FILE | --metrics FILE | --pods-per-node N] [flags]',
    'limits inflight [--manifest FILE | --max-requests-inflight N ...] [flags]',
  ],
  args: {
    topic: Args.string({ ignoreStdin: true, description: 'client, events, cilium or inflight' }),
  },
  flags,
  examples: [
    {
      says: 'What 200 calls of a client with the defaults of client-go take',
      run: 'limits client --qps 5 --burst 10 --calls 200',
    },
    { says: 'What the usual clients have, and how long 300 calls take them', run: 'limits client --calls 300' },
    {
      says: 'The clients that a Deployment or a configuration file sets',
      run: 'limits client --config examples/limits/operator.yaml',
    },
    {
      says: 'What 500 kubelets of 1.26 ask of each level at worst',
      run: 'limits client --component kubelet@1.26 --clients 500 --defaults 1.37',
    },
    { says: 'A configuration of EventRateLimit', run: 'limits events --config examples/limits/event-rate-limit.yaml' },
    {
      says: 'Which events of an audit log it would have refused',
      run: 'limits events --config examples/limits/event-rate-limit.yaml --events examples/limits/events.jsonl',
    },
    { says: 'The limits of the Cilium agents of the cluster', run: 'limits cilium', needs: 'cluster' },
    {
      says: 'Whether Cilium 1.16 takes a setting, and what it means for 40 pods on one node',
      run: 'limits cilium --cilium-version 1.16 --api-rate-limit endpoint-create=rate-limit:2/s --pods-per-node 40',
    },
    {
      says: 'Who waits for an agent, by its metrics',
      run: 'limits cilium --metrics examples/limits/cilium-metrics.txt',
    },
    {
      says: 'What an API server makes of its flags without APF',
      run: 'limits inflight --max-requests-inflight 400 --max-mutating-requests-inflight 0 --enable-priority-and-fairness=false',
    },
    { says: 'The same of a static pod', run: 'limits inflight --manifest examples/limits/kube-apiserver.yaml' },
  ],
  run: async ({ flags, words }, io) => {
    const [topic] = words
    if (topic === undefined) throw usageError('limits of what?', undefined, `kubectl apf limits ${TOPICS.join('|')}`)
    if (!isTopic(topic)) {
      const meant = nearest(topic, TOPICS)
      throw usageError(
        `unknown topic ${JSON.stringify(topic)}`,
        meant === null ? `there are ${TOPICS.join(', ')}` : `did you mean ${meant}?`,
      )
    }
    refuseForeignFlags(topic, flags)
    switch (topic) {
      case 'client':
        return (await import('./limits/client.ts')).limitsClient(flags, io)
      case 'events':
        return (await import('./limits/events.ts')).limitsEvents(flags, io)
      case 'cilium':
        return (await import('./limits/cilium.ts')).limitsCilium(flags, io)
      case 'inflight':
        return (await import('./limits/inflight.ts')).limitsInflight(flags, io)
    }
  },
})

/** A flag that would be passed over in silence is a mistake. */
function refuseForeignFlags(topic: Topic, given: Readonly<Record<string, unknown>>): void {
  const own: readonly string[] = FLAGS_OF[topic]
  for (const [other, names] of Object.entries(FLAGS_OF)) {
    const foreign = names.find((name) => !own.includes(name) && isGiven(given[name]))
    if (foreign !== undefined) {
      throw usageError(
        `--${foreign} with limits ${topic}`,
        `it belongs to limits ${other}`,
        `kubectl apf limits ${other} --${foreign} …`,
      )
    }
  }
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== false
}
