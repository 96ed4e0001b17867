/**
 * What kubectl's commands send, one row a command. Source: kubernetes/kubectl pkg/cmd (0.37).
 *
 * Rows name the requests that decide what a command feels like, in the order in which they are sent. Discovery, schemas
 * and retries are left out, and so are requests that depend on what the objects hold.
 */

export interface KubectlCommand {
  /** How the arguments behind the command are read. */
  takes: CommandArguments
  requests: readonly CommandRequest[]
  /** What it sends instead where the argument is a node. */
  ofNode?: readonly CommandRequest[]
  /** The namespace without -n, whatever that of the context is. */
  namespace?: string
}

/**
 * - `object`: TYPE NAME or TYPE/NAME; without NAME the command acts on a list
 * - a resource: NAME of that type, TYPE/NAME or TYPE NAME
 * - `nothing`: whatever stands there changes no request
 */
export type CommandArguments = 'object' | 'nothing' | { resource: string; nameRequired: boolean }

export interface CommandRequest {
  /**
   * `VERB RESOURCE[/SUBRESOURCE] [NAME]`, or `VERB /path`. TYPE and NAME stand for the arguments, POD for the pod of
   * that name or the pods behind another type, whose names are not known. The namespace is that of the arguments; lists
   * for a cluster-scoped object span all namespaces.
   */
  request: string
  /** What it is for, completing "… which kubectl COMMAND sends". */
  purpose: string
  /** The request that the command is about. Exactly one a row. */
  main?: true
  /** Sent only where the argument is not a pod itself, such as deploy/web. */
  behindWorkload?: true
}

const podArgument = { resource: 'pods', nameRequired: true }
const nodeArgument = { resource: 'nodes', nameRequired: true }

const readTarget: CommandRequest = { request: 'get TYPE NAME', purpose: 'reads what it acts on' }
const findPods: CommandRequest = {
  request: 'list pods',
  purpose: 'finds the pods behind it by label',
  behindWorkload: true,
}

/** Commands that read an object and write back the difference. */
const readAndPatch: KubectlCommand = {
  takes: 'object',
  requests: [readTarget, { request: 'patch TYPE NAME', purpose: 'writes the change', main: true }],
}

const cordon: KubectlCommand = {
  takes: nodeArgument,
  requests: [
    { request: 'get nodes NAME', purpose: 'reads the node' },
    { request: 'patch nodes NAME', purpose: 'sets spec.unschedulable', main: true },
  ],
}

/** A stream to a pod; kubectl opens it as a WebSocket (GET) and falls back to SPDY (POST). */
function stream(subresource: string, webSocketSince: string): readonly CommandRequest[] {
  return [
    readTarget,
    findPods,
    {
      request: `get pods/${subresource} POD`,
      purpose: `opens the stream as a WebSocket (kubectl ${webSocketSince} and later)`,
      main: true,
    },
    {
      request: `create pods/${subresource} POD`,
      purpose: 'opens the stream over SPDY (older kubectl, or as a fallback)',
    },
  ]
}

const topPods: KubectlCommand = {
  takes: { resource: 'pods', nameRequired: false },
  requests: [
    { request: 'get /apis', purpose: 'looks for metrics.k8s.io' },
    { request: 'get pods.metrics.k8s.io NAME', purpose: 'reads the metrics', main: true },
  ],
}

const topNodes: KubectlCommand = {
  takes: { resource: 'nodes', nameRequired: false },
  requests: [
    { request: 'get /apis', purpose: 'looks for metrics.k8s.io' },
    { request: 'get nodes.metrics.k8s.io NAME', purpose: 'reads the metrics', main: true },
    { request: 'get nodes NAME', purpose: 'reads what the nodes can hold' },
  ],
}

const listByName: CommandRequest = {
  request: 'list TYPE NAME',
  purpose: 'reads the state by name (before kubectl 1.35; later the watch brings it)',
}

const watchByName: readonly CommandRequest[] = [
  listByName,
  { request: 'watch TYPE NAME', purpose: 'waits for changes', main: true },
]

const rolloutHistory: readonly CommandRequest[] = [
  readTarget,
  { request: 'list replicasets.apps', purpose: 'finds the revisions of a Deployment' },
  { request: 'list controllerrevisions.apps', purpose: 'finds the revisions of a DaemonSet or StatefulSet' },
]

