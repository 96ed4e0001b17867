/**
 * Discovery kept on disk per server, as kubectl keeps it. It only turns names that users write into resources, so that an
 * old entry can do no harm; whatever goes wrong with the files, the server is asked.
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { KnownResource } from '../../kubectl/resources.ts'
import type { Client } from './client.ts'
import { type Discovered, discover } from './discovery.ts'
import { fieldsOf } from './fields.ts'
import type { Environment } from './kubeconfig/target.ts'
import type { ServerUrl } from './server-url.ts'

/** As long as kubectl believes its own copy. */
const MAX_AGE_MS = 6 * 3_600_000
const FORMAT = 1

export interface DiscoveryOptions {
  env: Environment
  home: string
  now: Date
  /** Asks the server whatever is on disk: a name was not found there. */
  fresh: boolean
}

/** The resources of a server, from disk or from itself; null where neither tells. */
export async function resourcesOf(client: Client, options: DiscoveryOptions): Promise<Discovered | null> {
  const file = cacheFile(client.server, options)
  const kept = options.fresh ? null : readKept(file, options.now)
  if (kept !== null) return { resources: kept, unavailable: [] }
  const discovered = await discover(client)
  // What lacks a part is not kept: the part may be back in a minute.
  if (discovered !== null && discovered.unavailable.length === 0) keep(file, discovered.resources, options.now)
  return discovered
}

/** One folder a server, named as kubectl names it. */
function cacheFile({ text }: ServerUrl, { env, home }: DiscoveryOptions): string {
  const root = env['XDG_CACHE_HOME'] || join(home, '.cache')
  const folder = text.replace(/^https?:\/\//, '').replace(/[^\w.]/g, '_')
  return join(root, 'kubectl-apf', 'discovery', folder, 'resources.json')
}

function readKept(file: string, now: Date): KnownResource[] | null {
  const faults: string[] = []
  try {
    const kept = fieldsOf(JSON.parse(readFileSync(file, 'utf8')), '', faults)
    const age = now.getTime() - Date.parse(kept.string('savedAt'))
    if (kept.raw('format') !== FORMAT || !(age >= 0 && age < MAX_AGE_MS)) return null
    const resources = kept.objects('resources').map((entry) => ({
      resource: entry.string('resource'),
      singular: entry.string('singular'),
      kind: entry.string('kind'),
      shortNames: entry.strings('shortNames'),
      group: entry.string('group'),
      version: entry.string('version'),
      namespaced: entry.boolean('namespaced'),
      subresources: entry.strings('subresources'),
    }))
    return faults.length === 0 ? resources : null
  } catch {
    return null
  }
}

/** Written aside and moved into place, so that nobody reads half a file. */
function keep(file: string, resources: readonly KnownResource[], now: Date): void {
  const aside = `${file}.${process.pid}`
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writeFileSync(aside, JSON.stringify({ format: FORMAT, savedAt: now.toISOString(), resources }), { mode: 0o600 })
    renameSync(aside, file)
  } catch {
    // Without a copy the server is asked again next time.
  }
}
