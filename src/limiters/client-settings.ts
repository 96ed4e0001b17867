/** Where the limits of clients are set: flags in the command of a container, and the configuration files of components. */
import { defaultsAt, KNOWN_CLIENTS, type KnownClient, newestVersion } from './client-defaults.ts'
import { BURST_REQUIRED } from './client-go.ts'
import { goQuote, isParsed, type Parsed, parseGoFloat, parseGoInteger } from './go-values.ts'
import { isObject, textsOf } from './plain-data.ts'

/** One client that an object configures. Null: it is not said. */
export interface ConfiguredClient {
  component: string
  use: string
  qps: number | null
  burst: number | null
  settings: { qps: string; burst: string }
  /** Path in the object. */
  path: (string | number)[]
  replicas: number | null
  /** With these the component does not start. */
  errors: string[]
}

/** Finds what an object says of clients; nothing for objects that have no part in it. */
export function clientsIn(value: unknown): ConfiguredClient[] {
  if (!isObject(value)) return []
  const kind = typeof value['kind'] === 'string' ? value['kind'] : ''
  const file = CONFIGURATION_FILES.filter((each) => each.kind === kind)
  if (file.length > 0) return file.map((each) => fromFields(value, each))
  if (kind === 'ConfigMap') return fromKeys(value)
  if (kind === 'List' && Array.isArray(value['items'])) {
    return value['items'].flatMap((item: unknown, index) =>
      clientsIn(item).map((found) => ({ ...found, path: ['items', index, ...found.path] })),
    )
  }
  return fromWorkload(value, kind)
}

// Configuration files

interface ConfigurationFile {
  kind: string
  component: string
  use: string
  /** Path of the two numbers. */
  at: readonly string[]
  qps: string
  burst: string
  /** What the component says of a negative number; null: it says nothing. */
  negative: { qps: string | null; burst: string | null }
}

const KUBELET = { kind: 'KubeletConfiguration', component: 'kubelet', at: [] }

function kubeletField(qps: string, qpsFlag: string, burst: string, burstFlag: string) {
  const text = (field: string, flag: string) =>
    `invalid configuration: ${field} (${flag}) VALUE must not be a negative number`
  return { qps, burst, negative: { qps: text(qps, qpsFlag), burst: text(burst, burstFlag) } }
}

const CLIENT_CONNECTION = {
  qps: 'qps',
  burst: 'burst',
  negative: { qps: null, burst: 'clientConnection.burst: Invalid value: VALUE: must be non-negative' },
}

const CONFIGURATION_FILES: readonly ConfigurationFile[] = [
  { ...KUBELET, use: '', ...kubeletField('kubeAPIQPS', '--kube-api-qps', 'kubeAPIBurst', '--kube-api-burst') },
  { ...KUBELET, use: 'events', ...kubeletField('eventRecordQPS', '--event-qps', 'eventBurst', '--event-burst') },
  {
    ...KUBELET,
    use: 'image pulls',
    ...kubeletField('registryPullQPS', '--registry-qps', 'registryBurst', '--registry-burst'),
  },
  {
    kind: 'KubeSchedulerConfiguration',
    component: 'kube-scheduler',
    use: '',
    at: ['clientConnection'],
    ...CLIENT_CONNECTION,
  },
  { kind: 'KubeProxyConfiguration', component: 'kube-proxy', use: '', at: ['clientConnection'], ...CLIENT_CONNECTION },
  ...(
    [
      ['KubeControllerManagerConfiguration', 'kube-controller-manager'],
      ['CloudControllerManagerConfiguration', 'cloud-controller-manager'],
    ] as const
  ).map(([kind, component]) => ({
    kind,
    component,
    use: '',
    at: ['generic', 'clientConnection'],
    ...CLIENT_CONNECTION,
    negative: { qps: null, burst: 'generic.clientConnection.burst: Invalid value: VALUE: must be non-negative' },
  })),
]