const certificateDecision: KubectlCommand = {
  takes: { resource: 'certificatesigningrequests', nameRequired: true },
  requests: [
    { request: 'get certificatesigningrequests NAME', purpose: 'reads the request' },
    { request: 'update certificatesigningrequests/approval NAME', purpose: 'writes the decision', main: true },
  ],
}

const discovery: KubectlCommand = {
  takes: 'nothing',
  requests: [
    { request: 'get /api', purpose: 'discovers the core group' },
    { request: 'get /apis', purpose: 'discovers the other groups', main: true },
  ],
}

const commands: Readonly<Record<string, KubectlCommand>> = {
  annotate: readAndPatch,
  'api-resources': discovery,
  'api-versions': discovery,
  apply: {
    takes: 'object',
    requests: [
      { request: 'get TYPE NAME', purpose: 'reads each object (not with --server-side)' },
      { request: 'patch TYPE NAME', purpose: 'changes an object that exists and differs', main: true },
      { request: 'create TYPE', purpose: 'creates an object that does not exist' },
    ],
  },
  attach: { takes: podArgument, requests: stream('attach', '1.30') },
  'auth can-i': {
    takes: 'nothing',
    requests: [
      { request: 'create selfsubjectaccessreviews.authorization.k8s.io', purpose: 'asks', main: true },
      { request: 'create selfsubjectrulesreviews.authorization.k8s.io', purpose: 'asks with --list' },
    ],
  },
  'auth whoami': {
    takes: 'nothing',
    requests: [{ request: 'create selfsubjectreviews.authentication.k8s.io', purpose: 'asks', main: true }],
  },
  'auth reconcile': {
    takes: 'object',
    requests: [
      { request: 'get TYPE NAME', purpose: 'reads each role or binding' },
      { request: 'update TYPE NAME', purpose: 'writes one that lacks something', main: true },
      { request: 'create TYPE', purpose: 'creates one that does not exist' },
    ],
  },
  autoscale: {
    takes: 'object',
    requests: [
      readTarget,
      { request: 'create horizontalpodautoscalers.autoscaling', purpose: 'creates the autoscaler', main: true },
    ],
  },
  'certificate approve': certificateDecision,
  'certificate deny': certificateDecision,
  'cluster-info': {
    takes: 'nothing',
    requests: [{ request: 'list services', purpose: 'finds those of the cluster by label', main: true }],
    namespace: 'kube-system',
  },
  'cluster-info dump': {
    takes: 'nothing',
    requests: [
      { request: 'list nodes', purpose: 'dumps the nodes' },
      ...[
        'events',
        'replicationcontrollers',
        'services',
        'daemonsets.apps',
        'deployments.apps',
        'replicasets.apps',
      ].map((type) => ({ request: `list ${type}`, purpose: 'dumps them, in kube-system as well' })),
      { request: 'list pods', purpose: 'dumps them, in kube-system as well', main: true },
      { request: 'get pods/log', purpose: 'dumps the log of every container' },
    ],
  },
  cordon,
  cp: { takes: podArgument, requests: stream('exec', '1.30') },
  'create token': {
    takes: { resource: 'serviceaccounts', nameRequired: true },
    requests: [{ request: 'create serviceaccounts/token NAME', purpose: 'asks for the token', main: true }],
  },
  debug: {
    takes: podArgument,
    requests: [
      readTarget,
      { request: 'patch pods/ephemeralcontainers POD', purpose: 'adds the container', main: true },
      { request: 'watch pods POD', purpose: 'waits until the container runs' },
      { request: 'get pods/attach POD', purpose: 'attaches to it (create with older kubectl)' },
    ],
    ofNode: [
      { request: 'get nodes NAME', purpose: 'reads the node' },
      { request: 'create pods', purpose: 'creates a pod on the node', main: true },
      { request: 'watch pods', purpose: 'waits until the container runs' },
      { request: 'get pods/attach', purpose: 'attaches to it (create with older kubectl)' },
    ],
  },
  describe: {
    takes: 'object',
    requests: [
      { request: 'get TYPE NAME', purpose: 'reads the object', main: true },
      { request: 'list events', purpose: 'finds its events' },
    ],
  },
  diff: {
    takes: 'object',
    requests: [readTarget, { request: 'patch TYPE NAME', purpose: 'tries the change as a dry run', main: true }],
  },
  drain: {
    takes: nodeArgument,
    requests: [
      { request: 'get nodes NAME', purpose: 'reads the node' },
      { request: 'patch nodes NAME', purpose: 'cordons it' },
      { request: 'list pods', purpose: 'finds the pods on it' },
      { request: 'get daemonsets.apps', purpose: 'checks who owns a pod of a DaemonSet' },
      { request: 'create pods/eviction POD', purpose: 'evicts each pod', main: true },
      { request: 'get pods POD', purpose: 'polls until the pod is gone' },
    ],
  },
  edit: readAndPatch,
  events: { takes: 'nothing', requests: [{ request: 'list events', purpose: 'lists them', main: true }] },
  exec: { takes: podArgument, requests: stream('exec', '1.30') },
  explain: {
    takes: 'nothing',
    requests: [{ request: 'get /openapi/v3', purpose: 'finds the schema', main: true }],
  },
  expose: {
    takes: 'object',
    requests: [readTarget, { request: 'create services', purpose: 'creates the Service', main: true }],
  },
  label: readAndPatch,
  logs: {
    takes: podArgument,
    requests: [readTarget, findPods, { request: 'get pods/log POD', purpose: 'streams the log', main: true }],
  },
  'port-forward': { takes: podArgument, requests: stream('portforward', '1.31') },
  replace: {
    takes: 'object',
    requests: [
      { request: 'get TYPE NAME', purpose: 'reads the resourceVersion where the file has none' },
      { request: 'update TYPE NAME', purpose: 'writes the object', main: true },
    ],
  },
  'rollout history': {
    takes: 'object',
    requests: rolloutHistory.map((row) => (row === readTarget ? { ...row, main: true } : row)),
  },
  'rollout pause': readAndPatch,
  'rollout restart': readAndPatch,
  'rollout resume': readAndPatch,
  'rollout status': { takes: 'object', requests: [readTarget, ...watchByName] },
  'rollout undo': {
    takes: 'object',
    requests: [...rolloutHistory, { request: 'patch TYPE NAME', purpose: 'writes the old revision back', main: true }],
  },
  run: { takes: podArgument, requests: [{ request: 'create pods', purpose: 'creates the pod', main: true }] },
  scale: {
    takes: 'object',
    requests: [
      readTarget,
      { request: 'patch TYPE/scale NAME', purpose: 'writes the number of replicas', main: true },
      { request: 'get TYPE/scale NAME', purpose: 'reads it with --current-replicas or --resource-version' },
      { request: 'update TYPE/scale NAME', purpose: 'writes it then' },
    ],
  },
  'set env': readAndPatch,
  'set image': readAndPatch,
  'set resources': readAndPatch,
  'set selector': readAndPatch,
  'set serviceaccount': readAndPatch,
  'set subject': readAndPatch,
  taint: readAndPatch,
  'top no': topNodes,
  'top node': topNodes,
  'top nodes': topNodes,
  'top po': topPods,
  'top pod': topPods,
  'top pods': topPods,
  uncordon: cordon,
  version: { takes: 'nothing', requests: [{ request: 'get /version', purpose: 'reads the version', main: true }] },
  wait: { takes: 'object', requests: [readTarget, ...watchByName] },
}

