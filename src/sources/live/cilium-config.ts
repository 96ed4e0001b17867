/** The settings of the Cilium agents of a live cluster. */
import { isSourceFailure, type SourceFailure } from '../failure.ts'
import { type ConnectOptions, connect } from './connect.ts'
import { isFault } from './exchange.ts'
import { requestFailure } from './request-failures.ts'
import { bodyOf } from './status.ts'

export interface LiveCiliumConfig {
  /** Where it was read, with the server. */
  source: string
  /** Value of the key api-rate-limit; null: the ConfigMap has none. */
  apiRateLimit: string | null
  /** Minor of Cilium 1, by the image of the agents; null where it is not told. */
  minor: number | null
}

const CONFIG_PATH = '/api/v1/namespaces/kube-system/configmaps/cilium-config'
const AGENTS_PATH = '/apis/apps/v1/namespaces/kube-system/daemonsets/cilium'

/** Reads ConfigMap cilium-config of kube-system, and the image of the agents where that may be read. */
export async function readCiliumConfig(options: ConnectOptions): Promise<LiveCiliumConfig | SourceFailure> {
  const connection = await connect(options)
  if (isSourceFailure(connection)) return connection
  const { client } = connection
  try {
    const [config, agents] = await Promise.all([client.send('GET', CONFIG_PATH), client.send('GET', AGENTS_PATH)])
    const body = isFault(config) || config.status !== 200 ? null : bodyOf(config)
    if (body?.kind !== 'json') {
      const meanwhile = '--cilium-version 1.18, or --config with a saved cilium-config'
      const context = { client, expiry: null, meanwhile, levelName: () => null }
      return requestFailure('read the ConfigMap cilium-config of kube-system', config, context)
    }
    const data: unknown = body.value['data']
    const text: unknown = typeof data === 'object' && data !== null ? Reflect.get(data, 'api-rate-limit') : undefined
    return {
      source: `kube-system/cilium-config of ${client.server.text}`,
      apiRateLimit: typeof text === 'string' && text !== '' ? text : null,
      minor: isFault(agents) || agents.status !== 200 ? null : minorOfImage(agents.body),
    }
  } finally {
    // An open connection would keep the process from ending.
    client.close()
  }
}

/** Of `quay.io/cilium/cilium:v1.16.3@sha256:…`. */
function minorOfImage(body: string): number | null {
  const [, minor] = /"image"\s*:\s*"[^"]*\/cilium[^"/:]*:v?1\.(\d+)/.exec(body) ?? []
  return minor === undefined ? null : Number(minor)
}
