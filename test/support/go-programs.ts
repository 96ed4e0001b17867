/** Go programs of the tests: built with one set of flags into a cache folder, so that what one has compiled serves all. */
import { execFile, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** Why nothing can be built here, or null. */
export const missingToolchain: string | null = spawnSync('go', ['version']).status === 0 ? null : 'needs Go on PATH'

/** @param linkerFlags  more for the linker; what the compiler has done stays valid */
export function buildFlags(linkerFlags = ''): string[] {
  return ['-trimpath', '-ldflags', `-s -w ${linkerFlags}`.trim()]
}

/** This file may run as part of a bundle, which stands for a file elsewhere in the repository. */
export function repositoryRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder)
  return folder
}

/** Folder of everything that is built for one release, such as `0.37.2`. */
export function cacheFolder(release: string): string {
  const folder = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'kubectl-apf-e2e', release)
  mkdirSync(folder, { recursive: true })
  return folder
}

/** Runs the `go` command in a folder. */
export async function go(folder: string, args: readonly string[]): Promise<{ stdout: string }> {
  const env = { ...process.env, ...(args[0] === 'mod' ? { GOFLAGS: '-mod=mod' } : {}) }
  return promisify(execFile)('go', args, { cwd: folder, env, maxBuffer: 64 << 20 })
}

/**
 * @param module  with its version: `k8s.io/apiserver@v0.37.2`
 * @returns the folder of its sources
 */
export async function downloadModule(module: string): Promise<string> {
  // Outside of any module, whose own requirements would count.
  const { stdout } = await go(cacheFolder('.'), ['mod', 'download', '-json', module])
  return JSON.parse(stdout).Dir
}

/** The release's own language version, on which details of Go's HTTP and URL parsing depend. */
export function languageLines(moduleFolder: string): string {
  const lines = readFileSync(join(moduleFolder, 'go.mod'), 'utf8').split('\n')
  return lines.filter((line) => /^(go|godebug) /.test(line)).join('\n')
}