/** Keyed by command, or command and subcommand. */
export const kubectlCommands: ReadonlyMap<string, KubectlCommand> = new Map(Object.entries(commands))

/** Commands that ask no API server. */
export const commandsWithoutRequests: readonly string[] = ['completion', 'config', 'kustomize', 'options', 'plugin']

interface BeyondVerb {
  named: readonly CommandRequest[]
  unnamed: readonly CommandRequest[]
}

const beyondVerb: Readonly<Record<string, BeyondVerb>> = {
  get: { named: [], unnamed: [{ request: 'list TYPE', purpose: 'lists the objects' }] },
  patch: { named: [{ request: 'get TYPE NAME', purpose: 'reads the object first' }], unnamed: [] },
  delete: {
    named: [
      { request: 'get TYPE NAME', purpose: 'looks whether it is gone' },
      listByName,
      { request: 'watch TYPE NAME', purpose: 'waits until it is gone' },
    ],
    unnamed: [
      { request: 'list TYPE', purpose: 'finds the objects with --all or -l' },
      { request: 'delete TYPE', purpose: 'deletes them one by one' },
    ],
  },
}

/**
 * What kubectl sends for those of its commands that are API verbs as well, beyond the request that the words say.
 * Where nothing stands here, the request itself is all.
 */
export const kubectlBeyondVerb: ReadonlyMap<string, BeyondVerb> = new Map(Object.entries(beyondVerb))
