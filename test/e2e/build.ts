/** kube-apiserver, etcd and kubectl of one release of Kubernetes, built from Go modules and kept in a cache folder. */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  buildFlags,
  cacheFolder,
  downloadModule,
  go,
  languageLines,
  missingToolchain,
  repositoryRoot,
} from '../support/go-programs.ts'

/** The release whose go.mod is committed. */
export const DEFAULT_RELEASE = '1.37.2'

const SOURCES = join(repositoryRoot(), 'test', 'e2e', 'apiserver')

/** Paths of programs. */
export interface Programs {
  kubeApiserver: string
  etcd: string
  kubectl: string
}

/** The programs of KUBEBUILDER_ASSETS, if set, else those that have been built. */
export function programsOf(release: string): { programs: Programs } | { missing: string } {
  const folder = process.env['KUBEBUILDER_ASSETS'] || cacheFolder(release)
  const programs = programsIn(folder)
  const missing = Object.values(programs).find((path) => !existsSync(path))
  if (missing === undefined) return { programs }
  if (process.env['KUBEBUILDER_ASSETS']) return { missing: `there is no ${missing}` }
  return { missing: missingToolchain ?? 'built by npm run e2e' }
}

function programsIn(folder: string): Programs {
  return {
    kubeApiserver: join(folder, 'kube-apiserver'),
    etcd: join(folder, 'etcd'),
    kubectl: join(folder, 'kubectl'),
  }
}

/** The release of Kubernetes that the programs are of, such as `1.37.2`. */
export function releaseOf({ kubeApiserver }: Programs): string {
  const { stdout } = spawnSync(kubeApiserver, ['--version'], { encoding: 'utf8' })
  return stdout.trim().replace(/^Kubernetes v/, '')
}

/** Takes seconds when the release has been built before, else some ten minutes. Needs the Go toolchain. */
export async function buildPrograms(release: string): Promise<void> {
  const module = release === DEFAULT_RELEASE ? SOURCES : await writeModule(release)
  const folder = cacheFolder(release)
  const [major, minor] = release.split('.')
  // A server that is not told takes itself for v0.0.0.
  const version = Object.entries({ gitVersion: `v${release}`, gitMajor: major, gitMinor: minor })
  const flags = buildFlags(
    version.map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`).join(' '),
  )
  const commands = ['k8s.io/kubernetes/cmd/kube-apiserver', 'k8s.io/kubernetes/cmd/kubectl']
  await go(module, ['build', ...flags, '-o', `${folder}/`, ...commands])
  await go(module, ['build', ...flags, '-o', programsIn(folder).etcd, 'go.etcd.io/etcd/server/v3'])
}

/**
 * A module like the committed one, in the cache folder. The modules that Kubernetes keeps in its own tree are released
 * apart, as v0.X.Y for its v1.X.Y; etcd is taken in the version of the release's etcd client.
 */
async function writeModule(release: string): Promise<string> {
  const folder = join(cacheFolder(release), 'apiserver-src')
  mkdirSync(folder, { recursive: true })
  cpSync(join(SOURCES, 'programs.go'), join(folder, 'programs.go'))
  const upstream = await downloadModule(`k8s.io/kubernetes@v${release}`)
  const requirements = readFileSync(join(upstream, 'go.mod'), 'utf8')
  const staging = [...requirements.matchAll(/^\t(\S+) => \.\/staging\/src\//gm)].map(([, name]) => name)
  const etcd = /go\.etcd\.io\/etcd\/client\/v3 (\S+)/.exec(requirements)?.[1]
  const goMod = `module apiserver

${languageLines(upstream)}

require (
\tgo.etcd.io/etcd/server/v3 ${etcd}
\tk8s.io/kubernetes v${release}
)

replace (
${staging.map((name) => `\t${name} => ${name} v0${release.slice(1)}\n`).join('')})
`
  writeFileSync(join(folder, 'go.mod'), goMod)
  await go(folder, ['mod', 'tidy'])
  return folder
}
