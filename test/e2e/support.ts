/** What every test on a real API server starts with. */
import { readFileSync } from 'node:fs'
import { inject } from 'vitest'
import { FLOWCONTROL_GROUP } from '../../src/apf/objects.ts'
import { resolveVersion, type VersionRules } from '../../src/apf/versions.ts'
import type { Io, Sink } from '../../src/cli/io.ts'
import { type Run, run } from '../support/cli.ts'
import { DEFAULT_RELEASE, type Programs, programsOf, releaseOf } from './build.ts'
import type { Cluster } from './cluster.ts'

const wanted = process.env['APF_E2E_SERVER'] || DEFAULT_RELEASE
const found = programsOf(wanted)

/** What the server takes itself for: that of KUBEBUILDER_ASSETS may be any. */
export const RELEASE = 'programs' in found ? releaseOf(found.programs) : wanted

/** Why there is no API server to test on, or null. */
export const missing: string | null = 'missing' in found ? found.missing : null

/** Of a group of tests that needs the programs: `describe.skipIf(missing)(title('…'), …)`. */
export function title(text: string): string {
  return `${text}, kube-apiserver ${RELEASE}${missing === null ? '' : ` [${missing}]`}`
}

export function programs(): Programs {
  if ('missing' in found) throw new Error(found.missing)
  return found.programs
}

export interface ApfOptions {
  kubeconfig?: string
  stdin?: string
  env?: Record<string, string>
}

/** Runs the installed `kubectl-apf`, by default as admin of the cluster. */
export function apf(cluster: Cluster, args: readonly string[], options: ApfOptions = {}): Promise<Run> {
  const { kubeconfig = cluster.kubeconfig(), stdin = '', env = {} } = options
  return run(`${inject('installed')}/kubectl-apf`, args, {
    stdin,
    cwd: cluster.folder,
    env: { ...cluster.env, KUBECONFIG: kubeconfig, ...env },
  })
}

/** The versions of the objects that the server has, newest first. */
export const API_VERSIONS = rulesOf(RELEASE).servedVersions.map((version) => `${FLOWCONTROL_GROUP}/${version}`)

/** The newest of them. */
export const API_VERSION = API_VERSIONS[0] ?? ''

function rulesOf(release: string): VersionRules {
  const version = resolveVersion(release)
  if (!version.known) throw new Error(`${release} is no release that is known`)
  return version.rules
}

/** Schemas and levels that every test may have: see the file. */
export const objectsYaml = readFileSync(new URL('testdata/objects.yaml', import.meta.url), 'utf8').replaceAll(
  `${FLOWCONTROL_GROUP}/v1\n`,
  `${API_VERSION}\n`,
)

/** @param object  as kubectl names it: `flowschema/shop-reports` */
export async function uidOf(cluster: Cluster, object: string): Promise<string> {
  const { stdout } = await cluster.kubectl(['get', object, '-o', 'jsonpath={.metadata.uid}'])
  return stdout
}

/**
 * The same program within this process, for tests that run it hundreds of times.
 *
 * @param args  without stdin
 */
export async function apfHere(cluster: Cluster, args: readonly string[], kubeconfig: string): Promise<Run> {
  const { main } = await import('../../src/cli/main.ts')
  const text = { stdout: '', stderr: '' }
  const sink = (name: 'stdout' | 'stderr'): Sink => ({
    write(chunk) {
      text[name] += chunk
      return undefined
    },
    isTTY: false,
    columns: null,
  })
  const io: Io = {
    stdin: (async function* () {})(),
    stdout: sink('stdout'),
    stderr: sink('stderr'),
    env: { ...cluster.env, KUBECONFIG: kubeconfig },
    colour: 'never',
  }
  const before = process.listeners('uncaughtException')
  const code = await main(args, io)
  for (const listener of process.listeners('uncaughtException')) {
    if (!before.includes(listener)) process.off('uncaughtException', listener)
  }
  return { code, ...text }
}