function fromFields(document: Record<string, unknown>, file: ConfigurationFile): ConfiguredClient {
  let holder: unknown = document
  for (const step of file.at) holder = isObject(holder) ? holder[step] : undefined
  const errors: string[] = []
  const numberAt = (name: string, negative: string | null): number | null => {
    const value = isObject(holder) ? holder[name] : undefined
    if (value === undefined || value === null) return null
    if (typeof value !== 'number') {
      errors.push(`${[...file.at, name].join('.')}: ${JSON.stringify(value)} is no number`)
      return null
    }
    if (value < 0 && negative !== null) errors.push(negative.replace('VALUE', String(value)))
    return value
  }
  const prefix = [...file.at, ''].join('.')
  return {
    component: file.component,
    use: file.use,
    qps: numberAt(file.qps, file.negative.qps),
    burst: numberAt(file.burst, file.negative.burst),
    settings: { qps: `${prefix}${file.qps}`, burst: `${prefix}${file.burst}` },
    path: [...file.at],
    replicas: null,
    errors,
  }
}

// Flags

/** Pairs of flags, with what they configure of a component. */
const FLAG_PAIRS: readonly { qps: string; burst: string; use: string }[] = [
  { qps: 'kube-api-qps', burst: 'kube-api-burst', use: '' },
  { qps: 'event-qps', burst: 'event-burst', use: 'events' },
  { qps: 'registry-qps', burst: 'registry-burst', use: 'image pulls' },
  { qps: 'k8s-client-qps', burst: 'k8s-client-burst', use: '' },
  { qps: 'client-qps', burst: 'client-burst', use: '' },
  { qps: 'kube-client-qps', burst: 'kube-client-burst', use: '' },
  { qps: 'qps', burst: 'burst', use: '' },
]

type GivenFlags = ReadonlyMap<string, string>

function fromFlags(
  flags: GivenFlags,
  component: string,
  prefix: string,
): Omit<ConfiguredClient, 'path' | 'replicas'>[] {
  return FLAG_PAIRS.filter(({ qps, burst }) => flags.has(qps) || flags.has(burst)).map(({ qps, burst, use }) => {
    const errors: string[] = []
    const read = (name: string, parse: (text: string) => Parsed<number>) => {
      const text = flags.get(name)
      if (text === undefined) return null
      const parsed = parse(text)
      if (isParsed(parsed)) return parsed.value
      errors.push(`invalid argument ${goQuote(text)} for "--${name}" flag: ${parsed.error}`)
      return null
    }
    const [qpsValue, burstValue] = [read(qps, parseGoFloat), read(burst, parseGoInteger)]
    if (burstValue !== null && burstValue < 0 && (qpsValue ?? 0) >= 0) errors.push(BURST_REQUIRED)
    return {
      component,
      use,
      qps: qpsValue,
      burst: burstValue,
      settings: { qps: `${prefix}${qps}`, burst: `${prefix}${burst}` },
      errors,
    }
  })
}

/** Keys of a ConfigMap that a program takes for flags, as those of Cilium. */
function fromKeys(configMap: Record<string, unknown>): ConfiguredClient[] {
  const data = isObject(configMap['data']) ? configMap['data'] : {}
  const flags = new Map<string, string>()
  for (const [key, value] of Object.entries(data)) if (typeof value === 'string') flags.set(key, value.trim())
  const name = nameOf(configMap)
  const component = name === 'cilium-config' ? 'cilium-agent' : name
  return fromFlags(flags, component, '').map((client) => ({ ...client, path: ['data'], replicas: null }))
}

const POD_PATHS: Readonly<Record<string, readonly string[]>> = {
  Pod: ['spec'],
  CronJob: ['spec', 'jobTemplate', 'spec', 'template', 'spec'],
}
const TEMPLATE_PATH = ['spec', 'template', 'spec']

function fromWorkload(object: Record<string, unknown>, kind: string): ConfiguredClient[] {
  const podPath = POD_PATHS[kind] ?? TEMPLATE_PATH
  let pod: unknown = object
  for (const step of podPath) pod = isObject(pod) ? pod[step] : undefined
  if (!isObject(pod) || !Array.isArray(pod['containers'])) return []
  const spec = isObject(object['spec']) ? object['spec'] : {}
  const replicas = typeof spec['replicas'] === 'number' ? spec['replicas'] : null
  return pod['containers'].flatMap((container: unknown, index) => {
    if (!isObject(container)) return []
    const words = [...textsOf(container['command']), ...textsOf(container['args'])]
    const path = [...podPath, 'containers', index]
    const component = componentOf(container, words)
    return fromFlags(flagsOf(words), component, '--').map((client) => ({ ...client, path, replicas }))
  })
}

