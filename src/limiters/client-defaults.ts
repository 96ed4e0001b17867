/** Which limits the usual clients have unless they are configured, by version: a table, a row for each change. */

/** One client of a program; a program may have several, and each has a bucket of its own. */
export interface KnownClient {
  /** Of the program: `kubelet`. */
  component: string
  /** Which of its clients; '' where there is one. */
  use: string
  /** What sets them: flags, or fields of a configuration file. */
  settings: { qps: string; burst: string } | null
  /** Ascending. `since` is a minor: 27 of Kubernetes 1.27, client-go 0.27, controller-runtime 0.27. */
  defaults: readonly { since: number; qps: number; burst: number }[]
  /** What a QPS of 0 comes to, below 0 no limit; absent: the default. */
  zeroQps?: number
  /** What one bucket serves. */
  sharing: string
  /** What surprises people. */
  beware?: string
}

const PER_GROUP_VERSION = 'one bucket for each group-version that is used'
const PER_CLIENT = 'one bucket for all of its calls'

const KUBE_API_FLAGS = { qps: '--kube-api-qps', burst: '--kube-api-burst' }
const CLIENT_CONNECTION = { qps: 'clientConnection.qps', burst: 'clientConnection.burst' }

export const KNOWN_CLIENTS: readonly KnownClient[] = [
  {
    component: 'client-go',
    use: '',
    settings: { qps: 'rest.Config.QPS', burst: 'rest.Config.Burst' },
    defaults: [{ since: 0, qps: 5, burst: 10 }],
    sharing: PER_GROUP_VERSION,
    beware:
      'A clientset with QPS above 0 shares one bucket and refuses to be built without Burst; with QPS left at 0 every ' +
      'group-version has a bucket of its own.',
  },
  {
    component: 'client-go',
    use: 'discovery',
    settings: { qps: 'rest.Config.QPS', burst: 'rest.Config.Burst' },
    defaults: [
      { since: 0, qps: 5, burst: 10 },
      { since: 18, qps: 5, burst: 100 },
      { since: 25, qps: 5, burst: 300 },
    ],
    sharing: PER_CLIENT,
  },
  {
    component: 'kubectl',
    use: '',
    settings: null,
    defaults: [{ since: 0, qps: 5, burst: 10 }],
    sharing: PER_GROUP_VERSION,
  },
  {
    component: 'kubectl',
    use: 'discovery',
    settings: null,
    defaults: [
      { since: 0, qps: 5, burst: 100 },
      { since: 23, qps: 50, burst: 300 },
    ],
    sharing: PER_CLIENT,
    beware: 'Discovery asks for every group-version at once: custom resources count.',
  },
  {
    component: 'controller-runtime',
    use: '',
    settings: { qps: 'rest.Config.QPS', burst: 'rest.Config.Burst' },
    defaults: [
      { since: 0, qps: 20, burst: 30 },
      { since: 21, qps: -1, burst: 0 },
    ],
    sharing: 'one bucket for each kind, and for typed, unstructured and metadata access apart',
    beware:
      'These are set by config.GetConfig alone; a configuration of rest.InClusterConfig keeps 5 and 10. ' +
      'Of rest_client_* it exposes only rest_client_requests_total, so its waits show in its log alone.',
  },
  {
    component: 'kubelet',
    use: '',
    settings: { qps: 'kubeAPIQPS', burst: 'kubeAPIBurst' },
    defaults: [
      { since: 0, qps: 5, burst: 10 },
      { since: 27, qps: 50, burst: 100 },
    ],
    sharing: PER_CLIENT,
    zeroQps: 5,
    beware: 'kubeAPIQPS 0 is not unlimited: client-go makes 5 of it, with a bucket for each group-version.',
  },
  {
    component: 'kubelet',
    use: 'events',
    settings: { qps: 'eventRecordQPS', burst: 'eventBurst' },
    defaults: [
      { since: 0, qps: 5, burst: 10 },
      { since: 27, qps: 50, burst: 100 },
    ],
    sharing: 'one bucket for its events',
    zeroQps: -1,
    beware: 'eventRecordQPS 0 is unlimited.',
  },
  {
    component: 'kubelet',
    use: 'image pulls',
    settings: { qps: 'registryPullQPS', burst: 'registryBurst' },
    defaults: [{ since: 0, qps: 5, burst: 10 }],
    sharing: 'one bucket for all registries',
    zeroQps: -1,
    beware:
      'It refuses instead of waiting: "pull QPS exceeded". registryPullQPS 0 is unlimited. The API server has no part in it.',
  },
  {
    component: 'kube-controller-manager',
    use: '',
    settings: KUBE_API_FLAGS,
    defaults: [{ since: 0, qps: 20, burst: 30 }],
    sharing: 'one bucket for each of its controllers',
  },
  {
    component: 'kube-controller-manager',
    use: 'discovery',
    settings: null,
    defaults: [{ since: 0, qps: 20, burst: 200 }],
    sharing: PER_CLIENT,
  },
  {
    component: 'cloud-controller-manager',
    use: '',
    settings: KUBE_API_FLAGS,
    defaults: [{ since: 0, qps: 20, burst: 30 }],
    sharing: 'one bucket for each of its controllers',
  },
  {
    component: 'kube-scheduler',
    use: '',
    settings: CLIENT_CONNECTION,
    defaults: [{ since: 0, qps: 50, burst: 100 }],
    sharing: PER_CLIENT,
  },
  {
    component: 'kube-proxy',
    use: '',
    settings: CLIENT_CONNECTION,
    defaults: [{ since: 0, qps: 5, burst: 10 }],
    sharing: PER_CLIENT,
  },
  {
    component: 'kube-apiserver',
    use: 'itself',
    settings: null,
    defaults: [{ since: 0, qps: -1, burst: 0 }],
    sharing: 'no bucket: its own requests and those to webhooks are never held back',
  },
]

/** Newest minors known, by what counts them; others are those of Kubernetes. */
const NEWEST_CONTROLLER_RUNTIME = 24
const NEWEST_KUBERNETES = 37

/** The newest minor known of what counts the versions of a component. */
export function newestVersion(component: string): number {
  return component === 'controller-runtime' ? NEWEST_CONTROLLER_RUNTIME : NEWEST_KUBERNETES
}

/** `1.27`, or `0.20` where the program counts so. */
export function versionText(component: string, minor: number): string {
  return `${component === 'controller-runtime' || component === 'client-go' ? 0 : 1}.${minor}`
}

/** Components, each once, in the order of the table. */
export function clientNames(): string[] {
  return [...new Set(KNOWN_CLIENTS.map(({ component }) => component))]
}

/** The clients of a component; none of one that is not known. */
export function clientsOf(component: string): KnownClient[] {
  return KNOWN_CLIENTS.filter((client) => client.component === component)
}

/** What a client has in that minor. */
export function defaultsAt(client: KnownClient, minor: number): { qps: number; burst: number } {
  const [first, ...later] = client.defaults
  if (first === undefined) throw new TypeError(`${client.component} has no row of defaults`)
  const { qps, burst } = later.filter(({ since }) => since <= minor).at(-1) ?? first
  return { qps, burst }
}
