/** Builds the Go programs of the oracle into a cache folder, which other programs of the tests share by version. */
import { execFile, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const SOURCES = join(repositoryRoot(), 'test', 'oracle')

/** Release of k8s.io/apiserver in the committed go.mod. */
export const DEFAULT_UPSTREAM = '0.37.2'

/** The flags of every Go program of the tests: what one has compiled, the others need not compile again. */
const BUILD_FLAGS = ['-trimpath', '-ldflags', '-s -w']

/** Why nothing can be built here, or null. */
export const missingToolchain: string | null = spawnSync('go', ['version']).status === 0 ? null : 'needs Go on PATH'

/** This file may run as part of a bundle, which stands for a file elsewhere in the repository. */
function repositoryRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder)
  return folder
}

/** Folder of everything that is built for one release of Kubernetes, such as `0.37.2`. */
function cacheFolder(version: string): string {
  const folder = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'kubectl-apf-e2e', version)
  mkdirSync(folder, { recursive: true })
  return folder
}

/**
 * Builds the oracle on one release of k8s.io/apiserver and returns the path of the program. Takes a second when the release
 * has been built before, else minutes.
 */
export async function buildOracle(upstream: string = DEFAULT_UPSTREAM): Promise<string> {
  const folder = cacheFolder(upstream)
  const program = join(folder, 'oracle')
  if (upstream === DEFAULT_UPSTREAM) {
    await go(SOURCES, ['build', ...BUILD_FLAGS, '-o', program, '.'])
    return program
  }
  const module = join(folder, 'oracle-src')
  mkdirSync(module, { recursive: true })
  for (const file of readdirSync(SOURCES)) if (/\.(go|s)$/.test(file)) cpSync(join(SOURCES, file), join(module, file))
  const { Dir } = await downloadApiserver(upstream)
  const repositories = ['api', 'apimachinery', 'apiserver', 'client-go']
  const requirements = repositories.map((name) => `require k8s.io/${name} v${upstream}\n`)
  writeFileSync(join(module, 'go.mod'), `module oracle\n\n${languageLines(Dir)}\n${requirements.join('')}`)
  await go(module, ['mod', 'tidy'])
  const tags = Number(upstream.split('.')[1]) < 29 ? ['-tags', 'v1beta3'] : []
  await go(module, ['build', ...BUILD_FLAGS, ...tags, '-o', program, '.'])
  return program
}

/** Release by release: the lists of default objects, named as in DefaultLists of main.go. */
export interface DefaultLists {
  mandatoryFlowSchemas: DefaultObject[]
  suggestedFlowSchemas: DefaultObject[]
  mandatoryPriorityLevels: DefaultObject[]
  suggestedPriorityLevels: DefaultObject[]
}

/** `metadata` as Go writes it, with nulls. */
export interface DefaultObject {
  metadata: { name: string; annotations?: Record<string, string> }
  spec: object
}

/**
 * The default objects of several releases, each as written in its own source file. That file needs nothing but the API
 * types, of which the newest module still has all versions; so one program takes in the files of all releases, and what
 * would be an hour of compiling takes seconds.
 *
 * @param upstreams  releases of k8s.io/apiserver, such as `0.20.15`
 * @returns the lists by release
 */
export async function defaultsOfReleases(upstreams: readonly string[]): Promise<Record<string, DefaultLists>> {
  const folder = join(cacheFolder(DEFAULT_UPSTREAM), 'defaults-src')
  mkdirSync(folder, { recursive: true })
  const packageOf = (upstream: string): string => `v${upstream.replaceAll('.', '_')}`
  for (const upstream of upstreams) {
    const { Dir } = await downloadApiserver(upstream)
    const source = readFileSync(join(Dir, 'pkg/apis/flowcontrol/bootstrap/default.go'))
    mkdirSync(join(folder, packageOf(upstream)), { recursive: true })
    writeFileSync(join(folder, packageOf(upstream), 'default.go'), source)
  }
  const module = readFileSync(join(SOURCES, 'go.mod'), 'utf8').replace('module oracle', 'module defaults')
  writeFileSync(join(folder, 'go.mod'), module)
  cpSync(join(SOURCES, 'go.sum'), join(folder, 'go.sum'))
  writeFileSync(join(folder, 'main.go'), defaultsProgram(upstreams, packageOf))
  const { stdout } = await go(folder, ['run', '-trimpath', '.'])
  return JSON.parse(stdout)
}

function defaultsProgram(upstreams: readonly string[], packageOf: (upstream: string) => string): string {
  const imports = upstreams.map((upstream) => `\t${packageOf(upstream)} "defaults/${packageOf(upstream)}"\n`)
  const entries = upstreams.map((upstream) => {
    const from = packageOf(upstream)
    return `\t\t"${upstream}": map[string]any{
\t\t\t"mandatoryFlowSchemas":    ${from}.MandatoryFlowSchemas,
\t\t\t"suggestedFlowSchemas":    ${from}.SuggestedFlowSchemas,
\t\t\t"mandatoryPriorityLevels": ${from}.MandatoryPriorityLevelConfigurations,
\t\t\t"suggestedPriorityLevels": ${from}.SuggestedPriorityLevelConfigurations,
\t\t},\n`
  })
  return `package main

import (
\t"encoding/json"
\t"os"

${imports.join('')})

func main() {
\tjson.NewEncoder(os.Stdout).Encode(map[string]any{
${entries.join('')}\t})
}
`
}

/** The release's own language version, on which details of Go's HTTP and URL parsing depend. */
function languageLines(moduleFolder: string): string {
  const lines = readFileSync(join(moduleFolder, 'go.mod'), 'utf8').split('\n')
  return lines.filter((line) => /^(go|godebug) /.test(line)).join('\n')
}

async function downloadApiserver(upstream: string): Promise<{ Dir: string }> {
  const { stdout } = await go(SOURCES, ['mod', 'download', '-json', `k8s.io/apiserver@v${upstream}`])
  return JSON.parse(stdout)
}

async function go(folder: string, args: readonly string[]): Promise<{ stdout: string }> {
  const env = { ...process.env, ...(args[0] === 'mod' ? { GOFLAGS: '-mod=mod' } : {}) }
  return promisify(execFile)('go', args, { cwd: folder, env, maxBuffer: 64 << 20 })
}