/**
 * Flags among the words of a command line, by name; of one that stands twice the last counts. Components of Kubernetes
 * take `_` in a name for `-`.
 */
export function flagsOf(commandLine: readonly string[]): Map<string, string> {
  const flags = new Map<string, string>()
  const words = commandLine.flatMap(shellWords)
  for (const [index, word] of words.entries()) {
    const [, name, value] = /^--?([a-zA-Z][\w-]*)(?:=(.*))?$/s.exec(word) ?? []
    if (name === undefined) continue
    const next = words[index + 1]
    flags.set(name.replaceAll('_', '-'), value ?? (next !== undefined && !next.startsWith('-') ? next : 'true'))
  }
  return flags
}

/** The words of a script for a shell, such as `exec kube-apiserver --v=2 1>>/var/log/kube-apiserver.log`. */
export function shellWords(word: string): string[] {
  const isScript = !word.startsWith('-') && /\s--[a-z]/.test(word)
  return isScript ? word.split(/\s+/).map((each) => each.replace(/["']/g, '')) : [word]
}

const KNOWN_COMPONENTS: readonly string[] = [...new Set(KNOWN_CLIENTS.map(({ component }) => component))]

/** By the program that is run, else by the image, else by the name of the container. */
function componentOf(container: Record<string, unknown>, words: readonly string[]): string {
  const image = typeof container['image'] === 'string' ? container['image'] : ''
  const candidates = [words[0] ?? '', image.replace(/[:@].*$/, '')].map((text) => text.split('/').at(-1) ?? '')
  return (
    candidates.find((candidate) => KNOWN_COMPONENTS.includes(candidate)) ??
    (typeof container['name'] === 'string' ? container['name'] : (candidates[1] ?? ''))
  )
}

// What comes of it

export interface EffectiveClient {
  /** Null: it is none of the usual ones. */
  known: KnownClient | null
  /** Null: nothing is held back, or the component does not start. */
  limiter: { qps: number; burst: number } | null
  qpsFrom: 'given' | 'default'
  burstFrom: 'given' | 'default'
  /** Minor whose defaults fill in; null: none had to. */
  defaultsOf: number | null
}

/** What a component makes of its settings, with its newest defaults for what is not set. */
export function effectiveClient({ component, use, qps, burst, errors }: ConfiguredClient): EffectiveClient {
  const known = KNOWN_CLIENTS.find((client) => client.component === component && client.use === use) ?? null
  const minor = newestVersion(component)
  const defaults = known === null ? CLIENT_GO_DEFAULTS : defaultsAt(known, minor)
  const isBurstGiven = burst !== null && burst !== 0
  const limiter = errors.length > 0 ? null : limiterOf(qps, isBurstGiven ? burst : defaults.burst, defaults.qps, known)
  return {
    known,
    limiter,
    qpsFrom: qps === null ? 'default' : 'given',
    burstFrom: isBurstGiven ? 'given' : 'default',
    defaultsOf: qps === null || !isBurstGiven ? minor : null,
  }
}

const CLIENT_GO_DEFAULTS = { qps: 5, burst: 10 }

/** 0 leaves the choice to the component; kubelet passes it on, to client-go, or to mean no limit. */
function limiterOf(
  qps: number | null,
  burst: number,
  defaultQps: number,
  known: KnownClient | null,
): EffectiveClient['limiter'] {
  const chosen = qps === 0 ? (known?.zeroQps ?? defaultQps) : (qps ?? defaultQps)
  return chosen < 0 ? null : { qps: chosen, burst }
}

function nameOf(object: Record<string, unknown>): string {
  const metadata = object['metadata']
  return isObject(metadata) && typeof metadata['name'] === 'string' ? metadata['name'] : ''
}
